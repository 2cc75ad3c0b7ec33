"""What speaks against an entry of MEMORY.md: a newer line, a date that is past, a long silence. Pure."""

from __future__ import annotations

from datetime import date

from agentws.formats import managed
from agentws.planning.curation import likeness
from agentws.planning.notes import due, identifiers, join
from agentws.planning.notes.entry import OVER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from agentws.formats.entry_rows import Made
    from agentws.planning.notes.entry import Entry

CONTRADICTED, CLOSED, NEWER, EXPIRED, UNCONFIRMED = "contradicted", "closed", "newer", "expired", "unconfirmed"
DRIFTED, GONE = "drifted", "gone"
_LEAST_SHARE = 0.5
_FEWEST_COMMON = 3


class Doubt:
    """Why an entry may not hold any more: one of the words above, and the line that says so, the `day` or `path`."""

    __slots__ = ("day", "line", "path", "what")

    def __init__(self, what: str, *, day: str = "", line: Entry | None = None, path: str = "") -> None:
        self.path = path
        self.what = what
        self.day = day
        self.line = line


def of(entry: Entry, row: Made | None, lines: Sequence[Entry], *, today: str) -> Doubt | None:
    """Return what speaks most against an entry, None where nothing does; `lines` are those of logs, newest first."""
    since = max(filter(None, (row.day, row.first, *row.confirmed)), default="") if row else ""
    newer = [one for one in lines if one.day > since and not one.src and not one.is_label]
    found = _against(entry, newer)
    if found:
        return found
    ends = due.of(entry.body, day=since) if since else ""
    if ends and since < ends < today:
        return Doubt(EXPIRED, day=ends)
    newest = max((one.day for one in lines[:1]), default=today)  # a silence counts where something was noted since
    if since and _days(since, min(newest, today)) > managed.LONG_DAYS:
        return Doubt(UNCONFIRMED, day=since)
    return None


def of_candidate(entry: Entry, day: str, lines: Sequence[Entry]) -> Doubt | None:
    """Return the line that has another word on a line of that `day`; `lines` are those of logs, newest first.

    It closes it, or says something else of the same.
    """
    ours, statement = likeness.Line(entry), join.Statement(entry)
    for one in lines:
        if one.day <= day:
            break
        if one.src or one.is_label or ours.words.isdisjoint(one.words):
            continue
        if one.state in OVER and join.closes(join.Statement(one), statement):
            return Doubt(CLOSED, line=one)
        theirs = likeness.Line(one)
        if ours.words != theirs.words and likeness.is_rival(ours, theirs):
            return Doubt(CONTRADICTED if likeness.has_other_value(ours, theirs) else NEWER, line=one)
    return None


def _against(entry: Entry, newer: Sequence[Entry]) -> Doubt | None:
    ours = join.Statement(entry)
    words = {*entry.words}
    fact = identifiers.fact(entry.body)
    best: tuple[float, Doubt] | None = None
    for one in newer:
        said = identifiers.fact(one.said) if fact else None
        if fact and said and said[0] == fact[0] and said[1] != fact[1]:
            return Doubt(CONTRADICTED, line=one)
        common = len(words.intersection(one.words))
        if common < _FEWEST_COMMON:
            continue
        if one.state in OVER and join.closes(join.Statement(one), ours):
            return Doubt(CLOSED, line=one)
        share = common / min(len(words), len(one.words))
        is_same = {*one.words} == words or (share == 1 and len(one.words) < len(words))
        if share >= _LEAST_SHARE and not is_same and (best is None or share > best[0]):
            best = (share, Doubt(NEWER, line=one))
    return best[1] if best else None


def _days(first: str, last: str) -> int:
    try:
        return (date.fromisoformat(last) - date.fromisoformat(first)).days
    except ValueError:
        return 0
