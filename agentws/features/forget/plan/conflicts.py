"""Remove forgotten text from the record of a sync conflict: the sides in it lose lines. Pure.

The record becomes empty if nothing is left to decide.
"""

from __future__ import annotations

from agentws.core.formats.travel import conflict
from agentws.core.formats.travel.conflict import Record, Side
from agentws.errors import DamagedError
from agentws.features.forget.plan import strike
from agentws.features.forget.plan.strike import HIT, Struck, StruckLine
from agentws.features.forget.plan.wanted import Wanted

_ENTRY = "entry"
_RECORD_LINE = 1


def struck(path: str, data: bytes, wanted: Wanted) -> Struck:
    """Return the conflict record at a path without what is wanted forgotten, and the lines that it loses."""
    try:
        record = conflict.decode(conflict.id_of(path.removeprefix(f"{conflict.FOLDER}/")), data)
    except DamagedError:
        return strike.strike(data, wanted)
    gone: list[StruckLine] = []
    first, second = record.sides
    record.base = _without(record.base, wanted, gone)
    record.sides = (_without(first, wanted, gone), _without(second, wanted, gone))
    if gone and _is_over(record, (first, second)):
        return Struck(b"", gone)
    if wanted.is_in(record.where):
        gone.append(StruckLine(_RECORD_LINE, record.where, HIT))
        record.where = ""
    return Struck(conflict.encode(record), gone) if gone else Struck(data)


def _is_over(record: Record, before: tuple[Side, Side]) -> bool:
    """Return whether a record has nothing left to decide; a field, of which the file has one side, needs the other."""
    lost = [bool(old.text) and not (new.text or "").strip() for old, new in zip(before, record.sides, strict=True)]
    has_text = [bool((side.text or "").strip() or side.file) for side in record.sides]
    return any(lost) and (record.what == _ENTRY or not any(has_text))


def _without(side: Side, wanted: Wanted, gone: list[StruckLine]) -> Side:
    if side.text is None:
        return side
    cut = strike.strike(side.text.encode("utf-8", "surrogateescape"), wanted)
    gone += [StruckLine(_RECORD_LINE, line.text, line.why) for line in cut.lines]
    return Side(cut.data.decode("utf-8", "surrogateescape")) if cut.lines else side
