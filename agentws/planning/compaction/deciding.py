"""What one run keeps of new days and of what earlier runs kept, told as what changes in MEMORY.md. Pure.

Entries of earlier runs, known by their digests, compete with the new ones. What anybody else wrote does not: it stays,
and what it costs is taken off the budget first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentws.formats import managed, secrets, sources
from agentws.planning.compaction import candidates, copied, keeping, kinds
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
) -> Choice:
    """What stays in MEMORY.md, within `room` tokens of it.

    `tasks` are the words of tasks that are not over, `besides` days that are only counted. What carries one of
    `private_tags`, or `#private`, is not kept.
    """
    ours = {one.digest: one for one in section.entries if one.digest in known.made}
    before = [_entry(one, known) for one in ours.values()]
    document = found.memory.text

    def render(entries: Sequence[Entry]) -> str:
        return _document(document, found.heading, ours, entries)

    logs = [one.text for _, one in found.days]
    context = Context(tasks=tasks, memory=render([]).split("\n"), days=besides, logs=logs)
    told = {(one.path, one.line, one.digest) for digest in ours for one in known.made[digest].sources}
    units = [*candidates.of_entries(before), *_untold(_units(found, private_tags), found, told)]
    kept = keeping.select(units, room, counter, context=context, render=render)
    digests = {managed.of_text(one.text): one for one in kept.entries}
    return Choice(
        new=[_kept(one) for digest, one in digests.items() if digest not in ours],
        gone=[_gone(ours[digest], kept.dropped) for digest in ours if digest not in digests],
        stayed=[digest for digest in ours if digest in digests],
        dropped=[_dropped(one) for one in kept.dropped if not one.was_entry],
        weighty=kept.weighty,
    )


def _units(found: Folder, private_tags: Sequence[str]) -> list[Unit]:
    """What may be kept of the days: nothing that looks like a secret, which a log may hold and memory must not."""
    tags = ("private", *(tag.lstrip("#").casefold() for tag in private_tags))
    units = copied.of([Day(one.path, day, one.text) for day, one in found.days], private_tags=tags)
    secretive = {one.path for _, one in found.days if secrets.find(one.text)}
    return [one for one in units if one.sources[0].path not in secretive or not secrets.find(one.lead + one.text)]


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


def _entry(one: managed.Entry, known: Sidecar) -> Entry:
    made = known.made[one.digest]
    return Entry(
        one.text,
        one.kind,
        days=(made.day,) if made.day else (),
        sources=tuple(Source(source.path, source.line, source.end) for source in made.sources),
        score=made.worth / _THOUSAND,
        is_pinned=one.text.rstrip().endswith(_PINNED),
    )


def _kept(one: Entry) -> Kept:
    return Kept(
        one.text,
        one.kind,
        day=max(one.days, default=""),
        sources=one.sources,
        worth=round((one.score or 0.0) * _THOUSAND),
        why=one.reason,
    )


def _gone(one: managed.Entry, dropped: Sequence[Lost]) -> Gone:
    lost = next((other for other in dropped if other.was_entry and other.text == one.text), None)
    why, successor = (lost.reason, lost.successor) if lost else (keeping.CROWDED, "")
    return Gone(one.digest, one.text, why, successor=successor, kind=one.kind)


def _dropped(one: Lost) -> Dropped:
    return Dropped(one.text, one.day, one.sources[0], worth=round(one.score * _THOUSAND), why=one.reason)
