"""The result of a search: Found, and the Hits in it."""

from __future__ import annotations

from agentws.core.formats.json import plainjson
from agentws.features.search.plan import passage
from agentws.features.search.plan.unit import HEADER, JOURNAL, Unit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from agentws.features.search.plan.query import Query
    from agentws.features.search.plan.rank import Ranked

__all__ = ["Found", "Hit", "Unit"]
_TASK = "task:"


class Hit:
    """One hit of a search: a unit that answers, with its score and best passage.

    Fields:
        unit: the entry or event (features/search/plan/unit.py).
        score: how well it answers; greater is better.
        reasons: (feature, value, contribution) of the score.
        path: its file in the workspace.
        text, line, end_line: the passage that answers best, unchanged, and its lines in the file.
        metadata: the marks of the unit in the terms of frameworks.
        also: entries of other days that say the same, the newest first.
        before, behind: the units beside it in its file, if asked for.
        context: the units around a short one in its section, if `before` and `behind` were not asked for.
        state: open, waiting, done, dropped or empty, as in `todo`.
        closed_by: the place FILE:LINE that closes an item marked as open; else empty.
    """

    __slots__ = (
        "_query",
        "_weights",
        "also",
        "before",
        "behind",
        "closed_by",
        "context",
        "end_line",
        "line",
        "reasons",
        "score",
        "state",
        "text",
        "unit",
    )

    def __init__(self, ranked: Ranked, query: Query, weights: Mapping[str, float], also: Sequence[Unit] = ()) -> None:
        self.unit: Unit = ranked.unit
        self.score = ranked.score
        self.reasons = ranked.reasons
        best = passage.best(ranked.unit.text, weights)
        self.text = best.text
        is_as_in_file = ranked.unit.end_line - ranked.unit.line == ranked.unit.text.count("\n")  # an event is one line
        self.line = ranked.unit.line + (best.first if is_as_in_file else 0)
        self.end_line = ranked.unit.line + best.last if is_as_in_file else ranked.unit.end_line
        self.also = list(also)
        self.before: list[Unit] = []
        self.behind: list[Unit] = []
        self.context: list[Unit] = []
        self.state = ranked.unit.state
        self.closed_by = ""
        self._query = query
        self._weights = weights

    def __repr__(self) -> str:
        return f"Hit({self.unit.path}:{self.line}, {self.score:.2f}, {self.text!r})"

    @property
    def path(self) -> str:
        """The path of the hit's file in the workspace."""
        return self.unit.path

    @property
    def place(self) -> tuple[str, int]:
        """The path of the hit's file, and the first line of its unit."""
        return self.unit.path, self.unit.line

    @property
    def metadata(self) -> dict[str, Any]:
        """The metadata that `retrieve` returns, without the values that the entry was remembered with."""
        unit = self.unit
        return {
            "path": unit.path,
            "line": unit.line,
            "end_line": unit.end_line,
            "created_at": self.at or None,
            "kind": unit.kind or None,
            "importance": unit.importance or None,
            "tags": [tag for tag in unit.tags if not tag.startswith(_TASK)],
            "source": unit.src or None,
            "room": unit.room,
            "task": unit.task or None,
            "heading": " › ".join(unit.headings) or None,
            "context": [each.text for each in self.context],
        }

    @property
    def at(self) -> str:
        """The day of the hit, with its time if it names one."""
        return f"{self.unit.day}T{self.unit.time}" if self.unit.day and self.unit.time else self.unit.day

    def lines(self, most_chars: int) -> list[str]:
        """Return the lines of the hit's text if it has several within `most_chars` characters, else none.

        Headers, events and content from outside have none: they are shown on one line.
        """
        unit = self.unit
        if unit.src or unit.form == HEADER or unit.room == JOURNAL or len(self.text) > most_chars:
            return []
        names = [line.rstrip() for line in self.text.split("\n") if line.strip()]
        return names if len(names) > 1 else []

    def snippet(self, most_chars: int) -> str:
        """Return the part of the hit's text that answers best, on one line; for a task's header its title and state."""
        if self.unit.form == HEADER:
            decoded = plainjson.loads(self.unit.head)
            return f"{decoded.get('title') or self.unit.task} [task, {decoded.get('status') or 'open'}]"
        return passage.snippet(self.text, self._query, most_chars)

    def matches(self, text: str) -> list[tuple[int, int]]:
        """Return (start, end) of the words in a text that match weighty words of the question, in order."""
        return passage.telling(text, self._query, self._weights)


class Found:
    """The result of a search, which iterates over its hits and has their number as length.

    Fields:
        query: the parsed question.
        hits: the best first.
        confidence: how sure it is that the hits answer, 0 to 1; `is_certain`: whether that is enough.
        unknown_words: words of the question that no entry contains; then nothing is certain.
        left_out: how many hits did not fit in the budget.
        unread: why each file that was not searched could not be read; the notices say so too.
    """

    __slots__ = ("confidence", "hits", "is_certain", "left_out", "notices", "query", "unknown_words", "unread")

    def __init__(self, query: Query, hits: list[Hit], confidence: float, *, is_certain: bool) -> None:
        self.query = query
        self.hits = hits
        self.confidence = confidence
        self.is_certain = is_certain
        self.unknown_words: list[str] = []
        self.left_out = 0
        self.notices: list[str] = []
        self.unread: list[str] = []

    def __iter__(self) -> Iterator[Hit]:
        return iter(self.hits)

    def __len__(self) -> int:
        return len(self.hits)

    def __repr__(self) -> str:
        return f"Found({self.query.text!r}, {len(self.hits)} hits, certain={self.is_certain})"
