"""Correct compaction's records of archived days after a merge, so that they match the merged files. Pure.

Each row of an archived file has the digests of its content, and each source of an entry names the lines that it came
from, even if these have other numbers now or are in another file of the day. Specified in docs/format/sources.md.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from agentws.core.formats import digest, layout
from agentws.core.formats.documents import sources
from agentws.core.formats.json import plainjson
from agentws.features.sync.plan.plan import Blobs, Value
from agentws.features.sync.plan.state import derived, late, moves

Files = Mapping[str, Value]
Row = dict[str, Any]


_SHELVES = (f"{layout.HANDOFFS}/archive/", f"{layout.TASKS}/archive/", f"{layout.APPROVALS}/archive/")
_FORGOTTEN = "forgotten"
_SOURCES = '"sources":[['
_MOST_DAYS = 32
_MOST_LINES = 200
"""Sources of more lines are not searched for after they moved."""


def settle(result: dict[str, Value], base: Files, ours: Files, theirs: Files, blobs: Blobs) -> set[str]:
    """Correct the records of archived files in the merged files `result` that do not match these files.

    Returns the digests of the entries that were removed, since all lines that they were made of are gone.
    """
    gone: set[str] = set()
    days = _changed_days(result, ours, theirs)
    for path in _months(result, ours, theirs, days):
        text = blobs.bytes_of(result[path])
        if (true := _true(text, result, blobs)) != text:
            result[path] = true
        if not true.strip():
            del result[path]
    if sources.PATH in result and days:
        text = blobs.bytes_of(result[sources.PATH])
        source_rows = _Sources(result, (ours, theirs), days, blobs)
        if (true := source_rows.followed(text)) != text:
            result[sources.PATH] = true
        if source_rows.lost:
            known = derived.entries(blobs.bytes_of(base.get(sources.PATH)).decode("utf-8", "surrogateescape"))
            gone = source_rows.lost - known
            derived.drop(result, gone, blobs)
    return gone


def _changed_days(result: Files, ours: Files, theirs: Files) -> set[str]:
    """Return the days whose merged files differ from those of a side."""
    sides: list[dict[str, set[Value]]] = []
    for side in (result, ours, theirs):
        contents: dict[str, set[Value]] = {}
        for path, value in side.items():
            if day := _day(path):
                contents.setdefault(day, set()).add(value)
        sides.append(contents)
    first, own, other = sides
    every = {*first, *own, *other}
    return {day for day in every if not first.get(day) == own.get(day) == other.get(day)}


def _day(path: str) -> str:
    """Return the day of a log, archived or not; empty for any other file."""
    folder, _, name = path.rpartition("/")
    is_log = folder == layout.DAYS or folder.rpartition("/")[0] == layout.ARCHIVE
    return (layout.day_of(name) or "") if is_log else ""


def _months(result: Files, ours: Files, theirs: Files, days: Collection[str]) -> list[str]:
    """Return the archive's month files that may not match the merged files."""
    shelved = {
        path
        for path in {*result, *ours, *theirs}
        if path.startswith(_SHELVES) and not result.get(path) == ours.get(path) == theirs.get(path)
    }
    looked = {sources.month_path(day) for day in days}
    for path in result:
        if moves.is_month(path) and (shelved or not result[path] == ours.get(path) == theirs.get(path)):
            looked.add(path)
    places = {path for path in {*ours, *theirs} if path.startswith(f"{layout.ARCHIVE}/") and path not in result}
    looked |= {sources.month_path(day) for path in places if (day := _day(path))}
    return sorted(looked & result.keys())


def _true(text: bytes, result: Files, blobs: Blobs) -> bytes:
    """Return the text of a month file with rows that match the merged files."""
    every = text.decode("utf-8", "surrogateescape").split("\n")
    rows = [_folded(line) for line in every]
    groups: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        if row is not None:
            groups.setdefault((row["path"], row["to"]), []).append(row)
    settled = {place: _group(*place, records, result, blobs) for place, records in groups.items() if place[1]}
    lines: list[str] = []
    for line, row in zip(every, rows, strict=True):
        place = (row["path"], row["to"]) if row is not None else ("", "")
        if place not in settled:
            lines.append(line)
        elif groups.pop(place, None):  # all rows of a file replace its first one
            lines += settled[place]
    return "\n".join(lines).encode("utf-8", "surrogateescape")


def _folded(line: str) -> Row | None:
    """Return the row of a folded file; None for any other line."""
    known = sources.decode(line)
    if not known.folded:
        return None
    row = plainjson.loads(line)
    return {"line": line, **row, "to": str(row.get("to", "")), "path": str(row["path"])}


def _group(path: str, to: str, rows: Sequence[Row], result: Files, blobs: Blobs) -> list[str]:
    """Return the correct rows of one archived file."""
    there = [row for row in rows if row["sha256"]]
    if to in result:
        data = blobs.bytes_of(result[to])
        now = {"size": len(data), "sha256": digest.of(data), "lines": sources.line_digests(data)}
        by_run: dict[str, Row] = {}
        for row in there or rows:
            true = row if row["sha256"] == now["sha256"] else {**row, **now, "line": ""}
            known = by_run.get(str(row.get("run", "")), {})
            if str(true.get(_FORGOTTEN, "")) >= str(known.get(_FORGOTTEN, "")):
                by_run[str(row.get("run", ""))] = true
        return [row["line"] or _written(row) for row in by_run.values()]
    if path in result:
        return []  # it is no longer folded
    gone = [row for row in rows if not row["sha256"]]
    gone = gone or [{**rows[-1], "size": -1, "sha256": "", "lines": "", "line": ""}]
    return [row["line"] or _written(row) for row in [*there, *gone]]


def _written(row: Row) -> str:
    return plainjson.dumps({key: value for key, value in row.items() if key != "line"}, separators=(",", ":"))


class _Sources:
    """Follows the source lines of entries to their places in the merged files."""

    def __init__(self, result: Files, sides: tuple[Files, Files], days: Collection[str], blobs: Blobs) -> None:
        self._result = result
        self._sides = sides
        self._days = days
        self._blobs = blobs
        self._lines: dict[Value, list[bytes]] = {}
        self._starts: dict[tuple[Value, int], dict[str, int]] = {}
        self._gone: dict[str, bool] = {}
        self._known = sources.Sidecar()
        self._by_day: list[dict[str, list[str]]] = []
        for path in sorted({sources.month_path(day) for day in days} & result.keys()):
            sources.decode(blobs.bytes_of(result[path]).decode("utf-8", "surrogateescape"), self._known)
        for side in (result, *sides):
            paths_by_day: dict[str, list[str]] = {}
            for path in sorted(side):
                if (day := _day(path)) in days:
                    paths_by_day.setdefault(day, []).append(path)
            self._by_day.append(paths_by_day)

    @property
    def lost(self) -> set[str]:
        """The digests of entries whose source lines are all gone."""
        return {name for name, is_gone in self._gone.items() if is_gone}

    def followed(self, text: bytes) -> bytes:
        """Return memory/sources.jsonl with the present places of all source lines."""
        lines = text.decode("utf-8", "surrogateescape").split("\n")
        after = "\n".join(map(self._row, lines))
        for name in self.lost:  # another row may name a day that did not change
            self._gone[name] = not any(name in line and _SOURCES in line and not self._is_meant(line) for line in lines)
        return after.encode("utf-8", "surrogateescape")

    def _row(self, line: str) -> str:
        if _SOURCES not in line or not self._is_meant(line):
            return line
        try:
            row = plainjson.loads(line)
            before = row["sources"]
            rows = [self._source(*item) for item in before]
            name = str(row.get("entry") or row.get("waits") or "")
            self._gone[name] = self._gone.get(name, True) and all(is_gone for _, is_gone in rows)
            after = [source for source, _ in rows]
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            return line
        if after == before:
            return line
        for (path, first, *_), (to, now, *_) in zip(before, after, strict=True):
            if row.get("from") == f"{path}:{first}":
                row["from"] = f"{to}:{now}"
        return plainjson.dumps({**row, "sources": after}, separators=(",", ":"))

    def _is_meant(self, line: str) -> bool:
        """Return whether a row may name a changed day; most of thousands of rows do not."""
        return len(self._days) > _MOST_DAYS or any(day in line for day in self._days)

    def _source(self, path: str, first: int, end: int, known: str) -> tuple[list[object], bool]:
        """Return a source with the present place of its lines, and whether the lines are gone."""
        day = layout.day_of(path.rpartition("/")[2]) or ""
        as_it_was: list[object] = [path, first, end, known]
        if day not in self._days:
            return as_it_was, False
        now, *before = (each.get(day, []) for each in self._by_day)
        folded = {origins.to: origins.path for origins in self._known.places(path)}
        places = [*folded, path, *sources.once(path)]
        if any(self._says(self._result, place, first, end, known) for place in places):
            return as_it_was, False
        was_true = any(
            self._says(side, place, first, end, known)
            for side, there in zip(self._sides, before, strict=True)
            for place in there
        )
        if not was_true:
            return as_it_was, False
        for place in sorted(now, key=lambda each: (each not in places, each != late.place(path), each)):
            if line := self._line_of(place, end - first + 1, known):
                return [folded.get(place, place), line, line + end - first, known], False
        there = next((place for place in places if place in self._result), "")
        lines = self._of(self._result.get(there))
        return ([path, first, end, _digest(lines[first - 1 : end])] if end <= len(lines) else as_it_was), True

    def _says(self, side: Files, place: str, first: int, end: int, known: str) -> bool:
        return _digest(self._of(side.get(place))[first - 1 : end]) == known if place in side else False

    def _line_of(self, place: str, count: int, known: str) -> int:
        """Return the line at which `count` lines with this digest begin; 0 without any."""
        if not 0 < count <= _MOST_LINES:
            return 0
        value = self._result.get(place)
        if (value, count) not in self._starts:
            lines = self._of(value)
            starts = range(len(lines) - count, -1, -1)  # of several the first one
            self._starts[value, count] = {_digest(lines[start : start + count]): start + 1 for start in starts}
        return self._starts[value, count].get(known, 0)

    def _of(self, value: Value) -> list[bytes]:
        if value not in self._lines:
            self._lines[value] = self._blobs.bytes_of(value).split(b"\n")
        return self._lines[value]


def _digest(lines: Sequence[bytes]) -> str:
    return digest.of(b"\n".join(lines))
