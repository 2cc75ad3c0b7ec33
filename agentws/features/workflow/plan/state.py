"""The state of workflows: a fold over the events of their steps. Pure."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    Id = tuple[str, str]
    """Name and key of a step; the key is empty where it has none."""

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
"""The status of a step: its result is recorded; it began and nobody knows; it failed; a person is asked; not begun."""
COMPLETE, PAUSED, STOPPED, STARTED = "finished", "paused", "failed", "left open"
"""How a process left a workflow; `left open` where it did not, or does not yet."""
RUNNING = "running"


class Step:
    """A step of a workflow.

    Fields:
        name, key: by which it is known.
        attempts: the cursors of its beginnings that have no known end.
        done: the cursor of the event with its result, empty where there is none.
        code: the digest of the code that its newest beginning had.
        at: when its newest event was recorded. error: how it failed last.
        asked, digest: the id of the newest approval that a person was asked for, and the digest of its action.
        using, using_at: the approval whose answer is, or was, about to be used, and the cursor of the event of that.
        risk: `high` where an answer needs the proof of a high risk, else empty.
        is_approval: whether the step is nothing but a question.
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
        """One of the words above."""
        if self.done:
            return DONE
        if self.is_approval:
            return WAITING if self.attempts else NEW
        if self.attempts:
            return OPEN
        return BROKEN if self.error else NEW

    @property
    def shown(self) -> str:
        """The name, with the key where there is one."""
        return f"{self.name} [{self.key}]" if self.key else self.name

    def take(self, kind: str, body: Mapping[str, Any], cursor: str, at: str) -> None:
        """Go on by one event of this step."""
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
                self.done = ""  # the answer that is recorded was about another action
            self.asked, self.digest = _text(body, "approval"), digest
        elif kind == USING:
            self.using, self.using_at = _text(body, "approval"), cursor

    def _end(self, body: Mapping[str, Any]) -> None:
        """The attempts that an event ends; one that is read later stays ended."""
        named = body.get("began")
        for cursor in named if isinstance(named, list) else [named]:
            if isinstance(cursor, str) and cursor not in self.ended:
                self.ended.append(cursor)
        self.attempts = [one for one in self.attempts if one not in self.ended]

    def plain(self) -> list[Any]:
        """Return its parts, for the cache."""
        return [getattr(self, name) for name in _PARTS]


_PARTS = tuple(Step.__slots__)


class Doubt:
    """An event that cannot be read, or is gone, and may have been the beginning of a step: its cursor.

    `names` are those of workflow, step and key where its line tells any: one of them may be what was altered.
    """

    __slots__ = ("cursor", "names")

    def __init__(self, cursor: str, names: Sequence[str] = ()) -> None:
        self.cursor = cursor
        self.names = tuple(names)

    def may_be(self, *names: str) -> bool:
        """Return whether it may have been of the step with these names."""
        return not self.names or sum(one != other for one, other in zip(self.names, names, strict=True)) <= 1


class Flow:
    """A workflow: its `steps` in the order in which they began, when its newest event was recorded, and how it was
    `left` last. `is_running` is told by whoever has looked at its lock; `doubts` is what may have been of its steps.
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
        """Go on by one event of this workflow."""
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
        """Take for an attempt at a step without a result what may have been one."""
        if step.done or step.is_approval:
            return
        step.attempts += [
            one.cursor
            for one in self.doubts
            if one.may_be(self.name, step.name, step.key) and one.cursor not in (*step.ended, *step.attempts)
        ]

    @property
    def status(self) -> str:
        """How it was left, or `unknown` where nobody knows of a step whether it was done; `running` while it is.

        Of one that was not left, as where a question was still on its way, what it waits for says that it is paused.
        """
        if self.is_running:
            return RUNNING
        found = {one.status for one in self.steps.values()}
        return OPEN if OPEN in found else PAUSED if self.left == STARTED and WAITING in found else self.left

    def status_of(self, step: Step) -> str:
        """The status of a step; one without an end runs while the workflow does."""
        return RUNNING if self.is_running and step.status == OPEN else step.status


class Workflows:
    """All workflows of a journal, by name; `doubts` is what may have been of one of them."""

    __slots__ = ("by_name", "doubts")

    def __init__(self) -> None:
        self.by_name: dict[str, Flow] = {}
        self.doubts: list[Doubt] = []

    def take(self, kind: str, body: Mapping[str, Any] | None, cursor: str, at: str) -> None:
        """Go on by one event; one whose body was purged says nothing."""
        name = _text(body or {}, "workflow")
        if name and body:
            if self.doubts and kind in (FINISHED, FAILED):
                began = body.get("began")
                self.doubts[:] = [one for one in self.doubts if one.cursor != began]  # it is known whose it was
            self.by_name.setdefault(name, Flow(name)).take(kind, body, cursor, at)

    def named(self, name: str) -> Flow:
        """Return a workflow with its doubts; a new one where no event tells of it."""
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
    """The workflows that were told as `Workflows.plain`."""
    found = Workflows()
    for name, task, at, left, steps in plain:
        flow = found.by_name[name] = Flow(name)
        flow.task, flow.at, flow.left = task, at, left
        for step in _steps(steps):
            flow.steps[step.name, step.key] = step
    return found


def _steps(told: Sequence[Any]) -> Iterator[Step]:
    for parts in told:
        step = Step("", "")
        for name, value in zip(_PARTS, parts, strict=True):
            setattr(step, name, value)
        yield step


def _text(body: Mapping[str, Any], name: str) -> str:
    found = body.get(name)
    return found if isinstance(found, str) else ""


def resolve(flow: str, step: Step) -> str:
    """The command by which a person says what became of a step, but for its last words."""
    from agentws.core.text import sh  # seldom needed

    key = f" --key {sh.quote(step.key)}" if step.key else ""
    return f"agentws workflow resolve {sh.quote(flow)} {sh.quote(step.name)}{key}"
