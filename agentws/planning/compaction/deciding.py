"""What one run keeps of new days and of what earlier runs kept: in MEMORY.md, in the digest, in the logs alone. Pure.

Entries of earlier runs are known by their digests. What anybody else wrote is not chosen: it stays.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from agentws.formats import managed, origin, sources
from agentws.planning.compaction import candidates, digest, earlier, opened, order, section, withheld
from agentws.planning.compaction.choice import Choice, Dropped, Gone, Kept, Page
from agentws.planning.compaction.units import Day, Source
from agentws.planning.notes import entry as note
from agentws.planning.notes import vocabulary

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from agentws.formats.managed import Section
    from agentws.formats.sources import Sidecar
    from agentws.planning.compaction.candidates import Candidate
    from agentws.planning.compaction.folding import Folder
    from agentws.planning.compaction.opened import Opened
    from agentws.planning.notes.entry import Entry
    from agentws.planning.notes.vocabulary import Vocabulary
    from agentws.planning.tokens import Measure
    from agentws.ports import TokenCounter

MARKED, PROPOSE, AUTO = MODES = ("marked", "propose", "auto")
SECTION_TOKENS, DIGEST_TOKENS = 600, 1400
"""What compaction may write where nothing else is said."""
TAKEN_BACK = "taken back"
UNCONFIRMED = "not confirmed for long, and the section was full"
GAVE_WAY = "gave way to a marked line"
MOVED = f"moved to {digest.PATH}"
WITH_ORIGIN = "heard from outside, marked so now"
WAITS = f"waits in {digest.PATH}: the section is full"
QUEUED = "waits: the section and the digest are full"
SAID = "MEMORY.md says it already"
DIGESTED, LEFT = f"in {digest.PATH}", "stays in its log"
DECLINED = "its author did not take it up"
_NOT_SHOWN = "Not shown"
_MORE = "{:,} more lines stay in the logs of these days"
_AUTO_DAYS = 2
"""In mode `auto` what is not marked enters where it was said on so many days."""
_THOUSAND = 1000
_MOST_MISSES = 60
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
    return _Choosing(found, now, known, room, counter, mode, private_tags, unmarked or {}, words).choose(besides)


class _Choosing:
    def __init__(
        self,
        found: Folder,
        now: Section,
        known: Sidecar,
        room: Room,
        counter: TokenCounter,
        mode: str,
        private_tags: Sequence[str],
        unmarked: Mapping[str, str],
        words: Vocabulary,
    ) -> None:
        self.found, self.known, self.room, self.mode = found, known, room, mode
        self.measure: Measure = counter.units
        self.per_token = counter.units_per_token
        self.tags = ("private", "secret", *(tag.lstrip("#").casefold() for tag in private_tags))
        self.unmarked, self.words = unmarked, words
        self.ours = {one.digest: one for one in now.entries if one.digest in known.made}
        decided = sorted((row for row in known.made.values() if not row.run), key=lambda row: row.is_current)
        self.decided = {(one.path, one.line): row.is_current for row in decided for one in row.sources}
        self.lines = {one.digest: one for one in digest.lines(found.page.text) if one.digest in known.made}

    def choose(self, besides: Sequence[Day]) -> Choice:
        is_page = digest.is_ours(self.found.page.text)
        moved = [one for one in self.ours.values() if one.kind in managed.MOVED] if is_page else []
        is_quiet = not (self.found.days or self.found.shelved or moved or self.unmarked) and self._fits()
        if is_quiet and not (self.known.waiting or any(self.known.made[each].kind for each in self.lines)):
            return Choice(stayed=[*self.ours])
        days = [Day(one.path, day, one.text) for day, one in self.found.days]
        read, around = candidates.read(days, self.words), candidates.read(besides, self.words)
        opened_ = opened.of(self.found, self.lines, read, around, tags=self.tags)
        newest = max((day.day for day in (*days, *besides)), default="")
        pool = self._pool(days, read, around)
        back = section.taken_back(pool, _closers((*read, *around)))
        gone: list[Gone] = []
        marked = self._marked()
        rest = []
        for at, one in enumerate(pool):
            if at in back:
                gone += [self._taken_back(one, back[at])] if one.made else []
            else:
                rest.append(one)
        kept, proposed, said = self._section(rest, newest, marked)
        stands, held = {id(one) for one in kept}, {id(one) for one in (*kept, *proposed)}
        proposed = [one for one in proposed if not self._is_proposed(one)]
        crowded = [one for one in rest if one.made and id(one) not in held]
        gone += [self._gone(self.ours[one.made], UNCONFIRMED if one.counts else GAVE_WAY) for one in crowded]
        gone += [self._gone(self.ours[old], WITH_ORIGIN, new.text) for old, new in marked]
        over = {id(one) for one in rest if one.waits and self._is_over(one)}
        others = [one for one in rest if id(one) not in stands and id(one) not in said and id(one) not in over]
        if is_quiet and not over and all(one.made for one in (*kept, *proposed)):
            return Choice(stayed=[*self.ours], waiting=sum(map(self._waits, others)))
        page, shown, told = self._page(others, moved, opened_, kept, newest)
        for old in moved:
            if self._moved(old).text in shown:
                gone.append(self._gone(old, MOVED))
            elif old.kind != managed.OPEN:  # what is open stays until the digest has room for it
                gone.append(self._gone(old, LEFT))
        on = {id(one) for one in told}
        queue = self._queue(others, on, newest)
        waiting = on | {id(one) for one in queue}
        new = [self._kept(one) for one in kept if not one.made]
        again = [*(one for one in kept if one.made), *(one for one in told if not one.made)]
        unkept = [one for one in rest if id(one) not in held and one.sources and not one.made]
        weighty = [one for one in pool if not one.made and one.strength > candidates.NONE]
        return Choice(
            new=[*new, *(new for _, new in marked)],
            gone=gone,
            stayed=[one.made for one in kept if one.made],
            confirmed=[self._kept(one, one.made or one.waits) for one in again if self._is_confirmed(one)],
            page=page,
            proposed=[self._kept(one) for one in proposed],
            waiting=sum(self._waits(one) for one in others if id(one) in waiting),
            queued=[self._kept(one) for one in queue],
            held=opened_.held(shown),
            dropped=[self._dropped(one, on, waiting, said) for one in unkept],
            weighty=(sum(id(one) in held for one in weighty), len(weighty)),
        )

    def _fits(self) -> bool:
        """Return whether what stands there has room."""
        theirs = [(one.kind, one.text) for one in self.ours.values()]
        own = self.measure(managed.rewritten("", heading=self.found.heading, joining=theirs, order=managed.ORDER))
        page = self.measure(self.found.page.text)
        return own <= self.room.section * self.per_token and own + page <= self.room.both * self.per_token

    # What there is

    def _pool(
        self, days: Sequence[Day], read: Sequence[Sequence[Entry]], around: Sequence[Sequence[Entry]]
    ) -> list[Candidate]:
        """All that may be kept: of MEMORY.md, of the digest, of the days."""
        hidden = withheld.Secrets(day.text for day in days)
        told = self._earlier()
        new = candidates.of(read, private_tags=self.tags, hidden=hidden, words=self.words)
        pool = candidates.united([*told, *new])
        said: dict[str, set[str]] = {}
        for one in candidates.of(around, private_tags=self.tags, hidden=hidden, words=self.words):
            if not origin.is_outside(one.src):
                said.setdefault(one.key, set()).update(one.days)
        for one in pool:
            if not origin.is_outside(one.src):
                one.days |= said.get(one.key, set())
        fewest = _AUTO_DAYS if self.mode == AUTO else candidates.FEWEST_DAYS
        pool = [one for one in pool if not one.is_short or len(one.days) >= fewest]
        return [one for one in pool if one.made or one.waits or self._is_queued(one) or not self._was_removed(one)]

    def _earlier(self) -> list[Candidate]:
        """What earlier runs kept, or found no room for."""
        made, words = self.known.made, self.words
        entries = [
            one for one in self.ours.values() if one.kind not in managed.MOVED and one.digest not in self.unmarked
        ]
        lines = [one for one in self.lines.values() if one.title not in (digest.OPEN, _NOT_SHOWN)]
        found = [earlier.of_entry(one, made[one.digest], words) for one in entries]
        found += [earlier.of_line(one, made[one.digest], words) for one in lines]
        found += [earlier.of_waiting(one, words) for one in self.known.waiting.values()]
        return [one for one in found if one is not None]

    def _is_queued(self, one: Candidate) -> bool:
        return bool(one.queued) and not self._was_decided(one)

    def _was_removed(self, one: Candidate) -> bool:
        """Return whether a person declined it, or its author edited it or took it out: it does not come back."""
        name = managed.of_text(one.text)
        if name in self.ours:
            return False
        if self.known.declined.get(name) == sources.PERSON:
            return True
        made = self.known.made.get(name)
        rows = [row for row in (made, self.known.stated.get(name)) if row is not None and not row.is_current]
        if any(one.day <= row.until for row in rows):
            return True
        if made is None:
            return False
        return name not in self.known.left or one.day <= max((*made.confirmed, made.day))

    def _marked(self) -> list[tuple[str, Kept]]:
        """What an earlier version kept from outside without its mark, with it: by the digest it has now."""
        found = []
        for old, src in self.unmarked.items():
            if one := self.ours.get(old):
                made = self.known.made[old]
                sources = [Source(each.path, each.line, each.end) for each in made.sources]
                text = section.with_mark(one.text, src)
                found.append((old, Kept(text, managed.HEARD, made.day, sources, src=src, days=made.confirmed)))
        return found

    # What is kept

    def _section(
        self, pool: Sequence[Candidate], newest: str, marked: Sequence[tuple[str, Kept]]
    ) -> tuple[list[Candidate], list[Candidate], set[int]]:
        """(what stands in MEMORY.md, what is proposed for it, the ids of what stands there in other words)."""
        own = section.known_in(self._without_ours())
        fit = [one for one in pool if one.made or self._may_stand(one)]
        said = {id(one) for one in fit if not one.made and section.stands_in(one, own)}
        fit = [one for one in fit if id(one) not in said]
        if self.mode == PROPOSE:
            return [one for one in fit if one.made], [one for one in fit if not one.made], said
        fit = [one for one in fit if one.made or not self._is_proposed(one)]
        room = min(self.room.section, self.room.both) * self.per_token
        room -= sum(self.measure(f"- {one.text}\n") for _, one in marked)
        kept = section.fill(section.order(fit, newest), room, self.measure, self.found.heading)
        return kept, [], said | section.said_by(kept, fit)

    def _was_decided(self, one: Candidate) -> bool:
        """Return whether the author of MEMORY.md took it up, perhaps in other words, or did not want it: `curate`."""
        is_told = any((source.path, source.line) in self.decided for source in one.sources)
        return is_told or managed.of_text(one.text) in self.known.declined

    def _is_over(self, one: Candidate) -> bool:
        """Return whether MEMORY.md says it now as its author put it, or a person did not want it."""
        is_taken = any(self.decided.get((source.path, source.line)) for source in one.sources)
        return is_taken or self.known.declined.get(managed.of_text(one.text)) == sources.PERSON

    def _is_proposed(self, one: Candidate) -> bool:
        """Return whether an earlier run proposed it: until its author has decided, it enters in no mode."""
        row = self.known.made.get(managed.of_text(one.text))
        return bool(one.waits or one.queued) and row is not None and row.is_current

    def _waits(self, one: Candidate) -> bool:
        """Return whether it enters MEMORY.md when there is room."""
        return one.counts and not self._was_decided(one)

    def _may_stand(self, one: Candidate) -> bool:
        if self._was_decided(one):
            return False
        if one.counts:
            return True
        is_own = not origin.is_outside(one.src) and one.entry.state is None and bool(one.sources)
        return self.mode == AUTO and is_own and len(one.days) >= _AUTO_DAYS

    def _queue(self, others: Sequence[Candidate], on: Collection[int], newest: str) -> list[Candidate]:
        """What has no room in the digest either, and is to enter when there is some."""
        waits = [one for one in others if self._waits(one) and id(one) not in on]
        return section.order(waits, newest)[:MOST_QUEUED]

    def _without_ours(self) -> str:
        text, heading = self.found.memory.text, self.found.heading
        return managed.rewritten(text, heading=heading, leaving={*self.ours}) if self.ours else text

    def _page(
        self,
        others: Sequence[Candidate],
        moved: Sequence[managed.Entry],
        opened_: Opened,
        kept: Sequence[Candidate],
        newest: str,
    ) -> tuple[Page, set[str], list[Candidate]]:
        """What changes in the digest; the open lines that it shows; the lines that it says."""
        if not digest.is_ours(self.found.page.text):
            return Page(), set(), []
        news = [self._moved(one) for one in moved]
        room = (self.room.both * self.per_token) - self.measure(section.text(kept, self.found.heading))
        empty = digest.rewritten(self.found.page.text or digest.HEAD, leaving={*self.lines}) or digest.HEAD
        room -= self.measure(empty) + self.measure(f"\n## {_NOT_SHOWN}\n\n- {_MORE.format(_THOUSAND)}\n")
        open_ = [one for one in news if one.kind == digest.OPEN]
        fixed, room = opened_.fill([*opened_.lines, *open_], room, self.measure)
        rest, room = opened_.fill([one for one in news if one.kind != digest.OPEN], room, self.measure)
        fixed += rest
        told = self._fill(others, room, newest)
        lines = [*fixed, *(self._line(one) for one in told)]
        count = self._not_shown(others, told)
        lines += [Kept(_MORE.format(count), _NOT_SHOWN, "", ())] if count and room > 0 else []
        names = {managed.of_text(one.text): one for one in lines}
        gone = [
            Gone(line.digest, line.text, LEFT, kind=f"{digest.PLACE}{line.title}")
            for line in self.lines.values()
            if line.digest not in names
        ]
        new = [one for name, one in names.items() if name not in self.lines]
        return Page(new, gone), {one.text for one in fixed}, told

    def _fill(self, others: Sequence[Candidate], room: int, newest: str) -> list[Candidate]:
        told: list[Candidate] = []
        weeks: set[str] = set()
        misses = 0
        dated = [one for one in others if one.day]
        for one in order.of(dated, newest):
            title = digest.week(one.day)
            cost = self.measure(f"- {self._line(one).text}\n") + (
                0 if title in weeks else self.measure(f"\n## {title}\n\n")
            )
            if cost <= room:
                told.append(one)
                weeks.add(title)
                room -= cost
            elif (misses := misses + 1) > _MOST_MISSES:
                break
        return told

    def _not_shown(self, others: Sequence[Candidate], told: Sequence[Candidate]) -> int:
        before = next((line.text for line in self.lines.values() if line.title == _NOT_SHOWN), "0")
        number = before.partition(" ")[0].replace(",", "")
        rest = sum(not self._waits(one) for one in others) - sum(not self._waits(one) for one in told)
        return rest + (int(number) if number.isdecimal() else 0)

    def _line(self, one: Candidate) -> Kept:
        """A line of the digest; one that stands there already stays as it is."""
        kept = self._kept(one)
        line = self.lines.get(one.waits)
        text = line.text if line else f"{one.day} {one.text}{origin.ending(one.src)}"
        title = line.title if line else digest.week(one.day)
        return Kept(
            text, title, one.day, kept.sources, src=one.src, says=one.kind if one.counts else "", days=kept.days,
            importance=one.importance, refs=one.refs,
        )  # fmt: skip

    def _moved(self, one: managed.Entry) -> Kept:
        """An entry of an earlier version in the digest."""
        made = self.known.made[one.digest]
        text = " ".join(one.text.split())
        is_open = one.kind == managed.OPEN
        if is_open and not text.startswith("["):
            text = f"[ ] {text}"
        title = digest.OPEN if is_open else digest.week(made.day) if made.day else _NOT_SHOWN
        sources = [Source(each.path, each.line, each.end) for each in made.sources]
        return Kept(text, title, made.day, sources, src=made.src or origin.UNKNOWN, days=made.confirmed)

    def _kept(self, one: Candidate, row: str = "") -> Kept:
        """What is kept, with the digest of its row where it has one: an entry that comes has one of its own."""
        why = ("said on several days", "its heading", "its first word", "marked")[one.strength]
        rank = _THOUSAND * (one.strength + (one.kind == "rule")) + 100 * one.importance + len(one.days)
        says = one.kind if one.counts else ""
        return Kept(
            one.text, section.title(one), one.day, one.sources, worth=rank, why=why, src=one.src, says=says,
            days=sorted(one.days), importance=one.importance, digest=row, refs=one.refs,
        )  # fmt: skip

    def _is_confirmed(self, one: Candidate) -> bool:
        made = self.known.made.get(one.made or one.waits)
        return made is not None and not one.days <= {*made.confirmed, made.first, made.day} and one.day > made.day

    def _dropped(self, one: Candidate, on: Collection[int], waiting: Collection[int], said: Collection[int]) -> Dropped:
        shown = id(one) in on
        is_declined = managed.of_text(one.text) in self.known.declined
        why = WAITS if shown else QUEUED
        if is_declined or id(one) not in waiting or not self._waits(one):
            why = DIGESTED if shown else LEFT
        why = SAID if id(one) in said else why
        why = f"{DECLINED}: {why}" if is_declined else why
        return Dropped(one.text, one.day, one.sources[0], worth=round(_THOUSAND * order.weight(one)), why=why)

    def _taken_back(self, one: Candidate, by: Entry) -> Gone:
        is_same = managed.of_text(by.body) == managed.of_text(one.text)
        return self._gone(self.ours[one.made], TAKEN_BACK, "" if is_same else by.body)

    def _gone(self, one: managed.Entry, why: str, successor: str = "") -> Gone:
        state = sources.SUPERSEDED if why in (TAKEN_BACK, WITH_ORIGIN) else sources.RETIRED
        return Gone(one.digest, one.text, why, successor=successor, kind=one.kind, state=state)


def _closers(files: Iterable[Sequence[Entry]]) -> list[Entry]:
    """What takes something back: a line that is struck or dropped, or names the reference of another one."""
    return [one for entries in files for one in entries if not one.src and (one.closes or one.state == note.DROPPED)]
