"""What a search found."""

from __future__ import annotations

from agentws.core.formats.json import plainjson
from agentws.features.search.plan import passage, snippet
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
    """One place that answers.

    Fields:
        unit: what stands there (features/search/plan/unit.py).
        score: how well it answers; greater is better.
        reasons: (feature, value, contribution) of the score.
        path: its file in the workspace.
        text, line, end_line: the passage of it that answers best, as it stands in the file, and its lines there.
        metadata: the marks of the unit in the words of frameworks.
        also: entries of other days that say the same, the newest first.
        before, behind: the units beside it in its file, where these were asked for.
        context: those around a short one in its section, where none were asked for.
        state: open, waiting, done, dropped or empty, as `todo` has it.
        closed_by: where an item that was open is closed, FILE:LINE; else empty.
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
        """Its file in the workspace."""
        return self.unit.path

    @property
    def place(self) -> tuple[str, int]:
        """Its file, and the first line of its unit there."""
        return self.unit.path, self.unit.line

    @property
    def metadata(self) -> dict[str, Any]:
        """What `retrieve` tells of it, but for the values that it was remembered with."""
        one = self.unit
        return {
            "path": one.path,
            "line": one.line,
            "end_line": one.end_line,
            "created_at": self.at or None,
            "kind": one.kind or None,
            "importance": one.importance or None,
            "tags": [tag for tag in one.tags if not tag.startswith(_TASK)],
            "source": one.src or None,
            "room": one.room,
            "task": one.task or None,
            "heading": " › ".join(one.headings) or None,
            "context": [each.text for each in self.context],
        }

    @property
    def at(self) -> str:
        """Its day, with its time where it names one."""
        return f"{self.unit.day}T{self.unit.time}" if self.unit.day and self.unit.time else self.unit.day

    def lines(self, most_chars: int) -> list[str]:
        """Return the lines of its text where there are several, and few; none of a header, an event and from outside.

        Those are told in one line.
        """
        one = self.unit
        if one.src or one.form == HEADER or one.room == JOURNAL or len(self.text) > most_chars:
            return []
        found = [line.rstrip() for line in self.text.split("\n") if line.strip()]
        return found if len(found) > 1 else []

    def snippet(self, most_chars: int) -> str:
        """Return the part of its text that answers best, on one line; of a task's header its title and state."""
        if self.unit.form == HEADER:
            told = plainjson.loads(self.unit.head)
            return f"{told.get('title') or self.unit.task} [task, {told.get('status') or 'open'}]"
        return snippet.best(self.text, self._query, most_chars)

    def matches(self, text: str) -> list[tuple[int, int]]:
        """Return where words of a text match the question that tell much: (start, end), in order."""
        return snippet.telling(text, self._query, self._weights)


class Found:
    """What a search found: its hits in order, as `for hit in found` and `len(found)` take them.

    Fields:
        query: the question as it was understood.
        hits: the best first.
        confidence: from 0 to 1 how sure it is that they answer, and whether that `is_certain`.
        unknown_words: words of the question that no entry contains; then nothing is certain.
        left_out: how many more the budget had no room for.
    """

    __slots__ = ("confidence", "hits", "is_certain", "left_out", "notices", "query", "unknown_words")

    def __init__(self, query: Query, hits: list[Hit], confidence: float, *, is_certain: bool) -> None:
        self.query = query
        self.hits = hits
        self.confidence = confidence
        self.is_certain = is_certain
        self.unknown_words: list[str] = []
        self.left_out = 0
        self.notices: list[str] = []

    def __iter__(self) -> Iterator[Hit]:
        return iter(self.hits)

    def __len__(self) -> int:
        return len(self.hits)

    def __repr__(self) -> str:
        return f"Found({self.query.text!r}, {len(self.hits)} hits, certain={self.is_certain})"
