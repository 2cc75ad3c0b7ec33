"""agentws undo."""

from __future__ import annotations

from agentws.cli import asking
from agentws.cli.invocation import Run
from agentws.cli.options import Verb, flag
from agentws.cli.render import everyday
from agentws.errors import ChangedUnderneathError, UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.operations.undo import Undone


def undo(run: Run, *, dry_run: bool, redo: bool, every: bool, yes: bool) -> None:
    """Take back the last thing agentws changed here, with git or without; the journal is told."""
    if every:
        if dry_run or redo or yes:
            raise UsageError("--list only lists: leave the other options out.")
        _list(run)
        return
    if not (yes or dry_run) and asking.is_terminal(run, but_stdout=True):
        would = _run(run, redo=redo, dry_run=True)
        if would.whose.is_others:
            if not asking.confirm(f"This is the work of {would.whose.words}. Go on?"):
                return
            _check_same(would, _run(run, redo=redo, dry_run=True))
            yes = True
    found = _run(run, redo=redo, dry_run=dry_run, yes=yes)
    run.done("undo", everyday.undo_fields(found), everyday.undo_lines(found), found.notices)


def _list(run: Run) -> None:
    found = run.workspace().changes()
    run.done("undo-list", everyday.changes_fields(found), everyday.changes_lines(found), found.notices)


def _run(run: Run, *, redo: bool, dry_run: bool, yes: bool = False) -> Undone:
    workspace = run.workspace()
    return (workspace.redo if redo else workspace.undo)(dry_run=dry_run, yes=yes)


def _check_same(agreed: Undone, now: Undone) -> None:
    """ChangedUnderneathError where the change that was agreed to is not the newest any more."""
    if agreed.number != now.number:
        raise ChangedUnderneathError(
            f"Another change was made meanwhile: `{now.verb}`. Nothing was taken back.",
            hint="Look at it, and run it again: agentws undo --dry-run",
        )


VERBS = (
    Verb(
        "undo",
        undo,
        (
            flag("--dry-run", "Say what would be taken back, and do nothing."),
            flag("--redo", "Make again what was taken back last."),
            flag("--list", "List the changes, the newest first, and do nothing.", to="every"),
            flag("--yes", "Also the work of another session that runs."),
        ),
        "agentws undo --dry-run",
        "agentws undo",
        "agentws undo && agentws undo   the last two changes",
        "agentws undo --redo            make it again",
        "agentws undo --list            what can be taken back, and whose it is",
    ),
)
