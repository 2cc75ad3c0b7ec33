"""What is over: what a later line closes, what was true for a day, what MEMORY.md says in its owner's own words."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from agentws.planning.compaction import kinds, superseding, unfinished, withheld
from agentws.planning.compaction.alike import Alike
from agentws.planning.compaction.hinted import Hinted
from agentws.planning.compaction.lines import Line, exact, is_named
from agentws.planning.compaction.words import words

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from agentws.planning.compaction.counts import Counts
    from agentws.planning.compaction.units import Context, Unit

REPLACED = "a newer value is known"
CLOSED = "a later line closes it"
EXPIRED = "it was true for a day"
SAID = "MEMORY.md says it already"
WITHHELD = "secret or private"

_STATE = re.compile(
    r"\b(?:installed|launched|running|blocked|blockers?|missing|pending|in progress|broken|failing|persistent|waiting|"
    r"awaiting|unresolved|prevents|not (?:yet|working)|cannot|down|todo)\b|❌|🔴|⏳|⚠️",
    re.IGNORECASE,
)
_DAILY = re.compile(
    r"\bPID:? ?`?\d+|\bheartbeat[_ ]ok\b|\bin progress\b|\bHTTP 200\b|\bdisk(?: usage)?:? \d+ ?%|\buptime\b|"
    r"\bno (?:changes|new (?:messages|emails|activity))\b|\ball systems (?:go|healthy|operational)\b|"
    r"✅ (?:healthy|running|online)|\bcurrently running\b|\bupdated `?MEMORY\.md",
    re.IGNORECASE,
)
_VERB = (
    r"(?:resolved|fixed|solved|shut down|deleted|removed|uninstalled|disabled|reverted|decommissioned|retired|"
    r"unblocked|restored|behoben|erledigt|gelöscht)"
)
_BEFORE = re.compile(
    rf"(?:^|[:;,.(–—-]\s|[*`✅🎉])\s*+([\w-]*\w)[`*)]*+\s*+"
    rf"(?:(?:is|was|are|has been|now|—|–|-|:)\s*+)?[*✅ ]*+{_VERB}\b",
    re.IGNORECASE,
)
_BEHIND = re.compile(
    rf"\b{_VERB}\W++(?:(?:the|our|old|all)\s++)?([\w-]{{0,80}}\w)[`*]*+"
    r"(?=\s*+(?:[,.;:)(+]|$|(?:and|with|on|from|by)\b|[–—-]\s))",
    re.IGNORECASE,
)
_NOT = re.compile(
    r"\b(?:not|never|until|once|if|when|should|will|need(?:s|ed)?|todo|must|un|to be|cannot|pending)\b|\?", re.I
)
_DONE = Hinted(
    rf"✅|☑|✔|\[x\]|\b(?:done|completed?|closed|shipped|merged|deployed|pushed|finished|{_VERB})\b",
    "✅|☑|✔|[x]|done|complete|closed|shipped|merged|deployed|pushed|finished|resolved|fixed|solved|shut down|deleted|"
    "removed|uninstalled|disabled|reverted|decommissioned|retired|unblocked|restored|behoben|erledigt|gelöscht",
    re.I,
)
_IDENTIFIER = re.compile(r"[A-Za-z][a-z]*+[A-Z0-9_]\w*|\w++-\w[\w-]*|\w[^\W_]*+_\w[\w-]*|[A-Z]{4,}")
"""What a thing alone is called: any capitalised word may begin the name of many."""
_LEAD = re.compile(r"^\d{4}-\d\d-\d\d [^:]{0,90}: ")
_COMMON_SHARE, _FEWEST = 0.05, 5
_SUBJECT_CHARS = 120


class Leaving(NamedTuple):
    """Why a unit is not kept, and the text that says it now, empty where none does."""

    reason: str
    successor: str = ""


def find(
    units: Sequence[Unit], around: Sequence[Unit], counts: Counts, context: Context, among: Sequence[int]
) -> dict[int, Leaving]:
    """Index of a unit that is not kept → why, for those `among` which are asked about.

    `counts` are of `units` and, behind them, those of the days `around`.
    """
    found: dict[int, Leaving] = {}
    every = [*units, *around]
    noted = [index for index in among if not (units[index].is_spoken or units[index].is_pinned)]
    if any(unit.is_spoken for unit in units):
        noted = [index for index in noted if units[index].entry is None]  # of an entry nobody knows whether it was said
    found |= {index: Leaving(EXPIRED) for index in noted if not _lasts(units[index]) and units[index].done is not False}
    found |= {index: Leaving(SAID, line) for index, line in _said(units, noted, context.memory)}
    closed = _closed(every, [index for index in noted if _may_close(units[index])], counts)
    found |= {index: Leaving(CLOSED, told(every[later]) if later is not None else "") for index, later in closed}
    replaced = superseding.find(units)
    found |= {index: Leaving(REPLACED, told(units[later])) for index, later in replaced.items()}
    secret = withheld.Secrets((*context.logs, *(day.text for day in context.days), *context.memory))
    private = (index for index in among if not units[index].is_pinned and _is_withheld(units[index], secret))
    return found | {index: Leaving(WITHHELD) for index in private}


def told(unit: Unit) -> str:
    """A unit as its entry would say it."""
    return unit.entry.text if unit.entry is not None else f"{unit.lead}{unit.text}"


def _is_withheld(unit: Unit, secret: withheld.Secrets) -> bool:
    text = told(unit)
    if secret.stand_in(text):
        return True
    return (
        unit.entry is not None and unit.importance is None and (withheld.is_private(text) or withheld.is_template(text))
    )


def _lasts(unit: Unit) -> bool:
    is_meant = unit.is_weighty or (unit.importance or 0) > 5
    text = _LEAD.sub("", unit.text) if unit.entry is not None else unit.text
    return is_meant or _DAILY.search(text) is None


def _said(units: Sequence[Unit], noted: Sequence[int], memory: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Those that a line of MEMORY.md says in nearly the same words."""
    lines = [Line(text, age=None) for text in memory if text.strip() and not text.startswith("#")]
    first = len(lines)
    lines += [Line(units[index].text, age=None) for index in noted] if lines else []
    alike = Alike(lines)
    for index in range(first):
        alike.add(index)
    for place, index in enumerate(noted if first else ()):
        nearest = alike.nearest(first + place)
        if nearest is not None:
            yield index, lines[nearest].text.strip()


def _may_close(unit: Unit) -> bool:
    if unit.is_weighty:
        return False
    kind = unit.entry.kind if unit.entry is not None else kinds.title(unit.kind)
    if kind in (kinds.OPEN, kinds.PROBLEMS) or unit.done is False:
        return True
    return _STATE.search(unit.text) is not None and not _DONE.is_in(unit.text)


def _closed(every: Sequence[Unit], wanted: Sequence[int], counts: Counts) -> Iterator[tuple[int, int | None]]:
    """(closed, closing) where that is known: one that names what is over, or one that has all words of it."""
    order = [_moment(unit) for unit in every]
    said = (index for index, unit in enumerate(every) if not unit.is_spoken and unit.done is not False)
    closers = [index for index in said if _DONE.is_in(every[index].text)]
    named: dict[str, list[int]] = {}
    most = max(_FEWEST, counts.total * _COMMON_SHARE)
    for index in closers:
        for name in _objects(every[index].text):
            if counts.is_name(name) and counts.turns(name) <= most:
                named.setdefault(name, []).append(index)
    rest = []
    for index in wanted:
        text = every[index].text[:_SUBJECT_CHARS]
        later = [other for name in words(text) for other in named.get(name, ()) if order[other] > order[index]]
        later = [other for other in later if _is_same_thing(text, _LEAD.sub("", every[other].text))]
        if later:
            yield index, max(later, key=lambda other: order[other])
        else:
            rest.append(index)
    yield from ((index, None) for index in _done(every, rest, closers))


def _is_same_thing(text: str, closer: str) -> bool:
    """Return False where what closes has a number, a path, a quoted name of its own that `text` does not have."""
    return not exact(closer) or is_named(exact(_LEAD.sub("", text)), closer)


def _moment(unit: Unit) -> tuple[str, str, int]:
    """Sorts what was written earlier first; an entry is as old as the line it was made of."""
    source = unit.sources[0] if unit.sources else None
    return (unit.day, source.path, source.line) if source else (unit.day, "", 0)


def _objects(text: str) -> set[str]:
    """The names next to a verb that says that something is over."""
    if _NOT.search(text):
        return set()
    found = {*_BEFORE.findall(text), *_BEHIND.findall(text)}
    return {name for each in found if _IDENTIFIER.fullmatch(each) for name in words(each)}


def _done(every: Sequence[Unit], wanted: Sequence[int], closers: Sequence[int]) -> set[int]:
    """Those of which a later line says in their own words that they are done."""
    chosen = sorted({*wanted, *closers}, key=lambda index: _moment(every[index]))
    lines = [Line(every[index].text, age=None, day=every[index].day, done=every[index].done) for index in chosen]
    asked = set(wanted)
    places = {place for place, index in enumerate(chosen) if index in asked}
    return {chosen[place] for place in unfinished.closed(lines, places)}
