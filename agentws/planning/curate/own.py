"""Lines of MEMORY.md: which of them speak of the same as a line that may enter, and which says it already. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from agentws.formats import layout
from agentws.formats.documents import managed
from agentws.formats.journal import summary
from agentws.formats.text import sanitize
from agentws.planning.notes import likeness, reading, similarity

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from agentws.planning.notes.entry import Entry
    from agentws.planning.notes.likeness import ComparedEntry

_LEAST_SHARE = 0.3
_SAID, _SAID_BY_SECTION = 0.5, 0.7
"""Of what a text tells, a line that says it already has so much, and a section whose lines say it together."""
_FEWEST_SAID = 3
_MOST_BESIDE = 2
_MOST_WORDS = 6
_MOST_QUOTED_CHARS = 100


@dataclass(frozen=True, slots=True)
class Beside:
    """A `line` of MEMORY.md that speaks of the same as a text, and the `words` that both have, the rarest first."""

    line: Entry
    words: Sequence[str]

    @property
    def shown(self) -> str:
        """Its place, its text, and the words that both lines have."""
        words = f" (both: {', '.join(self.words)})" if self.words else ""
        return f"beside {quoted(self.line)}{words}"


class Own:
    """The lines, each with the words of its heading: `- phone: 12` below `Numbers` speaks of numbers."""

    __slots__ = ("_lines", "_weights")

    def __init__(self, entries: Iterable[Entry] = ()) -> None:
        self._lines = [likeness.ComparedEntry(one) for one in entries if not one.is_label and one.words]
        for line in self._lines:
            line.words |= {*similarity.words(" ".join(line.entry.headings[-1:]))}
        self._weights = likeness.Weights(line.words for line in self._lines)

    def nearest(self, one: ComparedEntry) -> ComparedEntry | None:
        """Return the line that speaks most likely of the same; None where none does."""
        return next(iter(self._near(one)), None)

    def beside(self, text: str) -> list[Beside]:
        """Return the lines that speak of the same as a text, the nearest first."""
        one = _line(text)
        return [Beside(line.entry, self._both(one, line)) for line in self._near(one)[:_MOST_BESIDE]] if one else []

    def saying(self, text: str, but: Collection[str] = ()) -> Entry | None:
        """Return the line that says a text already, or the first of a section whose lines do; None where none does.

        All that is exact in it stands there: a number, a name, a path. Lines of the digests `but` say nothing.
        """
        one = _line(text)
        if one is None:
            return None
        sections: dict[tuple[str, ...], list[ComparedEntry]] = {}
        for line in self._lines:
            if but and managed.of_text(line.entry.text.removeprefix("- ")) in but:
                continue
            if self._is_said(one, [line], _SAID):
                return line.entry
            sections.setdefault(line.entry.headings, []).append(line)
        said = (lines for lines in sections.values() if self._is_said(one, lines, _SAID_BY_SECTION))
        return next((lines[0].entry for lines in said), None)

    def _near(self, one: ComparedEntry) -> list[ComparedEntry]:
        shares = sorted(((self._share(one, line), line) for line in self._lines), key=lambda found: -found[0])
        return [line for share, line in shares if share >= _LEAST_SHARE]

    def _both(self, one: ComparedEntry, line: ComparedEntry) -> list[str]:
        words = sorted(one.words & line.words)
        return sorted(words, key=lambda word: -self._weights.of([word]))[:_MOST_WORDS]

    def _is_said(self, one: ComparedEntry, lines: Sequence[ComparedEntry], least: float) -> bool:
        words = frozenset[str]().union(*(line.words for line in lines))
        common = one.words & words
        if len(common) < min(_FEWEST_SAID, len(one.words)):
            return False
        exact = words.union(*(line.exact for line in lines))
        return one.exact <= exact and self._weights.of(common) >= least * self._weights.of(one.words)

    def _share(self, one: ComparedEntry, line: ComparedEntry) -> float:
        names = {*one.entry.identifiers}.intersection(line.entry.identifiers)
        if names or likeness.has_other_value(one, line):
            return 1.0
        if all(map(str.isdecimal, one.words & line.words)):
            return 0.0  # a day, a count: of those many lines have the same
        return self._weights.share(one.words, line.words)


def quoted(line: Entry) -> str:
    """Return a line of MEMORY.md as an author is told of it."""
    return f"{layout.MEMORY}:{line.line} “{summary.cut(sanitize.inert(line.said), _MOST_QUOTED_CHARS)}”"


def _line(text: str) -> ComparedEntry | None:
    return next((likeness.ComparedEntry(one) for one in reading.read(f"- {text}\n", path="")), None)
