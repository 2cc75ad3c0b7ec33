"""The record of a conflict without what is to be forgotten: the texts in it lose lines, the record stays. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentws.errors import DamagedError
from agentws.formats.travel import conflict
from agentws.formats.travel.conflict import Side
from agentws.planning.forget import strike
from agentws.planning.forget.strike import HIT, Struck, StruckLine

if TYPE_CHECKING:
    from agentws.planning.forget.wanted import Wanted

_RECORD_LINE = 1


def struck(path: str, data: bytes, wanted: Wanted) -> Struck:
    """Return the record at a path, and the lines of the texts in it that go."""
    try:
        record = conflict.decode(conflict.id_of(path.removeprefix(f"{conflict.FOLDER}/")), data)
    except DamagedError:
        return strike.strike(data, wanted)
    gone: list[StruckLine] = []
    first, second = record.sides
    record.base = _without(record.base, wanted, gone)
    record.sides = (_without(first, wanted, gone), _without(second, wanted, gone))
    if wanted.is_in(record.where):
        gone.append(StruckLine(_RECORD_LINE, record.where, HIT))
        record.where = ""
    return Struck(conflict.encode(record), gone) if gone else Struck(data)


def _without(side: Side, wanted: Wanted, gone: list[StruckLine]) -> Side:
    if side.text is None:
        return side
    found = strike.strike(side.text.encode("utf-8", "surrogateescape"), wanted)
    gone += [StruckLine(_RECORD_LINE, one.text, one.why) for one in found.lines]
    return Side(found.data.decode("utf-8", "surrogateescape")) if found.lines else side
