"""The managed section of MEMORY.md, within its room. Pure.

An entry leaves when it is superseded, or, where the room is full, when nothing has confirmed it for long.
"""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

from agentws.formats import origin
from agentws.formats.documents import managed
from agentws.planning.compact.choice import Kept
from agentws.planning.notes import join, similarity

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from agentws.planning.compact.candidates import Candidate
    from agentws.planning.notes.entry import Entry
    from agentws.planning.tokens.counters import Measure

PINNED = 10
_PIN = f" !{PINNED}"
_MOST_DAYS = 3
"""What is said on more days is no surer."""
_TOGETHER = 3
"""Of a list whose heading alone says that it counts, so many come before those of other lists."""
_MOST_MISSES = 40
_THOUSAND = 1000
_WHY = ("said on several days", "its heading", "its first word", "marked")
"""What speaks for a line, by its strength."""


def order(pool: Iterable[Candidate], newest: str) -> list[Candidate]:
    """Return them in the order in which they have the room: what stands there and was confirmed lately comes first."""
    return sorted(pool, key=lambda one: _rank(one, newest), reverse=True)


def kept(one: Candidate, *, row: str = "", text: str = "", title: str = "") -> Kept:
    """Return a line as it is kept, with the digest of its row where it has one: an entry that comes has one of its own.

    `text` and `title` are those of a line of the digest.
    """
    rank = _THOUSAND * (one.strength + (one.kind == "rule")) + 100 * one.importance + len(one.days)
    says = one.kind if one.counts else ""
    return Kept(
        text or one.text, title or heading_of(one), one.day, one.sources, worth=rank, why=_WHY[one.strength],
        src=one.src, says=says, days=sorted(one.days), importance=one.importance, digest=row, refs=one.refs,
        is_nested=one.is_nested,
    )  # fmt: skip


def _rank(one: Candidate, newest: str) -> tuple[object, ...]:
    stays = one.importance == PINNED or (bool(one.made) and one.counts and not is_old(one.day, newest))
    return (
        not one.is_outside,
        stays,
        origin.trust(one.src),
        one.kind == "rule",
        one.importance,
        one.kind != "fact",
        one.strength > 0,
        min(len(one.days), _MOST_DAYS),
        one.strength,
        -(one.place // _TOGETHER),
        one.day,
    )


def is_old(day: str, newest: str) -> bool:
    """Return whether nothing has confirmed for long what was said last on this day."""
    return bool(day and newest) and (date.fromisoformat(newest) - date.fromisoformat(day)).days > managed.LONG_DAYS


def heading_of(one: Candidate) -> str:
    """Return the sub-heading that an entry stands under."""
    return managed.HEARD if one.is_outside else managed.KINDS[one.kind]


def with_mark(text: str, src: str) -> str:
    """Return the text of an entry of an earlier version that ends in the mark of its origin, which it lacked."""
    return text.rstrip().removesuffix(_PIN).rstrip() + origin.ending(src)


def fill(ordered: Sequence[Candidate], room: int, measure: Measure, heading: str) -> list[Candidate]:
    """Return those that fit into `room` units, each said once: what says nearly the same joins the one before it."""
    those: list[Candidate] = []
    said = _Said()
    left, titles, misses = room - measure(f"\n## {heading}\n"), set(), 0
    for one in ordered:
        if not one.made and said.has(one):
            continue
        cost = measure(f"- {one.text}\n") + (0 if heading_of(one) in titles else measure(f"\n### {heading_of(one)}\n"))
        if cost > left and one.importance != PINNED:
            misses += 1
            if misses > _MOST_MISSES and not one.made:
                break
            continue
        those.append(one)
        said.add(one)
        titles.add(heading_of(one))
        left -= cost
    while those and measure(text(those, heading)) > room:
        place = next((at for at in reversed(range(len(those))) if those[at].importance != PINNED), -1)
        if place < 0:
            break
        del those[place]
    return those


def said_by(those: Sequence[Candidate], pool: Iterable[Candidate]) -> set[int]:
    """Return the ids of those of `pool` that are not among `those` and say nearly the same as something that is."""
    said, names = _Said(), {id(one) for one in those}
    for one in those:
        said.add(one)
    return {id(one) for one in pool if id(one) not in names and not one.made and said.has(one)}


def text(those: Sequence[Candidate], heading: str) -> str:
    """Return the section that says these."""
    joining = [(heading_of(one), one.text) for one in those]
    return managed.rewritten("", heading=heading, joining=joining, order=managed.ORDER)


class _Said:
    """What is kept, by words, to find what says nearly the same."""

    def __init__(self) -> None:
        self._by_word: dict[str, list[join.Statement]] = {}

    def add(self, one: Candidate) -> None:
        statement = join.Statement(one.entry)
        for word in {*statement.words}:
            self._by_word.setdefault(word, []).append(statement)

    def has(self, one: Candidate) -> bool:
        ours = join.Statement(one.entry)
        near = {id(other): other for word in ours.head[:2] for other in self._by_word.get(word, ())}
        return any(join.is_same(ours, other) for other in near.values())


def taken_back(pool: Sequence[Candidate], closers: Iterable[Entry]) -> dict[int, Entry]:
    """Return which of them was struck or dropped since, or closed by its reference, with the line that does it."""
    by_ref: dict[str, list[int]] = {}
    by_word: dict[str, list[int]] = {}
    found: dict[int, Entry] = {}
    those = list(closers)
    if not those:
        return found
    for at, one in enumerate(pool):
        for ref in one.refs:
            by_ref.setdefault(ref, []).append(at)
        for word in similarity.words(one.text)[:2]:
            by_word.setdefault(word, []).append(at)
    for closer in sorted(those, key=lambda entry: entry.day):
        near = [at for ref in closer.closes for at in by_ref.get(ref, ())]
        statement = join.Statement(closer)
        if closer.state is not None:
            likely = {at for word in {*statement.words} for at in by_word.get(word, ())}
            near += [at for at in likely if join.closes(statement, join.Statement(pool[at].entry)) == join.SAID]
        for at in near:
            if pool[at].day <= closer.day and pool[at].entry is not closer:
                found[at] = closer
    return found


def known_in(document: str) -> str:
    """Return what an owner's document says, for `stands_in`."""
    return _bare(document)


def stands_in(one: Candidate, document: str) -> bool:
    """Return whether an owner's document says it already, in the same words."""
    return _bare(one.text) in document


def _bare(text: str) -> str:
    return "".join(filter(str.isalnum, text.casefold()))
