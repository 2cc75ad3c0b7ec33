"""The handle for programs on one task's checkpoints: saves by steps, time and at exit, loads with a schema."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Any

from agentws.core import Result
from agentws.core.stores.stores import Stores
from agentws.errors import FormatVersionError, UsageError
from agentws.features.checkpoints import listing, restore, save
from agentws.features.checkpoints.listing import Row
from agentws.features.checkpoints.task_checkpoints import Checkpoint

Upcaster = Callable[[Any], Any]


_UNSAVED = object()
"""Stands for no value, since None is a value."""


def checkpoint(
    stores: Stores,
    task: str,
    *,
    every_steps: int | None = None,
    every_s: float | None = None,
    on_exit: bool = False,
) -> Checkpoints:
    """Return the handle on the checkpoints of a task, to save and load. Within a `with` block, `step` saves by itself.

    It saves every `every_steps` steps and every `every_s` seconds, and with `on_exit` the last value when the block is
    left, also by an exception.
    """
    for name, value in (("every_steps", every_steps), ("every_s", every_s)):
        if value is not None and value <= 0:
            raise UsageError(f"{name} must be more than 0, not {value}.")
    return Checkpoints(stores, task, every_steps=every_steps, every_s=every_s, on_exit=on_exit)


class Checkpoints(Result):
    """A handle on the checkpoints of a task. Each save follows the checkpoint that it saved or restored last."""

    def __init__(
        self, stores: Stores, task: str, *, every_steps: int | None, every_s: float | None, on_exit: bool
    ) -> None:
        self._stores = stores
        self.task = task
        self._every_steps = every_steps
        self._every_s = every_s
        self._on_exit = on_exit
        self._steps = 0
        self._saved_at = time.monotonic()
        self._last: object = _UNSAVED
        self._parent: str | None = None
        self._schema: tuple[str, int] | None = None
        self._upcasters: Mapping[int, Upcaster] = {}

    def schema(self, name: str, version: int, *, upcasters: Mapping[int, Upcaster] | None = None) -> Checkpoints:
        """Set the schema of the states: new checkpoints are saved with it, and loaded states are upgraded to it.

        `upcasters` has functions by version: each turns a state of that version into one of the next.
        """
        self._schema = (name, version)
        self._upcasters = dict(upcasters or {})
        return self

    def save(self, value: Any, *, label: str = "", parent: str | None = None) -> Checkpoint:
        """Save a state as a checkpoint; when this returns, it is durable."""
        self._stores.begin()
        made = save.save(
            self._stores, self.task, value, label=label, parent=parent, schema=self._schema, follows=self._parent
        )
        self._parent = made.id
        self._steps = 0
        self._saved_at = time.monotonic()
        self._last = _UNSAVED
        return made

    def step(self, value: Any) -> Checkpoint | None:
        """Count a step and its state, and save a checkpoint if one is due. Return the checkpoint, else None."""
        self._steps += 1
        self._last = value
        by_steps = self._every_steps is not None and self._steps >= self._every_steps
        by_time = self._every_s is not None and time.monotonic() - self._saved_at >= self._every_s
        return self.save(value) if by_steps or by_time else None

    def load(self, id: str | None = None) -> Any:
        """Return the state of the checkpoint with a number, label or id, by default of the one restored last or newest.

        Nothing is recorded. MissingFileError if it is missing; FormatVersionError if the state cannot be upgraded to
        the schema.
        """
        self._stores.begin()
        return self._upcast(listing.show(self._stores, self.task, id))

    def restore(self, to: str | None = None) -> Any:
        """Return a state like `load`, and record that it was restored; the next saved checkpoint follows it."""
        self.load(to)  # a state that cannot be upgraded to the schema is not restored
        saved = restore.restore(self._stores, self.task, to)
        self._parent = saved.id
        return self._upcast(saved)

    def list(self) -> list[Row]:
        """Return the rows of the task's checkpoints, the oldest first."""
        self._stores.begin()
        return list(listing.list_checkpoints(self._stores, self.task).rows)

    def _upcast(self, loaded: Checkpoint) -> Any:
        """Return the state, upgraded to the schema of this handle."""
        if self._schema is None:
            return loaded.state
        name, version = self._schema
        saved, at = loaded.head.schema or (name, 1)
        if saved != name or at > version:
            raise FormatVersionError(
                f"Checkpoint {loaded.id} has the schema {saved}@{at}, not {name}@{version}.",
                hint="Load it with a newer version of your program." if saved == name else None,
            )
        state = loaded.state
        for number in range(at, version):
            if number not in self._upcasters:
                raise FormatVersionError(
                    f"Checkpoint {loaded.id} has the schema {saved}@{at}, and no upcaster takes version {number}.",
                    hint=f"Give one: schema({name!r}, {version}, upcasters={{{number}: function}})",
                )
            state = self._upcasters[number](state)
        return state

    def close(self) -> None:
        """Close the handle: with `on_exit`, save the last value given to `step` if it is unsaved."""
        if self._on_exit and self._last is not _UNSAVED:
            self.save(self._last)

    def __enter__(self) -> Checkpoints:
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        try:
            self.close()
        except Exception as failed:
            if error is None:
                raise
            error.add_note(f"The last state was not saved: {failed}")  # what ended the block matters more
