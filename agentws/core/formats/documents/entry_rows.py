"""Rows of memory/sources.jsonl about entries of MEMORY.md. Specified in docs/format/sources.md.

An entry is known by the digest of its words. What a row does not say is unknown, and a key that this version does not
know is written again as it was read. The metadata of a remembered entry: marks in its line, plain values in its row.
"""

from __future__ import annotations

from agentws.core import Record
from agentws.core.formats import layout
from agentws.core.formats.documents import daily
from agentws.core.formats.json import plainjson
from agentws.core.text import origin
from agentws.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any, Self


CURRENT, SUPERSEDED, EXPIRED, RETIRED = STATES = ("current", "superseded", "expired", "retired")
MOST_CONFIRMED = 5
"""Of the days on which an entry was said, so many are kept, the newest."""
_TEXTS = ("src", "kind", "first", "state", "reason", "until", "by")
_KEYS = {*_TEXTS, "entry", "day", "worth", "sources", "run", "stated", "from", "from_src", "at", "confirmed", "about"}
"""The keys of an entry's row that this version knows: the others are kept."""
_NEEDED = {"entry", "stated", "day", "sources", "run", "at"}


class Source(Record):
    """The log lines that an entry of MEMORY.md was made from, as its row names them.

    `line` to `end` (1-based, inclusive) of `path`, as it was called then; `digest` is that of their text.
    """

    path: str
    line: int
    end: int
    digest: str


class About(Record):
    """The file that an entry of MEMORY.md is about: its `path`, and the `digest` of its content at that time."""

    path: str
    digest: str


class KnownEntry:
    """The recorded facts about an entry of MEMORY.md, found by the digest of its words. Empty means unknown.

    `src` is the source of its words, `kind` its kind (`decision`, `rule` …), `first` the day it was first said,
    `confirmed` the newest days it was said, oldest first. `state` is one of STATES; for an entry that left MEMORY.md,
    `until` is the last day it held, `reason` why it left, and `by` the digest of the entry that replaced it. `more` are
    keys that this version does not know.
    """

    __slots__ = (
        "about", "by", "confirmed", "entry", "first", "kind", "more", "reason", "sources", "src", "state", "until",
    )  # fmt: skip

    def __init__(
        self, entry: str, sources: Sequence[Source], *, src: str = "", kind: str = "", first: str = "",
        confirmed: Sequence[str] = (), about: About | None = None, state: str = "", reason: str = "", until: str = "",
        by: str = "", more: Mapping[str, object] | None = None,
    ) -> None:  # fmt: skip
        self.entry = entry
        self.sources = tuple(sources)
        self.src = src
        self.kind = kind
        self.first = first
        self.confirmed = newest(confirmed)
        self.about = about
        self.state = state
        self.reason = reason
        self.until = until
        self.by = by
        self.more = dict(more or {})

    @property
    def is_current(self) -> bool:
        """Return whether no row says that the entry left MEMORY.md."""
        return self.state in ("", CURRENT)

    def with_keys(self, **keys: object) -> Self:
        """Return the same entry's facts with these keys of its row changed."""
        copy = type(self).__new__(type(self))
        for kind in type(self).__mro__[:-1]:
            for name in kind.__slots__:  # type: ignore[attr-defined]  # each of these classes has them
                setattr(copy, name, keys.pop(name) if name in keys else getattr(self, name))
        if keys:
            raise TypeError(f"unknown keys: {', '.join(keys)}")
        return copy


class Made(KnownEntry):
    """An entry made by compaction or curation: its `sources`, their newest `day`, and the `run` that made it.

    `src` is the least trusted source it was made from, empty in rows of earlier versions. Only those rows have a
    `worth`.
    """

    __slots__ = ("day", "run", "worth")

    def __init__(
        self, entry: str, sources: Sequence[Source], *, day: str, run: str, worth: int = 0, **keys: Any
    ) -> None:  # fmt: skip
        super().__init__(entry, sources, **keys)
        self.day = day
        self.worth = worth
        self.run = run


class Stated(KnownEntry):
    """An entry saved by `remember`: the digest of the `entry`, its `src`, and where the agent took it from.

    `ref` is that place (FILE:LINE or an event), `ref_src` the place's source, `sources` its lines in a log; all empty
    for an entry without a reference.
    """

    __slots__ = ("at", "ref", "ref_src")

    def __init__(
        self,
        entry: str,
        ref: str = "",
        ref_src: str = "",
        *,
        at: str,
        sources: Sequence[Source] = (),
        **keys: Any,
    ) -> None:
        super().__init__(entry, sources, **keys)
        self.ref = ref
        self.ref_src = ref_src
        self.at = at


def newest(days: Iterable[str]) -> tuple[str, ...]:
    """Return the newest days that a row keeps, of those on which an entry was said; oldest first."""
    return tuple(sorted({*days}))[-MOST_CONFIRMED:]


def decode(fields: Mapping[str, object]) -> Made | Stated:
    """Return the entry of a row; KeyError, TypeError or ValueError if a required key is missing or wrong."""
    keys: dict[str, Any] = {key: str(fields.get(key, "")) for key in _TEXTS}
    confirmed = fields.get("confirmed")
    days = confirmed if isinstance(confirmed, list) else ()
    keys |= {"confirmed": [str(day) for day in days if layout.is_day(str(day))], "about": _about(fields.get("about"))}
    keys["more"] = {key: value for key, value in fields.items() if key not in _KEYS}
    if "entry" in fields:
        worth = fields.get("worth", 0)
        worth = worth if isinstance(worth, int) else 0
        day, run = str(fields.get("day", "")), str(fields.get("run", ""))
        return Made(str(fields["entry"]), lines(fields["sources"]), day=day, run=run, worth=worth, **keys)
    ref, ref_src, at = (str(fields.get(key, "")) for key in ("from", "from_src", "at"))
    return Stated(str(fields["stated"]), ref, ref_src, at=at, sources=lines(fields.get("sources", [])), **keys)


def encode(row: Made | Stated) -> dict[str, object]:
    """Return the row of an entry; of its optional keys only the known ones."""
    those = [[source.path, source.line, source.end, source.digest] for source in row.sources]
    fields: dict[str, object]
    if isinstance(row, Made):
        fields = {"entry": row.entry, "day": row.day, "worth": row.worth, "sources": those, "run": row.run}
    else:
        fields = {"stated": row.entry, "src": row.src, "from": row.ref, "from_src": row.ref_src, "sources": those}
        fields["at"] = row.at
    fields |= {key: getattr(row, key) for key in _TEXTS}
    fields |= {"confirmed": list(row.confirmed), "about": [row.about.path, row.about.digest] if row.about else None}
    return {key: value for key, value in fields.items() if value or key in _NEEDED} | row.more


def _about(value: object) -> About | None:
    """Return the file that an entry is about; None if the row names no safe path."""
    if not (isinstance(value, list) and len(value) == 2 and all(isinstance(each, str) for each in value)):
        return None
    path, known = value
    return About(path, known) if is_plain(path) and path.isprintable() else None


def is_plain(path: str) -> bool:
    """Return True for a path in a row that is relative and does not leave the folder it begins in."""
    return not any(name in ("", ".", "..") or "\0" in name for name in path.split("/"))


def lines(value: object) -> list[Source]:
    """Return the log lines that an entry's row names; TypeError or ValueError for an unknown form."""
    if not isinstance(value, list):
        raise TypeError(value)
    return [Source(str(path), int(line), int(end), str(of)) for path, line, end, of in value]


METADATA_KEY = "metadata"
"""The key of the row."""
MARKS = ("kind", "importance", "tags", "task")
"""The keys that are marks in the line of an entry."""
WORDS = ("section", "via", "source", "about")
"""Names that a call may use too; `source` is `via`."""
TOLD = ("path", "line", "end_line", "created_at", "room", "heading", "context", "tag", "since", "until")
"""Fields that every search hit has, or that `where` filters by."""
_MOST_KEYS = 32
_MOST_KEY_CHARS = 64
_MOST_CHARS = 2000
_HINT = 'For example: {"customer": "Acme", "score": 0.9, "checked": True}'


class Metadata:
    """The metadata of an entry by place: `marks` for the line, `words` for the call, `values` for its row."""

    def __init__(self, fields: Mapping[str, Any] | None) -> None:
        fields = fields or {}
        self.marks = {key: fields[key] for key in MARKS if fields.get(key) is not None}
        self.words = {key: fields[key] for key in WORDS if fields.get(key) is not None}
        self.values = {key: value for key, value in fields.items() if key not in (*MARKS, *WORDS)}


def read_metadata(fields: Mapping[str, Any] | None) -> Metadata:
    """Return the metadata of an entry, checked; UsageError for a value that cannot be stored."""
    if fields is not None and not all(isinstance(key, str) for key in fields):
        raise UsageError("Keys of metadata must be texts.", hint=_HINT)
    metadata = Metadata(fields)
    for key, value in metadata.values.items():
        _check(key, value)
    for key, value in metadata.words.items():
        if not isinstance(value, str) or not value:
            raise UsageError(f"metadata: {key} must be a text, not {value!r}.")
    if len(metadata.values) > _MOST_KEYS or len(plainjson.dumps(metadata.values)) > _MOST_CHARS:
        raise UsageError(
            f"metadata: at most {_MOST_KEYS} values, and {_MOST_CHARS:,} characters of JSON.",
            hint="Save more in a file, and name the file.",
        )
    return metadata


def head_and_tail(marks: Mapping[str, Any], source: str | None) -> tuple[str, str]:
    """Return an entry's metadata as marks before and after its text; UsageError for an invalid one.

    A text from outside may not have any: UsageError.
    """
    if marks and origin.is_outside(source):
        raise UsageError(
            f"metadata: a text from outside ({source}) cannot have {', '.join(marks)}.",
            hint="Use a key of your own, such as topic.",
        )
    kind, importance, task = (marks.get(key) for key in ("kind", "importance", "task"))
    tags = marks.get("tags") or ()
    tags = [tags] if isinstance(tags, str) else tags
    texts = [each for each in (kind, task) if each is not None]
    if not isinstance(tags, list | tuple) or not all(isinstance(each, str) and each for each in (*tags, *texts)):
        raise UsageError("metadata: kind and task must be texts, tags a list of texts.")
    if importance is not None and type(importance) is not int:
        raise UsageError(f"metadata: importance must be a whole number from 1 to 10, not {importance!r}.")
    words = daily.marks(kind=kind, importance=importance, tags=tags, task=task)
    return " ".join(words[0]), " ".join(words[1])


def metadata_of_row(more: Mapping[str, object]) -> dict[str, Any]:
    """Return the metadata values that a row of sources.jsonl holds; a value that is not plain is left out."""
    stated = more.get(METADATA_KEY)
    return {key: value for key, value in stated.items() if is_plain_text(value)} if isinstance(stated, dict) else {}


def is_plain_text(value: object) -> bool:
    """Return whether a metadata value can be stored: a text, a number, true, false or null."""
    if isinstance(value, float):
        return abs(value) < float("inf")  # which no NaN is either
    return value is None or isinstance(value, str | int)


def is_same(value: object, other: object) -> bool:
    """Return whether two metadata values are equal: true is not 1."""
    return value == other and isinstance(value, bool) is isinstance(other, bool)


def _check(key: str, value: object) -> None:
    if not key or len(key) > _MOST_KEY_CHARS or not key.isprintable():
        raise UsageError(
            f"metadata: {key[:_MOST_KEY_CHARS]!r} is not a key: use 1 to {_MOST_KEY_CHARS} printable characters."
        )
    if key in TOLD:
        raise UsageError(
            f"metadata: {key} is what every hit tells by itself.", hint=f"Give that key another name, such as my_{key}."
        )
    if not is_plain_text(value):
        raise UsageError(
            f"metadata: {key} must be a text, a finite number, true, false or null, not {type(value).__name__}.",
            hint=_HINT,
        )
