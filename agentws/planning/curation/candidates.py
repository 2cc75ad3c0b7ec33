"""Lines of the logs that may belong into MEMORY.md: marked ones first, then those under such a heading. Pure."""

from __future__ import annotations

from agentws.formats import inert, layout, managed, markdown, notes, secrets
from agentws.planning.notes import due, identifiers, join, vocabulary
from agentws.planning.notes.entry import MARKED, OVER, STANDING, STRUCTURE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from agentws.planning.curation.proposals import Proposal
    from agentws.planning.notes.entry import Entry
    from agentws.planning.notes.vocabulary import Vocabulary

PROPOSED, MARK, HEADING, SAID, LINE = RANKS = ("proposed", "marked", "heading", "said on {} days", "noted")
_IMPORTANT = 7
_FEWEST_WORDS = 4
_LONGEST_CHARS = 300
_MOST_OF_A_LIST = 3
_FEWEST = 8
_FEWEST_DAYS = 3
_NEARLY = 0.7
_MOST_COMPARED = 400
_NO_BEGINNING = (">", "|", "#", "[")
"""A quotation is somebody else's; the others are read as something else than a sentence."""
_FORMS = (markdown.ITEM, markdown.PARAGRAPH)


class Candidate:
    """A line that may enter.

    Fields:
        text, kind: what would stand in MEMORY.md, and as what.
        refs: where it was said, the newest first. days: on how many days. day: the newest of them.
        digests: those of all its wordings, by which it is known once it was declined.
        rank: an index of RANKS. weight: its importance, 5 without one.
        about: the heading it stands under, where that names a matter and no kind.
    """

    __slots__ = ("about", "day", "days", "digests", "entry", "kind", "rank", "refs", "text", "weight")

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
        self.about = ""

    @property
    def why(self) -> str:
        """Why it is offered."""
        return RANKS[self.rank].format(len(self.days)) if self.rank != 1 or len(self.days) < 2 else (
            f"{MARK}, {SAID.format(len(self.days))}"
        )  # fmt: skip


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
    Lines that are neither marked nor stand under such a heading come only where there are few others.
    """
    days = sorted((each for each in files if each), key=lambda each: each[0].day, reverse=True)
    refs = {ref for one in proposed for ref in one.sources}
    said = {ref: one for entries in days for one in entries if refs and (ref := f"{one.path}:{one.line}") in refs}
    found = [_of_proposal(one, said) for one in proposed if one.digest not in declined]
    gone = {*over}
    lines = [one for entries in days for one in entries if one not in gone and _may_enter(one)]
    found += _grouped([one for one in lines if (one.path, one.line) not in told])
    known = [(join.Statement(one), {*one.words}) for one in memory if one.words]
    found.sort(key=_order)
    kept: list[Candidate] = []
    for one in found[:_MOST_COMPARED]:
        if one.digests & {*declined} or any(one.day <= left[each] for each in one.digests if left and each in left):
            continue
        if one.entry and _is_known(one.entry, known):
            continue
        if one.rank == RANKS.index(LINE) and len(kept) >= _FEWEST:
            break
        if all(not _alike(one, other) for other in kept):
            one.about = _about(one.entry, words) if one.entry else ""
            kept.append(one)
    return _spread(kept)


def _spread(found: Sequence[Candidate]) -> list[Candidate]:
    """The same, those behind that stand in a long list: no single heading takes all of a brief."""
    counts: dict[tuple[str, tuple[str, ...]], int] = {}
    first: list[Candidate] = []
    rest: list[Candidate] = []
    for one in found:
        place = (one.entry.path, one.entry.headings) if one.entry else ("", ())
        counts[place] = counts.get(place, 0) + 1
        is_first = not one.entry or one.rank <= RANKS.index(MARK) or counts[place] <= _MOST_OF_A_LIST
        (first if is_first else rest).append(one)
    return [*first, *rest]


def _about(entry: Entry, words: Vocabulary) -> str:
    for heading in reversed(entry.headings):
        is_day = entry.day in heading or due.of(heading, day=entry.day) == entry.day
        if not is_day and any(map(str.isalpha, heading)) and words.heading(heading) is None:
            return heading
    return ""


def _of_proposal(one: Proposal, said: Mapping[str, Entry]) -> Candidate:
    made = Candidate(one.text, one.kind, RANKS.index(PROPOSED))
    made.refs = list(one.sources)
    names = (ref.rpartition(":")[0].rpartition("/")[2] for ref in one.sources)
    made.days = {day for name in names if (day := layout.day_of(name))}
    made.day = max(made.days, default="")
    entry = next((said[ref] for ref in one.sources if ref in said), None)
    if entry is not None and managed.of_text(" ".join(entry.body.split())) == one.digest:
        made.entry = entry
    return made


def _order(one: Candidate) -> tuple[int, int, int, str]:
    return one.rank, -one.weight, -min(len(one.days), 3), _descending(one.day)


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
    is_text = 0 < len(text) <= _LONGEST_CHARS and len(entry.words) >= _FEWEST_WORDS and not text.endswith(":")
    return is_text and not entry.closes and inert.inert(text) == text and not secrets.find(text)


def _names_source(text: str) -> bool:
    """Return whether a text has what a brief would show as its source: a reference in braces."""
    return any(part.partition("}")[0].rpartition(":")[2].strip().isdecimal() for part in text.split("{")[1:])


def _rank(entry: Entry) -> int:
    is_kind = entry.kind in managed.KINDS
    if (is_kind and (entry.sure == MARKED or notes.kind_in(entry.first) in managed.KINDS)) or (
        entry.importance or 0
    ) >= _IMPORTANT:
        return RANKS.index(MARK)
    return RANKS.index(HEADING if is_kind and entry.sure == STRUCTURE else LINE)


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
    if one.rank == RANKS.index(LINE) and len(one.days) >= _FEWEST_DAYS:
        one.rank = RANKS.index(SAID)


def _is_known(entry: Entry, known: Sequence[tuple[join.Statement, set[str]]]) -> bool:
    """Return whether MEMORY.md says it: nearly the same words, and nothing exact that it lacks."""
    ours = {*entry.words}
    exact = identifiers.exact(entry.body)
    for statement, words in known:
        common = len(ours & words)
        if common >= _NEARLY * len(ours) and exact <= statement.exact | words:
            return True
    return False


def _alike(one: Candidate, other: Candidate) -> bool:
    if one.entry is None or other.entry is None:
        return bool(one.digests & other.digests)
    ours, theirs = {*one.entry.words}, {*other.entry.words}
    if len(ours & theirs) < _NEARLY * max(len(ours), len(theirs)):
        return False
    exact, other_exact = (identifiers.exact(each.body) for each in (one.entry, other.entry))
    return exact <= other_exact or other_exact <= exact
