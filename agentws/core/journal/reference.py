"""References within a journal: the outline of its newest segment, and the event at a reference. Without the lock."""

from __future__ import annotations

from agentws.core.formats.journal import event, segment, segment_index
from agentws.core.journal import line_check, read
from agentws.errors import AgentwsError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from agentws.core.disk.files import Files
    from agentws.core.formats.journal.event import Event
    from agentws.core.formats.journal.segment_index import Outline

_MOST_LINES_BYTES, _LINES_BYTES = 1 << 16, 1 << 12
"""How much is read for a line and the one after it; at first less, as most lines are short."""
_ODD = (AgentwsError, AttributeError, KeyError, TypeError, ValueError)


def outlined(files: Files, writer: str) -> Outline:
    """Return the outline of a writer's journal (open actions, sessions, seals), from its newest segment with a complete
    line.
    """
    outline = segment_index.Outline()
    for number in reversed(read.newest(files, writer, 2)):
        lines = list(read.lines(files, writer, number))
        for offset, line in lines:
            try:
                outline.fold(line, writer=writer, segment=number, offset=offset)
            except _ODD:
                continue  # journal verify names what is damaged
        if lines:
            break
    return outline


def open_calls(files: Files, writers: Sequence[str]) -> list[tuple[str, dict[str, Any]]]:
    """Return (writer, reference) of each action without a result; a result by another of these writers counts."""
    outlines = {writer: outlined(files, writer) for writer in writers}
    ended = {call for outline in outlines.values() for call in outline.ended}
    gone = retracted(outlines.values())
    pairs = [
        (writer, ref) for writer, outline in outlines.items() for call, ref in outline.open.items() if call not in ended
    ]
    pairs = [(writer, ref) for writer, ref in pairs if (writer, ref.get("seq")) not in gone]
    return [(writer, ref) for writer, ref in pairs if not _is_over(files, writer, ref, outlines[writer])]


def retracted(outlines: Iterable[Outline]) -> set[tuple[str, int]]:
    """Return (writer, number) of the newest events that these outlines retract."""
    return {(writer, seq) for outline in outlines for writer, seq in outline.retracted}


def _is_over(files: Files, writer: str, ref: dict[str, Any], outline: Outline) -> bool:
    if not outline.is_vague(ref):
        return False
    entry = at(files, writer, ref)
    return entry is not None and outline.is_over(entry, ref)


def at(files: Files, writer: str, ref: dict[str, Any]) -> Event | None:
    """Return the event at a reference, None if it is missing or was changed."""
    try:
        return _in_place(files, writer, ref) or _moved(files, writer, ref)
    except _ODD:
        return None


def _moved(files: Files, writer: str, ref: dict[str, Any]) -> Event | None:
    """Return the event of a reference whose place has changed, because a purge has shortened a line before it."""
    data = read.part(files, segment.path(writer, ref["segment"]), read.MOST_BYTES)[0]
    offset = (b"\n" + data).find(b'\n{"agentws":1,"seq":%d,' % ref["seq"])
    return _in_place(files, writer, {**ref, "offset": offset}) if offset >= 0 else None


def _in_place(files: Files, writer: str, ref: dict[str, Any]) -> Event | None:
    """Return the event exactly at the reference; None if another line is there, or a changed one."""
    number, offset = ref["segment"], ref["offset"]
    lines = read.piece(files, path := segment.path(writer, number), offset, _LINES_BYTES)
    if lines.count(b"\n") < 2 and len(lines) == _LINES_BYTES:
        lines = read.piece(files, path, offset, _MOST_LINES_BYTES)
    line, _, rest = lines.partition(b"\n")
    if not line.startswith(b'{"agentws":1,"seq":%d,' % ref["seq"]):
        return None
    if line_check.wrong_in(files, writer, number, offset, line, rest.partition(b"\n")[0]):
        return None
    return event.decode(line, writer=writer, segment=number, offset=offset)
