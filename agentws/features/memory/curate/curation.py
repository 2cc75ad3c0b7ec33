"""Records of curation briefs on this machine: numbers of entries, candidates shown, days of answers.

Specified in docs/format/local.md.
"""

from __future__ import annotations

from datetime import date

from agentws.core.disk import local_dir
from agentws.core.formats import layout
from agentws.core.formats.json import plainjson
from agentws.core.stores import marks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from agentws.core.disk.files import Files

_MOST_NUMBERS = 500
_MOST_BRIEFS = 8
_MOST_DAYS_AHEAD = 7
_DAYS = ("day", "asked")


class Numbers:
    """The numbers that curation briefs on this machine gave to entries: no number is ever given to two.

    `offered` are the candidates that every brief has shown since the newest answer, each as the digests of its
    wordings, and `briefs` counts those briefs: an answer may be to any of them, unless it names its own. `shown` are
    the candidates of the newest briefs, by name; none for one that was answered. `day` is that of the newest answer,
    `asked` the day on which the agent was last asked at the end of a turn.
    """

    __slots__ = ("asked", "briefs", "day", "next", "of", "offered", "shown")

    def __init__(self) -> None:
        self.of: dict[int, str] = {}
        self.next = 1
        self.offered: list[list[str]] = []
        self.shown: dict[str, list[list[str]]] = {}
        self.briefs = 0
        self.day = self.asked = ""

    def offer(self, candidates: list[list[str]], name: str) -> None:
        """Record the candidates that one more brief shows."""
        self.shown.pop(name, None)
        self.shown = dict([*self.shown.items(), (name, candidates)][-_MOST_BRIEFS:])
        known = {each for row in self.offered for each in row}
        self.offered = (
            [candidate for candidate in candidates if known.intersection(candidate)] if self.briefs else candidates
        )
        self.briefs += 1

    def waiting(self, name: str) -> list[list[str]]:
        """Return the candidates that an answer to this brief may decline; without a name, those in every brief."""
        return self.shown.get(name, []) if name else self.offered

    def answered(self, day: str, name: str = "") -> None:
        """Record that an answer came, so that no brief waits any more, except those that an answer names."""
        if name in self.shown:
            self.shown[name] = []
        self.offered, self.briefs = [], 0
        self.day = self.day if is_at(self.day, day) else day

    def number(self, entry: str) -> int:
        """Return the number of an entry in briefs, a new one if it has none."""
        known = next((number for number, name in self.of.items() if name == entry), 0)
        if not known:
            known, self.next = self.next, self.next + 1
            self.of[known] = entry
        return known


def is_at(day: str, today: str) -> bool:
    """Return whether a day in the records of curation is today, or a few days ahead as the clock was set back since.

    A day that is further ahead was recorded by a wrong clock, and does not count.
    """
    try:
        return 0 <= (date.fromisoformat(day) - date.fromisoformat(today)).days <= _MOST_DAYS_AHEAD
    except ValueError:
        return False


def read(files: Files) -> Numbers:
    """Return the records of earlier curation briefs; empty if they are not readable.

    DiskError if the disk fails: without the records a number would be given to a second entry.
    """
    numbers = Numbers()
    try:
        decoded = plainjson.loads(marks.read(files, local_dir.CURATION) or "{}")
        numbers.of = {int(number): str(item) for number, item in decoded.get("numbers", {}).items()}
        numbers.next = max([int(decoded.get("next", 1)), *(number + 1 for number in numbers.of)])
        numbers.offered = _texts(decoded.get("offered", []))
        numbers.shown = {str(name): _texts(item) for name, item in decoded.get("shown", {}).items()}
        numbers.briefs = int(decoded.get("briefs", bool(numbers.offered)))
        numbers.day, numbers.asked = (day if layout.is_day(day := str(decoded.get(key, ""))) else "" for key in _DAYS)
    except (ValueError, TypeError, AttributeError, RecursionError):
        return Numbers()
    return numbers


def _texts(rows: Iterable[Iterable[object]]) -> list[list[str]]:
    return [[str(each) for each in row] for row in rows]


def keep(files: Files, numbers: Numbers) -> None:
    """Write the records of curation briefs; AgentwsError if that fails: then the brief must not be shown."""
    newest = sorted(numbers.of)[-_MOST_NUMBERS:]
    fields: dict[str, object] = {
        "numbers": {str(number): numbers.of[number] for number in newest},
        "next": numbers.next,
    }
    fields |= {"briefs": numbers.briefs, "day": numbers.day} | ({"asked": numbers.asked} if numbers.asked else {})
    shown, offered = dict(numbers.shown), list(numbers.offered)
    while True:
        text = plainjson.dumps(fields | {"shown": shown, "offered": offered})
        if len(text) < marks.MOST_BYTES or not (shown or offered):
            break
        # A longer record could not be read again; a candidate that is dropped here is only offered again.
        if shown:
            del shown[next(iter(shown))]
        else:
            offered.pop()
    marks.put(files, local_dir.CURATION, text)


def forget(files: Files) -> None:
    """Remove the digests of candidates and entries, which could confirm a guess; numbers are still not given twice."""
    numbers = read(files)
    if numbers.of or numbers.offered or numbers.shown:
        numbers.of, numbers.offered, numbers.shown = {}, [], {}
        keep(files, numbers)


_FEWEST_DAYS = 3
"""The fewest days of logs since the last answer that are worth a curation."""


def what(logged: Iterable[str], *, answered: str) -> str:
    """Return how many days of notes wait for curation, in words; empty for few.

    `logged` are the days with a log, `answered` is the day of the newest answer to a brief.
    """
    days = sum(day > answered for day in logged)
    return f"{days} days of notes for MEMORY.md" if days >= _FEWEST_DAYS else ""
