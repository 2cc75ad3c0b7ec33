"""Which lines of logs a later part of them has overtaken, in words that are not the same. Pure.

It is asked of what is doubtful anyway: who wrote in the morning what waits tells in the evening what was done, seldom
as it was put before. Two names that both tell are enough to leave a line out that would only perhaps be so.
"""

from __future__ import annotations

from agentws.formats import markdown, notes
from agentws.formats.lazy import Pattern
from agentws.planning.lines import Line, bare
from agentws.planning.words import words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_WELL = Pattern(
    r"[✅☑✔]|\b(?:done|completed?|unblocked|resolved|solved|fixed|deployed|shipped|verified|validated|confirmed|passed|"
    r"succeeded|success|successful|successfully|restored|recovered|works|working|installed|imported|uninstalled|removed|"
    r"answered|approved|received|delivered|submitted|merged|finished|scheduled|implemented|published|live)\b",
    "IGNORECASE",
)
_BADLY = Pattern(
    r"\b(?:not|never|pending|(?:a)?waiting|blocked|blockers?|needs?|needed|to-?do|missing|still|unless|until|"
    r"unauthorized|invalid|denied|fail(?:s|ed|ing)?|should|must|will|would|tomorrow|remaining|ready to|only \w+ can|"
    r"to (?:be|do|complete|confirm|finish|fix|install|restore|test|verify))\b"
    r"|n['’]t\b|\?\s*$|⏳|🔄|\[ \]",
    "IGNORECASE",
)
_DONE_HEADING = Pattern(
    r"[✅☑✔]|\b(?:done|completed?|resolved|solved|fixed|deployed|shipped|removed|finished|installed|restored|"
    r"confirmed|working|set up)\b(?!\s*+:?\s*+\?)",
    "IGNORECASE",
)
_BLOCKER = Pattern(
    r"\b(?:blocked (?:on|by|at|until|due to)\b|blockers?\s*:|waiting (?:on|for)\b|awaiting\b|missing\b)", "IGNORECASE"
)
_SETTING = Pattern(r"\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b")
_SETS = Pattern(
    r"^\W*(?:(?:also|then|please|still|[a-z]+:)\W+)*(?:set|add|provide|get|store|put|enter|configure|supply|need)\b",
    "IGNORECASE",
)
_IS_SET = Pattern(r"\b(?:set|added|stored|confirmed|provided|configured|saved|received|supplied)\b|✅", "IGNORECASE")
_CLAUSES = Pattern(r"(?<![.;!?)])[.;!?)]++\s+|\),|,? but | — | – | prevents? |, so ")
_SHARE, _SHARE_OF_SECTION, _SHARE_OF_BLOCKER = 0.42, 0.6, 0.6
_FEWEST, _FEWEST_OF_FEW, _FEW = 2.4, 2.0, 4.0
"""What a later line has to share at the least with one that tells more, or no more, than a few things."""
_SHORT = 4
_OFTEN, _OFTEN_SHARE = 8, 0.06
_MOST_LINES_OF_SECTION = 24
_LIGHT, _COMMON = 0.3, 0.5


class Section:
    """The lines that stand together under one heading: where they begin, what they name, whether it went well."""

    __slots__ = ("end", "heading", "is_done", "is_well", "named", "start")

    def __init__(self, lines: Sequence[Line], named: Sequence[frozenset[str]], start: int, end: int) -> None:
        part = lines[start:end]
        heading = part[0].path[-1] if part[0].path else ""
        self.start = start
        self.end = end
        self.heading = roots(heading)
        self.named = self.heading.union(*named[start:end][:_MOST_LINES_OF_SECTION])
        self.is_done = _DONE_HEADING.search(heading) is not None and _BADLY.search(heading) is None
        self.is_well = len(part) <= _MOST_LINES_OF_SECTION and not _BADLY.search(heading)
        self.is_well = self.is_well and (self.is_done or any(clauses_that_went_well(line.text) for line in part))


class Overtaken:
    """Knows of some lines, oldest first, which of them were overtaken; `named` are the roots of the words of each."""

    __slots__ = ("_common", "_lines", "_sections", "_well", "named")

    def __init__(self, lines: Sequence[Line]) -> None:
        self._lines = lines
        self.named = [roots(line.text) for line in lines]
        self._sections = _sections(lines, self.named)
        self._well = [
            (index, named, self.named[index] - named)
            for index, line in enumerate(lines)
            if line.form != markdown.FENCE and (named := roots(" ".join(clauses_that_went_well(line.text))))
        ]
        counts: dict[str, int] = {}
        for named in self.named:
            for root in named:
                counts[root] = counts.get(root, 0) + 1
        often = max(_OFTEN, int(len(lines) * _OFTEN_SHARE))
        self._common = frozenset(root for root, count in counts.items() if count > often)

    def is_overtaken(self, index: int) -> bool:
        """True where something later went well that names what the line names, or what it waits for."""
        line = self._lines[index]
        if self.is_set(line.text, index):
            return True
        blocker = _what_blocks(line.text)
        wanted = own = roots(blocker) if blocker else self.named[index]
        if not blocker and len(own) < _SHORT and line.path:
            wanted = own | roots(line.path[-1])
        if self._weight(own) < 1.0:
            return False
        return self._by_line(index, wanted, own, is_blocker=bool(blocker)) or self._by_section(index, wanted)

    def is_set(self, text: str, index: int) -> bool:
        """True where the text asks for a setting by its name, and something behind line `index` says that it is set."""
        names = frozenset(_SETTING.findall(text))
        return bool(names) and _SETS.search(bare(text)) is not None and names <= self._set_behind(index)

    def went_well_between(self, index: int, end: int, *, least: float) -> bool:
        """True where a part of the log between two lines went well that names some of what the first one does."""
        wanted = self.named[index]
        parts = (one for one in self._sections if index < one.start < end and one.is_well)
        return any(self._weight(wanted & one.named) >= least for one in parts)

    def _set_behind(self, index: int) -> frozenset[str]:
        found = (line.text for line in self._lines[index + 1 :] if "_" in line.text and line.done is not False)
        said = (text for text in found if _IS_SET.search(text) and not _BADLY.search(text) and not _SETS.match(text))
        return frozenset(name for text in said for name in _SETTING.findall(text))

    def _by_line(self, index: int, wanted: frozenset[str], own: frozenset[str], *, is_blocker: bool) -> bool:
        whole = self._weight(wanted)
        least = _FEWEST_OF_FEW if whole <= _FEW else _FEWEST
        if is_blocker:
            least = min(least, _SHARE_OF_BLOCKER * whole)
        for other, named, waits in self._well:
            if other > index and own & named - ACTS and not own & waits - ACTS - self._common:
                shared = self._weight(wanted & named)
                is_same = self._lines[index].is_named_by(self._lines[other])
                if shared >= least and shared >= _SHARE * whole and is_same:
                    return True
        return False

    def _by_section(self, index: int, wanted: frozenset[str]) -> bool:
        whole = self._weight(wanted)
        for one in self._sections:
            if one.start <= index or not one.is_well:
                continue
            things = one.heading - ACTS
            shared = self._weight(wanted & one.named)
            least = max(_FEWEST_OF_FEW if one.is_done else _FEWEST, _SHARE_OF_SECTION * whole)
            is_about = shared >= least and wanted & things
            if (is_about or (one.is_done and len(things) > 1 and things <= wanted)) and self._is_named(index, one):
                return True
        return False

    def _is_named(self, index: int, one: Section) -> bool:
        part = self._lines[one.start : one.end][:_MOST_LINES_OF_SECTION]
        return self._lines[index].is_named_by(*part, *(Line(step, age=None) for step in part[0].path[-1:]))

    def _weight(self, found: frozenset[str]) -> float:
        """What these roots tell together: less where they tell what is done, or are in every other line."""
        return sum(_LIGHT if root in ACTS else _COMMON if root in self._common else 1.0 for root in found)


def roots(text: str) -> frozenset[str]:
    """What the words of a text have in common with others of the same root: `verify`, `verified`, `verification`."""
    return frozenset(found for word in words(text) if (found := word[:6].rstrip("eiy")))


ACTS = roots(
    "add build check clean complete completed confirm create created deploy deployed deployment done fix fixed finish "
    "get implement implemented install installed installation installing make need provide push pushed review run send "
    "sent set setup start started test update updated verify write written next step task status still via use using "
    "want work working new first day project fail failed live resolved solved ready shipped restored issue need "
    "action missing"
)
"""Roots of words that tell what is done rather than to what."""


def clauses_that_went_well(text: str) -> list[str]:
    """What the text tells but for the clauses in which something did not go well; nothing where nothing went well."""
    if not _WELL.search(text):
        return []
    if "[ ]" in text and notes.marked(text):
        text = text.replace("[ ]", "", 1)  # a mark beside it has closed the box
    clauses = [one for one in _CLAUSES.sub("\n", text).split("\n") if not _BADLY.search(one)]
    return clauses if any(_WELL.search(one) for one in clauses) else []


def _what_blocks(text: str) -> str:
    """What the text says is waited for; empty where it says nothing of it, or in one word."""
    found = _BLOCKER.search(text)
    rest = _CLAUSES.sub("\n", text[found.end() :]).partition("\n")[0] if found else ""
    return rest if len(roots(rest)) > 1 else ""


def _sections(lines: Sequence[Line], named: Sequence[frozenset[str]]) -> list[Section]:
    found: list[Section] = []
    start = 0
    for index in range(1, len(lines) + 1):
        if index == len(lines) or _place(lines, index) != _place(lines, start):
            found.append(Section(lines, named, start, index))
            start = index
    return found


def _place(lines: Sequence[Line], index: int) -> tuple[object, ...]:
    """What lines that stand together have in common; what stands below a line stands with it."""
    line = lines[index]
    path = line.path if line.parent is None else lines[line.parent].path
    return line.shelf, path
