"""Lines of the logs that may belong into MEMORY.md: marked ones first, then those under such a heading. Pure."""

from __future__ import annotations

import math
from datetime import date
from itertools import zip_longest
from typing import TYPE_CHECKING

from agentws.formats import layout
from agentws.formats.documents import managed
from agentws.formats.markdown import notes
from agentws.formats.secrets import secrets
from agentws.formats.text import sanitize
from agentws.planning.compact import candidates as pool
from agentws.planning.notes import coverage, due, likeness, reading, vocabulary

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from agentws.formats.documents.proposals import Proposal
    from agentws.planning.notes.entry import Entry
    from agentws.planning.notes.vocabulary import Vocabulary

MARK, SAID, HEADING, LINE = RANKS = ("marked", "said on {} days", "heading", "noted")
PLAIN = RANKS.index(LINE)
_OF_STRENGTH = {pool.MARKED: 0, pool.MARKER: 2, pool.HEADING: 2, pool.NONE: 3}
_MOST_OF_A_LIST = 3
_MOST_PLAIN = 60
_MOST_COMPARED = 400
_NEWEST_LOGS = 3
"""A plain line of these is new; of a log before them it may be overtaken, and comes last."""
_MOST_OLD = 8
_OLD_DAYS = 14
"""A plain line that was said once, so many days before the newest log, is not offered any more."""
_A_WEEK = 0.98
"""What is left of a line's worth for each week that it is older."""
_A_DAY = 0.2
"""What each further day that says it adds to a line's worth."""
_FRAME_CHARS = 120
"""What a candidate takes in a brief besides its text: its source, and a place of those that there are."""
_MOST_BEFORE = 2
"""So many older lines that say it otherwise are shown: a field of a daily list has a value each day."""
_MOST_NESTED_CHARS = 220
_REMARKS = (" (", " — ", " – ", " - ")
"""What a remark behind a statement begins with: "None today — only routine"."""
_MUCH = 0.6
"""Of what a line tells, another one that says it in other words has so much."""
_NO_BEGINNING = (">", "|", "#", "[")
"""A quotation is somebody else's; the others are read as something else than a sentence."""


class Candidate:
    """A line that may enter.

    Fields:
        text, kind: what would stand in MEMORY.md, and as what.
        refs: where it was said, the newest first. days: on which. day: the newest of them.
        digests: those of all its wordings, by which it is known once it was declined.
        rank: an index of RANKS. weight: its importance, 5 without one.
        about: the heading it stands under that names a matter and no kind. below: the item that it is part of.
        holds: what is nested below it, and where. next: the line that follows it, and where.
        before: older candidates that say something else of the same.
    """

    __slots__ = (
        *("about", "before", "below", "day", "days", "digests", "entry", "holds", "kind", "line", "next"),
        *("rank", "refs", "text", "weight"),
    )

    def __init__(self, text: str, kind: str, rank: int, refs: Iterable[str] = (), days: Iterable[str] = ()) -> None:
        self.text = text
        self.kind = kind
        self.rank = rank
        self.refs = list(refs)
        self.days = set(days)
        self.day = max(self.days, default="")
        self.digests = {managed.of_text(text)}
        self.weight = 5
        self.about = self.below = ""
        self.holds = self.next = ("", "")
        self.before: list[Candidate] = []
        self.entry: Entry | None = next(iter(reading.read(f"- {text}\n", path="")), None)
        self.line = likeness.ComparedEntry(self.entry) if self.entry else None

    @property
    def why(self) -> str:
        """The reason why it is offered."""
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

    def take_over(self, other: Candidate) -> None:
        """Take in an older one that says something else of the same."""
        self.before = sorted([*self.before, *other.before, other], key=lambda one: one.day, reverse=True)
        other.before = []
        self.rank = min(self.rank, other.rank)


def of(
    found: Iterable[pool.Candidate],
    memory: Sequence[Entry],
    *,
    over: Collection[Entry] = (),
    told: Collection[tuple[str, int]] = (),
    proposed: Sequence[Proposal] = (),
    declined: Collection[str] = (),
    left: Mapping[str, str] | None = None,
    answered: str = "",
    words: Vocabulary = vocabulary.USUAL,
) -> list[Candidate]:
    """Return what may enter, the best first.

    `found` is what compaction reads of the logs, `memory` are the entries of MEMORY.md, `over` what is closed or
    outdated, `told` the lines (path, number) that an entry of MEMORY.md was made of, `declined` digests of texts that
    its author did not want, `left` those of entries that left, each with the day until which it held, `answered` the
    day of the newest answer: few plain lines from before it come with what is new, and none by themselves.
    First what is marked, said on several days or under such a heading, then plain lines: of these those that say most
    that neither MEMORY.md nor what is offered, or was, says.
    """
    gone = {*over}
    lines = [one for one in pool.united(found) if one.entry not in gone and _may_enter(one, words)]
    made = [_of_line(one) for one in lines if (one.entry.path, one.entry.line) not in told]
    made = _with_proposed(made, [one for one in proposed if one.digest not in declined])
    made.sort(key=lambda one: one.day, reverse=True)
    made.sort(key=lambda one: (one.rank, -one.weight))
    days = sorted({one.day for one in made}, reverse=True)
    wanted = [one for one in made if one.digests.isdisjoint(declined) and not _is_old_step(one, days[:_NEWEST_LOGS])]
    wanted = [one for one in wanted if not any(one.day <= left[each] for each in one.digests if left and each in left)]
    known = [likeness.ComparedEntry(one) for one in memory if one.words]
    weights = likeness.Weights(one.line.words for one in made if one.line)
    first: list[Candidate] = []
    for one in [one for one in wanted if RANKS[one.rank] != LINE][:_MOST_COMPARED]:
        if not _is_known(one, known):
            _place(one, first, weights)
    plain = [one for one in wanted if RANKS[one.rank] == LINE and _is_of_late(one, days[0])]
    said = [*(one for one in made if not one.digests.isdisjoint(declined)), *first]
    rest: list[Candidate] = []
    for one in _telling(plain, [*(line.words for line in known), *(one.line.words for one in said if one.line)]):
        if len(rest) < _MOST_PLAIN and not _is_known(one, known):
            _place(one, rest, weights)
    if answered:
        older = [one for one in rest if one.day < answered]
        news = [one for one in rest if one.day >= answered]
        rest = news + (older[:_MOST_OLD] if news or any(one.day >= answered for one in first) else [])
    spread = _spread(first, rest, days[:_NEWEST_LOGS])
    for one in spread:
        one.about = _about(one.entry, words) if one.entry else ""
    return spread


def _may_enter(one: pool.Candidate, words: Vocabulary) -> bool:
    """Return whether a line may enter: the agent's own, a sentence, neither open nor over."""
    entry, text = one.entry, one.text
    if entry.src or entry.state is not None or entry.closes or (one.is_short and len(one.days) < 2):
        return False
    if entry.kind is not None and entry.kind not in managed.KINDS:
        return False
    if any(words.is_nothing(text.partition(remark)[0]) for remark in _REMARKS):
        return False
    if text.startswith(_NO_BEGINNING) or text.endswith(":") or _names_source(text):
        return False
    return sanitize.inert(text) == text and not secrets.find(text)


def _names_source(text: str) -> bool:
    """Return whether a text has what a brief would show as its source: a reference in braces."""
    return any(part.partition("}")[0].rpartition(":")[2].strip().isdecimal() for part in text.split("{")[1:])


def _of_line(one: pool.Candidate) -> Candidate:
    first = one.entry.first
    is_ticked = notes.state(first) is not None and notes.kind_in(first) is None  # that says that it is done, no kind
    rank = RANKS.index(HEADING) if is_ticked and one.strength else _OF_STRENGTH[one.strength]
    if len(one.days) >= pool.FEWEST_DAYS:
        rank = min(rank, RANKS.index(SAID))
    made = Candidate(one.text, one.kind, rank, (f"{each.path}:{each.line}" for each in one.sources), one.days)
    made.digests |= {managed.of_text(" ".join(each.body.split())) for each in one.said}
    made.weight = one.importance or made.weight
    made.entry, made.line = one.entry, likeness.ComparedEntry(one.entry)
    if one.entry.parent is not None:
        first = one.entry.whole.partition("\n")[0]
        made.below = "" if any(title in first for title in one.entry.headings) else first  # a label is a heading too
    else:
        made.holds = _nested(one.entry)
    return made


def _nested(entry: Entry) -> tuple[str, str]:
    """(the first lines that are nested in an item, whole, their place as a source); empty where none are."""
    first = entry.end_line + 1
    rows: list[str] = []
    for row in entry.whole.rstrip().split("\n")[first - entry.line :]:
        rows.append(row.replace("**", "").strip(" -*+\t"))
        if sum(map(len, rows)) > _MOST_NESTED_CHARS:
            rows.pop()
            break
    ref = f"{entry.path}:{first}" + (f"-{first + len(rows) - 1}" if len(rows) > 1 else "")
    return (" · ".join(filter(None, rows)), ref) if rows else ("", "")


def _with_proposed(made: list[Candidate], proposed: Sequence[Proposal]) -> list[Candidate]:
    """What waits, then the others: a proposal of the words of a log's line is that line."""
    known = {each: one for one in made for each in one.digests}
    first: dict[Candidate, None] = {}
    for one in proposed:
        names = (ref.rpartition(":")[0].rpartition("/")[2] for ref in one.sources)
        days = {day for name in names if (day := layout.day_of(name))}
        rank = RANKS.index(SAID if len(days) >= pool.FEWEST_DAYS else HEADING)
        first[known.get(one.digest) or Candidate(one.text, one.kind, rank, one.sources, days)] = None
    return [*first, *(one for one in made if one not in first)]


def _is_known(one: Candidate, known: Sequence[likeness.ComparedEntry]) -> bool:
    return one.line is not None and any(likeness.is_said(one.line, line) for line in known)


def _place(one: Candidate, others: list[Candidate], weights: likeness.Weights) -> None:
    """Put a candidate where it belongs: into one that says the same, before or behind one that disagrees, or last."""
    for at, other in enumerate(others):
        if not (one.line and other.line):
            continue
        is_same = likeness.is_same(one.line, other.line)
        if one.digests & other.digests or one.line.words == other.line.words or (is_same and one.day == other.day):
            other.join(one)
            return
        if one.day == other.day or len(one.before) + len(other.before) >= _MOST_BEFORE:
            continue  # those of one day are a list
        is_much = weights.is_near(one.line.words, other.line.words, _MUCH)
        if is_same or is_much or likeness.is_rival(one.line, other.line):
            newer, older = sorted((other, one), key=lambda each: each.day, reverse=True)
            newer.take_over(older)
            others[at] = newer
            return
    others.append(one)


def _telling(plain: Sequence[Candidate], said: Sequence[Iterable[str]]) -> Iterator[Candidate]:
    """Plain lines, first those that say most that is not `said`."""
    newest = max((one.day for one in plain), default="")
    worth = []
    for one in plain:
        often = 1 + _A_DAY * (len(one.days) - 1)
        worth.append(often * math.pow(_A_WEEK, _days(one.day, newest) / 7) / (len(one.text) + _FRAME_CHARS))
    lines = [one.entry.words if one.entry else () for one in plain]
    for at in coverage.by_news(lines, worth, said, [one.days for one in plain]):
        yield plain[at]


def _is_of_late(one: Candidate, newest: str) -> bool:
    return len(one.days) > 1 or _days(one.day, newest) <= _OLD_DAYS


def _is_old_step(one: Candidate, newest: Sequence[str]) -> bool:
    """Return whether it is a command, or mostly code, unmarked, and of one log before the `newest`: a step of then.

    A command has an option: a word that begins with a dash.
    """
    if one.kind != "fact" or RANKS[one.rank] == MARK or len(one.days) != 1 or one.day in newest:
        return False
    code = sum(map(len, one.text.split("`")[1::2]))
    return 2 * code >= len(one.text) or any(
        word[0] == "-" and word.strip("-")[:1].isalpha() for word in one.text.split()
    )


def _days(day: str, newest: str) -> int:
    return (date.fromisoformat(newest) - date.fromisoformat(day)).days


def _spread(first: Sequence[Candidate], plain: Sequence[Candidate], newest: Sequence[str]) -> list[Candidate]:
    """All of them: what is marked, or stands in the `newest` logs; then two older ones and a new plain one in turns.

    Behind them older plain ones, and what is far down a long list: no single heading takes all of a brief.
    """
    parts: list[list[Candidate]] = [[], [], [], [], []]
    counts: dict[tuple[str, tuple[str, ...]], int] = {}
    for at, some in ((0, first), (2, plain)):
        for one in some:
            place = (one.entry.path, one.entry.headings) if one.entry else ("", ())
            counts[place] = counts.get(place, 0) + 1
            is_marked = RANKS[one.rank] == MARK
            is_far = not is_marked and place[0] and counts[place] > _MOST_OF_A_LIST
            parts[4 if is_far else at if is_marked or one.day in newest else at + 1].append(one)
    turns = [one for some in zip_longest(parts[1][::2], parts[1][1::2], parts[2]) for one in some if one]
    return [*parts[0], *turns, *parts[3], *parts[4]]


def _about(entry: Entry, words: Vocabulary) -> str:
    """The innermost heading of an entry that names a matter: neither its day nor a kind."""
    told = []
    for heading in entry.headings:
        is_day = entry.day in heading or due.of(heading, day=entry.day) == entry.day
        if not is_day and any(map(str.isalpha, heading)) and words.heading(heading) is None:
            told.append(heading)
    return told[-1] if told else ""
