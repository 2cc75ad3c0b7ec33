"""The recorder of a workflow: records its events durably and updates its state; with Paused and NOT_DONE."""

from __future__ import annotations

import os
import threading

from agentws.core.formats.json import values
from agentws.core.formats.secrets import redaction
from agentws.core.stores import record
from agentws.errors import UsageError
from agentws.features.workflow.plan import state as _state
from agentws.features.workflow.plan.state import Step

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from agentws.core.stores.stores import Stores
    from agentws.features.workflow.plan.state import Flow

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

    `waits` says what it waits for, `approval` is the id of the request, empty if there is none.
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
