"""State transitions of tasks: the change that each verb makes, and its journal event. Pure.

The file is authoritative. It is compared with the last state in the journal: if they differ, somebody edited the file
(or a process died in between), and that is recorded too.
"""

from __future__ import annotations

from agentws.core import Record
from agentws.core.formats.documents import task
from agentws.core.formats.documents.task import ACTIVE, CANCELLED, DONE, OPEN, PAUSED, WAITING, Task
from agentws.core.notes import schedule
from agentws.core.text import letters, names
from agentws.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from typing import Any

    from agentws.core.formats.documents.document import Value
    from agentws.core.formats.journal.event import Event

    Body = dict[str, Any]

ADD, START, STEP, WAIT, PAUSE, RESUME = "add", "start", "step", "wait", "pause", "resume"
FINISH, CANCEL, WAKE, EDIT, RENAME = "done", "cancel", "due", "edit", "rename"
ADDED, EDITED, RENAMED = "task.added", "task.edited", "task.renamed"
KINDS = {
    START: "task.started", STEP: "task.stepped", WAIT: "task.waiting", PAUSE: "task.paused", RESUME: "task.resumed",
    FINISH: "task.done", CANCEL: "task.cancelled", WAKE: "task.woken",
}  # fmt: skip

_FROM = {
    START: (OPEN, ACTIVE, WAITING, PAUSED, DONE, CANCELLED),
    STEP: (OPEN, ACTIVE, WAITING, PAUSED),
    WAIT: (OPEN, ACTIVE, WAITING, PAUSED),
    PAUSE: (OPEN, ACTIVE, WAITING, PAUSED),
    RESUME: (ACTIVE, WAITING, PAUSED),
    FINISH: (OPEN, ACTIVE, WAITING, PAUSED, DONE),
    CANCEL: (OPEN, ACTIVE, WAITING, PAUSED, CANCELLED),
    WAKE: (WAITING,),
}
_LEADS_TO = {START: ACTIVE, PAUSE: PAUSED, FINISH: DONE, CANCEL: CANCELLED}
_HINTS = {DONE: "To reopen the task", CANCELLED: "To reopen the task", OPEN: "To start the task"}
_FACTS = ("after", "step", "waiting_on", "due", "checked")
"""The fields of a task that its events record, to compare with the file."""
_WORDS = {"after": "status", "waiting_on": "waiting on"}
_MOST_SLUG_BYTES = 60
_PLACE = {state: place for place, state in enumerate((*task.LIVE, DONE, CANCELLED))}
_NEVER = "~"
_PRIORITY = {task.HIGH: 0, task.NORMAL: 1, task.LOW: 2}


class TaskChange(Record):
    """A task's transition: its new status, other `fields` of its front matter, boxes to check by number, and its event.

    `kind` and `text` are those of the event.
    """

    kind: str
    status: str
    fields: Mapping[str, Value | None] = {}
    checked: Sequence[int] = ()
    text: str = ""
    reason: str = ""

    @property
    def state(self) -> dict[str, Value | None]:
        """The front matter of the task after the transition, as far as it changes."""
        return {"status": self.status, **self.fields}


def move(plan: Task, verb: str, *, reason: str = "", possible: bool = False) -> TaskChange | None:
    """Return the transition of a task for START, PAUSE, RESUME, FINISH, CANCEL or WAKE; None if it is in that state.

    `possible` says that the awaited thing is there. UsageError for a transition that is not allowed, with those that
    are.
    """
    check(plan, verb)
    status = _LEADS_TO.get(verb, ACTIVE)
    state: dict[str, Value | None] = {} if status == PAUSED else {"waiting_on": None}
    if verb == RESUME and plan.state == PAUSED and plan.waiting_on and not possible:
        status, state = WAITING, {}
    if status == plan.state:
        return None
    message = f"it waited {schedule.awaited(plan)}" if verb == WAKE else plan.title
    return TaskChange(KINDS[verb], status, state, text=reason or message, reason=reason)


def ticked(plan: Task) -> set[int]:
    """Return the numbers (from 1) of a task's checked boxes, before a transition."""
    return {number for number, (_, checked) in enumerate(plan.boxes, 1) if checked}


def step(plan: Task, text: str = "", *, checked: Sequence[int] = ()) -> TaskChange | None:
    """Return the transition that sets the step `text` and checks the boxes of these numbers (from 1).

    A checked step is no longer the current one. None if nothing changes; UsageError.
    """
    check(plan, STEP)
    for number in checked:
        if not 1 <= number <= len(plan.boxes):
            steps = ", ".join(f"{number}. {text}" for number, (text, _) in enumerate(plan.boxes, 1))
            missing = f"The task has no steps. Add lines `- [ ] …` to tasks/{plan.slug}.md."
            raise UsageError(f"{plan.slug} has no step {number}.", hint=f"Steps: {steps}" if steps else missing)
    new = sorted({number for number in checked if not plan.boxes[number - 1][1]})
    names = [plan.boxes[number - 1][0] for number in new]
    state: dict[str, Value | None] = {}
    if text and text != plan.step:
        state["step"] = text
    elif not text and plan.step in names:
        state["step"] = None
    if not state and not new:
        return None
    message = "; ".join(([f"now: {text}"] if text else []) + [f"done: {name}" for name in names])
    return TaskChange(KINDS[STEP], plan.status, state, tuple(new), message)


def wait(plan: Task, waiting_on: Value, *, reason: str = "") -> TaskChange:
    """Return the transition that makes the task wait. UsageError."""
    check(plan, WAIT)
    message = task.shown(waiting_on)
    if isinstance(waiting_on, str) and task.is_time(waiting_on):
        message = f"until {schedule.clock(waiting_on)}"
    return TaskChange(KINDS[WAIT], WAITING, {"waiting_on": waiting_on}, text=reason or message, reason=reason)


def check(plan: Task, verb: str) -> None:
    """Raise UsageError, with the allowed verbs, if the transition does not fit the state of the task."""
    if plan.state in _FROM[verb]:
        return
    can = [word for word in (START, STEP, WAIT, PAUSE, FINISH, CANCEL) if plan.state in _FROM[word]]
    can = [word for word in can if _LEADS_TO.get(word) != plan.state]
    hint = _HINTS.get(plan.state, "Instead")
    raise UsageError(
        f"{plan.slug} is {plan.status}, so `agentws task {verb}` cannot be used.",
        hint=f"{hint}: agentws task {can[0]} {plan.slug}" + (f" (or: {', '.join(can[1:])})." if can[1:] else ""),
    )


# Names, and what comes first


SHARED = "shared--"
"""How the names of tasks begin that a shared session makes. No title leads to one of these names."""


def slug(title: str, taken: Collection[str], *, prefix: str = "") -> str:
    """Return a new slug for a task with this title: its letters and digits in lower case, unlike the taken ones."""
    name = ""
    for word in filter(None, letters.words(title.casefold()).split("-")):
        longer = f"{name}-{word}" if name else _cut(word)
        if len(longer.encode()) > _MOST_SLUG_BYTES:
            break
        name = longer
    name = prefix + (name or "task")
    known = set(map(names.key, taken))
    return next(text for number in range(1, len(known) + 2) if (text := _numbered(name, number)) not in known)


def _numbered(name: str, number: int) -> str:
    return name if number == 1 else f"{name}-{number}"


def _cut(word: str) -> str:
    return word.encode()[:_MOST_SLUG_BYTES].decode("utf-8", "ignore")


def order(plan: Task, *, ready: bool) -> tuple[int, int, str]:
    """Return the sort key of a task: state (an ended wait counts as active), then priority, then due date."""
    place = 1 if ready else 2 * _PLACE[plan.state]
    return place, _PRIORITY.get(plan.priority.lower(), _PRIORITY[task.NORMAL]), plan.due or _NEVER


# What the journal is told


def facts(plan: Task, digest: str) -> Body:
    """Return the fields of a transition's event that describe the task's state; `digest` is that of its file."""
    return {
        "title": plan.title,
        "after": plan.status,
        "step": plan.step,
        "waiting_on": plan.waiting_on,
        "checked": list(plan.steps),
        "file": digest,
        **({"due": plan.due} if plan.due else {}),
    }


def told(change: TaskChange, before: Task | None, after: Task, digest: str) -> Body:
    """Return the body of a transition's event, without the task's slug."""
    more = {"reason": change.reason} if change.reason else {}
    return {"text": change.text, "before": before.status if before else None, **facts(after, digest), **more}


def noticed(known: Body | None, now: Task | None, digest: str, *, archived: str = "") -> tuple[str, Body] | None:
    """Return (kind, body) of an event for a task's transition that the journal lacks; None if file and journal agree.

    Somebody created, edited or deleted the file, or a process died before recording. `known` is the task's last state
    in the journal, `now` the task as it is. `archived` is the path to which a retention rule moved the file, empty for
    none.
    """
    before = (known or {}).get("after")
    if now is None:
        if before is None:
            return None
        text = f"archived: {archived}" if archived else "the file was deleted"
        return EDITED, {"text": text, "before": before, "after": None, "noticed": True}
    fields = facts(now, digest)
    if known is None or before is None:
        return ADDED, {"text": now.title, "before": None, **fields, "noticed": True}
    different = [name for name in _FACTS if known.get(name) != fields.get(name)]
    if not different:
        return None
    parts = ((_WORDS.get(name, name), _say(known.get(name)), _say(fields.get(name))) for name in different)
    text = "; ".join(f"{name}: {was} → {now}" for name, was, now in parts)
    return EDITED, {"text": text, "before": before, **fields, "noticed": True}


def of_task(history: Sequence[Event], slug: str) -> list[Event]:
    """Return the transition events (oldest first) of the task now called `slug`, under all of its names.

    Its events under an earlier name end with its renaming: a later task of that name is another one.
    """
    kept: list[Event] = []
    name: object = slug
    for at in range(len(history) - 1, -1, -1):
        event, before = history[at], history[at - 1] if at else None
        if _name(event) != name:
            continue
        kept.append(event)
        if event.kind == RENAMED and not _leaves(event) and _leaves(before):
            name = _name(before)
        elif event.kind == ADDED and _leaves(
            next((entry for entry in reversed(history[:at]) if _name(entry) == name), None)
        ):
            break
    return kept[::-1]


def _name(event: Event | None) -> object:
    return (event.body or {}).get("task") if event is not None else None


def _leaves(event: Event | None) -> bool:
    """Return whether a task gave its name away by this event."""
    return event is not None and event.kind == RENAMED and (event.body or {}).get("after") is None


def _say(value: object) -> str:
    if isinstance(value, list):
        return " of ".join(map(str, value))
    return str(value) if value else "none"


def known_of(body: Mapping[str, Any] | None) -> Body | None:
    """Return the fields of a transition's event that describe its task; None if it has none or was forgotten."""
    if not body or "after" not in body:
        return None
    return {name: body.get(name) for name in (*_FACTS, "file")}
