"""What is open, broken or not there yet in one line, and was put right, or ran out, by a later one.

It is asked of what says so alone, and only a line of the next weeks answers, so that a year costs what its days do.
"""

from __future__ import annotations

import re
from collections import Counter
from datetime import date
from typing import TYPE_CHECKING

from agentws.planning.compaction import bundling, gone, kinds, leaving
from agentws.planning.compaction.lines import exact, is_named
from agentws.planning.compaction.overtaken import ACTS, clauses_that_went_well, roots

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from agentws.planning.compaction.counts import Counts
    from agentws.planning.compaction.units import Unit

_WELL_HINTS = (
    *("✅", "☑", "✔", "done", "complete", "unblock", "resolv", "solv", "fix", "deploy", "shipp", "verif", "valid"),
    *("confirm", "pass", "succe", "restor", "recover", "work", "install", "import", "remov", "answer", "approv"),
    *("receiv", "deliver", "submit", "merg", "finish", "schedul", "implement", "publish", "live"),
)
_STATE = re.compile(
    r"\b(?:cannot|can['’]t|could(?:n['’]t| not)|not (?:yet|working|available|set)|no access|needs? (?:to|an?)|missing|"
    r"unknown|pending|blocked|awaiting|waiting (?:on|for)|in progress|unresolved|broken|failing|fails?|"
    r"persist(?:s|ing)|noch (?:nicht|kein\w*))\b|⏳|❌",
    re.IGNORECASE,
)
_IN_PART = re.compile(
    r"\d ?%|\bpart(?:ly|ial(?:ly)?)\b|\b(?:active|started|continu(?:es|ing)|if|once|whether|unless)\b|\?", re.IGNORECASE
)
_IS_OVER = re.compile(
    r"[✅☑✔]|\b(?:fully (?:operational|working|restored|repaired)|completed —|"
    r"(?:all|tasks?|is|are|was|were|now) (?:completed?|done|resolved)\b)",
    re.IGNORECASE,
)
_LEAD = re.compile(r"^\d{4}-\d\d-\d\d (?:[^:]{0,90}: )?")
_WHOLE_WORD = r"(?<![\w-]){}(?![\w-])"
_NEXT_DAY = re.compile(r"\b(?:tonight|tomorrow|this (?:morning|afternoon|evening)|morgen)\b", re.IGNORECASE)
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = r"(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\.?"
_DATE = re.compile(
    r"\b(?:due|by|until|till|before|deadlines?|expir\w+|ends?|on|for|to|starts?|bis|am)\W{1,4}(?:\w+\W+){0,2}?"
    rf"(?:(\d{{4}})-(\d\d)-(\d\d)|{_MONTH} (\d{{1,2}})(?:st|nd|rd|th)?\b(?! ?%|:)|(\d{{1,2}})\.? {_MONTH}(?=\W|$))",
    re.IGNORECASE,
)
_DAYS_OF_GRACE, _DAYS_OF_A_DAY = 7, 2
_ADDRESS = re.compile(r"https?://\S+|(?<!\S)[^\s/\\]*+[/\\]\S+|(?<![\w-])[\w-]++(?:\.[\w-]++)++")
_OWN_NAME = re.compile(r"\b[A-Za-z]\w*_\w+|#\d+")
_HORIZON_DAYS = 30
_SHARE, _SHARE_OF_FEW = 0.5, 0.6
_LEAST, _LEAST_OF_FEW, _FEW = 2.4, 2.0, 4.0
_LIGHT, _COMMON = 0.3, 0.5
_OFTEN, _MOST_OFTEN, _OFTEN_SHARE = 8, 40, 0.06


def find(
    units: Sequence[Unit], around: Sequence[Unit], counts: Counts, among: Collection[int] | None = None
) -> dict[int, leaving.Leaving]:
    """Index of a unit that a later line of `units` or of the days `around` put right, or whose time is over → why.

    `counts` are of `units` and, behind them, of those `around`; `among` are those that it is asked of (None: all).
    """
    is_talk = any(unit.is_spoken for unit in units)
    every = [*units, *around]
    newest = max((unit.day for unit in every), default="")
    indices = range(len(units)) if among is None else among
    wanted = [index for index in indices if _may_be_asked(units[index], is_talk=is_talk)]
    asked = [index for index in wanted if _wants_something(units[index])]
    found = {
        index: leaving.Leaving(leaving.EXPIRED)
        for index in asked
        if bundling.title(units[index]) == kinds.OPEN
        and units[index].done is not False  # an empty box stays open until somebody checks it
        and _is_past(units[index], newest)
    }
    found |= {index: _closed_by(every[other]) for index, other in _removed(every, wanted)}
    if asked:
        well = _Later(every, counts)
        later = ((index, well.of(units[index])) for index in asked)
        found |= {index: _closed_by(every[other]) for index, other in later if other is not None}
    return found


def _closed_by(unit: Unit) -> leaving.Leaving:
    return leaving.Leaving(leaving.CLOSED, leaving.told(unit))


def _removed(every: Sequence[Unit], wanted: Sequence[int]) -> Iterator[tuple[int, int]]:
    """(what says of a thing that it runs, what says later that it was removed)."""
    removed = gone.Gone(every)
    for index in wanted:
        later = [other for other in removed.of(_whole(every[index])) if _is_later(every[other], every[index])]
        if later:
            yield index, max(later, key=lambda other: _moment(every[other]))


def without_doubt(left: dict[int, leaving.Leaving], units: Sequence[Unit]) -> dict[int, leaving.Leaving]:
    """`left` without what another thing closed, one that shares a part of a name alone, and what went well itself."""
    return {
        index: why
        for index, why in left.items()
        if why.reason != leaving.CLOSED or _is_closed(units[index], why.successor)
    }


def _is_closed(unit: Unit, successor: str) -> bool:
    text = _text(unit)
    if not successor:
        return _IS_OVER.search(text) is None
    shared = roots(f"{unit.about} {text}") & roots(successor) - ACTS
    if len(shared) > 1:
        return True
    names = (word for word in re.findall(r"[\w-]+", text) if roots(word) & shared)
    return any(re.search(_WHOLE_WORD.format(re.escape(word)), successor, re.IGNORECASE) for word in names)


def _text(unit: Unit) -> str:
    return _LEAD.sub("", unit.text) if unit.entry is not None else unit.text


def _whole(unit: Unit) -> str:
    return unit.text if unit.entry is not None else f"{unit.about}: {unit.text}"


def _plain(text: str) -> str:
    """The text without addresses and paths: parts of those are in many."""
    return _ADDRESS.sub(" ", text)


def _wants_something(unit: Unit) -> bool:
    """True for what is open, a problem, or says of itself that something is not as it should be."""
    if unit.done is True or _IS_OVER.search(_text(unit)):
        return False
    if bundling.title(unit) in (kinds.OPEN, kinds.PROBLEMS):
        return True
    return _STATE.search(unit.text) is not None and not clauses_that_went_well(_text(unit))


def _is_past(unit: Unit, newest: str) -> bool:
    """True where all days that it names are over for a while, or the one day that it was for."""
    text = _text(unit)
    if "(due 20" in text:  # a promise: only closing settles it
        return False
    dates = list(_dates(text, unit.day)) if _DATE.search(text) else []
    if dates:
        return _days(max(dates), newest) > _DAYS_OF_GRACE
    return _NEXT_DAY.search(text) is not None and _days(unit.day, newest) > _DAYS_OF_A_DAY


def _dates(text: str, day: str) -> Iterator[str]:
    for year, month, number, name, behind, before, other in _DATE.findall(text):
        if year:
            yield f"{year}-{month}-{number}"
        else:
            place = _MONTHS.index((name or other).lower()) + 1
            yield f"{day[:4]}-{place:02d}-{int(behind or before):02d}"


def _days(earlier: str, later: str) -> int:
    try:
        return (date.fromisoformat(later[:10]) - date.fromisoformat(earlier[:10])).days
    except ValueError:
        return 0


def _moment(unit: Unit) -> tuple[str, str, int]:
    source = unit.sources[0] if unit.sources else None
    return (unit.day, source.path, source.line) if source else (unit.day, "", 0)


def _is_later(other: Unit, unit: Unit) -> bool:
    return _moment(other) > _moment(unit) and _days(unit.day, other.day) <= _HORIZON_DAYS


def _may_be_asked(unit: Unit, *, is_talk: bool) -> bool:
    """False for rules, for what is pinned or was said, and for entries that may be of what was said."""
    return not (unit.is_pinned or unit.is_spoken or unit.is_weighty or (is_talk and unit.entry is not None))


class _Later:
    """The lines that tell of something that went well, found by the roots of their words.

    What such a line tells in full is looked at when one asks that shares two rare words with it.
    """

    def __init__(self, every: Sequence[Unit], counts: Counts) -> None:
        self._every = every
        self._told: dict[int, list[tuple[frozenset[str], frozenset[str]]]] = {}
        self._at: dict[str, list[int]] = {}
        known: dict[str, str] = {}
        for index, unit in enumerate(every):
            if unit.is_spoken or unit.done is False or not any(map(unit.text.lower().__contains__, _WELL_HINTS)):
                continue
            for word in counts.words[index]:
                root = known.get(word)
                if root is None:
                    root = known[word] = next(iter(roots(word)), "")
                self._at.setdefault(root, []).append(index)
        often = max(_OFTEN, min(_MOST_OFTEN, int(len(every) * _OFTEN_SHARE)))
        self._common = frozenset(root for root, indices in self._at.items() if len(indices) > often)

    def of(self, unit: Unit) -> int | None:
        """The index of the newest line that puts the unit right, None where none does."""
        text = _text(unit)
        own, names = roots(_plain(text)), _OWN_NAME.findall(text)
        whole = self._weight(own)
        is_few = whole <= _FEW
        least = max(_LEAST_OF_FEW, _SHARE_OF_FEW * whole) if is_few else max(_LEAST, _SHARE * whole)
        if whole < least:
            return None
        shared = Counter(index for root in own - ACTS - self._common for index in self._at.get(root, ()))
        may = [index for index, count in shared.items() if count > 1]
        later = (index for index in may if _is_later(self._every[index], unit))
        right = [index for index in later if self._puts_right(index, unit, own, least, names)]
        return max(right, key=lambda index: _moment(self._every[index]), default=None)

    def _puts_right(self, index: int, unit: Unit, own: frozenset[str], least: float, names: Sequence[str]) -> bool:
        other = self._every[index]
        if names and not any(name in other.text for name in names):
            return False
        is_same = any(
            own & named - ACTS and not own & waits - ACTS - self._common and self._weight(own & named) >= least
            for named, waits in self._tells(index)
        )
        return is_same and is_named(exact(_text(unit)), _whole(other))

    def _tells(self, index: int) -> list[tuple[frozenset[str], frozenset[str]]]:
        """(What went well, what else the line names); of a list of what went well, for each of its items."""
        found = self._told.get(index)
        if found is None:
            text = _text(self._every[index])
            clauses = [] if _IN_PART.search(text) else clauses_that_went_well(text)
            parts = clauses if text.count("✅") > 1 else [" ".join(clauses)]
            rest = roots(text) - roots(_plain(" ".join(clauses)))
            found = self._told[index] = [(named, rest) for part in parts if (named := roots(_plain(part)))]
        return found

    def _weight(self, found: frozenset[str]) -> float:
        return sum(_LIGHT if root in ACTS else _COMMON if root in self._common else 1.0 for root in found)
