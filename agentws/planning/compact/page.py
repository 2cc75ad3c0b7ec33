"""The lines of the digest, within its room: open items, then what waits, then what says most. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from agentws.formats import origin
from agentws.formats.documents import managed
from agentws.planning.compact import digest, digest_order, section
from agentws.planning.compact.choice import LEFT, Gone, Kept, Page
from agentws.planning.compact.units import Source

if TYPE_CHECKING:
    from collections.abc import Sequence

    from agentws.formats.documents.sources import Made
    from agentws.planning.compact.candidates import Candidate
    from agentws.planning.compact.earlier import Earlier
    from agentws.planning.compact.opened import Opened
    from agentws.planning.tokens.counters import Measure

_MORE = "{:,} more lines stay in the logs of these days"
_WIDEST = 1000
_MOST_MISSES = 60


class Filled(NamedTuple):
    """The digest after a run: its change (`page`), the open lines that it shows (`shown`), the lines in it (`told`)."""

    page: Page
    shown: set[str]
    told: list[Candidate]


def fill(
    text: str,
    before: Earlier,
    others: Sequence[Candidate],
    moved: Sequence[Kept],
    opened_: Opened,
    *,
    room: int,
    measure: Measure,
    newest: str,
) -> Filled:
    """Return what the digest of this `text` says of `others` and of what `moved` there, in `room` units."""
    if not digest.is_ours(text):
        return Filled(Page(), set(), [])
    empty = digest.rewritten(text or digest.HEAD, leaving={*before.lines}) or digest.HEAD
    room -= measure(empty) + measure(f"\n## {digest.NOT_SHOWN}\n\n- {_MORE.format(_WIDEST)}\n")
    open_ = [one for one in moved if one.kind == digest.OPEN]
    fixed, room = opened_.fill([*opened_.lines, *open_], room, measure)
    rest, room = opened_.fill([one for one in moved if one.kind != digest.OPEN], room, measure)
    fixed += rest
    told = _chosen(others, before, room, measure, newest)
    lines = [*fixed, *(_line(one, before) for one in told)]
    count = _not_shown(others, told, before)
    lines += [Kept(_MORE.format(count), digest.NOT_SHOWN, "", ())] if count and room > 0 else []
    names = {managed.of_text(one.text): one for one in lines}
    gone = [
        Gone(line.digest, line.text, LEFT, kind=f"{digest.PLACE}{line.title}")
        for line in before.lines.values()
        if line.digest not in names
    ]
    new = [one for name, one in names.items() if name not in before.lines]
    return Filled(Page(new, gone), {one.text for one in fixed}, told)


def moved(one: managed.ManagedEntry, made: Made) -> Kept:
    """Return an entry of an earlier version as the digest says it."""
    text = " ".join(one.text.split())
    is_open = one.kind == managed.OPEN
    if is_open and not text.startswith("["):
        text = f"[ ] {text}"
    title = digest.OPEN if is_open else digest.week(made.day) if made.day else digest.NOT_SHOWN
    sources = [Source(each.path, each.line, each.end) for each in made.sources]
    return Kept(text, title, made.day, sources, src=made.src or origin.UNKNOWN, days=made.confirmed)


def _chosen(others: Sequence[Candidate], before: Earlier, room: int, measure: Measure, newest: str) -> list[Candidate]:
    told: list[Candidate] = []
    weeks: set[str] = set()
    misses = 0
    for one in digest_order.of([one for one in others if one.day], newest):
        title = digest.week(one.day)
        cost = measure(f"- {_text(one, before)}\n") + (0 if title in weeks else measure(f"\n## {title}\n\n"))
        if cost <= room:
            told.append(one)
            weeks.add(title)
            room -= cost
        elif (misses := misses + 1) > _MOST_MISSES:
            break
    return told


def _not_shown(others: Sequence[Candidate], told: Sequence[Candidate], before: Earlier) -> int:
    earlier = next((line.text for line in before.lines.values() if line.title == digest.NOT_SHOWN), "0")
    number = earlier.partition(" ")[0].replace(",", "")
    rest = sum(not before.waits(one) for one in others) - sum(not before.waits(one) for one in told)
    return rest + (int(number) if number.isdecimal() else 0)


def _text(one: Candidate, before: Earlier) -> str:
    """What a line of the digest says; one that stands there already stays as it is."""
    line = before.lines.get(one.waits)
    return line.text if line else f"{one.day} {one.text}{origin.ending(one.src)}"


def _line(one: Candidate, before: Earlier) -> Kept:
    line = before.lines.get(one.waits)
    title = line.title if line else digest.week(one.day)
    return section.kept(one, text=_text(one, before), title=title)
