"""What the newest daily log says of work that broke off: what was being done, decided, open, at risk. Pure.

What is known is told apart from what is not. A line that leaves something open near the end of the log is pending. One
from long before that, or of the day before, is perhaps still open: what was done since may have been written down in
words that nobody finds again.
"""

from __future__ import annotations

from agentws.formats import handoff, markdown, notes
from agentws.formats.lazy import Pattern
from agentws.planning import excerpt, meaning, retelling, salience
from agentws.planning import lines as _lines
from agentws.planning.alike import Alike
from agentws.planning.lines import Shelf, bare
from agentws.planning.standing import unfinished
from agentws.planning.words import words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from agentws.planning.lines import Line
    from agentws.planning.unended import Log

    Lists = dict[str, list[str]]

_MOST = {
    handoff.DOING: 20, handoff.DECISIONS: 12, handoff.PENDING: 14, handoff.NEXT: 10, handoff.FAILED: 6,
    handoff.AT_RISK: 5, handoff.FILES: 12, handoff.PERHAPS: 20,
}  # fmt: skip
_MOST_OF_BEFORE = 8
_MOST_CHARS = 1 << 16
_MOST_CHILDREN = 6
_NEWEST_LISTS = 4
_FEW_LINES, _END = 12, 0.25
"""So many lines, and such a share of them, are the end of a log."""
_SAME = 0.8
_ACCOUNT = 200
"""A line of more characters tells what was done, and names what was at risk only in passing."""
_OPEN = (handoff.PENDING, handoff.NEXT)
_SAVED = Pattern(r"\b(?:committed|pushed)\b", "IGNORECASE")
_SPAN = Pattern(r"`([^`\n]{3,120})`")
_FILE = Pattern(r"^[\w.~/@+-]*(?:/[\w.@+-]+)+/?$|^[\w@+-][\w.@+-]*\.(?:[a-z]{1,5}|[a-z]+\d)$", "IGNORECASE")
_OURS = Pattern(r"(?m)^(- )\d\d:\d\d (?=\[)")
"""The time that a line of agentws begins with, before its kind: without it the line says at once what it is."""
_KIND = Pattern(r"^\[[a-z][a-z_-]{1,23}\] ")
_CALLED_OPEN = Pattern(r"^(?:\d\d:\d\d )?open:\**\s+\S", "IGNORECASE")
_ASIDE = Pattern(r"\([^)]*\)")
_COMMAND = Pattern(r"\s")


def read(log: Log) -> Lists:
    """The lines of a log under the headings of a handoff, each as it says it, without its marks; the newest last.

    Of the log before it is told what it left open alone.
    """
    shelves = [_shelf(one) for one in (log.before, log) if one is not None]
    found = _Read(_lines.of(shelves), newest=len(shelves) - 1)
    told = {
        handoff.DOING: found.doing(),
        handoff.DECISIONS: found.under(handoff.DECISIONS),
        handoff.PENDING: found.open(handoff.PENDING),
        handoff.NEXT: found.open(handoff.NEXT),
        handoff.PERHAPS: found.perhaps_open(),
        handoff.FAILED: found.under(handoff.FAILED),
        handoff.AT_RISK: found.at_risk(saved=False),
        handoff.FILES: found.files(),
    }
    return {heading: lines[-_MOST[heading] :] for heading, lines in told.items()}


def _shelf(log: Log) -> Shelf:
    text = _OURS.sub(r"\1", markdown.nested(log.text[-_MOST_CHARS:])[1])
    return Shelf(excerpt.entries(notes.read(text), by_position=True), frame=0, day=log.day, name=log.path)


class _Read:
    """The lines of two logs with what each means; `newest` is the shelf of the one that is asked about."""

    def __init__(self, lines: Sequence[Line], *, newest: int) -> None:
        worth = salience.worth(lines)
        opened = {item.index for item in unfinished.find(lines, worth)}
        items = {index: index in opened for index, line in enumerate(lines) if unfinished.is_open(line)}
        called = {index for index, line in enumerate(lines) if index not in items and _is_called_open(line)}
        items.update(dict.fromkeys(called, True))
        items.update(dict.fromkeys(unfinished.closed(lines, called, worth), False))
        self._lines = lines
        self._newest = newest
        self._meant = [meaning.heading_of(line, is_open=items.get(index)) for index, line in enumerate(lines)]
        self._own = [index for index, line in enumerate(lines) if line.shelf == newest]
        at_end = max(_FEW_LINES, int(len(self._own) * _END))
        self._end = self._own[-at_end:][0] if self._own else 0
        self._closed = {index for index, is_open in items.items() if not is_open}
        self._open = self._told_once(self._of_newest_lists())

    def doing(self) -> list[str]:
        """What was done, the last of it in full."""
        plain = (index for index in self._own if not self._meant[index])
        return retelling.parts(self._lines, [index for index in plain if self._lines[index].form != markdown.FENCE])

    def under(self, heading: str) -> list[str]:
        """What is told under a heading."""
        return [_said(self._lines[index]) for index in self._own if self._meant[index] == heading]

    def open(self, heading: str) -> list[str]:
        """What the end of the log leaves open. What is at risk is told there, once."""
        chosen = (index for index in self._open if index >= self._end and self._meant[index] == heading)
        told = [self._with_children(index) for index in chosen]
        risks = self.at_risk(saved=False)[-_MOST[handoff.AT_RISK] :] if heading == handoff.PENDING else ()
        return [text for text in told if text not in risks]

    def perhaps_open(self) -> list[str]:
        """What was open before that: of the day before first, then of the log itself."""
        before = [index for index in self._open if self._lines[index].shelf != self._newest][-_MOST_OF_BEFORE:]
        own = [index for index in self._open if index < self._end and self._lines[index].shelf == self._newest]
        dated = [f"({self._lines[index].day}) {self._with_children(index)}" for index in before]
        short = (text for text in self.at_risk(saved=True) if len(text) <= _ACCOUNT)
        return [*dated, *(self._with_children(index) for index in own if not self._is_told_later(index)), *short]

    def at_risk(self, *, saved: bool) -> list[str]:
        """What is said to exist on one machine only; with `saved` that of which it may be over."""
        chosen = (index for index in self._own if index not in self._closed and self._is_saved(index) == saved)
        lines = (self._lines[index] for index in chosen)
        return [_said(one) for one in lines if one.form != markdown.FENCE and meaning.is_at_risk(one.text)]

    def files(self) -> list[str]:
        """The files that the log names between backticks, the last ones last."""
        found: dict[str, None] = {}
        for index in reversed(self._own):
            for span in reversed(_SPAN.findall(self._lines[index].text)):
                if _FILE.match(span) and not _COMMAND.search(span):
                    found.setdefault(span, None)
        return list(found)[::-1]

    def _of_newest_lists(self) -> list[int]:
        """The lines of the last lists of what waits: what an earlier part of a day left open, a later one knew of."""
        chosen: set[int] = set()
        for shelf in range(self._newest + 1):
            for heading in _OPEN:
                those = [i for i, meant in enumerate(self._meant) if meant == heading and self._lines[i].shelf == shelf]
                newest = list(dict.fromkeys(self._lines[index].path for index in reversed(those)))[:_NEWEST_LISTS]
                chosen.update(index for index in those if self._lines[index].path in newest)
        return sorted(chosen)

    def _told_once(self, indices: Iterable[int]) -> list[int]:
        """Those of the lines that none at the end, and no later one, tells again in nearly the same words."""
        alike = Alike(self._lines, either=True, numbers=False)
        kept: list[int] = []
        for index in sorted(indices, reverse=True):
            if index >= self._end or alike.nearest(index) is None:
                alike.add(index)
                kept.append(index)
        return kept[::-1]

    def _is_saved(self, index: int) -> bool:
        """True where much was written after line `index`, some of it of what was committed or pushed."""
        return index < self._end and any(_SAVED.search(line.text) is not None for line in self._lines[index + 1 :])

    def _is_told_later(self, index: int) -> bool:
        """True where a later line that leaves nothing open has the same words: most likely it says what came of it."""
        roots = _roots(_ASIDE.sub("", self._lines[index].text))
        later = (other for other in self._own if other > index and self._meant[other] not in _OPEN)
        return len(roots) > 1 and any(
            len(roots & _roots(self._with_heading(other))) >= _SAME * len(roots) for other in later
        )

    def _with_heading(self, index: int) -> str:
        return " ".join([*self._lines[index].path[-1:], self._lines[index].text])

    def _with_children(self, index: int) -> str:
        """What an item says, and what is listed below it."""
        below = [line for line in self._lines[index + 1 : index + 1 + _MOST_CHILDREN] if line.parent == index]
        return "; ".join([_said(self._lines[index]), *(bare(line.text) for line in below)])


def _is_called_open(line: Line) -> bool:
    return line.form not in (markdown.ROW, markdown.FENCE) and _CALLED_OPEN.match(bare(line.text)) is not None


def _roots(text: str) -> set[str]:
    """The words of a text, so that `clone` and `cloned` are one."""
    return {word.removesuffix("e") for word in words(text)}


def _said(line: Line) -> str:
    """What a line says; one of a few words gets its heading before it."""
    text = _KIND.sub("", bare(line.text), 1)
    heading = line.path[-1] if line.path else ""
    if heading and len(line.words) < 4 and not handoff.heading_of(heading):
        return retelling.under(heading, text)
    return text
