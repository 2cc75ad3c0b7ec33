"""Allocates boot's budget to the sections of its text, by the rules of docs/guides/waking-up.md. Pure."""

from __future__ import annotations

from agentws.core.formats import layout
from agentws.core.notes.request import ACTIVITY, DAY, EARLIER, HANDOFF, IN_FLIGHT, MEMORY, NEXT, OPEN, TASK
from agentws.core.text.sanitize import one_line
from agentws.features.boot.plan import frame_mark

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from agentws.core.tokens.counters import Measure
    from agentws.features.boot.plan.section import Section

FULL, MEDIUM, SMALL = 6_000, 2_000, 1_500
"""Tokens from which a budget has the larger shares."""
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
NAMED = (HANDOFF, IN_FLIGHT, OPEN)
"""Roles of the sections that have at least a gap mark in any budget."""
_UNUSED = 3
"""Hundredths of the budget that may be left."""
_STEP, _FINE_STEP = 10, 50
"""The room that the days leave goes back to the stable part in tenths, the rest of it in fiftieths, of the budget."""


class Budget:
    """Boot's budget: `room` units in all; `per_token` is how many units a token has.

    `asked` are the requested tokens, `tokens` as many of English as fit: a byte is less than a token.
    """

    __slots__ = ("asked", "per_token", "room", "tokens")

    def __init__(self, room: int, per_token: int, tokens: int, asked: int) -> None:
        self.room = room
        self.per_token = per_token
        self.tokens = tokens
        self.asked = asked

    def share(self, hundredths: int) -> int:
        """Allocate so many hundredths of boot's budget: return the units."""
        return self.room * hundredths // 100

    def of(self, table: Sequence[tuple[int, int]]) -> int:
        """Allocate the share that a table of (least tokens, hundredths) gives: return the units."""
        return self.share(next(hundredths for least, hundredths in table if self.tokens >= least))


def divide(
    sections: Sequence[Section],
    outside: Sequence[Section],
    budget: Budget,
    room: int,
    drop_repeated: Callable[[], None],
    drop_listed: Callable[[Section], bool],
) -> None:
    """Allocate boot's budget: fill the sections with what the rules give each, within `room` units in all.

    `sections` are in the order of the text; `outside` quote the outside content of the stable part's files;
    `drop_repeated` removes from the list of open items those that the stable part shows, `drop_listed` from a log those
    that the list shows.
    """
    by_role: dict[str, list[Section]] = {}
    for section in sections:
        by_role.setdefault(section.source.role, []).append(section)
    memory = by_role.get(MEMORY, [])
    identity = [section for section in sections if section.is_stable and section not in memory]
    days = by_role.get(DAY, [])
    share, memory_share = budget.of(_IDENTITY), budget.of(_MEMORY)
    most = max(share + memory_share, budget.share(_MOST_SURE))
    marks = sum(section.used for role in NAMED for section in by_role.get(role, []))
    used = _stable(identity, memory, share, memory_share, budget, min(room - marks, most))
    drop_repeated()
    left = _changing(by_role, days, budget, room - used, drop_listed)
    for step in (_STEP, _FINE_STEP) if not days or any(day.taken for day in days) else ():
        if step == _FINE_STEP and not all(map(_is_full, (*days, *_others(sections), *outside))):
            break  # what is less than the next block of a day is no room that the days leave
        more = left - left % max(1, budget.room // step)
        if more and not all(map(_is_full, (*identity, *memory))):
            share, memory_share = share + more, memory_share + more
            grown = _stable(identity, memory, share, memory_share, budget, used + more)
            left -= grown - used
            used = grown
    drop_repeated()


def use(sections: Sequence[Section], outside: Sequence[Section], budget: Budget, left: int) -> None:
    """Allocate what is `left` of boot's budget to the sections: those after `Now` first, then the stable part."""
    days = [section for section in sections if section.source.role == DAY]
    shown = sum(bool(day.taken) for day in days)
    changing = [*days[: shown + 1], *outside, *_others(sections)]
    is_small = budget.asked < MEDIUM
    least = 0 if is_small else budget.share(_UNUSED)
    left = _use(left, changing, least, may_cut=not (is_small and any(day.taken for day in days)))
    _use(left, [section for section in sections if section.is_stable], least)


def _others(sections: Sequence[Section]) -> list[Section]:
    roles = (HANDOFF, IN_FLIGHT, TASK, OPEN, EARLIER, ACTIVITY)
    return [section for section in sections if section.source.role in roles]


def _stable(
    identity: Sequence[Section], memory: Sequence[Section], share: int, memory_share: int, budget: Budget, most: int
) -> int:
    """Fill identity files up to `share` and MEMORY.md up to `memory_share`, at most `most` in all; return the units.

    Small files are whole first, the large ones share what they leave.
    """
    left = min(share, most)
    used = 0
    by_size = sorted(identity, key=lambda section: section.need)
    # A small budget has a block only of what says who the agent is and whom it serves.
    sure = [each for each in by_size if budget.tokens >= MEDIUM or each.source.path in (layout.IDENTITY, layout.USER)]
    first = {section.source.path: section.fill_first(0, most) for section in sure if section.order}
    for place, section in enumerate(by_size):
        room = max(0, left) // (len(by_size) - place)
        units = section.fill(min(section.need, room))
        if first.pop(section.source.path, 0) and not units:
            free = most - used - sum(first.values())
            enough = max(left if budget.tokens >= MEDIUM else left // (1 + len(first)), share // _SURE)
            units = section.fill_first(min(enough, free), free)
        left -= units
        used += units
    for section in memory:
        used += _filled_or_cut(section, min(memory_share + max(0, left), most - used))
    return used


def _changing(
    by_role: dict[str, list[Section]],
    days: Sequence[Section],
    budget: Budget,
    left: int,
    drop_listed: Callable[[Section], bool],
) -> int:
    """Fill the sections after `Now`; return the units that are left."""
    for section in by_role.get(IN_FLIGHT, []):
        # An agent that repeats an effect does harm: at least one action is shown.
        least = min(section.cost_of(1), left)
        left -= section.fill(max(least, left * _IN_FLIGHT // 100))
    newest = min(days[0].cost_of(1), left // 3) if days else 0
    for section in by_role.get(HANDOFF, []):
        most = max(budget.share(_HANDOFF), _LEAST_HANDOFF_TOKENS * budget.per_token)
        left -= _filled_or_cut(section, min(left - newest, most))
    for role in (TASK, OPEN, EARLIER):
        for section in by_role.get(role, []):
            least = min(section.cost_of(_LEAST_ITEMS), left - newest)
            left -= section.fill(max(least, left * _OPEN // 100))
    activity, following = by_role.get(ACTIVITY, []), by_role.get(NEXT, [])
    recent = sum(section.fill(left * _ACTIVITY // 100) for section in activity)
    rest = _days(days, left - recent, drop_listed)
    for section in following:
        log = next((day for day in days if day.source.path == section.source.path), None)
        lines = {line.strip() for block in section.page.blocks for line in block.text.split("\n")}
        if log is not None and lines.issubset(map(str.strip, log.text.split("\n"))):
            section.drop(section.order)  # nothing twice
        else:
            units = _filled_or_cut(section, min(budget.share(_NEXT), left - recent))
            rest = _days(days, left - recent - units, drop_listed)
    return rest


def _days(days: Sequence[Section], left: int, drop_listed: Callable[[Section], bool]) -> int:
    """Fill the logs, newest first, each from its end; return the units that are left."""
    for section in days:
        section.taken, section.cuts = set(), {}
    for place, section in enumerate(days):
        drop_listed(section)
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


COMMAND = "agentws"
_SHARE = 200
"""A reader without a host pays at most this part of its room for a line."""
_LEAST_TOKENS = 400
_HEADING = "Record as you go"
_BRIEF = 'Record as you go: `{0} log "…"`, `todo`, `done`, `remember`, `task`, `handoff`. No secrets.\n'
_FULL = (
    '`{0} log "what happened"` (`--kind decision`, `lesson`) · `todo "…"`, `done WORDS` · '
    '`remember "what stays true"` · `task add "work of several steps"` · '
    '`handoff --doing "…" --next "…"` before you stop mid-task · `curate` when asked. {1}No secrets.\n'
)
_RECORDED = "{} are recorded automatically. "
_ELSEWHERE = "Begin every command like the first one. "


def section(recorded: str | None, command: str, budget: Budget, measure: Measure) -> str:
    """Return boot's closing section, as its budget allows; `recorded` is what the host records, None without a host.

    `command` is what the agent types for `agentws`.
    """
    command = one_line(command)
    brief = _BRIEF.format(command)
    if recorded is None:
        return f"\n{brief}" if measure(brief) * _SHARE <= budget.room else ""
    if budget.tokens < _LEAST_TOKENS:
        return ""
    if budget.tokens < MEDIUM:
        return f"\n{brief}"
    more = _RECORDED.format(recorded) + (_ELSEWHERE if command != COMMAND else "")
    return f"\n{frame_mark.heading(_HEADING)}{_FULL.format(command, more)}"


def signed(text: str, word: str) -> str:
    """Return boot's closing section with its frame mark, if it has a heading."""
    return f"\n{frame_mark.signed(text[1:], word)}" if text.startswith("\n#") else text
