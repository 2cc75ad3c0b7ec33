"""The `with` block of a workflow: it holds the workflow's lock, and records its events durably."""

from __future__ import annotations

import contextvars
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Any, Self

from agentws.core import Result
from agentws.core.disk import local_dir, lock
from agentws.core.formats import digest, layout
from agentws.core.formats.json import values
from agentws.core.formats.secrets import redaction
from agentws.core.stores import record
from agentws.core.stores.stores import Stores
from agentws.errors import LockHeldError, NeedsYouError, UsageError
from agentws.features.workflow import step_events
from agentws.features.workflow.plan import state as _state
from agentws.features.workflow.plan.state import Flow, Step

_TAG_BYTES = 4


class Recorder:
    """The recorder of one workflow's events; several threads may use it. `notices` are those of the run."""

    def __init__(self, stores: Stores, flow: Flow, task: str | None, notices: list[str]) -> None:
        self.stores = stores
        self.flow = flow
        self.notices = notices
        self.task = task
        self._lock = threading.Lock()
        self.count = 0

    def step(self, name: str, key: str) -> Step:
        """Return the present state of a step, from the events recorded so far."""
        with self._lock:
            return self.flow.steps.setdefault((name, key), Step(name, key))

    def note(self, kind: str, step: Step | None, text: str = "", **body: Any) -> str:
        """Record an event of a step, or of the workflow, durably; return its cursor."""
        words = f"{self.flow.name}: {step.shown}" if step else self.flow.name
        fields = {"workflow": self.flow.name, **({"step": step.name} if step else {})}
        if step and step.key:
            fields["key"] = step.key
        fields |= {key: value for key, value in body.items() if value not in (None, "", [])}
        if "result" in body:
            fields["result"] = body["result"]
        happening = record.told(kind, f"{words}: {text}" if text else words, task=self.task, body=fields)
        (done,), notices = record.record(self.stores, [happening])
        assert done.cursor is not None  # these events are recorded at every granularity
        with self._lock:
            self.notices += notices
            self.count += 1
            self.flow.take(kind, fields, done.cursor, self.stores.now_text())
        return done.cursor

    def told(self, step: Step, value: object) -> Any:
        """Return a step's value as it will be recorded: plain JSON, secrets as placeholders. UsageError for others."""
        plain = values.plain(value, name=f"{step.shown}.result")
        if redaction.is_clean([{"result": plain}]):
            return plain
        result, kinds = redaction.redact({"result": plain}, lambda: os.urandom(_TAG_BYTES).hex())
        if kinds:
            what = ", ".join(sorted(set(kinds)))
            self.notices.append(f"Step {step.shown}: possible secrets were taken out of its result: {what}.")
        return result["result"]

    def finished(self, step: Step, began: str, value: object) -> Any:
        """Record the result of a step; return it as recorded, which is what every later run gets."""
        try:
            result = self.told(step, value)
        except UsageError as error:
            # The step is done in any case, which must be recorded, or it might be done again.
            self.note(_state.UNKNOWN, step, f"done, but its result cannot be recorded: {error.message}", began=[began])
            raise
        self.note(_state.FINISHED, step, began=began, code=step.code, result=result)
        return result

    def failed(self, step: Step, began: str, error: BaseException) -> None:
        """Record that a step failed."""
        words = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
        self.note(_state.FAILED, step, words, began=began, error=words)


class Paused(BaseException):
    """Raised if a workflow cannot go on: it ends the `with` block, and `except Exception` does not catch it.

    `waits` says what it waits for, `approval` is the id of the request; empty without one.
    """

    def __init__(self, waits: str, approval: str = "") -> None:
        super().__init__(waits)
        self.waits = waits
        self.approval = approval


class NotDoneType:
    """The type of `NOT_DONE`, which a `verify` function returns."""

    def __repr__(self) -> str:
        return "NOT_DONE"


NOT_DONE = NotDoneType()
"""The value that a `verify` function returns if the step did not happen, so that it is run."""


_within: contextvars.ContextVar[str] = contextvars.ContextVar("agentws-step", default="")
"""The step that this context runs, since a step must not call another step."""
_PATIENCE_S = 0.2
"""How long to wait for the lock: a listing of workflows holds it for a moment."""


def locked(stores: Stores, name: str) -> lock.Lock:
    """Return the lock of a workflow, which a run and `workflow resolve` hold."""
    local_dir.prepare(stores.files)
    return lock.Lock(stores.files, _lock_name(name), timeout_s=_PATIENCE_S, note="workflow")  # no name: the note stays


def is_running(stores: Stores, name: str) -> bool:
    """Return whether a process of this machine runs the workflow now."""
    return lock.is_held(stores.files, _lock_name(name))


def _lock_name(name: str) -> str:
    return f"{layout.WORKFLOW}{digest.of(name.encode())[:16]}"


class Block(Result):
    """The `with` block of one run of a workflow.

    Fields:
        name: the name of the workflow, the same on every machine of this agent.
        notices: notices of the run, such as code that has changed since a result was recorded.
        is_paused: whether it waits for a person; `waits` says for what, one sentence each.
        NOT_DONE: the value that a `verify` function returns if the step did not happen.
    """

    NOT_DONE = NOT_DONE
    Paused = Paused

    def __init__(self, stores: Stores, name: str, task: str | None, risk: str) -> None:
        self.name = name
        self.notices: list[str] = []
        self.waits: list[str] = []
        self._stores = stores
        self._task = task
        self._risk = risk
        self._lock: lock.Lock | None = None
        self._recorder: Recorder | None = None
        self._process = 0
        self._open = False
        self._running: set[tuple[str, str]] = set()
        self._met: set[tuple[str, str]] = set()
        self._guard = threading.Lock()

    def __enter__(self) -> Self:
        self._stores.check_writable()
        held = locked(self._stores, self.name)
        try:
            held.__enter__()
        except LockHeldError as error:
            raise _is_running(self.name, error) from error
        try:
            flow = step_events.named(self._stores, self.name, self.notices)
        except BaseException:
            held.__exit__()
            raise
        task = self._task or (flow.task if self._stores.files.exists(f"{layout.TASKS}/{flow.task}.md") else None)
        self._recorder = Recorder(self._stores, flow, task or None, self.notices)
        self._lock, self._process, self._open = held, os.getpid(), True
        self.waits.clear()
        self._met.clear()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _trace: TracebackType | None
    ) -> bool:
        if os.getpid() != self._process:
            return False  # a forked child, which records nothing
        pauses = error is not None and _only_pauses(error)
        outcome = _state.STOPPED if error and not pauses else _state.PAUSED if self.waits else _state.COMPLETE
        try:
            if kind is None or issubclass(kind, Exception) or pauses:
                self._leave(outcome)
        finally:
            with self._guard:
                self._open = False
                self._release()
        return pauses

    async def __aenter__(self) -> Self:
        return self.__enter__()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        return self.__exit__(kind, error, trace)

    def _leave(self, outcome: str) -> None:
        """Record how the block was left, if it recorded events or the outcome differs from the recorded one."""
        if self._own.count or self._own.flow.left != outcome:
            self._own.note(_state.LEFT, None, outcome, outcome=outcome)

    def _release(self) -> None:
        """Release the lock once the block is left and none of its steps runs."""
        if not self._open and not self._running and self._lock is not None:
            self._lock.__exit__()
            self._lock = None

    @property
    def is_paused(self) -> bool:
        """Return whether the workflow in this block waits for a person."""
        return bool(self.waits)

    @property
    def exit_code(self) -> int:
        """The exit code for a program that only runs the workflow: that of `needs-you` if it is paused, else 0."""
        return NeedsYouError.exit_code if self.is_paused else 0

    @property
    def steps(self) -> list[Step]:
        """The steps of the workflow so far, in the order in which they began."""
        return list(self._recorder.flow.steps.values()) if self._recorder else []

    @property
    def _own(self) -> Recorder:
        assert self._recorder is not None
        return self._recorder

    @contextmanager
    def _call(self, name: str, key: object) -> Iterator[Step]:
        """Yield a step while this thread or task runs it; UsageError if it cannot be called now."""
        pair = step_events.check_name("step name", name), "" if key is None else step_events.check_name("key", str(key))
        with self._guard:
            self._check()
            if pair in self._met:
                raise UsageError(
                    f"Step {name!r} was called twice in this run{f' with the key {key!r}' if pair[1] else ''}.",
                    hint="Give each its own key: flow.step(name, function, key=…)",
                )
            self._met.add(pair)
            self._running.add(pair)
        try:
            yield self._own.step(*pair)
        except Paused as pause:
            self.waits.append(pause.waits)
            raise
        finally:
            with self._guard:
                self._running.discard(pair)
                self._release()

    def _check(self) -> None:
        if not self._open:
            raise UsageError("A step needs its `with` block.", hint="with workspace.workflow(name) as flow: …")
        if os.getpid() != self._process:
            raise UsageError(
                "A workflow cannot be used by another process than the one that began it.",
                hint="Return the result to that process, or begin a workflow of another name.",
            )
        if outer := _within.get():
            raise UsageError(
                f"Step {outer!r} called another step of the workflow.",
                hint="Call steps one after the other, or at once in several threads.",
            )


@contextmanager
def inside(step: Step) -> Iterator[None]:
    """Context manager for running a step's function, so that it cannot run another step."""
    token = _within.set(step.shown)
    try:
        yield
    finally:
        _within.reset(token)


def _only_pauses(error: BaseException) -> bool:
    if isinstance(error, BaseExceptionGroup):
        return all(_only_pauses(exception) for exception in error.exceptions)
    return isinstance(error, Paused)


def _is_running(name: str, error: LockHeldError) -> LockHeldError:
    holder = error.message.partition(": ")[2].partition(":")[0]
    return LockHeldError(f"Workflow {name} is running: {holder or 'unknown'}.", hint="Nothing was changed.")
