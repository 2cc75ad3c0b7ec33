"""What the newest daily log says of work that broke off: what was being done, decided, open, at risk. Pure.

What is known is told apart from what is not. A line that leaves something open near the end of the log is pending. One
from long before that, or of the day before, is perhaps still open: what was done since may have been written down in
words that nobody finds again.
"""

from __future__ import annotations

from agentws.formats import handoff, markdown, notes, outside
from agentws.formats.lazy import Pattern
from agentws.planning import excerpt, foreign, meaning, mending, mentioned, retelling, salience
from agentws.planning import lines as _lines
from agentws.planning.alike import Alike
from agentws.planning.finished import Finished
from agentws.planning.lines import Shelf, bare, shortened
from agentws.planning.overtaken import Overtaken
from agentws.planning.standing import unfinished
from agentws.planning.words import words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from agentws.planning.lines import Line
    from agentws.planning.unended import Log

    Lists = dict[str, list[str]]

_MOST = {
    handoff.DOING: 48, handoff.DECISIONS: 12, handoff.PENDING: 14, handoff.NEXT: 10, handoff.FAILED: 6,
    handoff.AT_RISK: 5, handoff.NAMED: 12, handoff.PERHAPS: 20,
}  # fmt: skip
_MOST_OF_BEFORE = 12
_MOST_CHARS = 1 << 16
_MOST_CHILDREN = 8
_NEWEST_LISTS = 4
_FEW_LINES, _END = 12, 0.25
"""So many lines, and such a share of them, are the end of a log."""
_SAME = 0.8
_ACCOUNT = 200
"""A line of more characters tells what was done, and names what was at risk only in passing."""
_OPEN = (handoff.PENDING, handoff.NEXT)
_SAVED = Pattern(r"\b(?:committed|pushed)\b", "IGNORECASE")
_OURS = Pattern(r"(?m)^(- )\d\d:\d\d (?=\[)")
"""The time that a line of agentws begins with, before its kind: without it the line says at once what it is."""
_NAMED = Pattern(r"^\W*(?:decision|decided)\s*(?::|—|–|-)\s*(\S.*)", "IGNORECASE")
"""A heading that says what was decided: what is listed below it are reasons, limits, consequences."""
_KIND = Pattern(r"^\[[a-z][a-z_-]{1,23}\] ")
_CALLED_OPEN = Pattern(r"^(?:\d\d:\d\d )?open:\**\s+\S", "IGNORECASE")
_ASIDE = Pattern(r"\([^)]{0,300}\)")
_SUMS_UP = Pattern(r"^\W*(?:notes?|summary|status|state|overview|recap)\b", "IGNORECASE")
_REPEATS = 0.6
_FEWEST_REPEATED = 4
_FEWEST_NAMED = 2.0
_MOST_ABOVE, _FEW_WORDS = 60, 4
_MOST_WRONG = 40
"""So many of the lines that tell of what went wrong are compared with all that came after them."""


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
        handoff.NAMED: found.files(),
    }
    return {heading: lines[-_MOST[heading] :] for heading, lines in told.items()}


def _shelf(log: Log) -> Shelf:
    own = foreign.without(outside.without(log.text), where=log.path)[-_MOST_CHARS:]
    text = _OURS.sub(r"\1", markdown.nested(own)[1])
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
        self._told: dict[int, set[str]] = {}
        self._newest = newest
        self._meant = [meaning.heading_of(line, is_open=items.get(index)) for index, line in enumerate(lines)]
        self._own = [index for index, line in enumerate(lines) if line.shelf == newest]
        at_end = max(_FEW_LINES, int(len(self._own) * _END))
        self._end = self._begin_of_part(self._own[-at_end:][0]) if self._own else 0
        self._last_saved = next((i for i in reversed(range(len(lines))) if _SAVED.search(lines[i].text)), -1)
        self._later = Overtaken(lines)
        self._leave_out_what_is_told_elsewhere()
        wrong = [index for index in self._own if self._meant[index] == handoff.FAILED]
        for index in wrong:
            if mending.is_put_right(lines, index) or (
                index in wrong[-_MOST_WRONG:] and self._later.is_overtaken(index)
            ):
                self._meant[index] = ""  # it is told with the rest of its part, which says how it was put right
        self._closed = {index for index, is_open in items.items() if not is_open}
        self._finished = Finished(lines)
        self._open = [i for i in self._told_once(self._of_newest_lists()) if not self._finished.is_finished(i)]

    def doing(self) -> list[str]:
        """What was done, the last of it in full."""
        chosen = [index for index in self._own if not self._is_told_elsewhere(index) and not self._is_stale(index)]
        return retelling.parts(self._lines, [index for index in chosen if self._lines[index].form != markdown.FENCE])

    def under(self, heading: str) -> list[str]:
        """What is told under a heading; what failed with why, where that is said behind it."""
        chosen = [index for index in self._own if self._meant[index] == heading]
        if heading == handoff.DECISIONS:
            return [self._decided(index) for index in chosen]
        if heading != handoff.FAILED:
            return [self._with_children(index) for index in chosen]
        reasons = {index: mending.reasons(self._lines, index) for index in chosen}
        told = {other for found in reasons.values() for other in found}
        return [
            " — ".join([self._with_children(index), *(bare(self._lines[other].text) for other in reasons[index])])
            for index in chosen
            if index not in told
        ]

    def _decided(self, index: int) -> str:
        """A decision; what stands below a heading that names the decision itself is told as being about that."""
        path = self._lines[index].path
        named = _NAMED.match(path[-1]) if path else None
        said = self._with_children(index)
        return retelling.under(named[1], said) if named else said

    def open(self, heading: str) -> list[str]:
        """What the end of the log leaves open. What is at risk is told there, once."""
        chosen = (index for index in self._open if self._is_known_open(index) and self._meant[index] == heading)
        told = [self._with_children(index) for index in chosen]
        risks = self.at_risk(saved=False)[-_MOST[handoff.AT_RISK] :] if heading == handoff.PENDING else ()
        return [text for text in told if text not in risks]

    def perhaps_open(self) -> list[str]:
        """What was open before that: of the day before first, then of the log itself."""
        rest = [index for index in self._open if not self._is_known_open(index)]
        before = self._newest_that_wait((i for i in rest if self._lines[i].shelf != self._newest), _MOST_OF_BEFORE)
        own = self._newest_that_wait(
            (i for i in rest if self._lines[i].shelf == self._newest and not self._is_told_later(i)),
            _MOST[handoff.PERHAPS],
        )
        dated = [f"({self._lines[index].day}) {self._with_children(index)}" for index in before]
        short = (text for text in self.at_risk(saved=True) if len(text) <= _ACCOUNT)
        return [*dated, *(self._with_children(index) for index in own), *short]

    def _newest_that_wait(self, indices: Iterable[int], most: int) -> list[int]:
        """The last of these lines that nothing behind them has overtaken, at most so many, in their order."""
        found: list[int] = []
        for index in sorted(indices, reverse=True):
            if len(found) == most:
                break
            if not self._later.is_overtaken(index):
                found.append(index)
        return found[::-1]

    def at_risk(self, *, saved: bool) -> list[str]:
        """What is said to exist on one machine only; with `saved` that of which it may be over."""
        chosen = (index for index in self._own if index not in self._closed and self._is_saved(index) == saved)
        lines = (self._lines[index] for index in chosen if not self._is_guess(index))
        return [_said(one) for one in lines if one.form != markdown.FENCE and meaning.is_at_risk(one.text)]

    def _is_guess(self, index: int) -> bool:
        """True for what stands below words such as `It may be one of these:`."""
        above = retelling.owner(self._lines, index)
        return above is not None and meaning.is_guess(self._lines[above].text)

    def files(self) -> list[str]:
        """The files that the log names between backticks, the last ones last."""
        return mentioned.files(self._lines[index].text for index in self._own)

    def _begin_of_part(self, index: int) -> int:
        """Where a list of what waits begins that line `index` belongs to: no end begins in the middle of one."""
        path = self._lines[index].path
        while _is_list_of_open(path) and index > self._own[0] and self._lines[index - 1].path == path:
            index -= 1
        return index

    def _is_known_open(self, index: int) -> bool:
        """True for what the end of the log leaves open, and what is due on a day that it names."""
        line = self._lines[index]
        is_known = index >= self._end or (line.shelf == self._newest and meaning.is_due(line))
        return is_known and not self._later.is_set(line.text, index)

    def _leave_out_what_is_told_elsewhere(self) -> None:
        """What stands below an open item is told with it; and a paragraph behind a list of such is none of them."""
        for index, line in enumerate(self._lines):
            if self._meant[index] not in _OPEN:
                continue
            before = self._lines[index - 1] if index else line
            is_behind = before.form == markdown.ITEM and _is_list_of_open(line.path)
            is_behind = is_behind and (before.path == line.path or before.parent is not None)
            if line.parent is not None:
                is_told = self._meant[line.parent] in _OPEN
            else:
                is_told = line.form == markdown.PARAGRAPH and is_behind and not unfinished.is_open(line)
            if is_told:
                self._meant[index] = ""

    def _is_told_elsewhere(self, index: int) -> bool:
        above = self._lines[index].parent
        return bool(self._meant[index]) or (above is not None and bool(self._meant[above]))

    def _is_stale(self, index: int) -> bool:
        """True for a line that says what has to be done, and was; or that sums up what waits as an earlier part of the
        day put it, which went well after that.
        """
        line = self._lines[index]
        if self._finished.is_finished(index) or (meaning.says_to_do(line.text) and self._later.is_overtaken(index)):
            return True
        if not line.path or not _SUMS_UP.match(line.path[-1]) or not meaning.says_waiting(line.text):
            return False
        said = self._later.named[index]
        for other in self._own:
            if other >= index:
                return False
            shared = said & self._later.named[other]
            if len(shared) >= _FEWEST_REPEATED and len(shared) >= _REPEATS * len(said):
                return self._later.went_well_between(other, index, least=_FEWEST_NAMED)
        return False

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
        alike = Alike(self._lines, either=True)
        kept: list[int] = []
        for index in sorted(indices, reverse=True):
            if index >= self._end or alike.nearest(index) is None:
                alike.add(index)
                kept.append(index)
        return kept[::-1]

    def _is_saved(self, index: int) -> bool:
        """True where much was written after line `index`, some of it of what was committed or pushed."""
        return index < min(self._end, self._last_saved)

    def _is_told_later(self, index: int) -> bool:
        """True where a later line that leaves nothing open has the same words: most likely it says what came of it."""
        roots = _roots(_ASIDE.sub("", self._lines[index].text))
        behind = (other for other in self._own if other > index and self._lines[other].parent != index)
        later = (other for other in behind if self._meant[other] not in _OPEN)
        return len(roots) > 1 and any(
            len(roots & self._roots_with_heading(other)) >= _SAME * len(roots)
            and self._lines[index].is_named_by(self._lines[other])
            for other in later
        )

    def _roots_with_heading(self, index: int) -> set[str]:
        """What line `index` and its heading have in common with others: looked up once, it is asked of often."""
        found = self._told.get(index)
        if found is None:
            found = self._told[index] = _roots(" ".join([*self._lines[index].path[-1:], self._lines[index].text]))
        return found

    def _with_children(self, index: int) -> str:
        """What an item says, and what is listed below it."""
        behind = range(index + 1, min(len(self._lines), index + 1 + _MOST_CHILDREN))
        below = [other for other in behind if self._lines[other].parent == index]
        still = (bare(line.text) for other in below if not self._later.is_set((line := self._lines[other]).text, other))
        above = self._lines[index].parent
        said = _said(self._lines[index])
        if above is not None and not _is_list_of_open(self._lines[index].path):
            said = retelling.under(shortened(bare(self._lines[above].text), _MOST_ABOVE).rstrip(":"), said)
        return "; ".join([said, *still]).replace(":; ", ": ")


def _is_list_of_open(path: Sequence[str]) -> bool:
    return bool(path) and (handoff.heading_of(path[-1]) in _OPEN or unfinished.is_open_heading(path[-1]))


def _is_called_open(line: Line) -> bool:
    return line.form not in (markdown.ROW, markdown.FENCE) and _CALLED_OPEN.match(bare(line.text)) is not None


def _roots(text: str) -> set[str]:
    """The words of a text, so that `clone` and `cloned` are one."""
    return {word.removesuffix("e") for word in words(text)}


def _said(line: Line) -> str:
    """What a line says; one of a few words gets its heading before it."""
    text = _KIND.sub("", bare(line.text), 1)
    heading = line.path[-1] if line.path else ""
    is_short = len(line.words) < _FEW_WORDS and not handoff.heading_of(heading)
    if heading and line.parent is None and (is_short or meaning.is_needed(heading) or meaning.is_lacking(line)):
        return retelling.under(heading, text)
    return text
