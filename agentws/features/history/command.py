"""The verbs agentws history, diff and restore: the recorded states of the documents."""

from __future__ import annotations

import os

from agentws.core.formats.journal import summary
from agentws.core.terminal import asking, moments, output
from agentws.core.terminal.invocation import Run
from agentws.core.terminal.options import YES, Verb, flag, number, optional, text, word
from agentws.core.text import names, sh
from agentws.core.text.sanitize import one_line
from agentws.errors import NeedsYouError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime
    from typing import Any

    from agentws.features.history.diff import Compared, Differing
    from agentws.features.history.restore import Restored
    from agentws.features.history.states import RecentState, RecentStates, StateChange, StateList


def history(run: Run, *, file: str | None, limit: int) -> None:
    """List the newest states of the history, or those in which a document changed, newest first."""
    workspace = run.workspace()
    now = workspace.stores.clock.now() if output.is_terminal() else None
    if file is None:
        recent = workspace.history.states(limit=limit)
        run.done("history", recent_fields(recent), recent_lines(recent, now), recent.notices, look=output.ROWS)
        return
    found = workspace.history(**_named(workspace.root, file), limit=limit)
    lines = history_lines(found, now)
    run.done("history", history_fields(found), lines, found.notices, look=output.ROWS)


def diff(run: Run, *, file: str | None, since: str | None, stat: bool) -> None:
    """Show document changes since a recorded state."""
    workspace = run.workspace()
    named = _named(workspace.root, file) if file is not None else {}
    found = workspace.history.diff(**named, since=since)
    output.notices(found.notices, quiet=run.quiet)
    if run.as_json:
        output.data("diff", diff_fields(found))
    else:
        output.lines(diff_lines(found, stat=stat), output.PATCH)


def restore(run: Run, *, file: str, at: str | None, to: str | None, dry_run: bool, yes: bool) -> None:
    """Restore a document from a recorded state. `agentws undo` reverts that."""
    workspace = run.workspace()
    named = _named(workspace.root, file)
    found = workspace.history.restore(**named, at=at, to=to, dry_run=True)
    if dry_run or found.is_same:
        _show(run, found)
        return
    if not (yes or _agrees(run, found)):
        if not asking.is_terminal(run):
            _show(run, found)
        raise NeedsYouError("Not confirmed, nothing changed.", hint=f"To confirm: {_again(file, found)}")
    done = run.workspace().history.restore(**named, at=found.id, to=to, known=found)
    _show(run, done)


def _named(root: str, file: str) -> dict[str, Any]:
    """Return the library's arguments for a file: its name, and the folder of the workspace it is relative to."""
    folder, name = os.path.split(os.path.abspath(file))
    here, top = os.path.realpath(os.curdir), os.path.realpath(root)
    if os.path.isabs(file):
        full = os.path.join(os.path.realpath(folder), name)
        return {"file": f"{root}/{os.path.relpath(full, top)}" if full.startswith(f"{top}/") else file}
    return {"file": file, "near": os.path.relpath(here, top) if here.startswith(f"{top}/") else ""}


def _again(file: str, found: Restored) -> str:
    options = ["--at", found.id[:SHORT], *(["--to", found.to] if found.to != found.path else []), "--yes"]
    named = [*options, "--", file] if file.startswith("-") else [file, *options]
    return sh.join(["agentws", "restore", *named])


def _show(run: Run, done: Restored) -> None:
    output.notices(done.notices, quiet=run.quiet)
    if run.as_json:
        output.data("restore", restored_fields(done))
    else:
        output.lines(restored_lines(done), output.PATCH)


def _agrees(run: Run, found: Restored) -> bool:
    """Ask the person at the terminal to confirm what is shown; no without a terminal."""
    if not asking.is_terminal(run):
        return False
    _show(run, found)
    return asking.confirm("Restore it?")


_FILE = word("file", "FILE", "Document: a path relative to this folder or to the workspace, or absolute.")
VERBS = (
    Verb(
        "history",
        history,
        (
            optional("file", "[FILE]", "One document. Default: the newest states of all documents."),
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


def recent_fields(found: RecentStates) -> dict[str, object]:
    """Return the fields of `agentws/history@1` without a file."""
    return {
        "path": None,
        "changes": [
            {"id": one.id, "at": one.at.isoformat(), **output.fields(one, "verb? subject paths")}
            for one in found.states
        ],
        "has_earlier": found.has_earlier,
        "notices": found.notices,
    }


def recent_lines(found: RecentStates, now: datetime | None = None) -> Iterator[str]:
    """Return the newest states of history, one a line; with `now`, recent ones by their age."""
    width = max((len(_by(one)) for one in found.states), default=0)
    for one in found.states:
        words = (f"{_when(one, now):<16}", one.id[:SHORT], f"{_by(one):<{width}}", one_line(names.some(one.paths)))
        yield "  ".join(words).rstrip()
    if found.has_earlier:
        yield f"… and earlier: --limit {2 * len(found.states)}"


def history_fields(found: StateList) -> dict[str, object]:
    """Return the fields of `agentws/history@1`."""
    return {
        "path": found.path,
        "changes": [
            {
                "id": one.id,
                "at": one.at.isoformat(),
                **output.fields(one, "verb? subject change path moved_from? added removed"),
            }
            for one in found.changes
        ],
        "earlier": found.earlier,
        "edited": None if found.edited is None else {"added": found.edited[0], "removed": found.edited[1]},
        "notices": found.notices,
    }


def history_lines(found: StateList, now: datetime | None = None) -> Iterator[str]:
    """Return the states of history in which a file changed, one a line; with `now`, recent ones by their age."""
    width = max((len(_by(one)) for one in found.changes), default=0)
    if found.edited is not None:
        added, removed = found.edited
        yield f"{'since then':<16}  {'':{SHORT}}  {'not recorded yet':<{width}}  {_count(added, removed)}"
    for one in found.changes:
        moved = f"  {one_line(one.moved_from)} → {one_line(one.path)}" if one.moved_from else ""
        gone = f"  {one_line(one.path)} was removed" if one.change == "removed" else ""
        # The id is what diff and restore take: no narrow terminal cuts it.
        words = (f"{_when(one, now):<16}", one.id[:SHORT], f"{_by(one):<{width}}", _count(one.added, one.removed))
        yield f"{'  '.join(words)}{moved}{gone}"
    if found.earlier:
        yield f"… and {found.earlier} earlier: --limit {len(found.changes) + found.earlier}"


def _when(one: StateChange | RecentState, now: datetime | None) -> str:
    return moments.age(one.at, now) or f"{one.at:%Y-%m-%d %H:%M}"


def _by(one: StateChange | RecentState) -> str:
    """The verb, or what a person wrote."""
    return one_line(one.verb) or summary.cut(f"“{one_line(one.subject)}”", _LONGEST)


def _count(added: int, removed: int) -> str:
    return f"{f'+{added:,}':>5} {f'-{removed:,}':>5}"


# diff


def diff_fields(found: Compared) -> dict[str, object]:
    """Return the fields of `agentws/diff@1`."""
    return {
        "since": {"id": found.state.id, "at": found.at.isoformat(), "verb": found.state.verb or None},
        "files": [
            {
                **output.fields(one, "path was? status added removed"),
                "patch": "".join(f"{line}\n" for line in one.patch),
            }
            for one in found.differs
        ],
        "notices": found.notices,
    }


def diff_lines(found: Compared, *, stat: bool) -> Iterator[str]:
    """Yield the lines of a diff: the differences as a patch, or as a line for each file."""
    if not found.differs:
        yield f"No change since {found.at:%Y-%m-%d %H:%M} ({found.state.id[:SHORT]})."
    elif stat:
        yield from _stat(found)
    else:
        for one in found.differs:
            yield from one.patch or [f"{_name(one)}: {one.status}"]


def _stat(found: Compared) -> Iterator[str]:
    most = max(one.added + one.removed for one in found.differs)
    names = [_name(one) for one in found.differs]
    width = max(map(len, names))
    for name, one in zip(names, found.differs, strict=True):
        plus, minus = (-(-_BAR * number // max(_BAR, most)) for number in (one.added, one.removed))
        status = "" if one.status == "changed" else f"  {one.status}"
        yield f"{name:<{width}}  {_count(one.added, one.removed)}  {'+' * plus}{'-' * minus}{status}".rstrip()
    count = len(found.differs)
    total = _count(sum(one.added for one in found.differs), sum(one.removed for one in found.differs)).split()
    yield f"{count} file{'s' * (count > 1)}, {' '.join(total)} since {found.at:%Y-%m-%d %H:%M}"


def _name(one: Differing) -> str:
    return one_line(f"{one.was} → {one.path}" if one.status == "moved" else one.path)


# restore


def restored_fields(done: Restored) -> dict[str, object]:
    """Return the fields of `agentws/restore@1`."""
    return {
        **output.fields(done, "path was to state=id"),
        "at": done.at.isoformat(),
        **output.fields(done, "before after added removed"),
        "patch": "".join(f"{line}\n" for line in done.patch),
        "restored": not done.dry_run and not done.is_same,
        **output.fields(done, "dry_run event=cursor notices"),
    }


def restored_lines(done: Restored) -> Iterator[str]:
    """Yield the lines about a restored file; after a dry run its patch first."""
    when = f"{done.at:%Y-%m-%d %H:%M} ({done.id[:SHORT]})"
    was = f" (then named {one_line(done.was)})" if done.was != done.path else ""
    what = one_line(done.path if done.to == done.path else f"{done.path} to {done.to}")
    if done.is_same:
        yield f"{one_line(done.to)} is the same as on {when}: nothing to restore."
        return
    if done.dry_run:
        yield from done.patch
    yield f"{'Would restore' if done.dry_run else 'Restored'} {what} as of {when}{was}: {_plain(done)}."
    if not done.dry_run:
        yield "To undo: agentws undo"


def _plain(done: Restored) -> str:
    return " ".join(_count(done.added, done.removed).split())
