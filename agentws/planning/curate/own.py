"""A person's own lines of MEMORY.md: which of them speaks of the same as a line that may enter. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentws.planning.notes import likeness, reading, similarity

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from agentws.planning.notes.entry import Entry
    from agentws.planning.notes.likeness import Line

_LEAST_SHARE = 0.3


class Own:
    """The lines, each with the words of its heading: `- phone: 12` below `Numbers` speaks of numbers."""

    __slots__ = ("_lines", "_weights")

    def __init__(self, entries: Sequence[Entry]) -> None:
        self._lines = [likeness.Line(one) for one in entries if not one.is_label and one.words]
        for line in self._lines:
            line.words |= {*similarity.words(" ".join(line.entry.headings[-1:]))}
        self._weights = likeness.Weights(line.words for line in self._lines)

    def nearest(self, one: Line) -> Line | None:
        """Return the line that speaks most likely of the same; None where none does."""
        shares = [(self._share(one, line), line) for line in self._lines]
        share, line = max(shares, key=lambda found: found[0], default=(0.0, None))
        return line if share >= _LEAST_SHARE else None

    def beside(self, texts: Iterable[str]) -> list[Line]:
        """Return the lines that speak of the same as these texts, each once: whoever wrote them should know."""
        lines = (self.nearest(likeness.Line(reading.read(f"- {text}\n", path="")[0])) for text in texts)
        return list(dict.fromkeys(filter(None, lines)))

    def _share(self, one: Line, line: Line) -> float:
        names = {*one.entry.identifiers}.intersection(line.entry.identifiers)
        return 1.0 if names or likeness.has_other_value(one, line) else self._weights.share(one.words, line.words)
