"""The sections of a handoff, from what was recorded: a session's events, the tasks, the newest log, git. Pure.

The same facts give the same words. What the journal is silent about, the log tells; no line is longer than it must be,
and no list longer than a reader takes in.
"""

from __future__ import annotations

from agentws.formats import event as _event
from agentws.formats import handoff, task
from agentws.planning import inferring, projection, telling
from agentws.planning.activity import when

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from agentws.formats.event import Event
    from agentws.formats.handoff import Sections
    from agentws.formats.task import Task
    from agentws.planning.projection import Projection
    from agentws.planning.telling import Cut
    from agentws.planning.unended import Log

    Lists = dict[str, list[str]]

_MOST_ACTIONS, _MOST_DECISIONS, _MOST_ERRORS, _MOST_FILES, _MOST_TASKS, _MOST_RISKS = 3, 8, 4, 12, 6, 5
_MOST_LINE = 240
_MOST_PATH = 160
_LOOKED_AT = (_event.NOTE, _event.DECISION, _event.THOUGHT, _event.RESULT, _event.PLAN)


class Facts:
    """What a handoff is derived from.

    `events` are those of the session, oldest first, `open` its actions without a result, newest first; `tasks` those
    that are not over; `log` is the newest one, and `is_of_session` tells whether it is of the session's days; `git`
    says what the repository of the workspace has that no other is known to have, empty for nothing.
    """

    __slots__ = ("events", "git", "is_of_session", "log", "open", "tasks")

    def __init__(
        self,
        events: Sequence[Event],
        *,
        open: Sequence[Event] = (),
        tasks: Sequence[Task] = (),
        log: Log | None = None,
        is_of_session: bool = True,
        git: str = "",
    ) -> None:
        self.events = events
        self.open = open
        self.tasks = tasks
        self.log = log
        self.is_of_session = is_of_session
        self.git = git


class Derived:
    """Sections that nobody wrote, and how many secrets were hidden in them; `log` is the one that was read besides."""

    __slots__ = ("hidden", "log", "sections")

    def __init__(self, sections: Sections, hidden: int, *, log: str = "") -> None:
        self.sections = sections
        self.hidden = hidden
        self.log = log


def derive(facts: Facts, moment: datetime, *, in_flight: str = "") -> Derived:
    """The sections of a handoff as of `moment`. `in_flight` stands for the actions in flight where others tell them."""
    found: Sections = {}

    def tell(cut: Cut) -> list[str]:
        found.clear()
        lists = _lists(facts, moment, cut)
        if in_flight and facts.open:
            lists[handoff.IN_FLIGHT] = [in_flight]
        found.update({heading: handoff.listed(lists[heading]) for heading in handoff.HEADINGS if lists.get(heading)})
        return []

    _, hidden = telling.lines(tell)
    read = facts.log.path if facts.log is not None and any(inferring.read(facts.log).values()) else ""
    return Derived(found, hidden, log=read)


def _lists(facts: Facts, moment: datetime, cut: Cut) -> Lists:
    state = projection.replay(facts.events)
    found: Lists = {
        handoff.DOING: [*_plans(state, moment, cut), *_active(facts.tasks, cut), *_last(facts, moment, cut)],
        handoff.DECISIONS: _decisions(state, moment, cut),
        handoff.PENDING: _pending(facts.tasks, cut),
        handoff.FAILED: _errors(state, facts.events, moment, cut),
        handoff.IN_FLIGHT: [_action(one, moment, cut) for one in facts.open],
        handoff.AT_RISK: [*([facts.git] if facts.git else []), *_risks(facts.events, moment, cut)],
        handoff.FILES: _files(state.files, cut),
    }
    if facts.log is not None:
        _from_log(found, facts, facts.log, cut, is_silent=not _has_done(facts))
    return found


def _from_log(found: Lists, facts: Facts, log: Log, cut: Cut, *, is_silent: bool) -> None:
    """Add what the log says: what is to be done in any case, the rest where the journal says nothing of it."""
    told = inferring.read(log)
    if facts.is_of_session and not is_silent:
        told[handoff.DOING] = []
    for heading, lines in told.items():
        always = heading in (handoff.PENDING, handoff.NEXT, handoff.AT_RISK)
        if always or (facts.is_of_session and not found.get(heading)):
            found[heading] = [*found.get(heading, ()), *(cut(line, _MOST_LINE) for line in lines)]


def _has_done(facts: Facts) -> bool:
    return any(one.kind in _event.CALLS or one.kind == _event.PLAN for one in facts.events)


def _plans(state: Projection, moment: datetime, cut: Cut) -> list[str]:
    plan = state.plan
    return [f"Plan ({when(plan, moment)}): {_text(plan, cut)}"] if plan else []


def _active(tasks: Sequence[Task], cut: Cut) -> list[str]:
    active = [one for one in tasks if one.status.lower() == task.ACTIVE][:_MOST_TASKS]
    return [_joined(f"Task {cut(one.title, telling.MOST_TEXT)}", _step(one, cut), _next(one, cut)) for one in active]


def _pending(tasks: Sequence[Task], cut: Cut) -> list[str]:
    others = [one for one in tasks if one.status.lower() != task.ACTIVE][:_MOST_TASKS]
    return [
        _joined(
            f"Task {cut(one.title, telling.MOST_TEXT)}",
            one.status,
            f"waiting for {cut(one.waiting_on, telling.MOST_TEXT)}" if one.waiting_on else "",
            _step(one, cut),
            _next(one, cut),
        )
        for one in others
    ]


def _step(one: Task, cut: Cut) -> str:
    return f"step: {cut(one.step, telling.MOST_TEXT)}" if one.step else ""


def _next(one: Task, cut: Cut) -> str:
    return f"next: {cut(one.next_step, telling.MOST_TEXT)}" if one.next_step and one.next_step != one.step else ""


def _last(facts: Facts, moment: datetime, cut: Cut) -> list[str]:
    """The last things that were done, oldest first."""
    ends = {one.call: one for one in facts.events if one.kind in _event.CALLS[1:] and one.call}
    went_well = {call for call, end in ends.items() if end.kind == _event.RESULT}
    done = [one for one in facts.events if one.kind == _event.ACTION and one.call in went_well][-_MOST_ACTIONS:]
    said = [one for one in facts.events if one.kind in (_event.NOTE, _event.THOUGHT)][-1:]
    chosen = sorted((*done, *said), key=lambda one: (one.at, one.seq))
    return [f"Last, {when(one, moment)}: {telling.line(one, cut, ended_by=ends.get(one.call or ''))}" for one in chosen]


def _decisions(state: Projection, moment: datetime, cut: Cut) -> list[str]:
    return [f"{_text(one, cut)} ({when(one, moment)})" for one in state.decisions[-_MOST_DECISIONS:]]


def _errors(state: Projection, events: Sequence[Event], moment: datetime, cut: Cut) -> list[str]:
    begun = {one.call: one for one in events if one.kind == _event.ACTION}
    lines = []
    for place, one in enumerate(state.errors[: -_MOST_ERRORS - 1 : -1]):
        action = begun.get(one.call) if one.call else None
        words = telling.line(action or one, cut, ended_by=one if action else None).removeprefix("[error] ")
        lines.append(f"{'' if place else 'Last error, '}{when(one, moment)}: {words}")
    return lines


def _action(one: Event, moment: datetime, cut: Cut) -> str:
    return f"{when(one, moment)} {telling.action(one, cut)} · call {cut(one.call or '', telling.MOST_NAME * 3)}"


def _risks(events: Sequence[Event], moment: datetime, cut: Cut) -> list[str]:
    """What events say may exist on one machine only, the newest first."""
    said = [(one, _words(one)) for one in events if one.kind in _LOOKED_AT]
    found = [(one, words) for one, words in reversed(said) if inferring.is_at_risk(words)]
    return [f"{cut(words, _MOST_LINE)} ({when(one, moment)})" for one, words in found[:_MOST_RISKS]]


def _words(one: Event) -> str:
    body = one.body or {}
    return next((found for key in ("text", "output") if isinstance(found := body.get(key), str)), "")[:2000]


def _files(paths: Sequence[str], cut: Cut) -> list[str]:
    told = [cut(path, _MOST_PATH) for path in paths[:_MOST_FILES]]
    return [*told, f"{len(paths) - len(told)} more"] if len(paths) > len(told) else told


def _text(one: Event, cut: Cut) -> str:
    return telling.line(one, cut).removeprefix(f"[{one.kind}] ")


def _joined(*parts: str) -> str:
    return " · ".join(part for part in parts if part)
