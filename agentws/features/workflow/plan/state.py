"""The state of workflows: a fold over the events of their steps. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from agentws.core import Result

Id = tuple[str, str]
"""Name and key of a step; the key may be empty."""


FAMILY = "step.*"
BEGAN, FINISHED, FAILED, UNKNOWN, RESOLVED = (
    "step.began",
    "step.finished",
    "step.failed",
    "step.unknown",
    "step.resolved",
)
ASKED, USING, LEFT = "step.asked", "step.using", "step.left"
"""A person was asked; the answer is about to be used; the process left the workflow."""
DONE, OPEN, BROKEN, WAITING, NEW = "done", "unknown", "failed", "waiting", "new"
"""The status of a step: result recorded; begun, end unknown; failed; a person is asked; not begun."""
COMPLETE, PAUSED, STOPPED, STARTED = "finished", "paused", "failed", "left open"
"""How a process left a workflow; `left open` if it did not, or has not yet."""
RUNNING = "running"


class Step:
    """A step of a workflow.

    Fields:
        name, key: what identifies it.
        attempts: the cursors of the attempts that have no known end.
        done: the cursor of the event with its result; empty without one.
        code: the digest of its code at the newest attempt.
        at: when its newest event was recorded. error: how it failed last.
        asked, digest: the id of the newest approval that a person was asked for, and the digest of its action.
        using, using_at: the approval whose answer is, or was, about to be used, and the cursor of that event.
        risk: `high` if an answer needs the proof of a high risk, else empty.
        is_approval: whether the step is only a question to a person.
    """

    __slots__ = (
        "asked", "at", "attempts", "code", "digest", "done", "ended", "error", "is_approval", "key", "name", "risk",
        "using", "using_at",
    )  # fmt: skip

    def __init__(self, name: str, key: str) -> None:
        self.name = name
        self.key = key
        self.attempts: list[str] = []
        self.ended: list[str] = []
        self.done = ""
        self.code = ""
        self.at = ""
        self.error = ""
        self.asked = ""
        self.digest = ""
        self.risk = ""
        self.using = ""
        self.using_at = ""
        self.is_approval = False

    @property
    def status(self) -> str:
        """The status of the step by its state: DONE, OPEN, BROKEN, WAITING or NEW."""
        if self.done:
            return DONE
        if self.is_approval:
            return WAITING if self.attempts else NEW
        if self.attempts:
            return OPEN
        return BROKEN if self.error else NEW

    @property
    def shown(self) -> str:
        """The name of the step, with its key if it has one."""
        return f"{self.name} [{self.key}]" if self.key else self.name

    def take(self, kind: str, body: Mapping[str, Any], cursor: str, at: str) -> None:
        """Update the state of the step by one of its events."""
        self.at = max(self.at, at)
        if kind == BEGAN:
            self.is_approval = body.get("approval") is True
            self.code = _text(body, "code") or self.code
            self.risk = _text(body, "risk")
            if cursor not in self.ended and cursor not in self.attempts:
                self.attempts.append(cursor)
        elif kind == FINISHED:
            self._end(body)
            self.done = self.done or cursor
        elif kind == FAILED:
            self._end(body)
            self.error = _text(body, "error")
        elif kind == RESOLVED:
            self._end(body)
            self.asked = ""
            if body.get("not_done") is not True:
                self.done = cursor
        elif kind in (UNKNOWN, ASKED):
            digest = _text(body, "action_digest")
            if kind == ASKED and digest != self.digest:
                self.done = ""  # the recorded answer was about another action
            self.asked, self.digest = _text(body, "approval"), digest
        elif kind == USING:
            self.using, self.using_at = _text(body, "approval"), cursor

    def _end(self, body: Mapping[str, Any]) -> None:
        """End the attempts that an event names; an attempt that is read later counts as ended."""
        named = body.get("began")
        for cursor in named if isinstance(named, list) else [named]:
            if isinstance(cursor, str) and cursor not in self.ended:
                self.ended.append(cursor)
        self.attempts = [attempt for attempt in self.attempts if attempt not in self.ended]

    def plain(self) -> list[Any]:
        """Return the state of the step as plain values, for the cache."""
        return [getattr(self, name) for name in _PARTS]


_PARTS = tuple(Step.__slots__)


class Doubt(Result):
    """A doubt: the cursor of a missing or unreadable event that may have been the beginning of a step.

    `names` are those of workflow, step and key if its line has them; one of them may have been altered.
    """

    __slots__ = ("cursor", "names")

    def __init__(self, cursor: str, names: Sequence[str] = ()) -> None:
        self.cursor = cursor
        self.names = tuple(names)

    def may_be(self, *names: str) -> bool:
        """Return whether the event may have belonged to the step with these names."""
        return not self.names or sum(name != other for name, other in zip(self.names, names, strict=True)) <= 1


class Flow(Result):
    """The state of a workflow: its `steps` in the order in which they began, the time of its newest event, and how it
    was `left` last. `is_running` is set by callers that looked at its lock; `doubts` may have been events of its steps.
    """

    __slots__ = ("at", "doubts", "is_running", "left", "name", "steps", "task")

    def __init__(self, name: str) -> None:
        self.name = name
        self.doubts: list[Doubt] = []
        self.task = ""
        self.at = ""
        self.left = STARTED
        self.is_running = False
        self.steps: dict[Id, Step] = {}

    def take(self, kind: str, body: Mapping[str, Any], cursor: str, at: str) -> None:
        """Update the state of the workflow by one of its events."""
        self.at = max(self.at, at)
        self.task = _text(body, "task") or self.task
        if kind == LEFT:
            self.left = _text(body, "outcome") or STARTED
            return
        self.left = STARTED
        name = _text(body, "step")
        if name:
            step = self.steps.setdefault((name, _text(body, "key")), Step(name, _text(body, "key")))
            step.take(kind, body, cursor, at)

    def doubt(self, step: Step) -> None:
        """Count every doubt that may have been an attempt at a step without a result as one."""
        if step.done or step.is_approval:
            return
        step.attempts += [
            doubt.cursor
            for doubt in self.doubts
            if doubt.may_be(self.name, step.name, step.key) and doubt.cursor not in (*step.ended, *step.attempts)
        ]

    @property
    def status(self) -> str:
        """The status of the workflow: how it was left, `unknown` if a step may or may not be done, or `running`.

        A workflow that was not left, but has a waiting step, is paused.
        """
        if self.is_running:
            return RUNNING
        names = {step.status for step in self.steps.values()}
        return OPEN if OPEN in names else PAUSED if self.left == STARTED and WAITING in names else self.left

    def status_of(self, step: Step) -> str:
        """Return the status of a step; one without an end is running while the workflow is."""
        return RUNNING if self.is_running and step.status == OPEN else step.status


class Workflows:
    """All workflows of a journal, by name; `doubts` are events that may have belonged to one of them."""

    __slots__ = ("by_name", "doubts")

    def __init__(self) -> None:
        self.by_name: dict[str, Flow] = {}
        self.doubts: list[Doubt] = []

    def take(self, kind: str, body: Mapping[str, Any] | None, cursor: str, at: str) -> None:
        """Update the workflows by one event; one whose body was purged is ignored."""
        name = _text(body or {}, "workflow")
        if name and body:
            if self.doubts and kind in (FINISHED, FAILED):
                began = body.get("began")
                self.doubts[:] = [doubt for doubt in self.doubts if doubt.cursor != began]  # its step is known now
            self.by_name.setdefault(name, Flow(name)).take(kind, body, cursor, at)

    def named(self, name: str) -> Flow:
        """Return the workflow with this name and its doubts; a new one if it has no event."""
        flow = self.by_name.get(name) or Flow(name)
        flow.doubts = self.doubts
        for step in flow.steps.values():
            flow.doubt(step)
        return flow

    def plain(self) -> list[Any]:
        """Return the workflows as plain values, for the cache."""
        return [
            [flow.name, flow.task, flow.at, flow.left, [step.plain() for step in flow.steps.values()]]
            for flow in self.by_name.values()
        ]


def restored(plain: Sequence[Any]) -> Workflows:
    """Return the workflows from the plain values of `Workflows.plain`."""
    workflows = Workflows()
    for name, task, at, left, steps in plain:
        flow = workflows.by_name[name] = Flow(name)
        flow.task, flow.at, flow.left = task, at, left
        for step in _steps(steps):
            flow.steps[step.name, step.key] = step
    return workflows


def _steps(rows: Sequence[Any]) -> Iterator[Step]:
    for parts in rows:
        step = Step("", "")
        for name, value in zip(_PARTS, parts, strict=True):
            setattr(step, name, value)
        yield step


def _text(body: Mapping[str, Any], name: str) -> str:
    value = body.get(name)
    return value if isinstance(value, str) else ""


def resolve(flow: str, step: Step) -> str:
    """Return the command `agentws workflow resolve` for a step, without its outcome option."""
    from agentws.core.text import sh  # seldom needed

    key = f" --key {sh.quote(step.key)}" if step.key else ""
    return f"agentws workflow resolve {sh.quote(flow)} {sh.quote(step.name)}{key}"
