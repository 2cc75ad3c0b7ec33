"""What one run keeps of new days and of what earlier runs kept: in MEMORY.md, in the digest, in the logs alone. Pure.

Entries of earlier runs are known by their digests. What anybody else wrote is not chosen: it stays.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from agentws.formats import managed, origin, sources
from agentws.planning.compaction import candidates, digest, heard, kinds, opened, section, telling, withheld
from agentws.planning.compaction.choice import Choice, Dropped, Gone, Kept, Page
from agentws.planning.compaction.units import Day, Source
from agentws.planning.notes import entry as note
from agentws.planning.notes import reading, vocabulary

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from agentws.formats.managed import Section
    from agentws.formats.sources import Made, Sidecar
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
DIGESTED, LEFT = f"in {digest.PATH}", "stays in its log"
DECLINED = "its author did not take it up"
_NOT_SHOWN = "Not shown"
_MORE = "{:,} more lines stay in the logs of these days"
_AUTO_DAYS = 2
"""In mode `auto` what is not marked enters where it was said on so many days."""
_THOUSAND = 1000
_MOST_MISSES = 60


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
        decided = (row for row in known.made.values() if not row.run)
        self.decided = {(one.path, one.line) for row in decided for one in row.sources}
        self.lines = {one.digest: one for one in digest.lines(found.page.text) if one.digest in known.made}

    def choose(self, besides: Sequence[Day]) -> Choice:
        is_page = digest.is_ours(self.found.page.text)
        moved = [one for one in self.ours.values() if one.kind in kinds.MOVED] if is_page else []
        is_new = self.found.days or self.found.shelved or moved or self.unmarked
        if not is_new and self._fits() and not self._enters(besides):
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
                gone += [self._gone(self.ours[one.made], TAKEN_BACK, back[at].body)] if one.made else []
            else:
                rest.append(one)
        kept, proposed = self._section(rest, newest, marked)
        held = {id(one) for one in (*kept, *proposed)}
        crowded = [one for one in rest if one.made and id(one) not in held]
        gone += [self._gone(self.ours[one.made], UNCONFIRMED if one.counts else GAVE_WAY) for one in crowded]
        gone += [self._gone(self.ours[old], WITH_ORIGIN, new.text) for old, new in marked]
        others = [one for one in rest if id(one) not in held]
        page, shown, told = self._page(others, moved, opened_, kept, newest)
        for old in moved:
            if self._moved(old).text in shown:
                gone.append(self._gone(old, MOVED))
            elif old.kind != kinds.OPEN:  # what is open stays until the digest has room for it
                gone.append(self._gone(old, LEFT))
        new = [self._kept(one) for one in kept if not one.made]
        again = [*(one for one in kept if one.made), *(one for one in told if not one.made)]
        weighty = [one for one in pool if not one.made and one.strength > candidates.NONE]
        return Choice(
            new=[*new, *(new for _, new in marked)],
            gone=gone,
            stayed=[one.made for one in kept if one.made],
            confirmed=[self._kept(one, one.made or one.waits) for one in again if self._is_confirmed(one)],
            page=page,
            proposed=[self._kept(one) for one in proposed],
            waiting=sum(one.counts and not self._was_decided(one) for one in others),
            held=opened_.held(shown),
            dropped=[self._dropped(one, told) for one in others if one.sources and not one.made],
            weighty=(sum(id(one) in held for one in weighty), len(weighty)),
        )

    def _fits(self) -> bool:
        """Return whether what stands there has room."""
        theirs = [(one.kind, one.text) for one in self.ours.values()]
        text = managed.rewritten("", heading=self.found.heading, joining=theirs, order=kinds.ORDER)
        own = self.measure(text)
        page = self.measure(self.found.page.text)
        return own <= self.room.section * self.per_token and own + page <= self.room.both * self.per_token

    def _enters(self, besides: Sequence[Day]) -> bool:
        """Return whether what waits in the digest has room since something left."""
        if not self.lines:
            return False
        pool = self._pool([], [], candidates.read(besides, self.words))
        kept, _ = self._section(pool, max((day.day for day in besides), default=""), [])
        return any(not one.made for one in kept)

    # What there is

    def _pool(
        self, days: Sequence[Day], read: Sequence[Sequence[Entry]], around: Sequence[Sequence[Entry]]
    ) -> list[Candidate]:
        """All that may be kept: of MEMORY.md, of the digest, of the days."""
        hidden = withheld.Secrets(day.text for day in days)
        told = [one for made in self.ours.values() if made.kind not in kinds.MOVED and (one := self._of_section(made))]
        told += [one for line in self.lines.values() if (one := self._of_page(line))]
        new = candidates.of(read, private_tags=self.tags, hidden=hidden, words=self.words)
        pool = candidates.united([*told, *new])
        said: dict[str, set[str]] = {}
        for one in candidates.of(around, private_tags=self.tags, hidden=hidden, words=self.words):
            if not origin.is_outside(one.src):
                said.setdefault(one.key, set()).update(one.days)
        for one in pool:
            if not origin.is_outside(one.src):
                one.days |= said.get(one.key, set())
        return [one for one in pool if one.made or one.waits or not self._was_removed(one)]

    def _of_section(self, one: managed.Entry) -> Candidate | None:
        if one.digest in self.unmarked:
            return None
        made = self.known.made[one.digest]
        src = made.src or origin.of_line(one.text) or origin.UNKNOWN
        found = self._again(one.text, made, src)
        if found is not None:
            found.made, found.text = one.digest, " ".join(one.text.split())
            found.kind = made.kind if made.kind in kinds.TITLES else kinds.of_title(one.kind)
        return found

    def _of_page(self, line: digest.Line) -> Candidate | None:
        if line.title in (digest.OPEN, _NOT_SHOWN):
            return None
        made = self.known.made[line.digest]
        text = line.text[len(made.day) + 1 :] if made.day and line.text.startswith(made.day) else line.text
        found = self._again(text, made, made.src or origin.UNKNOWN)
        if found is not None:
            found.waits, found.text = line.digest, text
            found.kind = made.kind if made.kind in kinds.TITLES else "fact"
            found.strength = candidates.HEADING if made.kind in kinds.TITLES else candidates.NONE
        return found

    def _again(self, text: str, made: Made, src: str) -> Candidate | None:
        """A line of an earlier run, as its first log said it: so a reference of that one is one of this."""
        path = made.sources[0].path if made.sources else ""
        entries = reading.read(f"- {' '.join(text.split())}\n", path=path, day=made.day, words=self.words)
        if not entries:
            return None
        found = candidates.Candidate(entries[0], strength=candidates.MARKER, src=src)
        found.sources = [Source(one.path, one.line, one.end) for one in made.sources]
        found.days = {day for day in (*made.confirmed, made.first, made.day) if day}
        if made.first and not made.kind:
            found.strength = candidates.NONE
        refs = made.more.get("refs")
        found.known_refs = tuple(map(str, refs)) if isinstance(refs, list) else ()
        importance = made.more.get("importance")
        found.importance = importance if isinstance(importance, int) else found.importance
        return found

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
                text = heard.with_mark(one.text, src)
                found.append((old, Kept(text, kinds.HEARD, made.day, sources, src=src, days=made.confirmed)))
        return found

    # What is kept

    def _section(
        self, pool: Sequence[Candidate], newest: str, marked: Sequence[tuple[str, Kept]]
    ) -> tuple[list[Candidate], list[Candidate]]:
        """(what stands in MEMORY.md, what is proposed for it)."""
        own = section.known_in(self._without_ours())
        fit = [one for one in pool if one.made or (self._may_stand(one) and not section.stands_in(one, own))]
        if self.mode == PROPOSE:
            return [one for one in fit if one.made], [one for one in fit if not one.made]
        room = min(self.room.section, self.room.both) * self.per_token
        room -= sum(self.measure(f"- {one.text}\n") for _, one in marked)
        return section.fill(section.order(fit, newest), room, self.measure, self.found.heading), []

    def _was_decided(self, one: Candidate) -> bool:
        """Return whether the author of MEMORY.md took it up, perhaps in other words, or did not want it: `curate`."""
        is_told = any((source.path, source.line) in self.decided for source in one.sources)
        return is_told or managed.of_text(one.text) in self.known.declined

    def _may_stand(self, one: Candidate) -> bool:
        if self._was_decided(one):
            return False
        if one.counts:
            return True
        is_own = not origin.is_outside(one.src) and one.entry.state is None and bool(one.sources)
        return self.mode == AUTO and is_own and len(one.days) >= _AUTO_DAYS

    def _without_ours(self) -> str:
        found = self.found
        return (
            managed.rewritten(found.memory.text, heading=found.heading, leaving={*self.ours})
            if self.ours
            else found.memory.text
        )

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
        for one in telling.order(dated, newest):
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
        return len(others) - len(told) + (int(number) if number.isdecimal() else 0)

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
        is_open = one.kind == kinds.OPEN
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

    def _dropped(self, one: Candidate, told: Sequence[Candidate]) -> Dropped:
        shown = any(one is other for other in told)
        is_declined = managed.of_text(one.text) in self.known.declined
        why = WAITS if one.counts and shown and not is_declined else DIGESTED if shown else LEFT
        why = f"{DECLINED}: {why}" if is_declined else why
        return Dropped(one.text, one.day, one.sources[0], worth=round(_THOUSAND * telling.weight(one)), why=why)

    def _gone(self, one: managed.Entry, why: str, successor: str = "") -> Gone:
        state = sources.SUPERSEDED if why in (TAKEN_BACK, WITH_ORIGIN) else sources.RETIRED
        return Gone(one.digest, one.text, why, successor=successor, kind=one.kind, state=state)


def _closers(files: Iterable[Sequence[Entry]]) -> list[Entry]:
    """What takes something back: a line that is struck or dropped, or names the reference of another one."""
    return [one for entries in files for one in entries if not one.src and (one.closes or one.state == note.DROPPED)]
