"""The decision of a run, over new days and what earlier runs kept: MEMORY.md, the digest, or the logs alone. Pure.

Entries of earlier runs are known by their digests. What anybody else wrote is not chosen: it stays.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from agentws.formats.documents import managed, sources
from agentws.planning.compact import candidates, digest, digest_order, opened, page, section, withheld
from agentws.planning.compact.choice import LEFT, Choice, Dropped, Gone, Kept, Unkept
from agentws.planning.compact.earlier import Earlier
from agentws.planning.compact.units import Day, Source
from agentws.planning.notes import entry as note
from agentws.planning.notes import vocabulary

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from agentws.formats.documents.managed import Section
    from agentws.formats.documents.sources import Sidecar
    from agentws.planning.compact.candidates import Candidate
    from agentws.planning.compact.fold import Folder
    from agentws.planning.notes.entry import Entry
    from agentws.planning.notes.vocabulary import Vocabulary
    from agentws.planning.tokens.counters import Measure
    from agentws.ports import TokenCounter

MARKED, PROPOSE, AUTO = MODES = ("marked", "propose", "auto")
SECTION_TOKENS, DIGEST_TOKENS = 600, 1400
"""What compaction may write where nothing else is said."""
TAKEN_BACK = "taken back"
UNCONFIRMED = "not confirmed recently; the section was full"
GAVE_WAY = "replaced by a marked line"
MOVED = f"moved to {digest.PATH}"
WITH_ORIGIN = "from outside, now marked as such"
WAITS = f"waits in {digest.PATH}: the section is full"
QUEUED = "waits: the section and the digest are full"
SAID = "already in MEMORY.md"
DIGESTED = f"in {digest.PATH}"
DECLINED = "declined by the author"
_AUTO_DAYS = 2
"""In mode `auto` what is not marked enters where it was said on so many days."""
_THOUSAND = 1000
MOST_QUEUED = 500
"""Of what has room neither in the section nor in the digest, so much is known to later runs: the first in the order."""


@dataclass(frozen=True, slots=True)
class Room:
    """The tokens that the section of MEMORY.md may have, and those of section and digest together."""

    section: int = SECTION_TOKENS
    both: int = SECTION_TOKENS + DIGEST_TOKENS


def choose(
    found: Folder,
    now: Section,
    known: Sidecar,
    *,
    room: Room,
    counter: TokenCounter,
    mode: str = MARKED,
    besides: Sequence[Day] = (),
    private_tags: Sequence[str] = (),
    unmarked: Mapping[str, str] | None = None,
    words: Vocabulary = vocabulary.USUAL,
) -> Choice:
    """Return what stays within `room`.

    `besides` are days that are not folded now: what they say confirms, and takes back. What carries one of
    `private_tags`, `#private` or `#secret` is not kept. `unmarked` tells by digest which entries of earlier versions
    come from outside, and from which source.
    """
    tags = ("private", "secret", *(tag.lstrip("#").casefold() for tag in private_tags))
    before = Earlier(found, now, known, unmarked or {})
    return _Choosing(found, before, room, counter, mode, tags, words).choose(besides)


class _Choosing:
    def __init__(
        self,
        found: Folder,
        before: Earlier,
        room: Room,
        counter: TokenCounter,
        mode: str,
        tags: Sequence[str],
        words: Vocabulary,
    ) -> None:
        self.found, self.before, self.mode, self.tags, self.words = found, before, mode, tags, words
        self.measure: Measure = counter.units
        self.section_room = min(room.section, room.both) * counter.units_per_token
        self.room = room.both * counter.units_per_token

    def choose(self, besides: Sequence[Day]) -> Choice:
        before, ours = self.before, self.before.ours
        is_page = digest.is_ours(self.found.page.text)
        moved = [one for one in ours.values() if one.kind in managed.MOVED] if is_page else []
        is_quiet = not (self.found.days or self.found.shelved or moved or before.unmarked) and self._fits()
        if is_quiet and not (before.known.waiting or any(before.known.made[each].kind for each in before.lines)):
            return Choice(stayed=[*ours])
        days = [Day(one.path, day, one.text) for day, one in self.found.days]
        read, around = candidates.read(days, self.words), candidates.read(besides, self.words)
        opened_ = opened.of(self.found, before.lines, read, around, tags=self.tags)
        newest = max((day.day for day in (*days, *besides)), default="")
        pool = self._pool(days, read, around)
        back = section.taken_back(pool, _closers((*read, *around)))
        gone = [self._taken_back(pool[at], by) for at, by in sorted(back.items()) if pool[at].made]
        rest = [one for at, one in enumerate(pool) if at not in back] if back else pool
        marked = self._marked()
        fit = section.order((one for one in rest if one.made or self._may_stand(one)), newest)
        kept, proposed, said = self._section(fit, marked)
        stands, held = {id(one) for one in kept}, {id(one) for one in (*kept, *proposed)}
        new = {id(one) for one in proposed if not before.is_proposed(one)}
        proposed = [one for one in rest if id(one) in new]  # as they were said
        crowded = [one for one in rest if one.made and id(one) not in held]
        gone += [self._gone(ours[one.made], UNCONFIRMED if one.counts else GAVE_WAY) for one in crowded]
        gone += [self._gone(ours[old], WITH_ORIGIN, new.text) for old, new in marked]
        over = {id(one) for one in rest if one.waits and before.is_over(one)}
        apart = stands | said | over
        others = [one for one in rest if id(one) not in apart]
        waits = [one for one in fit if id(one) not in apart and before.waits(one)]
        if is_quiet and not over and all(one.made for one in (*kept, *proposed)):
            return Choice(stayed=[*ours], waiting=len(waits))
        news = {old.digest: page.moved(old, before.known.made[old.digest]) for old in moved}
        room = self.room - self.measure(section.text(kept, self.found.heading))
        filled = page.fill(
            self.found.page.text, before, others, [*news.values()], opened_,
            room=room, measure=self.measure, newest=newest,
        )  # fmt: skip
        for old in moved:
            if news[old.digest].text in filled.shown:
                gone.append(self._gone(old, MOVED))
            elif old.kind != managed.OPEN:  # what is open stays until the digest has room for it
                gone.append(self._gone(old, LEFT))
        on = {id(one) for one in filled.told}
        queue = [one for one in waits if id(one) not in on][:MOST_QUEUED]
        waiting = {id(one) for one in waits if id(one) in on} | {id(one) for one in queue}
        again = [*(one for one in kept if one.made), *(one for one in filled.told if not one.made)]
        weighty = [one for one in pool if not one.made and one.strength > candidates.NONE]
        return Choice(
            new=[*(section.kept(one) for one in kept if not one.made), *(new for _, new in marked)],
            gone=gone,
            stayed=[one.made for one in kept if one.made],
            confirmed=[section.kept(one, row=one.made or one.waits) for one in again if self._is_confirmed(one)],
            page=filled.page,
            proposed=[section.kept(one) for one in proposed],
            waiting=len(waiting),
            queued=[section.kept(one, row=one.name) for one in queue],
            held=opened_.held(filled.shown),
            dropped=Unkept(
                [one for one in rest if id(one) not in held and one.sources and not one.made],
                lambda one: self._dropped(
                    one, is_shown=id(one) in on, waits=id(one) in waiting, is_said=id(one) in said
                ),
            ),
            weighty=(sum(id(one) in held for one in weighty), len(weighty)),
        )

    def _fits(self) -> bool:
        """Return whether what stands there has room."""
        theirs = [(one.kind, one.text) for one in self.before.ours.values()]
        own = self.measure(managed.rewritten("", heading=self.found.heading, joining=theirs, order=managed.ORDER))
        return own <= self.section_room and own + self.measure(self.found.page.text) <= self.room

    def _pool(
        self, days: Sequence[Day], read: Sequence[Sequence[Entry]], around: Sequence[Sequence[Entry]]
    ) -> list[Candidate]:
        """All that may be kept: of MEMORY.md, of the digest, of the days."""
        before = self.before
        hidden = withheld.Secrets(day.text for day in days)
        new = candidates.of(read, private_tags=self.tags, hidden=hidden, words=self.words)
        pool = candidates.united([*before.kept(self.words), *new])
        own = {one.key: one for one in pool if not one.is_outside}
        for one in candidates.of(around, private_tags=self.tags, hidden=hidden, words=self.words, keys=own):
            if not one.is_outside:
                own[one.key].days |= one.days
        fewest = _AUTO_DAYS if self.mode == AUTO else candidates.FEWEST_DAYS
        pool = [one for one in pool if not one.is_short or len(one.days) >= fewest]
        return [one for one in pool if one.made or one.waits or before.is_queued(one) or not before.was_removed(one)]

    def _marked(self) -> list[tuple[str, Kept]]:
        """What an earlier version kept from outside without its mark, with it: by the digest it has now."""
        found = []
        for old, src in self.before.unmarked.items():
            if one := self.before.ours.get(old):
                made = self.before.known.made[old]
                lines = [Source(each.path, each.line, each.end) for each in made.sources]
                text = section.with_mark(one.text, src)
                found.append((old, Kept(text, managed.HEARD, made.day, lines, src=src, days=made.confirmed)))
        return found

    def _section(
        self, fit: Sequence[Candidate], marked: Sequence[tuple[str, Kept]]
    ) -> tuple[list[Candidate], list[Candidate], set[int]]:
        """(what stands in MEMORY.md, what is proposed for it, the ids of what stands there in other words)."""
        own = section.known_in(self._without_ours())
        said = {id(one) for one in fit if not one.made and section.stands_in(one, own)}
        fit = [one for one in fit if id(one) not in said]
        if self.mode == PROPOSE:
            return [one for one in fit if one.made], [one for one in fit if not one.made], said
        fit = [one for one in fit if one.made or not self.before.is_proposed(one)]
        room = self.section_room - sum(self.measure(f"- {one.text}\n") for _, one in marked)
        kept = section.fill(fit, room, self.measure, self.found.heading)
        return kept, [], said | section.said_by(kept, fit)

    def _may_stand(self, one: Candidate) -> bool:
        is_own = not one.is_outside and one.entry.state is None and bool(one.sources)
        is_often = self.mode == AUTO and is_own and len(one.days) >= _AUTO_DAYS
        return (one.counts or is_often) and not self.before.was_decided(one)

    def _without_ours(self) -> str:
        text, heading, ours = self.found.memory.text, self.found.heading, self.before.ours
        return managed.rewritten(text, heading=heading, leaving={*ours}) if ours else text

    def _is_confirmed(self, one: Candidate) -> bool:
        made = self.before.known.made.get(one.made or one.waits)
        return made is not None and not one.days <= {*made.confirmed, made.first, made.day} and one.day > made.day

    def _dropped(self, one: Candidate, *, is_shown: bool, waits: bool, is_said: bool) -> Dropped:
        is_declined = one.name in self.before.known.declined
        why = WAITS if is_shown else QUEUED
        if is_declined or not waits:
            why = DIGESTED if is_shown else LEFT
        why = SAID if is_said else why
        why = f"{DECLINED}: {why}" if is_declined else why
        return Dropped(one.text, one.day, one.sources[0], worth=round(_THOUSAND * digest_order.weight(one)), why=why)

    def _taken_back(self, one: Candidate, by: Entry) -> Gone:
        is_same = managed.of_text(by.body) == one.name
        return self._gone(self.before.ours[one.made], TAKEN_BACK, "" if is_same else by.body)

    def _gone(self, one: managed.ManagedEntry, why: str, successor: str = "") -> Gone:
        state = sources.SUPERSEDED if why in (TAKEN_BACK, WITH_ORIGIN) else sources.RETIRED
        return Gone(one.digest, one.text, why, successor=successor, kind=one.kind, state=state)


def _closers(files: Iterable[Sequence[Entry]]) -> list[Entry]:
    """What takes something back: a line that is struck or dropped, or names the reference of another one."""
    return [one for entries in files for one in entries if not one.src and (one.closes or one.state == note.DROPPED)]
