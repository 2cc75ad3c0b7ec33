"""Allocates boot's budget to the sections of its text, by the rules of docs/guides/waking-up.md. Pure."""

from __future__ import annotations

from agentws.core.formats import layout
from agentws.core.notes import reference
from agentws.core.notes.request import ACTIVITY, DAY, EARLIER, HANDOFF, IN_FLIGHT, MEMORY, NEXT, OPEN, TASK
from agentws.features.boot.plan.frame import FULL, MEDIUM, NAMED, SMALL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from agentws.core.notes.open_items import OpenItem
    from agentws.features.boot.plan.frame import Budget
    from agentws.features.boot.plan.section import Section

_IDENTITY = ((FULL, 50), (SMALL, 20), (0, 10))
_MEMORY = ((SMALL, 15), (0, 6))
_HANDOFF, _IN_FLIGHT, _OPEN, _NEXT, _ACTIVITY, _NEWEST_DAY = 20, 25, 12, 10, 12, 70
"""Hundredths: of the budget for identity files, MEMORY.md, handoff and `next`, else of the room that remains."""
_LEAST_HANDOFF_TOKENS = 200
_LEAST_ITEMS = 3
_SURE = 2
"""A file that is sure of its first block may use so many-th part of the share of all identity files for it."""
_MOST_SURE = 40
"""Hundredths of the budget that all first blocks may use: unfinished work must have a line."""
_UNUSED = 3
"""Hundredths of the budget that may be left."""
_STEP, _FINE_STEP = 10, 50
"""The room that the days leave goes back to the stable part in tenths, the rest of it in fiftieths, of the budget."""


class Shares:
    """The sections to which boot's budget is allocated, in the order of the text.

    `outside` quote the outside content of the stable part's files; `items` are those of the section of open items.
    """

    def __init__(
        self, sections: Sequence[Section], outside: Sequence[Section], items: Sequence[OpenItem], budget: Budget
    ) -> None:
        self._outside = outside
        self._items = items
        self._budget = budget
        self._by_role: dict[str, list[Section]] = {}
        for section in sections:
            self._by_role.setdefault(section.source.role, []).append(section)
        self._stable = [section for section in sections if section.is_stable]
        self._memory = self._of(MEMORY)
        self._identity = [section for section in self._stable if section not in self._memory]
        self._days = self._of(DAY)
        self._others = self._of(HANDOFF, IN_FLIGHT, TASK, OPEN, EARLIER, ACTIVITY)

    def _of(self, *roles: str) -> list[Section]:
        return [section for role in roles for section in self._by_role.get(role, ())]

    def divide(self, room: int) -> None:
        """Fill the sections with what the rules give each, within `room` units in all."""
        budget, days = self._budget, self._days
        share, memory_share = budget.of(_IDENTITY), budget.of(_MEMORY)
        most = max(share + memory_share, budget.share(_MOST_SURE))
        marks = sum(section.used for section in self._of(*NAMED))
        used = self._fill_stable(share, memory_share, min(room - marks, most))
        self.drop_repeated()
        left = self._fill_changing(room - used)
        for step in (_STEP, _FINE_STEP) if not days or any(day.taken for day in days) else ():
            if step == _FINE_STEP and not all(map(_is_full, (*days, *self._others, *self._outside))):
                break  # these units are the share of a block that is too large for them
            more = left - left % max(1, budget.room // step)
            if more and not all(map(_is_full, self._stable)):
                share, memory_share = share + more, memory_share + more
                grown = self._fill_stable(share, memory_share, used + more)
                left -= grown - used
                used = grown
        self.drop_repeated()

    def use(self, left: int) -> None:
        """Fill the sections after `Now` with the `left` units of the budget, and the stable part with the rest."""
        shown = sum(bool(day.taken) for day in self._days)
        is_small = self._budget.request.budget < MEDIUM
        least = 0 if is_small else self._budget.share(_UNUSED)
        changing = [*self._days[: shown + 1], *self._outside, *self._others]
        left = _use(left, changing, least, may_cut=not (is_small and shown))
        _use(left, self._stable, least)

    def drop_repeated(self) -> None:
        """Take those items out of the list of open items that the stable part shows."""
        for listed in self._of(OPEN):
            shown = [section for section in self._stable if section.taken]
            lines = {(section.source.path, line) for section in shown for line in section.lines_shown}
            boxes = {line.strip() for section in shown for line in section.text.split("\n") if "[ ] " in line}
            entries = enumerate(item.entry for item in self._items)
            gone = (at for at, entry in entries if (entry.path, entry.line) in lines or entry.first.strip() in boxes)
            listed.drop([*gone])
            if above := len(self._items) - len(listed.order):
                listed.rename(f"Open, {above} more above")

    def drop_listed(self, days: Sequence[Section]) -> bool:
        """Take those entries out of logs that the list of open items shows; return whether one of them showed one."""
        entries = [entry for listed in self._of(OPEN) for at in listed.taken for entry in self._items[at].said]
        was_shown = False
        for day in days:
            lines = {(each.line, each.end_line): each for each in entries if each.path == day.source.path}
            blocks = day.page.blocks if lines else []
            places = {at: lines.get((block.lines.start, block.lines.stop - 1)) for at, block in enumerate(blocks)}
            kept = {block.under for at, block in enumerate(blocks) if places[at] is None or block.needs}
            # A list that its author wrote is shown whole, unless all of it is listed.
            gone = [
                at
                for at, entry in places.items()
                if entry and not blocks[at].needs and (blocks[at].under not in kept or reference.written(entry.text))
            ]
            was_shown = was_shown or not day.taken.isdisjoint(gone)
            if gone:
                day.drop(gone)
        return was_shown

    def _fill_stable(self, share: int, memory_share: int, most: int) -> int:
        """Fill identity files up to `share`, MEMORY.md up to `memory_share`, at most `most` in all; return the units.

        Small files are whole first, the large ones share what they leave.
        """
        is_medium = self._budget.tokens >= MEDIUM
        left = min(share, most)
        used = 0
        by_size = sorted(self._identity, key=lambda section: section.need)
        # A small budget has a block only of what says who the agent is and whom it serves.
        sure = [each for each in by_size if is_medium or each.source.path in (layout.IDENTITY, layout.USER)]
        first = {section.source.path: section.fill_first(0, most) for section in sure if section.order}
        for place, section in enumerate(by_size):
            room = max(0, left) // (len(by_size) - place)
            units = section.fill(min(section.need, room))
            if first.pop(section.source.path, 0) and not units:
                free = most - used - sum(first.values())
                enough = max(left if is_medium else left // (1 + len(first)), share // _SURE)
                units = section.fill_first(min(enough, free), free)
            left -= units
            used += units
        for section in self._memory:
            used += _filled_or_cut(section, min(memory_share + max(0, left), most - used))
        return used

    def _fill_changing(self, left: int) -> int:
        """Fill the sections after `Now`; return the units that are left."""
        budget, days = self._budget, self._days
        for section in self._of(IN_FLIGHT):
            # An agent that repeats an effect does harm: at least one action is shown.
            least = min(section.cost_of(1), left)
            left -= section.fill(max(least, left * _IN_FLIGHT // 100))
        newest = min(days[0].cost_of(1), left // 3) if days else 0
        for section in self._of(HANDOFF):
            most = max(budget.share(_HANDOFF), _LEAST_HANDOFF_TOKENS * budget.gauge.units_per_token)
            left -= _filled_or_cut(section, min(left - newest, most))
        for section in self._of(TASK, OPEN, EARLIER):
            least = min(section.cost_of(_LEAST_ITEMS), left - newest)
            left -= section.fill(max(least, left * _OPEN // 100))
        left -= sum(section.fill(left * _ACTIVITY // 100) for section in self._of(ACTIVITY))
        rest = self._fill_days(left)
        for section in self._of(NEXT):
            log = next((day for day in days if day.source.path == section.source.path), None)
            lines = {line.strip() for block in section.page.blocks for line in block.text.split("\n")}
            if log is not None and lines.issubset(map(str.strip, log.text.split("\n"))):
                section.drop(section.order)  # nothing twice
            else:
                rest = self._fill_days(left - _filled_or_cut(section, min(budget.share(_NEXT), left)))
        return rest

    def _fill_days(self, left: int) -> int:
        """Fill the logs, newest first, each from its end; return the units that are left."""
        days = self._days
        for section in days:
            section.taken, section.cuts = set(), {}
        for place, section in enumerate(days):
            self.drop_listed([section])
            room = left * _NEWEST_DAY // 100 if place == 0 and len(days) > 1 else left
            left -= section.fill(room) if place else _filled_or_cut(section, room)
            if place and not section.is_whole:
                break
        if days and not days[0].is_whole:
            left += days[0].used
            left -= _filled_or_cut(days[0], left)
        return left


def _use(left: int, sections: Sequence[Section], least: int, *, may_cut: bool = True) -> int:
    """Use what is left, if more than `least`: more blocks where one fits, then with `may_cut` the first and last
    sentences of one that does not; return the units that are left.
    """
    for grow in (False, True)[: 1 + may_cut]:
        for section in sections:
            if left > least and not _is_full(section):
                before, taken, cuts = section.used, section.taken, section.cuts
                section.fill(before + left)
                if len(section.taken) < len(taken):
                    section.taken, section.cuts = taken, cuts
                if grow and left - (section.used - before) > least:
                    section.cut(before + left)
                left -= section.used - before
    return left


def _filled_or_cut(section: Section, room: int) -> int:
    section.fill(room)
    return section.used if section.taken else section.cut(room)


def _is_full(section: Section) -> bool:
    return len(section.taken) == len(section.order) and not section.cuts
