"""Boxes that somebody ticked in the digest: what was closed there must not be open again without its line. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from agentws.formats.journal import summary
from agentws.planning.compact import digest
from agentws.planning.notes import entry as note
from agentws.planning.notes import reading, reference

if TYPE_CHECKING:
    from collections.abc import Iterable

    from agentws.planning.notes.entry import Entry

_LONGEST_CHARS = 200


class Tick(NamedTuple):
    """A ticked line of the digest: its `number` there, its words, its reference (or empty), `done` or `dropped`."""

    number: int
    text: str
    ref: str
    kind: str


def leaving(before: str, after: str, logs: Iterable[Entry]) -> list[Tick]:
    """Return what is over by its box in the page `before` alone, and stands no more in the page `after`.

    What a line of the `logs` closes by its reference stays closed without it.
    """
    if before == after:
        return []
    stays = {line.text for line in digest.lines(after)}
    gone = [_tick(line) for line in digest.lines(before) if line.is_ticked and line.text not in stays]
    if not gone:
        return []
    closed = {ref for entry in logs for ref in entry.closes}
    return [one for one in gone if not (one.ref and one.ref in closed)]


def _tick(line: digest.Line) -> Tick:
    said = reading.read(f"- {line.unticked}\n", path=digest.PATH)[0]
    text = summary.cut(said.body.strip(), _LONGEST_CHARS)
    return Tick(line.number, text, reference.written(said.text) or "", note.DROPPED if line.is_crossed else note.DONE)
