"""The verb agentws undo."""

from __future__ import annotations

from agentws.core.formats.journal import summary
from agentws.core.terminal import dialog, output
from agentws.core.terminal.invocation import Run
from agentws.core.terminal.options import Verb, flag
from agentws.core.text import names
from agentws.core.text.sanitize import one_line
from agentws.errors import ChangedUnderneathError, UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentws.features.history.undo.apply import ChangeList, Undone


def undo(run: Run, *, dry_run: bool, redo: bool, every: bool, yes: bool) -> None:
    """Undo the last change by agentws, with or without git."""
    if every:
        if dry_run or redo or yes:
            raise UsageError("--list cannot be used with other options.")
        _list(run)
        return
    if not (yes or dry_run) and dialog.is_terminal(run, but_stdout=True):
        would = _run(run, redo=redo, dry_run=True)
        question = _question(would)
        if question:
            if not dialog.confirm(question):
                return
            _check_same(would, _run(run, redo=redo, dry_run=True))
            yes = True
    undone = _run(run, redo=redo, dry_run=dry_run, yes=yes)
    run.result("undo", undone, f"verb number paths dry_run redo events *whose[{_WHOSE}] notices", undo_lines(undone))


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
    changes = run.workspace().history.changes()
    run.result("undo-list", changes, _CHANGES, changes_lines(changes), look=output.ROWS)


def _run(run: Run, *, redo: bool, dry_run: bool, yes: bool = False) -> Undone:
    workspace = run.workspace()
    return (workspace.history.redo if redo else workspace.undo)(dry_run=dry_run, yes=yes)


def _check_same(agreed: Undone, now: Undone) -> None:
    """Raise ChangedUnderneathError if the confirmed change is no longer the newest one."""
    if agreed.number != now.number:
        raise ChangedUnderneathError(
            f"Another command has just changed the workspace: `{now.verb}`. Nothing was undone.",
            hint="To see the newest change: agentws undo --dry-run",
        )


_WHOSE = "at? session? state? host? writer? others=is_others"
_CHANGES = f"changes=rows[number verb paths undone=is_undone forgotten=is_forgotten *whose[{_WHOSE}]] notices"
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
                "Also undo `agentws init`, another running session's change, or one before an approval.",
            ),
        ),
        "agentws undo --dry-run",
        "agentws undo",
        "agentws undo && agentws undo   the last two changes",
        "agentws undo --redo            redo it",
        "agentws undo --list            what can be undone, and whose it is",
    ),
)


_MOST_ENTRY, _MOST_IN_ROW = 100, 50


def changes_lines(change_list: ChangeList) -> Iterator[str]:
    """Return the changes that undo lists, newest first, one a line."""
    if not change_list.rows:
        yield "agentws has not changed anything here."
    for row in change_list.rows:
        more = f", {len(row.paths) - 3} more" if len(row.paths) > 3 else ""
        paths = f" ({one_line(', '.join(map(output.place, row.paths[:3])))}{more})" * bool(
            row.paths
        )  # names of files may be forgotten
        parts = (
            f"{row.number:>4}  {one_line(row.verb)}{paths}",
            summary.cut(one_line(row.entry.removeprefix("- ")), _MOST_IN_ROW),
            one_line(row.whose.words),
            "undone" * row.is_undone,
            "not undone: came from other machines" * (row.verb == "sync"),
            "cannot be undone: its data was forgotten" * (row.is_forgotten and not row.is_undone),
        )
        yield " · ".join(part for part in parts if part)


def undo_lines(done: Undone) -> Iterator[str]:
    """Yield the lines about what was undone."""
    done_words = ("Would redo", "Redid") if done.redo else ("Would undo", "Undid")
    yield f"{done_words[not done.dry_run]}: {done.verb} ({names.some([*map(output.place, done.paths)])})"
    yield from (f"  {summary.cut(one_line(entry), _MOST_ENTRY)}" for entry in done.entries)
    if done.whose.session or done.whose.state:
        yield f"  by {one_line(done.whose.words)}"
    if done.verb == "init" and not done.dry_run:
        yield "The folder .agentws and the git history remain: they contain the undone files."
        yield "Events and keys in journal and identity remain too: agentws init then recognises the agent."
