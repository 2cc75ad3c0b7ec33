"""Rows of memory/sources.jsonl about entries of MEMORY.md. Specified in docs/format/sources.md.

An entry is known by the digest of its words. What a row does not say is unknown, and a key that this version does not
know is written again as it was read.
"""

from __future__ import annotations

from agentws.core.formats import layout

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


class Source:
    """The log lines that an entry of MEMORY.md was made from, as its row names them.

    `line` to `end` (1-based, inclusive) of `path`, as it was called then; `digest` is that of their text.
    """

    __slots__ = ("digest", "end", "line", "path")

    def __init__(self, path: str, line: int, end: int, digest: str) -> None:
        self.path = path
        self.line = line
        self.end = end
        self.digest = digest


class About:
    """The file that an entry of MEMORY.md is about: its `path`, and the `digest` of its content at that time."""

    __slots__ = ("digest", "path")

    def __init__(self, path: str, digest: str) -> None:
        self.path = path
        self.digest = digest


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
    """Return the entry of a row; KeyError, TypeError or ValueError where a required key is missing or wrong."""
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
