"""Doubts about a line: a later word on its matter, a date that is past, a long silence. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING

from agentws.formats.documents import managed
from agentws.planning.notes import due, join, likeness, similarity
from agentws.planning.notes.entry import OVER, TEXT

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from agentws.formats.documents.entry_rows import Made
    from agentws.planning.notes.entry import Entry

CONTRADICTED, CLOSED, NEWER, EXPIRED, UNCONFIRMED = "contradicted", "closed", "newer", "expired", "unconfirmed"
DRIFTED, GONE = "drifted", "gone"
_FEWEST_COMMON, _LEAST_SHARE = 3, 0.3
"""A line that says by a mark or its heading what it is speaks of the same with so many words, and so much of them; one
further down the same log with so much."""
_MOST_LINES = 500
"""A word of more lines than that tells nothing: what shares such words alone is not looked at."""


@dataclass(slots=True)
class Doubt:
    """The reason why a line may no longer hold: a word of this module, the line that says so, its `day` or `path`."""

    what: str
    day: str = ""
    line: Entry | None = None
    path: str = ""


class Logs:
    """The lines of logs, newest first, among which a later word is looked for."""

    __slots__ = ("_at", "_places", "lines", "weights")

    def __init__(self, lines: Sequence[Entry]) -> None:
        self.lines = [one for one in lines if not one.src and not one.is_label]
        self.weights = likeness.Weights(one.words for one in self.lines)
        self._at = {(one.path, one.line): one for one in self.lines}
        self._places: dict[str, list[int]] = {}
        for at, one in enumerate(self.lines):
            for word in one.words:
                self._places.setdefault(word, []).append(at)

    def at(self, path: str, line: int) -> Entry | None:
        """Return the line that begins there."""
        return self._at.get((path, line))

    def later(self, entry: Entry, day: str, *, most: int = 1) -> list[Doubt]:
        """Return the lines that have another word on one of that `day`, the newest first; none where none has.

        One that closes it, or has another value of its name, goes before those that only speak of the same.
        """
        ours, statement = likeness.ComparedEntry(entry), join.Statement(entry)
        near: list[Doubt] = []
        for one in self._since(entry, day):
            if one.state in OVER and join.closes(join.Statement(one), statement):
                return [Doubt(CLOSED, line=one), *near][:most]
            if likeness.has_other_value(ours, theirs := likeness.ComparedEntry(one)):
                if not entry.day or likeness.is_rival(ours, theirs):
                    return [Doubt(CONTRADICTED, line=one), *near][:most]
            elif len(near) < most and not theirs.words <= ours.words and self._is_near(entry, one, is_first=not near):
                near.append(Doubt(NEWER, line=one))
        return near

    def _is_near(self, entry: Entry, later: Entry, *, is_first: bool) -> bool:
        if later.path == entry.path:
            if _is_beside(later, entry):
                return False
            # What is said again on the same day speaks of it sooner; its heading says of what.
            below = {*later.words, *similarity.words(" ".join(later.headings[-1:]))}
            return self.weights.is_near(entry.words, below, *((_LEAST_SHARE,) if is_first else ()))
        common = {*entry.words}.intersection(later.words)
        is_sure = later.sure != TEXT and len(common) >= _FEWEST_COMMON
        return self.weights.is_near(entry.words, later.words, *((_LEAST_SHARE,) if is_sure else ()))

    def _since(self, entry: Entry, day: str) -> Iterator[Entry]:
        """The later lines that share a word with an entry, newest first."""
        places = [self._places.get(word, ()) for word in entry.words]
        for at in sorted({at for some in places if len(some) <= _MOST_LINES for at in some}):
            one = self.lines[at]
            if one.day < day:
                return
            if one.day > day or (one.path == entry.path and one.line > entry.end_line and not _is_detail(one, entry)):
                yield one


def _is_beside(one: Entry, other: Entry) -> bool:
    """Return whether two lines of a log are of one list: none of it is a later word on another."""
    return (one.headings, one.time) == (other.headings, other.time)


def _is_detail(one: Entry, other: Entry) -> bool:
    """Return whether a line of a list only says more of an item: each item may have the same field."""
    return _is_beside(one, other) and (one.parent is not None or other.parent is not None)


def of(entry: Entry, row: Made | None, logs: Logs, *, today: str) -> Doubt | None:
    """Return what speaks most against an entry of MEMORY.md, None where nothing does."""
    since = max(filter(None, (row.day, row.first, *row.confirmed)), default="") if row else ""
    found = logs.later(_said(entry, row, logs, since), since)
    if found:
        return found[0]
    ends = due.of(entry.body, day=since) if since else ""
    if ends and since < ends < today:
        return Doubt(EXPIRED, day=ends)
    newest = max((one.day for one in logs.lines[:1]), default=today)  # a silence counts where something was noted since
    if since and _days(since, min(newest, today)) > managed.LONG_DAYS:
        return Doubt(UNCONFIRMED, day=since)
    return None


def _said(entry: Entry, row: Made | None, logs: Logs, day: str) -> Entry:
    """The line of that `day` whose very words an entry has, so that what stands below it there counts; or the entry."""
    lines = (logs.at(one.path, one.line) for one in row.sources) if row else ()
    return next((one for one in lines if one and one.day == day and one.words == entry.words), entry)


def _days(first: str, last: str) -> int:
    try:
        return (date.fromisoformat(last) - date.fromisoformat(first)).days
    except ValueError:
        return 0
