"""Days that would take something open, or unread, into the archive: they are folded, but stay where they are. Pure.

Boot reads the archive no more. So an empty box has to stand in MEMORY.md, or be closed, before its day moves; and of a
day most of whose lines say nothing that could be weighed nobody knows what would be lost. With a day that stays, the
days stay that close something of it: else it would be open again.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from agentws.formats import layout, markdown, names, notes
from agentws.planning.compaction import candidates, keeping, leaving
from agentws.planning.compaction.lines import bare
from agentws.planning.notes import ledger, reading

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from agentws.formats.sources import Sidecar
    from agentws.planning.compaction.choice import Choice
    from agentws.planning.compaction.folding import Folder
    from agentws.planning.notes.entry import Entry

_SETTLED = (leaving.CLOSED, leaving.SAID, leaving.REPLACED, keeping.TOLD)
_OPEN = "an empty box of {} is not in MEMORY.md. Check the box, or drop it with ❌."
_UNREAD = (
    "most of {} lines are too short, or without blanks between words, to be weighed."
    " Keep what matters: agentws remember TEXT"
)


def without(found: Folder, choice: Choice, known: Sidecar) -> tuple[Folder, list[str]]:
    """Return the folder without the moves of such days, and what to tell of them."""
    told = {*_kept(choice, known)}
    open_: list[str] = []
    unread: list[str] = []
    for day, one, _ in found.moves:
        if not one.path.startswith(f"{layout.DAYS}/") or layout.day_of(one.path.rpartition("/")[2]) != day:
            continue
        read = notes.read(one.text)
        if any((one.path, line) not in told for line in _open_lines(read)):
            open_.append(one.path)
        elif _is_unread(read):
            unread.append(one.path)
    stay = {*open_, *unread}
    if not stay:
        return found, []
    over = _over(found)
    size = 0
    while size < len(stay):
        size = len(stay)
        stay |= {by.path for one, by in over.items() if one.path in stay}
    folder = replace(
        found,
        archive={path: to for path, to in found.archive.items() if path not in stay},
        shelved=[each for each in found.shelved if each[1].path not in stay],
    )
    said = [_said(open_, _OPEN, ("it", "each")), _said(unread, _UNREAD, ("its", "their"))]
    return folder, [one for one in said if one]


def _over(found: Folder) -> dict[Entry, Entry]:
    """What the files that move say is over, with the entry that closed it."""
    entries = [reading.read(one.text, path=one.path, day=day) for day, one, _ in found.moves]
    return ledger.of(entries, today=max(day for day, _, _ in found.moves)).over


def _kept(choice: Choice, known: Sidecar) -> Iterator[tuple[str, int]]:
    """Where each line stands that MEMORY.md says now, or that a later one closed."""
    for new in choice.new:
        yield from ((one.path, line) for one in new.sources for line in range(one.line, one.end_line + 1))
    for digest in choice.stayed:
        yield from ((one.path, line) for one in known.made[digest].sources for line in range(one.line, one.end + 1))
    for dropped in choice.dropped:
        if dropped.why in _SETTLED:
            one = dropped.source
            yield from ((one.path, line) for line in range(one.line, one.end_line + 1))


def _open_lines(read: Collection[notes.Note]) -> Iterator[int]:
    for note in read:
        if note.unit.kind == markdown.ITEM and not note.src:  # an empty box from outside asks for nothing
            for at, line in enumerate(note.unit.text.split("\n")):
                if notes.marked(line) is False:
                    yield note.unit.line + at


def _is_unread(read: Collection[notes.Note]) -> bool:
    texts = [bare(note.unit.text) for note in read if note.unit.kind in (markdown.ITEM, markdown.PARAGRAPH)]
    said = [text for text in texts if any(map(str.isalpha, text))]
    return 2 * sum(candidates.says_something(text) for text in said) < len(said)


def _said(paths: list[str], why: str, whose: tuple[str, str]) -> str:
    """Why days stay; `whose` is what stands in `why` for one of them, and for several."""
    if not paths:
        return ""
    verb = "stay where they are" if len(paths) > 1 else "stays where it is"
    return f"{names.some(paths)} {verb}: {why.format(whose[len(paths) > 1])}"
