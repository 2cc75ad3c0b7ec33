"""The verb agentws undo."""

from __future__ import annotations

from agentws.core.terminal import asking, output
from agentws.core.terminal.invocation import Run
from agentws.core.terminal.options import Verb, flag
from agentws.errors import ChangedUnderneathError, UsageError
from agentws.features.history import render_undo as render

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.features.history.undo.apply import Undone


def undo(run: Run, *, dry_run: bool, redo: bool, every: bool, yes: bool) -> None:
    """Undo the last change by agentws, with or without git. The journal records it."""
    if every:
        if dry_run or redo or yes:
            raise UsageError("--list cannot be used with other options.")
        _list(run)
        return
    if not (yes or dry_run) and asking.is_terminal(run, but_stdout=True):
        would = _run(run, redo=redo, dry_run=True)
        question = _question(would)
        if question:
            if not asking.confirm(question):
                return
            _check_same(would, _run(run, redo=redo, dry_run=True))
            yes = True
    found = _run(run, redo=redo, dry_run=dry_run, yes=yes)
    run.done("undo", render.undo_fields(found), render.undo_lines(found), found.notices)


def _question(would: Undone) -> str:
    """Return the question before an undo or redo, empty if none is needed."""
    if would.verb == "init" and not would.redo:
        return "This would remove the workspace itself; `agentws init` creates it again. Undo it?"
    if would.passed:
        return f"The last change was `{would.passed}`, which undo does not cover. Undo `{would.verb}` before it?"
    if not would.whose.is_others:
        return ""
    return f"`{would.verb}` was run by {would.whose.words}. {'Redo' if would.redo else 'Undo'} it?"


def _list(run: Run) -> None:
    found = run.workspace().changes()
    run.done("undo-list", render.changes_fields(found), render.changes_lines(found), found.notices, look=output.ROWS)


def _run(run: Run, *, redo: bool, dry_run: bool, yes: bool = False) -> Undone:
    workspace = run.workspace()
    return (workspace.redo if redo else workspace.undo)(dry_run=dry_run, yes=yes)


def _check_same(agreed: Undone, now: Undone) -> None:
    """Raise ChangedUnderneathError if the confirmed change is no longer the newest one."""
    if agreed.number != now.number:
        raise ChangedUnderneathError(
            f"Another command has just changed the workspace: `{now.verb}`. Nothing was undone.",
            hint="To see the newest change: agentws undo --dry-run",
        )


VERBS = (
    Verb(
        "undo",
        undo,
        (
            flag("--dry-run", "Show the change without undoing it."),
            flag("--redo", "Redo the last undone change."),
            flag("--list", "List the changes, newest first.", to="every"),
            flag(
                "--yes",
                "Also undo `agentws init`, or a change of another session or before an approval.",
            ),
        ),
        "agentws undo --dry-run",
        "agentws undo",
        "agentws undo && agentws undo   the last two changes",
        "agentws undo --redo            redo it",
        "agentws undo --list            what can be undone, and whose it is",
    ),
)
