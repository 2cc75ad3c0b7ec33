"""The verbs agentws history, diff and restore: the recorded states of the documents."""

from __future__ import annotations

import os

from agentws.core.formats.journal import summary
from agentws.core.terminal import dialog, moments, output
from agentws.core.terminal.invocation import Run
from agentws.core.terminal.options import YES, Verb, flag, number, optional, text, word
from agentws.core.text import names, sh
from agentws.core.text.sanitize import one_line
from agentws.errors import NeedsYouError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime
    from typing import Any

    from agentws.features.history.diff import Compared, Differing
    from agentws.features.history.restore import Restored
    from agentws.features.history.states import RecentState, RecentStates, StateChange, StateList


def history(run: Run, *, file: str | None, limit: int) -> None:
    """List the newest states of the history, or those that changed a document."""
    workspace = run.workspace()
    now = workspace.stores.clock.now() if output.is_terminal() else None
    if file is None:
        recent = workspace.history.states(limit=limit)
        run.result("history", recent, _RECENT, recent_lines(recent, now), look=output.ROWS, path=None)
        return
    result = workspace.history(**_named(workspace.root, file), limit=limit)
    run.result("history", result, _HISTORY, history_lines(result, now), look=output.ROWS)


def diff(run: Run, *, file: str | None, since: str | None, stat: bool) -> None:
    """Show document changes since a recorded state."""
    workspace = run.workspace()
    named = _named(workspace.root, file) if file is not None else {}
    result = workspace.history.diff(**named, since=since)
    names = "path was? status added removed patch"
    files = [output.fields(differ, names, patch=_text(differ.patch)) for differ in result.differs]
    run.result("diff", result, _DIFF, diff_lines(result, stat=stat), look=output.PATCH, files=files)


def restore(run: Run, *, file: str, at: str | None, to: str | None, dry_run: bool, yes: bool) -> None:
    """Restore a document from a recorded state. `agentws undo` reverts that."""
    workspace = run.workspace()
    named = _named(workspace.root, file)
    result = workspace.history.restore(**named, at=at, to=to, dry_run=True)
    if dry_run or result.is_same:
        _show(run, result)
        return
    if not (yes or _agrees(run, result)):
        if not dialog.is_terminal(run):
            _show(run, result)
        raise NeedsYouError("Not confirmed, nothing changed.", hint=f"To confirm: {_again(file, result)}")
    done = run.workspace().history.restore(**named, at=result.id, to=to, known=result)
    _show(run, done)


def _named(root: str, file: str) -> dict[str, Any]:
    """Return the library's arguments for a file: its name, and the folder of the workspace it is relative to."""
    folder, name = os.path.split(os.path.abspath(file))
    path, top = os.path.realpath(os.curdir), os.path.realpath(root)
    full = os.path.join(os.path.realpath(folder), name)
    if full.startswith(f"{top}/") and (os.path.isabs(file) or not f"{path}/".startswith(f"{top}/")):
        return {"file": f"{root}/{os.path.relpath(full, top)}"}
    return {"file": file, "near": os.path.relpath(path, top) if path.startswith(f"{top}/") else ""}


def _again(file: str, restored: Restored) -> str:
    options = ["--at", restored.id[:SHORT], *(["--to", restored.to] if restored.to != restored.path else []), "--yes"]
    named = [*options, "--", file] if file.startswith("-") else [file, *options]
    return sh.join(["agentws", "restore", *named])


def _show(run: Run, done: Restored) -> None:
    is_restored = not done.dry_run and not done.is_same
    run.result(
        "restore",
        done,
        _RESTORED,
        restored_lines(done),
        look=output.PATCH,
        restored=is_restored,
        patch=_text(done.patch),
    )


def _text(patch: Sequence[str]) -> str:
    return "".join(f"{line}\n" for line in patch)


def _agrees(run: Run, restored: Restored) -> bool:
    """Ask the person at the terminal to confirm what is shown; no without a terminal."""
    if not dialog.is_terminal(run):
        return False
    _show(run, restored)
    return dialog.confirm("Restore it?")


_FILE = word("file", "FILE", "Document: a path from here, from the workspace, or absolute.")
_RECENT = "path changes=states[id at=at.isoformat verb? subject paths] has_earlier notices"
_HISTORY = """
    path changes[id at=at.isoformat verb? subject change path moved_from? added removed] earlier edited[added removed]
    notices
"""
_DIFF = "since=.[id=state.id at=at.isoformat verb=state.verb?] files notices"
_RESTORED = """
    path was to state=id at=at.isoformat before after added removed patch restored dry_run event=cursor notices
"""
VERBS = (
    Verb(
        "history",
        history,
        (
            optional("file", "[FILE]", "One document. Default: all documents."),
            number("--limit", "N", "Maximum number of states.", default=20, least=1),
        ),
        "agentws history                          what changed last, and in which documents",
        "agentws history MEMORY.md",
        "agentws history memory/2026-03-02.md     a compacted log, followed into the archive",
        "agentws history SOUL.md --limit 100 --json",
    ),
    Verb(
        "diff",
        diff,
        (
            optional("file", "[FILE]", "One document. Default: all documents."),
            text("--since", "T", "A time, today, yesterday, 3d, 2h, or a state's id. Default: the newest state."),
            flag("--stat", "Show only line counts per file."),
        ),
        "agentws diff                             changes not recorded yet",
        "agentws diff --since yesterday --stat",
        "agentws diff --since 3d MEMORY.md",
        "agentws diff --since 1a2b3c4d5e          an id that agentws history shows",
    ),
    Verb(
        "restore",
        restore,
        (
            _FILE,
            text("--at", "T", "A time, yesterday, 3d, 2h, or a state's id. Default: the newest that has it."),
            text("--to", "PATH", "Write to this new path instead of FILE."),
            flag("--dry-run", "Show the result without applying it."),
            YES,
        ),
        "agentws restore MEMORY.md --dry-run      show it as in the newest state",
        "agentws restore MEMORY.md --at yesterday",
        "agentws restore SOUL.md --at 3d --to memory/soul-then.md",
        "agentws restore tasks/move.md --at 1a2b3c4d5e --yes",
    ),
)


SHORT = 10
_BAR = 40
_LONGEST = 40


# history


def recent_lines(recent_states: RecentStates, now: datetime | None = None) -> Iterator[str]:
    """Return the newest states of history, one a line; with `now`, recent ones by their age."""
    width = max((len(_by(state)) for state in recent_states.states), default=0)
    for state in recent_states.states:
        words = (
            f"{_when(state, now):<16}",
            state.id[:SHORT],
            f"{_by(state):<{width}}",
            one_line(names.some(state.paths)),
        )
        yield "  ".join(words).rstrip()
    if recent_states.has_earlier:
        yield f"… and earlier: --limit {2 * len(recent_states.states)}"


def history_lines(state_list: StateList, now: datetime | None = None) -> Iterator[str]:
    """Return the states of history in which a file changed, one a line; with `now`, recent ones by their age."""
    width = max((len(_by(change)) for change in state_list.changes), default=0)
    if state_list.edited is not None:
        added, removed = state_list.edited
        yield f"{'since then':<16}  {'':{SHORT}}  {'not recorded yet':<{width}}  {_count(added, removed)}"
    for change in state_list.changes:
        moved = (
            f"  {one_line(output.place(change.moved_from))} → {one_line(output.place(change.path))}"
            if change.moved_from
            else ""
        )
        gone = f"  {one_line(output.place(change.path))} was removed" if change.change == "removed" else ""
        # The id is what diff and restore take: no narrow terminal cuts it.
        words = (
            f"{_when(change, now):<16}",
            change.id[:SHORT],
            f"{_by(change):<{width}}",
            _count(change.added, change.removed),
        )
        yield f"{'  '.join(words)}{moved}{gone}"
    if state_list.earlier:
        yield f"… and {state_list.earlier} earlier: --limit {len(state_list.changes) + state_list.earlier}"


def _when(state: StateChange | RecentState, now: datetime | None) -> str:
    return moments.age(state.at, now) or f"{state.at:%Y-%m-%d %H:%M}"


def _by(state: StateChange | RecentState) -> str:
    """The verb, or what a person wrote."""
    return one_line(state.verb) or summary.cut(f"“{one_line(state.subject)}”", _LONGEST)


def _count(added: int, removed: int) -> str:
    return f"{f'+{added:,}':>5} {f'-{removed:,}':>5}"


# diff


def diff_lines(compared: Compared, *, stat: bool) -> Iterator[str]:
    """Yield the lines of a diff: the differences as a patch, or as a line for each file."""
    if not compared.differs:
        yield f"No change since {compared.at:%Y-%m-%d %H:%M} ({compared.state.id[:SHORT]})."
    elif stat:
        yield from _stat(compared)
    else:
        for differ in compared.differs:
            yield from differ.patch or [f"{_name(differ)}: {differ.status}"]


def _stat(compared: Compared) -> Iterator[str]:
    most = max(differ.added + differ.removed for differ in compared.differs)
    names = [_name(differ) for differ in compared.differs]
    width = max(map(len, names))
    for name, difference in zip(names, compared.differs, strict=True):
        plus, minus = (-(-_BAR * number // max(_BAR, most)) for number in (difference.added, difference.removed))
        status = "" if difference.status == "changed" else f"  {difference.status}"
        lines = _count(difference.added, difference.removed)
        yield f"{name:<{width}}  {lines}  {'+' * plus}{'-' * minus}{status}".rstrip()
    count = len(compared.differs)
    total = _count(
        sum(differ.added for differ in compared.differs), sum(differ.removed for differ in compared.differs)
    ).split()
    yield f"{count} file{'s' * (count > 1)}, {' '.join(total)} since {compared.at:%Y-%m-%d %H:%M}"


def _name(difference: Differing) -> str:
    path = output.place(difference.path)
    return one_line(f"{output.place(difference.was)} → {path}" if difference.status == "moved" else path)


# restore


def restored_lines(done: Restored) -> Iterator[str]:
    """Yield the lines about a restored file; after a dry run its patch first."""
    when = f"{done.at:%Y-%m-%d %H:%M} ({done.id[:SHORT]})"
    was = f" (then named {one_line(done.was)})" if done.was != done.path else ""
    path, to = output.place(done.path), output.place(done.to)
    what = one_line(path if to == path else f"{path} to {to}")
    if done.is_same:
        yield f"{one_line(to)} is the same as on {when}: nothing to restore."
        return
    if done.dry_run:
        yield from done.patch
    yield f"{'Would restore' if done.dry_run else 'Restored'} {what} as of {when}{was}: {_plain(done)}."
    if not done.dry_run:
        yield "To undo: agentws undo"


def _plain(done: Restored) -> str:
    return " ".join(_count(done.added, done.removed).split())
