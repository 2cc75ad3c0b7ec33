"""The sections of a handoff, from what was recorded: a session's events, the tasks, the newest log, git. Pure.

The same facts give the same words. What the journal is silent about, the log tells; no line is longer than it must be,
and no list longer than a reader takes in.
"""

from __future__ import annotations

from agentws.formats import event as _event
from agentws.formats import handoff, origin, outside, task
from agentws.formats.lazy import Pattern
from agentws.planning import inferring, meaning, projection, retelling, telling
from agentws.planning.activity import when
from agentws.planning.alike import Alike
from agentws.planning.lines import Line

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

ASKED, PLAN, LAST = "Asked", "Plan", "Last"
"""What lines of `Doing` begin with: what the user asked last, the newest plan, and each of the last things done."""
_MOST_ACTIONS, _MOST_DECISIONS, _MOST_ERRORS, _MOST_FILES, _MOST_TASKS, _MOST_RISKS = 3, 8, 4, 12, 6, 5
_MOST_LINE, _MOST_ASKED = 360, 360
_MOST_OF = {handoff.PERHAPS: 160, handoff.DOING: 2 * retelling.MOST_LINE}
_MOST_PATH = 160
_IMPORTANCE = Pattern(r" !\d+$")
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
    log = inferring.read(facts.log) if facts.log is not None else {}

    def tell(cut: Cut) -> list[str]:
        found.clear()
        lists = _lists(facts, log, moment, cut)
        if in_flight and facts.open:
            lists[handoff.IN_FLIGHT] = [in_flight]
        found.update({heading: handoff.listed(lists[heading]) for heading in handoff.HEADINGS if lists.get(heading)})
        return []

    _, hidden = telling.lines(tell)
    read = facts.log.path if facts.log is not None and any(log.values()) else ""
    return Derived(found, hidden, log=read)


def is_asked(one: Event) -> bool:
    """True for what the user said."""
    return one.kind == _event.NOTE and one.src == _event.USER


def _lists(facts: Facts, log: Lists, moment: datetime, cut: Cut) -> Lists:
    state = projection.replay(facts.events)
    found: Lists = {
        handoff.DOING: [
            *_asked(facts.events, moment, cut),
            *_plans(state, moment, cut),
            *_active(facts.tasks, cut),
            *_last(facts, moment, cut),
        ],
        handoff.DECISIONS: _decisions(state, moment, cut),
        handoff.PENDING: _pending(facts.tasks, cut),
        handoff.FAILED: _errors(state, facts.events, moment, cut),
        handoff.IN_FLIGHT: [_action(one, moment, cut) for one in facts.open],
        handoff.AT_RISK: [*([facts.git] if facts.git else []), *_risks(facts.events, moment, cut)],
        handoff.FILES: _files(state.files, cut),
    }
    if log:
        _from_log(found, facts, dict(log), cut, is_silent=not _has_done(facts))
    if facts.log is not None and any(found.values()):
        found[handoff.DOING] += _left_out(facts.log)
    return found


def _left_out(log: Log) -> list[str]:
    """How much of a log and the one before it is from outside, and where it stands: none of it is told."""
    logs = [one for one in (log.before, log) if one is not None]
    counts = {one.path: len(outside.stretches(one.text)) for one in logs}
    return [f"{count} from outside, left out here: {path}" for path, count in counts.items() if count]


def _from_log(found: Lists, facts: Facts, told: Lists, cut: Cut, *, is_silent: bool) -> None:
    """Add what the log says: what is to be done in any case, the rest where the journal says nothing of it."""
    if facts.is_of_session and not is_silent:
        told[handoff.DOING] = []
    found[handoff.DECISIONS] += _untold(told.pop(handoff.DECISIONS), facts, cut) if facts.is_of_session else []
    for heading, lines in told.items():
        always = heading in (handoff.PENDING, handoff.NEXT, handoff.PERHAPS, handoff.AT_RISK)
        if always or (facts.is_of_session and not found.get(heading)):
            most = _MOST_OF.get(heading, _MOST_LINE)
            found[heading] = [*found.get(heading, ()), *(cut(line, most) for line in lines)]


def _untold(lines: Sequence[str], facts: Facts, cut: Cut) -> list[str]:
    """The decisions of a log that no event tells already."""
    said = [_words(one) for one in facts.events if one.kind == _event.DECISION]
    each = [Line(text, age=None) for text in (*said, *lines)]
    alike = Alike(each)
    known = {text.strip().casefold() for text in said}
    for index in range(len(said)):
        alike.add(index)
    return [
        cut(text, _MOST_LINE)
        for index, text in enumerate(lines, start=len(said))
        if _IMPORTANCE.sub("", text).casefold() not in known and alike.nearest(index) is None
    ]


def _has_done(facts: Facts) -> bool:
    return any(one.kind in _event.CALLS or one.kind == _event.PLAN for one in facts.events)


def _asked(events: Sequence[Event], moment: datetime, cut: Cut) -> list[str]:
    """What the user asked last: nothing says better what is being done."""
    said = [(one, _words(one)) for one in events if is_asked(one)][-1:]
    return [f"{ASKED}, {when(one, moment)}: {cut(words, _MOST_ASKED)}" for one, words in said if words.strip()]


def _plans(state: Projection, moment: datetime, cut: Cut) -> list[str]:
    plan = state.plan
    return [f"{PLAN} ({when(plan, moment)}): {_text(plan, cut)}"] if plan else []


def names(tasks: Sequence[Task]) -> list[str]:
    """What the lines that tell of these tasks begin with."""
    return telling.lines(lambda cut: [_name(one, cut) for one in tasks])[0]


def _active(tasks: Sequence[Task], cut: Cut) -> list[str]:
    active = [one for one in tasks if one.state == task.ACTIVE][:_MOST_TASKS]
    return [_joined(_name(one, cut), _step(one, cut), _next(one, cut)) for one in active]


def _pending(tasks: Sequence[Task], cut: Cut) -> list[str]:
    others = [one for one in tasks if one.state != task.ACTIVE][:_MOST_TASKS]
    return [
        _joined(
            _name(one, cut),
            one.status,
            f"waiting for {cut(one.waiting_on, telling.MOST_TEXT)}" if one.waiting_on else "",
            _step(one, cut),
            _next(one, cut),
        )
        for one in others
    ]


def _name(one: Task, cut: Cut) -> str:
    return f"Task {cut(one.title, telling.MOST_TEXT)}"


def _step(one: Task, cut: Cut) -> str:
    return f"step: {cut(one.step, telling.MOST_TEXT)}" if one.step else ""


def _next(one: Task, cut: Cut) -> str:
    return f"next: {cut(one.next_step, telling.MOST_TEXT)}" if one.next_step and one.next_step != one.step else ""


def _last(facts: Facts, moment: datetime, cut: Cut) -> list[str]:
    """The last things that were done, oldest first."""
    ends = {one.call: one for one in facts.events if one.kind in _event.CALLS[1:] and one.call}
    went_well = {call for call, end in ends.items() if end.kind == _event.RESULT}
    done = [one for one in facts.events if one.kind == _event.ACTION and one.call in went_well][-_MOST_ACTIONS:]
    said = [one for one in facts.events if one.kind in (_event.NOTE, _event.THOUGHT) and not is_asked(one)][-1:]
    chosen = sorted((*done, *said), key=lambda one: (one.at, one.seq))
    return [
        f"{LAST}, {when(one, moment)}: {telling.line(one, cut, ended_by=ends.get(one.call or ''))}" for one in chosen
    ]


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
    own = (one for one in events if not (is_asked(one) or origin.is_outside(one.src)))
    said = [(one, _words(one)) for one in own if one.kind in _LOOKED_AT]
    found = [(one, words) for one, words in reversed(said) if meaning.is_at_risk(words)]
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
