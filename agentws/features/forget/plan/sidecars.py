"""Remove forgotten text from the sidecars: compaction's JSON-lines records of entries and of folded days. Pure.

An entry that was removed loses its rows, and so does one that left MEMORY.md earlier. A folded day that lost lines
keeps its row, with digests of its new content: digests of the old words would confirm a guess.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agentws.core.formats import digest
from agentws.core.formats.documents import sources
from agentws.core.formats.json import plainjson
from agentws.core.formats.travel import conflict
from agentws.core.formats.travel.conflict import Record, Side
from agentws.errors import DamagedError
from agentws.features.forget.plan import strike
from agentws.features.forget.plan.strike import HIT, Struck, StruckLine
from agentws.features.forget.plan.wanted import Wanted

_SHORT = 8
_KEPT = ("entry", "stated", "sources", "from")
"""Keys in the row of an entry that hold digests, and places whose names stay."""
MARK = "forgotten"
"""The key of a folded day's row that names the run in which lines were forgotten."""


@dataclass(frozen=True, slots=True)
class Changed:
    """A folded day in a sidecar that loses lines: its content `before` and `after`, and the line numbers (1-based)."""

    before: bytes
    after: bytes
    lines: Collection[int]


def without(
    text: str, wanted: Wanted, *, entries: Collection[str], days: Mapping[str, Changed], run: str
) -> tuple[str, list[StruckLine]]:
    """Return a sidecar without what is wanted forgotten, and its rows that are removed or shortened.

    `entries` are the digests of removed entries, `days` the changed days by the path that each had when it was folded.
    """
    kept: list[str] = []
    gone: list[StruckLine] = []
    for number, line in enumerate(text.split("\n"), 1):
        row = _row(line)
        if _goes(row, line, wanted, entries):
            gone.append(StruckLine(number, line, HIT))
            continue
        rest = _rest(row, wanted, entries)
        if rest != row:
            gone.append(StruckLine(number, line, HIT))
        kept.append(_updated(rest, line if rest == row else _written(rest), days, run))
    return "\n".join(kept), gone


def left(text: str, wanted: Wanted) -> set[str]:
    """Return the digests in a sidecar of entries that left MEMORY.md earlier, and whose texts are wanted forgotten."""
    rows = map(_row, text.split("\n"))
    return {str(row["left"]) for row in rows if row and "left" in row and wanted.is_in(str(row.get("text", "")))}


def _row(line: str) -> dict[str, Any] | None:
    try:
        decoded = plainjson.loads(line)
    except ValueError:
        return None
    return decoded if isinstance(decoded, dict) else None


def _goes(row: Mapping[str, Any] | None, line: str, wanted: Wanted, entries: Collection[str]) -> bool:
    if row is None:
        return wanted.is_in(line)
    digest_of = next((row[key] for key in ("entry", "left", "stated") if key in row), None)
    if digest_of is not None:
        return str(digest_of) in entries
    if isinstance(row.get("declined"), list):
        return bool(row["declined"]) and {*map(str, row["declined"])} <= {*entries}
    # The path of a day is the name of a file, which stays: the row proves the day.
    return "sha256" not in row and wanted.is_in_value(row)


def _rest(row: dict[str, Any] | None, wanted: Wanted, entries: Collection[str]) -> dict[str, Any] | None:
    """Return the row of an entry that stays, without keys that hold what is wanted forgotten."""
    if row is not None and isinstance(row.get("declined"), list):
        return {**row, "declined": [each for each in row["declined"] if str(each) not in entries]}
    if row is None or not ("entry" in row or "stated" in row):
        return row
    fields = {key: value for key, value in row.items() if key not in _KEPT}
    if fields.get("by") in entries:
        return _rest({key: value for key, value in row.items() if key != "by"}, wanted, entries)
    if not wanted.is_in_value(fields):  # one check for most rows: there may be thousands
        return row
    return {key: value for key, value in row.items() if key in _KEPT or not wanted.is_in_value({key: value})}


def _written(row: object) -> str:
    return plainjson.dumps(row, separators=(",", ":"))


def _updated(row: dict[str, Any] | None, line: str, days: Mapping[str, Changed], run: str) -> str:
    if row is None or not days:
        return line
    try:
        is_entry = any(key in row for key in ("entry", "stated", "waits"))
        changed = _sources(row, days) if is_entry else _day(row, days, run)
    except (ValueError, TypeError, KeyError):
        return line  # not understood, and kept
    return _written(changed) if changed != row else line


def _sources(row: dict[str, Any], days: Mapping[str, Changed]) -> dict[str, Any]:
    """Return the row of an entry, its sources with the digests of their present lines."""
    return {**row, "sources": [_source(item, days.get(str(item[0]))) for item in row["sources"]]}


def _source(row: Sequence[Any], day: Changed | None) -> Sequence[Any]:
    path, line, end, known = row
    if day is None or known != sources.of_lines(day.before, line, end) or not set(range(line, end + 1)) & {*day.lines}:
        return row
    return [path, line, end, sources.of_lines(day.after, line, end)]


def _day(row: dict[str, Any], days: Mapping[str, Changed], run: str) -> dict[str, Any]:
    """Return the row of a folded day with digests of its new content; lines edited before keep their old digests."""
    day = days.get(str(row["path"])) if "sha256" in row else None
    if day is None:
        return row
    changed = {**row, "lines": _lines(str(row.get("lines", "")), day), MARK: run}
    if row["sha256"] == digest.of(day.before):
        changed |= {"size": len(day.after), "sha256": digest.of(day.after)}
    return changed


def _lines(then: str, day: Changed) -> str:
    before, after = sources.line_digests(day.before), sources.line_digests(day.after)
    pieces = [then[at : at + _SHORT] for at in range(0, len(then), _SHORT)]
    for line in day.lines:
        at = (line - 1) * _SHORT
        if line <= len(pieces) and pieces[line - 1] == before[at : at + _SHORT]:
            pieces[line - 1] = after[at : at + _SHORT]
    return "".join(pieces)


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
