"""memory/sources.jsonl and its month files: sources of memories, folded days. Specified in docs/format/sources.md.

Both are JSON lines. `memory/sources.jsonl` says from which lines each entry of MEMORY.md was made; a file a month in
the archive has the digests of each folded day's lines, taken before anything was moved. Lines that are not understood
are kept.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from agentws.core import Record
from agentws.core.formats import digest, layout
from agentws.core.formats.documents import entry_rows
from agentws.core.formats.documents.entry_rows import (
    CURRENT,
    EXPIRED,
    RETIRED,
    SUPERSEDED,
    About,
    KnownEntry,
    Made,
    Source,
    Stated,
)
from agentws.core.formats.json import plainjson
from agentws.core.text import origin

__all__ = ["CURRENT", "EXPIRED", "RETIRED", "SUPERSEDED", "About", "KnownEntry", "Made", "Source", "Stated"]

PATH = layout.SOURCES
_MONTH = ".jsonl"
_FOLDED = (layout.DAYS, layout.HANDOFFS, layout.TASKS, layout.APPROVALS)
_SHORT = 8
"""Length of the digest of a line, in hexadecimal digits; that of the whole document is not cut."""


class Folded(Record):
    """A daily log that compaction folded, as the sources have it: its old `path`, archive path `to`, and digests."""

    path: str
    to: str
    day: str
    size: int
    digest: str
    lines: str
    run: str

    @property
    def is_deleted(self) -> bool:
        """Return whether the sources say that a retention rule has deleted the folded log."""
        return not self.digest

    def is_as_it_was(self, data: bytes) -> bool:
        """Return whether `data` is the folded log that the sources describe, byte for byte."""
        return len(data) == self.size and digest.of(data) == self.digest

    def changed_lines(self, data: bytes) -> list[int]:
        """Return the lines (1-based) of `data` that differ from the sources' folded log; one more if it is shorter."""
        now, then = line_digests(data), self.lines
        count = max(len(now), len(then)) // _SHORT
        return [n + 1 for n in range(count) if now[n * _SHORT :][:_SHORT] != then[n * _SHORT :][:_SHORT]]


class Left(Record):
    """An entry that left MEMORY.md, as sources.jsonl records it: its digest, its `text` and its former sub-heading."""

    entry: str
    text: str
    kind: str
    run: str


class Ran(Record):
    """A compaction run in sources.jsonl and how many `days` it folded. Every run writes one, in order."""

    run: str
    days: int


PERSON = "person"
"""By whom lines were declined one by one; anybody else left them out of an answer."""


class Declined(Record):
    """Declined proposals in sources.jsonl: digests of their texts, when (`at`), and `by` whom."""

    texts: Sequence[str]
    at: str
    by: str


Row = Made | Stated | Folded | Left | Ran | Declined


class Sidecar:
    """The parsed rows of sources.jsonl and the month files: entries `made`, by digest, and days `folded`, by path.

    The newest row wins. `runs` are in the order of their newest row, not of their names, which depend on a clock.
    `declined` maps the digest of a declined proposal to who declined it.
    """

    def __init__(self) -> None:
        self.runs: dict[str, None] = {}
        self.made: dict[str, Made] = {}
        self.stated: dict[str, Stated] = {}
        self.left: dict[str, Left] = {}
        self.declined: dict[str, str] = {}
        self.folded: dict[str, Folded] = {}
        self._places: dict[str, dict[str, Folded]] = {}
        self.unread: list[int] = []
        """The lines (1-based) that could not be understood."""

    def add(self, folded: Folded) -> None:
        """Add the row of a folded day, or of its deletion, to the parsed sources."""
        newest = self.folded.get(folded.path)
        if newest is None or not folded.is_deleted or newest.to == folded.to:
            self.folded[folded.path] = folded
        places = self._places.setdefault(folded.path, {})
        places.pop(folded.to, None)
        if folded.to:
            places.pop("", None)  # it stayed, and has moved since
        places[folded.to] = folded

    def places(self, path: str) -> list[Folded]:
        """Return every folded log of the sources that had this path, newest first: a day may be folded again.

        Each has another place in the archive.
        """
        return list(reversed(self._places.get(path, {}).values()))

    def every(self) -> Iterator[Folded]:
        """Yield all folded days of the sources, also those whose path a later log had."""
        for places in self._places.values():
            yield from places.values()


def month_path(day: str) -> layout.RelPath:
    """Return the path of the sources' file with the folded days of the month of `day`."""
    return f"{layout.ARCHIVE}/{day[:4]}/{day[:7]}.jsonl"


def once(path: str) -> list[str]:
    """Return the paths that a folded log in the archive may have had before: undoing its run moves it back there.

    Two logs of one day have names of their own in the archive: one of them ends in a number.
    """
    folder, _, name = path.rpartition("/")
    if folder.rpartition("/")[0] != layout.ARCHIVE:
        return []
    stem, dot, number = name.removesuffix(".md").rpartition(".")
    names = [name, f"{stem}.md"] if dot and number.isdecimal() else [name]
    return [f"{layout.DAYS}/{each}" for each in names]


def is_month(name: str) -> bool:
    """Return True for the name of a sources' month file of folded days."""
    return name.endswith(_MONTH) and layout.is_day(f"{name.removesuffix(_MONTH)}-01")


def deleted(folded: Folded, run: str) -> Folded:
    """Return the sources row that records that a retention rule deleted a folded log."""
    return Folded(folded.path, folded.to, day=folded.day, size=-1, digest="", lines="", run=run)


def kept(folded: Folded) -> Folded:
    """Return the sources row of a folded log that stays archived when its run is undone: it belongs to no run then."""
    return Folded(
        folded.path, folded.to, day=folded.day, size=folded.size, digest=folded.digest, lines=folded.lines, run=""
    )


def line_digests(data: bytes) -> str:
    """Return the short digests of all lines of a folded log, concatenated, as the sources keep them."""
    sha256 = digest.sha256()
    return "".join(sha256(line).hexdigest()[:_SHORT] for line in data.split(b"\n"))


def of_lines(data: bytes, line: int, end: int) -> str:
    """Return the digest of a memory's source: the lines `line` to `end` of a file, without the last line end."""
    return digest.of(b"\n".join(data.split(b"\n")[line - 1 : end]))


def decode(text: str, into: Sidecar | None = None) -> Sidecar:
    """Return the rows of sources.jsonl or a month file, added to `into` if given."""
    sidecar = into or Sidecar()
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            decoded = plainjson.loads(line)
            if not _take(sidecar, decoded):
                sidecar.unread.append(number)
        except (ValueError, TypeError, KeyError, AttributeError):
            sidecar.unread.append(number)
    return sidecar


def encode(rows: Iterable[Row]) -> str:
    """Return the lines of these rows for sources.jsonl."""
    return "".join(plainjson.dumps(_plain(row), separators=(",", ":")) + "\n" for row in rows)


def joined(text: str, rows: Iterable[Row]) -> str:
    """Return the text of sources.jsonl with these rows appended."""
    return text + ("\n" if text and not text.endswith("\n") else "") + encode(rows)


def turns(text: str) -> Iterator[tuple[str, str, bool]]:
    """Yield (entry, run, made) for each row of sources.jsonl about an entry; made is False if the row says it left."""
    for line in text.split("\n"):
        if line.startswith(('{"entry":', '{"left":')):
            fields = plainjson.fields_of(line)
            yield str(fields.get("entry") or fields.get("left")), str(fields.get("run", "")), "entry" in fields


def without_run(text: str, run: str) -> str:
    """Return the text of sources.jsonl without the rows that a run added; every other line as it is."""
    return "\n".join(line for line in text.split("\n") if str(plainjson.fields_of(line).get("run", "")) != run)


def without_entries(text: str, entries: Collection[str]) -> str:
    """Return the text of sources.jsonl without the rows that say how these `entries` were made."""
    return "\n".join(line for line in text.split("\n") if _current_of(line) not in entries) if entries else text


def _current_of(line: str) -> str:
    fields = plainjson.fields_of(line)
    return str(fields.get("entry", "")) if fields.get("state") in (None, "", CURRENT) else ""


def _take(sidecar: Sidecar, fields: Mapping[str, object]) -> bool:
    run = str(fields.get("run", ""))
    is_known = _take_row(sidecar, fields, run)
    if run and is_known:
        sidecar.runs.pop(run, None)
        sidecar.runs[run] = None
    return is_known


def _take_row(sidecar: Sidecar, fields: Mapping[str, object], run: str) -> bool:
    if "entry" in fields or "stated" in fields:
        row = entry_rows.decode(fields)
        if isinstance(row, Made):
            sidecar.made[row.entry] = row
        else:
            sidecar.stated[row.entry] = row
        return True
    if "left" in fields:
        entry = str(fields["left"])
        sidecar.left[entry] = Left(entry, str(fields["text"]), kind=str(fields.get("kind", "")), run=run)
        return True
    if "waits" in fields:  # of an earlier version: a line that had no room
        return True
    if isinstance(texts := fields.get("declined"), list):
        sidecar.declined.update(dict.fromkeys(map(str, texts), str(fields.get("by", ""))))
        return True
    if "path" in fields and "sha256" in fields:
        return _take_folded(sidecar, fields, run)
    return bool(run) and "days" in fields


def _take_folded(sidecar: Sidecar, fields: Mapping[str, object], run: str) -> bool:
    path, to, day = (str(fields.get(key, "")) for key in ("path", "to", "day"))
    if not (layout.is_day(day) and _may_be_folded(path, to)):
        return False
    size = fields.get("size")
    sidecar.add(
        Folded(
            path, to, day=day, size=size if isinstance(size, int) else -1, digest=str(fields["sha256"]),
            lines=str(fields.get("lines", "")), run=run,
        )
    )  # fmt: skip
    return True


def _may_be_folded(path: str, to: str) -> bool:
    """Return True for a path that compaction may move: a forged row must not move or delete others."""
    folder = path.partition("/")[0]
    is_plain = all(entry_rows.is_plain(each) for each in (path, to or path))
    return is_plain and folder in _FOLDED and "/" in path and (not to or to.startswith(f"{folder}/archive/"))


def _plain(row: Row) -> dict[str, object]:
    if isinstance(row, Ran):
        return {"run": row.run, "days": row.days}
    if isinstance(row, KnownEntry):
        return entry_rows.encode(row)
    if isinstance(row, Left):
        return {"left": row.entry, "text": row.text, "kind": row.kind, "run": row.run}
    if isinstance(row, Declined):
        return {"declined": list(row.texts), "at": row.at, "by": row.by}
    fields = {"path": row.path, "to": row.to, "day": row.day, "size": row.size, "sha256": row.digest}
    return {**fields, "lines": row.lines, "run": row.run}


SUPERSEDED_PATH = layout.SUPERSEDED
SUPERSEDED_HEAD = "# What left MEMORY.md\n\nReplaced entries, newest last. Nothing was deleted.\n"
"""How the document begins."""


def superseded_line(text: str, why: str) -> str:
    """Return the line of superseded.md about an entry that left MEMORY.md, ending in its origin if that is outside."""
    sentence = f"{' '.join(text.split())} {why}"
    return f"- {sentence}{origin.ending(origin.within(sentence))}"


def superseded_beginning(text: str) -> str:
    """Return the beginning of a line of superseded.md, to find it again."""
    return f"- {' '.join(text.split())} "


def replaced_by(text: str, day: str) -> str:
    """Return the remark in superseded.md on an entry that held until this day and was replaced by another one."""
    return f"→ {' '.join(text.split())} (until {day})"


def with_superseded(text: str, lines: Sequence[str], day: str) -> str:
    """Return superseded.md with these lines appended under the day on which they are written."""
    title = f"## {day}"
    before = text or SUPERSEDED_HEAD
    head = "" if _last_title(before) == title else f"\n{title}\n\n"
    return before + ("" if before.endswith("\n") else "\n") + head + "\n".join(lines) + "\n"


def _last_title(text: str) -> str:
    """Return the day heading of the newest lines, which is not the latest day if the clock was set back."""
    return next((each for each in reversed(text.split("\n")) if each.startswith("## ")), "").strip()
