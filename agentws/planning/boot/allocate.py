"""The division of the budget: identity, what is in flight, the newest log, open items, the days before. Pure."""

from __future__ import annotations

from agentws.planning.boot import headings, open_items, order
from agentws.planning.boot.part import LONGEST_ROW_CHARS
from agentws.planning.boot.request import ACTIVITY, DAY, DIGEST, HANDOFF, IDENTITY, IN_FLIGHT, INSTRUCTIONS, TASK, USER
from agentws.planning.boot.rows import NOTHING
from agentws.planning.notes import ledger
from agentws.planning.tokens import counters

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from agentws.planning.boot.part import Part
    from agentws.planning.tokens.counters import Measure
    from agentws.ports import TokenCounter

_SELF = (IDENTITY, USER, INSTRUCTIONS)
_SELF_HUNDREDTHS, _SELF_HUNDREDTHS_OF_MUCH = 10, 14
_KEPT_HUNDREDTHS = 10
_KEPT_HUNDREDTHS_OF_LITTLE = 12
_OPEN_HUNDREDTHS = 9
_OPEN_HUNDREDTHS_OF_LITTLE = 12
_FIRST_ROWS = 3
_NEWEST_DAYS = 2
_FEWEST_LINES, _FEWEST_LINES_OF_LITTLE = 6, 4
_NEWEST_HUNDREDTHS = 70
_IN_FLIGHT_EIGHTHS = 2
_ACTIVITY_EIGHTHS = 1
_FEWEST_LINES_MORE = 2
_HEADINGS_HUNDREDTHS = 25
_HEADINGS_LINES = 2
_ALL = 1 << 60
_MOST_CHARS_PER_UNIT = 16
_ROOMY_LINES = 25
_LEAST_LINES = 10
_SMALL_LINES, _MANY_LINES = 60, 200
_ACCOUNT_SHARE = (16, 1000)


class Scale:
    """A budget of `room` units, seen in lines of text, so that it splits alike under every counter.

    `brief`: so small that titles are cut to the bone. `least`: below this nothing worth reading fits. `floor`: what
    the first claim gets at least. `small`: so small that nothing is said twice. `account`: for what was left out.
    `line`: what a usual line costs. `tiny`: so small that not even notices are told. `roomy`: so large that the agent's
    own rules can be told at length.
    """

    __slots__ = ("account", "brief", "floor", "least", "line", "roomy", "small", "tiny")

    def __init__(self, counter: TokenCounter, room: int) -> None:
        line = counters.yardstick(counter)
        self.line = line
        self.brief = room < _ROOMY_LINES * line
        self.tiny = room < _LEAST_LINES * line
        self.small = room < _SMALL_LINES * line
        self.roomy = room > _MANY_LINES * line
        self.least = line // 2
        self.floor = line * 6 // 5
        self.account = 0 if self.small else room * _ACCOUNT_SHARE[0] // _ACCOUNT_SHARE[1]


class Allocation:
    """Splits `room` units among the parts. `open` is the section of what is open, `headings` that of the days that are
    not shown; `is_whole` tells whether the logs are shown whole.
    """

    __slots__ = ("_measure", "_room", "_scale", "_today", "_wanted", "headings", "is_whole", "open")

    def __init__(self, room: int, measure: Measure, scale: Scale, *, today: str, wanted: Sequence[str] = ()) -> None:
        self._wanted = wanted
        self._today = today
        self._room = room
        self._measure = measure
        self._scale = scale
        self.open = self.headings = ""
        self.is_whole = False

    def stable(self, parts: Sequence[Part], head: int) -> int:
        """Choose the parts that seldom change, from these files and the budget alone. Returns the units used."""
        self_, kept = ([part for part in parts if (part.source.role in _SELF) == wanted] for wanted in (True, False))
        share = _SELF_HUNDREDTHS_OF_MUCH if self._scale.roomy else _SELF_HUNDREDTHS
        used = self._in_turn(self_, self._room * share // 100 - head)
        share = _KEPT_HUNDREDTHS_OF_LITTLE if self._scale.small else _KEPT_HUNDREDTHS
        return used + self._in_turn(kept, self._room * share // 100)

    def changing(self, parts: Sequence[Part], stable: Sequence[Part], total: int) -> int:
        """Choose what is in flight and the handoff, then tasks, the newest log, open items, a little of what happened
        lately, the days before. Returns the units used.
        """
        handoffs, flights, tasks, logs, activity = (
            [part for part in parts if part.source.role == role] for role in (HANDOFF, IN_FLIGHT, TASK, DAY, ACTIVITY)
        )
        # However many tasks there are, the newest day has room for a line.
        floor = logs[0].frame(self._measure) + self._scale.least if logs else 0
        left = total - self._in_flight(flights, total)
        left -= self._in_turn(handoffs, left * 2 // 3 if logs or tasks else left)
        left -= self._tasks(tasks, left - floor, alone=not logs)
        kept = sum(min(part.need(self._measure), left * _ACTIVITY_EIGHTHS // 8) for part in activity)
        if self._scale.brief:
            kept = 0
        digests = [part for part in parts if part.source.role == DIGEST]
        left -= self._logs(logs, [*stable, *digests], left - kept)
        self.is_whole = all(part.is_whole for part in logs)
        for part in activity:
            left -= part.choose(order.of, left if self.is_whole else kept, self._measure)
        return total - left

    def more(self, parts: Sequence[Part], total: int) -> int:
        """Spend what is left: on the stable part, last on rows that say nothing or are from outside.

        Returns the units used.
        """
        used = 0
        for ranked in (order.of, order.every):
            for part in sorted(parts, key=lambda part: part.source.role in _SELF):
                if total - used > self._scale.line * _FEWEST_LINES_MORE and not part.is_whole:
                    used += part.choose_more(ranked, total - used, self._measure)
        return used

    def last(self, parts: Sequence[Part], total: int) -> int:
        """Spend what nothing else needs on content that nobody vouched for. Returns the units used."""
        used = 0
        for part in parts:
            if part.source.role == DIGEST and total - used > self._scale.least:
                used += part.choose(order.of, total - used, self._measure)
        return used

    def _in_flight(self, parts: Sequence[Part], total: int) -> int:
        """A quarter for what is in flight, and at least one line: who repeats an effect does harm."""
        used = 0
        for part in parts:
            used += part.choose(order.of, total * _IN_FLIGHT_EIGHTHS // 8, self._measure)
            if not part.text_shown:
                least = part.frame(self._measure) + self._scale.floor
                used += part.choose(order.of, min(total, least), self._measure, at_least=True)
        return used

    def _in_turn(self, parts: Sequence[Part], total: int) -> int:
        """Give each part its fair share in turn, what it does not use flowing on; the first one has a line at least."""
        used = 0
        needs = [part.need(self._measure) for part in parts]
        seen: set[str] = set()
        for index, part in enumerate(parts):
            if seen and part.source.role in _SELF:
                part.leave_out(seen)
            grant = _fair(needs[index:], total - used)[0]
            is_first = index == 0 and part.source.role in (IDENTITY, HANDOFF)
            if is_first:
                left = total - used
                grant = max(
                    grant, min(needs[0], max(min(left * 2 // 3, self._scale.floor), min(left, self._scale.least)))
                )
            used += part.choose(order.of, grant, self._measure, at_least=is_first)
            if part.source.role in _SELF:
                seen |= part.says
        return used

    def _tasks(self, parts: Sequence[Part], total: int, *, alone: bool) -> int:
        """A third for the tasks, or all where they are `alone`; what one cannot use goes to the next in order."""
        share = max(0, total if alone else total // 3)
        used = self._in_turn(parts, share)
        for part in parts:
            if not part.text_shown:
                used += part.choose(order.of, share - used, self._measure)
        if parts and not used:
            used = parts[0].choose(order.of, total, self._measure, at_least=True)
        return used

    def _logs(self, logs: Sequence[Part], stable: Sequence[Part], total: int) -> int:
        """The newest log from its end, what is open, the days before, each from its end."""
        if not logs:
            return 0
        measure = self._measure
        # Who the agent is and how it works asks for nothing: a box there is a checklist's.
        parts = [*logs, *(part for part in stable if part.source.role not in _SELF)]
        known = ledger.of([part.entries for part in parts], today=self._today)
        if self._may_fit(logs, total) and sum(part.need(measure) for part in logs) <= total:
            used = sum(part.take_whole(measure) for part in logs)
            return used + self._open(known, parts, total - used, again=True)[1]
        share = _OPEN_HUNDREDTHS_OF_LITTLE if self._scale.small else _OPEN_HUNDREDTHS
        reserved = min(self._room * share // 100, total // 3)
        left = total - reserved
        fits = self._compact(logs[0]) <= left
        logs[0].most = 0
        left -= self._newest(logs[0], left if fits else left * _NEWEST_HUNDREDTHS // 100)
        if not fits:
            left -= self._of_sections(logs[0], left, self._over(logs[0], known))
        items, used = self._open(known, parts, reserved, again=False)
        left += reserved - used
        marked = left // 2
        for part in logs[1:]:
            part.most = LONGEST_ROW_CHARS
        for part in logs:
            used = part.selection(measure).fill(order.marked(part, self._wanted), marked)
            marked -= used
            left -= used
        told = {part.source.path: self._told(part, known, items) for part in logs}
        left -= self._days_before(logs, left, told)
        left -= self._from_end(logs[0], left)
        left -= self._untold(logs, left, told)
        if not any(part.text_shown for part in logs):
            left -= logs[0].choose(order.of, left, measure, at_least=True)
        return total - left

    def _days_before(self, logs: Sequence[Part], room: int, told: Mapping[str, Collection[int]]) -> int:
        """The days before the newest, each from its end, and by their headings those for which there is no room.
        Returns the units used.
        """
        least = self._scale.line * (_FEWEST_LINES_OF_LITTLE if self._scale.small else _FEWEST_LINES)
        has_more = len(logs) > _NEWEST_DAYS and not self._scale.small
        kept = room * _HEADINGS_HUNDREDTHS // 100 if has_more else 0
        left = room - kept
        seen: set[str] = set()
        gone: list[tuple[Part, Collection[int]]] = []
        for part, before in zip(logs[1:], logs, strict=False):
            if left < least or _is_old(part, logs[0]):
                break
            if before.chosen:
                seen.update(before.rows[at].gist for at in before.chosen.taken)
            gone.append((part, {*told[part.source.path], *_repeats(part, seen)}))
            left -= self._digest(*gone[-1], left)
        left += kept - self._headings([part for part in logs if not part.text_shown], kept)
        for part, rows in gone:
            if left > self._scale.least:
                left -= self._digest(part, rows, left)
        return room - left

    def _headings(self, logs: Sequence[Part], room: int) -> int:
        """Make the section of the days that are not shown; returns the units used."""
        if not room:
            return 0
        self.headings = headings.section(logs, room, self._measure, longest=self._scale.line * _HEADINGS_LINES)
        return self._measure(self.headings) if self.headings else 0

    def _untold(self, logs: Sequence[Part], room: int, told: Mapping[str, Collection[int]]) -> int:
        """Where there is room: what is marked, what lines of the newest days repeat, and the rest of long lines.
        Returns the units used.
        """
        used = 0
        orders = [(part, order.marked(part, self._wanted)) for part in logs]
        orders += [(part, order.of(part)) for part in logs[:_NEWEST_DAYS]]
        for part, ranked in orders:
            if room - used > self._scale.least:
                gone = told[part.source.path] if part is not logs[0] else ()
                used += part.selection(self._measure).fill([at for at in ranked if at not in gone], room - used)
        for part, ranked in orders:
            if room - used > self._scale.least:
                used += part.selection(self._measure).lengthen(ranked, room - used)
        return used

    def _open(
        self, known: ledger.Ledger, parts: Sequence[Part], room: int, *, again: bool
    ) -> tuple[open_items.Section, int]:
        """Make the section of what is open; returns it and the units used."""
        scale, measure = self._scale, self._measure
        made = open_items.section(known, parts, room, measure, line=scale.line, small=scale.small, again=again)
        self.open = made.text
        for part in parts:
            if part.source.role != DAY:
                part.tell({at for path, at in made.whole if path == part.source.path})
        return made, measure(made.text) if made.text else 0

    def _newest(self, part: Part, room: int) -> int:
        """What is marked in the newest log, then the log from its end; returns the units used."""
        used = part.selection(self._measure).fill(order.marked(part, self._wanted), room)
        return used + self._from_end(part, room - used)

    def _from_end(self, part: Part, room: int) -> int:
        """The log from its end, whole where it fits; returns the units used."""
        made, ranked = part.selection(self._measure), order.of(part)
        used = made.fill(ranked, room, stops=True)
        if room - used > self._scale.line * 2:
            used += made.fill_cut(ranked, room - used)
        return used

    def _of_sections(self, part: Part, room: int, over: Collection[int]) -> int:
        """What each section of a log tells whose end is shown, without what is `over`; returns the units used.

        Where there is little room whole lists of decisions, lessons, blockers and the like, else how each one begins.
        """
        rows = part.rows
        every = order.counting(part) if self._scale.small else order.heads(part, 1)
        found = [at for at in every if rows[at].heading != NOTHING and at not in over]
        return part.selection(self._measure).fill(found, room)

    def _digest(self, part: Part, told: Collection[int], room: int) -> int:
        """What is marked in a log, how each of its sections begins, the last one first, and then the rest from its end;
        without the rows that are `told` elsewhere or over. Returns the units used.
        """
        made = part.selection(self._measure)
        ranked = (*order.marked(part, self._wanted), *order.heads(part, _FIRST_ROWS))
        used = made.fill([at for at in ranked if at not in told], room)
        return used + made.fill([at for at in order.of(part) if at not in told], room - used, stops=True)

    def _told(self, part: Part, known: ledger.Ledger, items: open_items.Section) -> set[int]:
        """Rows of an earlier day that need not be shown: what is over by now, what has another value
        since, and what stands among what is open.
        """
        return self._over(part, known) | {at for path, at in items.rows if path == part.source.path}

    def _over(self, part: Part, known: ledger.Ledger) -> set[int]:
        """Rows that say what is over by now, or what has another value since."""
        gone = known.gone.get(part.source.path, ())
        return {at for entry in gone if (at := part.row_of(entry)) is not None}

    def _may_fit(self, logs: Sequence[Part], total: int) -> bool:
        """Return whether it is worth while to look whether all of the logs fit: no text costs so little else."""
        return sum(len(part.source.text) for part in logs) <= total * _MOST_CHARS_PER_UNIT

    def _compact(self, part: Part) -> int:
        """What all rows of a log cost."""
        trial = part.trial(self._measure)
        trial.fill(part.page.telling, _ALL)
        return trial.units


def _is_old(part: Part, newest: Part) -> bool:
    """Return whether a log is of long before the newest one."""
    return ledger.days_between(part.source.brief, newest.source.brief) > ledger.LONGEST_SILENCE_DAYS


def _repeats(part: Part, seen: Collection[str]) -> set[int]:
    """The rows of a log that say what was `seen` or what a later row of it says, but for numbers and times."""
    own: set[str] = set()
    found = set()
    rows = part.rows
    for at in reversed(part.page.telling):
        gist = rows[at].gist
        if gist and (gist in seen or gist in own):
            found.add(at)
        own.add(gist)
    return found


def _fair(needs: Sequence[int], total: int) -> list[int]:
    """Split `total` evenly, none above its need; what is not needed is split among the others."""
    grants = [0] * len(needs)
    waiting = [index for index, need in enumerate(needs) if need > 0]
    while waiting and total > 0:
        share = total // len(waiting)
        satisfied = [index for index in waiting if needs[index] <= share]
        if not satisfied:
            for index in waiting:
                grants[index] = share
            break
        for index in satisfied:
            grants[index] = needs[index]
            total -= needs[index]
            waiting.remove(index)
    return grants
