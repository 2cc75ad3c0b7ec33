"""Lines of the logs that may belong into MEMORY.md: marked ones first, then those under such a heading. Pure."""

from __future__ import annotations

import math
from datetime import date
from itertools import zip_longest

from agentws.formats import inert, layout, managed, markdown, notes, secrets
from agentws.planning.curation import likeness
from agentws.planning.notes import coverage, due, reading, vocabulary
from agentws.planning.notes.entry import MARKED, OVER, STANDING, STRUCTURE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from agentws.planning.curation.likeness import Line
    from agentws.planning.curation.proposals import Proposal
    from agentws.planning.notes.entry import Entry
    from agentws.planning.notes.vocabulary import Vocabulary

MARK, HEADING, SAID, LINE = RANKS = ("marked", "heading", "said on {} days", "noted")
_IMPORTANT = 7
_FEWEST_WORDS = 4
_LONGEST_CHARS = 600
_MOST_OF_A_LIST = 3
_MOST_PLAIN = 60
_MOST_OPPOSED = 30
_FEWEST_DAYS = 3
_A_WEEK = 0.98
"""What is left of a line's worth for each week that it is older."""
_A_DAY = 0.2
"""What each further day that says it adds to a line's worth."""
_FRAME_CHARS = 120
"""What a candidate takes in a brief besides its text: its source, and a place of those that there are."""
_MOST_COMPARED = 400
_MOST_BESIDE = 2
"""So many older lines that say it otherwise stand beside the newest: a field of a daily list has a value each day."""
_NO_BEGINNING = (">", "|", "#", "[")
"""A quotation is somebody else's; the others are read as something else than a sentence."""
_FORMS = (markdown.ITEM, markdown.PARAGRAPH, markdown.ROW)


class Candidate:
    """A line that may enter.

    Fields:
        text, kind: what would stand in MEMORY.md, and as what.
        refs: where it was said, the newest first. days: on how many days. day: the newest of them.
        digests: those of all its wordings, by which it is known once it was declined.
        rank: an index of RANKS. weight: its importance, 5 without one.
        about: the heading it stands under, where that names a matter and no kind.
        beside: how it disagrees with the line above it, empty where it does not.
    """

    __slots__ = (
        *("_line", "about", "beside", "day", "days", "digests", "entry", "kind", "rank", "refs", "text", "weight"),
    )

    def __init__(self, text: str, kind: str, rank: int, ref: str = "", day: str = "") -> None:
        self.text = text
        self.kind = kind
        self.rank = rank
        self.refs = [ref] if ref else []
        self.day = day
        self.days = {day} if day else set()
        self.digests = {managed.of_text(text)}
        self.weight = 5
        self.entry: Entry | None = None
        self.about = self.beside = ""
        self._line: Line | None = None

    @property
    def line(self) -> Line | None:
        """Its entry for comparison, None without one."""
        if self._line is None and self.entry is not None:
            self._line = likeness.Line(self.entry)
        return self._line

    @property
    def why(self) -> str:
        """Why it is offered."""
        rank = RANKS[self.rank]
        often = SAID.format(len(self.days))
        return rank if len(self.days) < 2 else f"{rank}, {often}" if rank == MARK else often

    def join(self, other: Candidate) -> None:
        """Take in another one that says the same."""
        self.digests |= other.digests
        self.refs += [ref for ref in other.refs if ref not in self.refs]
        self.days |= other.days
        self.day = max(self.day, other.day)
        self.weight = max(self.weight, other.weight)
        if other.rank < self.rank:
            self.rank, self.kind = other.rank, other.kind


def of(
    files: Iterable[Sequence[Entry]],
    memory: Sequence[Entry],
    *,
    over: Collection[Entry] = (),
    told: Collection[tuple[str, int]] = (),
    proposed: Sequence[Proposal] = (),
    declined: Collection[str] = (),
    left: Mapping[str, str] | None = None,
    words: Vocabulary = vocabulary.USUAL,
) -> list[Candidate]:
    """Return what may enter, the best first.

    `files` are the entries of logs, `memory` those of MEMORY.md, `over` what is closed or outdated, `told` the lines
    (path, number) that an entry of MEMORY.md was made of, `declined` digests of texts that its author did not want,
    `left` those of entries that left, each with the day until which it held.
    Behind those that are marked, lines under such a heading and plain ones take turns; of the plain ones those that say
    most that neither MEMORY.md nor what is offered, or was, says.
    """
    days = sorted((each for each in files if each), key=lambda each: each[0].day, reverse=True)
    gone = {*over}
    lines = [one for entries in days for one in entries if one not in gone and _may_enter(one)]
    found = _grouped([one for one in lines if (one.path, one.line) not in told])
    refs = {ref for one in proposed for ref in one.sources}
    said = {ref: one for entries in days for one in entries if refs and (ref := f"{one.path}:{one.line}") in refs}
    found = _united([_of_proposal(one, said) for one in proposed if one.digest not in declined], found)
    found.sort(key=_order)
    wanted = [one for one in found if one.digests.isdisjoint(declined)]
    wanted = [one for one in wanted if not any(one.day <= left[each] for each in one.digests if left and each in left)]
    known = [likeness.Line(one) for one in memory if one.words]
    groups: list[list[Candidate]] = []
    for one in [one for one in wanted if RANKS[one.rank] != LINE][:_MOST_COMPARED]:
        if not _is_known(one, known):
            _place(one, groups)
    plain = [one for one in wanted if RANKS[one.rank] == LINE]
    for one in plain[:_MOST_COMPARED]:
        _oppose(one, groups[:_MOST_OPPOSED])
    shown = [one for one in found if not one.digests.isdisjoint(declined)]
    shown += [one for group in groups for one in group]
    news = [*(line.words for line in known), *(one.line.words for one in shown if one.line)]
    own: list[list[Candidate]] = []
    for one in _telling([one for one in plain if one not in {*shown}], news):
        if len(own) < _MOST_PLAIN and not _is_known(one, known):
            _place(one, own)
    for group in (*groups, *own):
        group.sort(key=lambda one: one.day, reverse=True)
        for older in group[1:]:
            older.beside = "older" if older.day < group[0].day else "other"
    found = _spread(groups, own)
    for one in found:
        one.about = _about(one.entry, words) if one.entry else ""
    return found


def _is_known(one: Candidate, known: Sequence[Line]) -> bool:
    return one.line is not None and any(likeness.is_said(one.line, line) for line in known)


def _place(one: Candidate, groups: list[list[Candidate]]) -> None:
    """Put a candidate where it belongs: into one that says the same, beside those that disagree, or by itself."""
    line = one.line
    for group in groups:
        for other in group:
            if one.digests & other.digests or (line and other.line and likeness.is_same(line, other.line)):
                other.join(one)
                return
    for group in groups:
        if line and group[0].line and likeness.is_rival(line, group[0].line):
            group.append(one)
            return
    groups.append([one])


def _oppose(one: Candidate, groups: Sequence[list[Candidate]]) -> None:
    """Put a plain line beside those that it disagrees with and is newer than: it may say that they are over."""
    for group in groups:
        lead = group[0].line
        if one.line and lead and one.day > max(each.day for each in group) and likeness.is_rival(one.line, lead):
            group.append(one)
            return


def _telling(plain: Sequence[Candidate], said: Sequence[Iterable[str]]) -> Iterator[Candidate]:
    """Plain lines, first those that say most that is not `said`."""
    newest = max((one.day for one in plain), default="")
    worth = []
    for one in plain:
        often = 1 + _A_DAY * (len(one.days) - 1)
        worth.append(often * math.pow(_A_WEEK, _weeks(one.day, newest)) / (len(one.text) + _FRAME_CHARS))
    for at in coverage.by_news(
        [one.entry.words if one.entry else () for one in plain], worth, said, [one.days for one in plain]
    ):
        yield plain[at]


def _weeks(day: str, newest: str) -> float:
    return (date.fromisoformat(newest) - date.fromisoformat(day)).days / 7


def _spread(groups: Sequence[Sequence[Candidate]], plain: Sequence[Sequence[Candidate]]) -> list[Candidate]:
    """All of them: what is marked, then in turns those under a heading of their kind and plain ones.

    Those behind that stand in a long list: no single heading takes all of a brief.
    """
    marked = [group for group in groups if RANKS[group[0].rank] == MARK]
    parts: list[list[Sequence[Candidate]]] = [[], []]
    rest: list[Candidate] = []
    counts: dict[tuple[str, tuple[str, ...]], int] = {}
    for at, some in enumerate(([group for group in groups if group not in marked], plain)):
        for group in some:
            entry = group[0].entry
            place = (entry.path, entry.headings) if entry and entry.path else ("", ())
            counts[place] = counts.get(place, 0) + 1
            if place[0] and counts[place] > _MOST_OF_A_LIST:
                rest += group
            else:
                parts[at].append(group)
    turns = [each for both in zip_longest(*parts) for each in both if each]
    first: list[Candidate] = []
    for group in (*marked, *turns):
        most = 1 if RANKS[group[0].rank] == LINE and group in plain else 1 + _MOST_BESIDE
        first += group[:most]
        rest[:0] = group[most:]
    return [*first, *rest]


def _about(entry: Entry, words: Vocabulary) -> str:
    for heading in reversed(entry.headings):
        is_day = entry.day in heading or due.of(heading, day=entry.day) == entry.day
        if not is_day and any(map(str.isalpha, heading)) and words.heading(heading) is None:
            return heading
    return ""


def _of_proposal(one: Proposal, said: Mapping[str, Entry]) -> Candidate:
    """What waits, ranked by the line that says it."""
    entry = next(iter(reading.read(f"- {one.text}\n", path="")), None)
    made = Candidate(one.text, one.kind, RANKS.index(HEADING))
    made.refs = list(one.sources)
    names = (ref.rpartition(":")[0].rpartition("/")[2] for ref in one.sources)
    made.days = {day for name in names if (day := layout.day_of(name))}
    made.day = max(made.days, default="")
    if len(made.days) >= _FEWEST_DAYS:
        made.rank = RANKS.index(SAID)
    line = next((said[ref] for ref in one.sources if ref in said), None)
    if line is not None:
        made.rank = min(made.rank, _rank(line))
        made.weight = line.importance or made.weight
        if entry is not None:
            entry.headings, entry.path, entry.day = line.headings, line.path, line.day
    made.entry = entry
    return made


def _united(proposed: list[Candidate], found: Sequence[Candidate]) -> list[Candidate]:
    """Proposals and lines of logs: those of the same words are one."""
    known = {each: one for one in proposed for each in one.digests}
    made = [*proposed]
    for one in found:
        same = next((known[each] for each in one.digests if each in known), None)
        if same is None:
            made.append(one)
        else:
            same.join(one)
    return made


def _order(one: Candidate) -> tuple[int, int, int, str]:
    return one.rank, -one.weight, -min(len(one.days), _FEWEST_DAYS), _descending(one.day)


def _descending(day: str) -> str:
    return "".join(chr(0x7F - ord(char)) if ord(char) < 0x7F else char for char in day)


def _may_enter(entry: Entry) -> bool:
    """Return whether a line may enter: the agent's own, a sentence, neither open nor over."""
    if entry.src or entry.is_label or entry.form not in _FORMS or entry.state in (*OVER, *STANDING):
        return False
    if entry.kind is not None and entry.kind not in managed.KINDS:
        return False
    text = entry.body.strip()
    if text.startswith(_NO_BEGINNING) or _names_source(text):
        return False
    is_long = len(entry.words) >= _FEWEST_WORDS or (entry.words and _rank(entry) == RANKS.index(MARK))
    is_text = 0 < len(text) <= _LONGEST_CHARS and bool(is_long) and not text.endswith(":")
    return is_text and not entry.closes and inert.inert(text) == text and not secrets.find(text)


def _names_source(text: str) -> bool:
    """Return whether a text has what a brief would show as its source: a reference in braces."""
    return any(part.partition("}")[0].rpartition(":")[2].strip().isdecimal() for part in text.split("{")[1:])


def _rank(entry: Entry) -> int:
    is_kind = entry.kind in managed.KINDS
    is_marked = entry.sure == MARKED and notes.state(entry.first) is None  # a tick says that it is done, not its kind
    if (is_kind and (is_marked or notes.kind_in(entry.first) in managed.KINDS)) or (
        entry.importance or 0
    ) >= _IMPORTANT:
        return RANKS.index(MARK)
    return RANKS.index(HEADING if is_kind and entry.sure in (MARKED, STRUCTURE) else LINE)


def _grouped(lines: Sequence[Entry]) -> list[Candidate]:
    """One candidate for each statement: the newest wording, with the days that say the same words."""
    found: dict[frozenset[str], Candidate] = {}
    for entry in lines:
        key = frozenset(entry.words)
        ref = f"{entry.path}:{entry.line}"
        text = " ".join(entry.body.split())
        one = found.get(key)
        if one is None:
            one = found[key] = Candidate(text, entry.kind or "fact", _rank(entry), ref, entry.day)
            one.entry = entry
        else:
            _join(one, entry, text, ref)
        one.weight = max(one.weight, entry.importance or 5)
    return list(found.values())


def _join(one: Candidate, entry: Entry, text: str, ref: str) -> None:
    one.digests.add(managed.of_text(text))
    if entry.day not in one.days:
        one.refs.append(ref)
        one.days.add(entry.day)
    rank = _rank(entry)
    if rank < one.rank:
        one.rank, one.kind = rank, entry.kind or one.kind
    if RANKS[one.rank] == LINE and len(one.days) >= _FEWEST_DAYS:
        one.rank = RANKS.index(SAID)
