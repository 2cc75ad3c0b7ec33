"""What one run keeps of new days and of what earlier runs kept, told as what changes in MEMORY.md. Pure.

Entries of earlier runs, known by their digests, compete with the new ones. What anybody else wrote does not: it stays,
and what it costs is taken off the budget first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentws.formats import managed, origin, secrets, sources
from agentws.planning.compaction import candidates, copied, heard, keeping, kinds
from agentws.planning.compaction.choice import Choice, Dropped, Gone, Kept
from agentws.planning.compaction.units import Context, Day, Entry, Source

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from agentws.formats.managed import Section
    from agentws.formats.sources import Sidecar
    from agentws.planning.compaction.folding import Folder
    from agentws.planning.compaction.units import Dropped as Lost
    from agentws.planning.compaction.units import Unit
    from agentws.ports import TokenCounter

MARKED = "heard from outside, marked so now"
_PINNED = " !10"
_THOUSAND = 1000


def choose(
    found: Folder,
    section: Section,
    known: Sidecar,
    *,
    room: int,
    counter: TokenCounter,
    tasks: Sequence[str] = (),
    besides: Sequence[Day] = (),
    private_tags: Sequence[str] = (),
    unmarked: Mapping[str, str] | None = None,
) -> Choice:
    """What stays in MEMORY.md, within `room` tokens of it.

    `tasks` are the words of tasks that are not over, `besides` days that are only counted. What carries one of
    `private_tags`, or `#private`, is not kept. What comes from outside is chosen after the rest, of the room that is
    left; `unmarked` tells by digest which entries of earlier versions come from there, and from which source.
    """
    ours = {one.digest: one for one in section.entries if one.digest in known.made}
    before = [_entry(one, known, unmarked or {}) for one in ours.values()]
    document = found.memory.text

    def render(entries: Sequence[Entry]) -> str:
        return _document(document, found.heading, ours, entries)

    days = [Day(one.path, day, one.text) for day, one in found.days]
    tags = ("private", *(tag.lstrip("#").casefold() for tag in private_tags))
    told = {(one.path, one.line, one.digest) for digest in ours for one in known.made[digest].sources}
    units = _new(copied.of([heard.own(day) for day in days], private_tags=tags), found, told)
    old = candidates.of_entries([one for one in before if not origin.is_outside(one.src)])
    context = Context(
        tasks=tasks,
        memory=[line for line in render([]).split("\n") if not origin.of_line(line)],
        days=[heard.own(day) for day in besides],
        logs=[day.text for day in days],
        log_days=[day.day for day in days],
    )
    kept = keeping.select([*old, *units], room, counter, context=context, render=render)
    # What comes from outside has the room that is left, and no say in the rest.
    marked = {one.text: heard.marked(one) for one in before if origin.is_outside(one.src)}
    theirs = [*candidates.of_entries([*marked.values()]), *_new(heard.of(days, private_tags=tags), found, told)]
    more = keeping.select(
        theirs,
        room,
        counter,
        context=Context(memory=render(kept.entries).split("\n"), logs=context.logs, log_days=context.log_days),
        render=lambda entries: render([*kept.entries, *entries]),
    )
    dropped = [*kept.dropped, *more.dropped]
    digests = {managed.of_text(one.text): one for one in (*kept.entries, *more.entries)}
    return Choice(
        new=[_kept(one) for digest, one in digests.items() if digest not in ours],
        gone=[_gone(ours[digest], dropped, marked, digests) for digest in ours if digest not in digests],
        stayed=[digest for digest in ours if digest in digests],
        dropped=[_dropped(one) for one in dropped if not one.was_entry],
        weighty=kept.weighty,
    )


def _new(units: Sequence[Unit], found: Folder, told: Collection[tuple[str, int, str]]) -> list[Unit]:
    """Those that may be kept and were not yet: nothing that looks like a secret, which a log may hold, memory not."""
    secretive = {one.path for _, one in found.days if secrets.find(one.text)}
    may_be_kept = [
        one for one in units if one.sources[0].path not in secretive or not secrets.find(one.lead + one.text)
    ]
    return _untold(may_be_kept, found, told)


def _untold(units: Sequence[Unit], found: Folder, told: Collection[tuple[str, int, str]]) -> list[Unit]:
    """Those that no entry was made of already: a day that has changed since it was folded is folded again."""
    data = {one.path: one.data for _, one in found.days}
    again = {path for path, _, _ in told} & data.keys()
    return [one for one in units if one.sources[0].path not in again or not _is_told(one, data, told)]


def _is_told(unit: Unit, data: Mapping[str, bytes], told: Collection[tuple[str, int, str]]) -> bool:
    return all(
        (one.path, one.line, sources.of_lines(data[one.path], one.line, one.end_line)) in told for one in unit.sources
    )


def without_ours(found: Folder, section: Section, known: Sidecar) -> str:
    """MEMORY.md without what compaction wrote."""
    ours = {one.digest for one in section.entries if one.digest in known.made}
    return managed.rewritten(found.memory.text, heading=found.heading, leaving=ours) if ours else found.memory.text


def _document(document: str, heading: str, ours: dict[str, managed.Entry], entries: Sequence[Entry]) -> str:
    digests = {managed.of_text(one.text): one for one in entries}
    return managed.rewritten(
        document,
        heading=heading,
        leaving=ours.keys() - digests.keys(),
        joining=[(one.kind, one.text) for digest, one in digests.items() if digest not in ours],
        order=kinds.ORDER,
    )


def _entry(one: managed.Entry, known: Sidecar, unmarked: Mapping[str, str]) -> Entry:
    made = known.made[one.digest]
    return Entry(
        one.text,
        one.kind,
        days=(made.day,) if made.day else (),
        sources=tuple(Source(source.path, source.line, source.end) for source in made.sources),
        score=made.worth / _THOUSAND,
        is_pinned=one.text.rstrip().endswith(_PINNED),
        src=made.src or unmarked.get(one.digest) or origin.of_line(one.text) or origin.UNKNOWN,
    )


def _kept(one: Entry) -> Kept:
    return Kept(
        one.text,
        one.kind,
        day=max(one.days, default=""),
        sources=one.sources,
        worth=round((one.score or 0.0) * _THOUSAND),
        why=one.reason,
        src=one.src,
    )


def _gone(one: managed.Entry, dropped: Sequence[Lost], marked: Mapping[str, Entry], stay: Mapping[str, Entry]) -> Gone:
    now = marked.get(one.text)
    if now is not None and managed.of_text(now.text) in stay:
        return Gone(one.digest, one.text, MARKED, successor=now.text, kind=one.kind)
    lost = next((other for other in dropped if other.was_entry and other.text == one.text), None)
    why, successor = (lost.reason, lost.successor) if lost else (keeping.CROWDED, "")
    return Gone(one.digest, one.text, why, successor=successor, kind=one.kind)


def _dropped(one: Lost) -> Dropped:
    return Dropped(one.text, one.day, one.sources[0], worth=round(one.score * _THOUSAND), why=one.reason)
