"""What a summarizer says, put in the place of what was chosen without it, within the same room. Pure.

Its bullets come first; what they do not tell stays as it was chosen, as far as there is room. What somebody pinned
stays in any case, and so does what takes the place of an older memory.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from agentws.formats import managed, origin
from agentws.planning import tokens
from agentws.planning.compaction import claims, kinds, untold
from agentws.planning.compaction.choice import Dropped, Kept

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from agentws.planning.compaction.checking import Bullet
    from agentws.planning.compaction.choice import Choice
    from agentws.planning.compaction.folding import Folder
    from agentws.planning.compaction.units import Source
    from agentws.ports import TokenCounter

    Place = tuple[str, int]

SUMMARIZED = "said by the summarizer"
CROWDED = "the summarizer's bullets took its room"
NO_ROOM = "there was no room for this bullet of the summarizer"
_PIN = "!10"


def room_for_new(folder: Folder, choice: Choice, room: int, counter: TokenCounter) -> int:
    """The tokens that new entries may have of `room`, at least what those that were chosen have."""
    without = _tokens(folder, choice, (), counter)
    return max(room, _tokens(folder, choice, choice.new, counter)) - without


def memory(folder: Folder, choice: Choice) -> str:
    """MEMORY.md without the entries that leave it."""
    return _memory(folder, choice, ())


def merged(folder: Folder, choice: Choice, said: Sequence[Bullet], *, room: int, counter: TokenCounter) -> Choice:
    """The choice with `said` in it, MEMORY.md within `room` tokens, or as large as it would have been."""
    entries = _entries(choice, said, memory(folder, choice))
    if not entries:
        return choice
    staying = [one for one in choice.new if _must_stay(one, choice)]
    left = room_for_new(folder, choice, room, counter) - _prices(staying, (), counter)
    taken = _fitting([entry for entry, _ in entries], left, staying, counter)
    told = [bullet for entry, bullet in entries if entry in taken]
    rest = [(one, _untold(one, told)) for one in choice.new if one not in staying]
    left -= _prices(taken, staying, counter)
    filling = _fitting([one for _, one in rest if one is not None], left, [*staying, *taken], counter)
    filling = _really_fitting(folder, choice, [*staying, *taken], filling, room, counter)
    crowded = [_dropped(one) for one, left_of_it in rest if left_of_it is not None and left_of_it not in filling]
    crowded += [_dropped(entry, NO_ROOM) for entry, _ in entries if entry not in taken]
    new = sorted([*staying, *taken, *filling], key=lambda one: one.day)
    return replace(choice, new=new, dropped=[*choice.dropped, *crowded])


def _untold(one: Kept, told: Sequence[Bullet]) -> Kept | None:
    """What bullets leave of an entry; one from outside stays whole, with its mark: no summarizer has read it."""
    return one if origin.is_outside(one.src) else untold.of(one, told)


def _entries(choice: Choice, said: Sequence[Bullet], known: str) -> list[tuple[Kept, Bullet]]:
    """What the bullets become, the worthiest first; none that memory, or one that stays, tells already."""
    there = [claims.terms(line).keys() for line in known.split("\n")]
    there += [claims.terms(one.text).keys() for one in choice.new if _must_stay(one, choice)]
    worths = {place: one.worth for one in choice.dropped for place in _places((one.source,))}
    least = min((one.worth for one in choice.new), default=0)
    found = []
    for bullet in said:
        terms = claims.terms(bullet.text).keys()
        if not any(terms <= other for other in there):
            found.append((_entry(bullet, choice, worths, least), bullet))
            there.append(terms)
    return sorted(found, key=lambda one: -one[0].worth)


def _entry(bullet: Bullet, choice: Choice, worths: Mapping[Place, int], least: int) -> Kept:
    day = max(line.day for line in bullet.lines)
    sources = [source for line in bullet.lines for source in line.sources]
    places = _places(sources)
    told = [one for one in choice.new if not places.isdisjoint(_places(one.sources))]
    # An entry of many lines is worth as much to a bullet as the bullet cites of them.
    shares = (one.worth * len(places & _places(one.sources)) / len(_places(one.sources)) for one in told)
    worth = round(sum(shares)) or max((worths.get(place, 0) for place in places), default=0)
    text = bullet.text if bullet.text.startswith(day[:4]) else f"{day} {bullet.text}"
    return Kept(text, _kind(bullet, told), day, sources, worth if told else max(worth, least), SUMMARIZED)


def _kind(bullet: Bullet, told: Sequence[Kept]) -> str:
    """The sub-heading of what the bullet tells in other words, else that of the lines it cites."""
    found = Counter(one.kind for one in told)
    return found.most_common(1)[0][0] if found else kinds.of(bullet.text, bullet.lines[0].kind)


def _places(sources: Sequence[Source]) -> set[Place]:
    return {(source.path, source.line) for source in sources}


def _must_stay(one: Kept, choice: Choice) -> bool:
    """True for what somebody pinned, and for the successor of an entry that leaves."""
    return one.text.endswith(_PIN) or any(_follows(one, gone.successor) for gone in choice.gone)


def _follows(one: Kept, successor: str) -> bool:
    return bool(successor) and claims.terms(successor).keys() <= claims.terms(one.text).keys()


def _fitting(entries: Sequence[Kept], left: int, beside: Sequence[Kept], counter: TokenCounter) -> list[Kept]:
    """The worthiest of `entries` that fit into the tokens that are left, what comes from outside after all others."""
    found: list[Kept] = []
    for one in sorted(entries, key=lambda one: (origin.is_outside(one.src), -one.worth)):
        price = _prices([one], [*beside, *found], counter)
        if price <= left:
            found.append(one)
            left -= price
    return found


def _prices(entries: Sequence[Kept], beside: Sequence[Kept], counter: TokenCounter) -> int:
    """Tokens of entries besides others, each with a sub-heading where it is the first of its kind; rather too many."""
    titles = {one.kind for one in entries} - {one.kind for one in beside}
    texts = [*(f"\n### {title}\n\n" for title in titles), *(f"- {one.text}\n" for one in entries)]
    return tokens.of_units(counter, sum(map(counter.units, texts)))


def _really_fitting(
    folder: Folder, choice: Choice, certain: list[Kept], filling: list[Kept], room: int, counter: TokenCounter
) -> list[Kept]:
    """What of `filling` fits when the whole document is counted."""
    most = max(room, _tokens(folder, choice, choice.new, counter))
    while filling and _tokens(folder, choice, [*certain, *filling], counter) > most:
        filling = filling[:-1]
    return filling


def _dropped(one: Kept, why: str = CROWDED) -> Dropped:
    return Dropped(one.text, one.day, one.sources[0], one.worth, why)


def _tokens(folder: Folder, choice: Choice, new: Sequence[Kept], counter: TokenCounter) -> int:
    return tokens.tokens(counter, _memory(folder, choice, new))


def _memory(folder: Folder, choice: Choice, new: Sequence[Kept]) -> str:
    return managed.rewritten(
        folder.memory.text,
        heading=folder.heading,
        leaving={one.digest for one in choice.gone},
        joining=[(one.kind, one.text) for one in new],
        order=kinds.ORDER,
    )
