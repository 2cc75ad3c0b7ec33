"""The checkpoints of one task for a program: saved by steps, by time and at the end, and read with a schema."""

from __future__ import annotations

import time

from agentws.errors import FormatVersionError, UsageError
from agentws.features.checkpoints import listing, restore, save

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from types import TracebackType
    from typing import Any

    from agentws.core.stores.stores import Stores
    from agentws.features.checkpoints.listing import Row
    from agentws.features.checkpoints.shelf import Checkpoint

    Upcaster = Callable[[Any], Any]

_UNSAVED = object()
"""Stands for no value at all, where None is one."""


def checkpoint(
    stores: Stores,
    task: str,
    *,
    every_steps: int | None = None,
    every_s: float | None = None,
    on_exit: bool = False,
) -> Checkpoints:
    """Return the checkpoints of a task, to save and to load. Within a `with` block, `step` saves by itself.

    It does after so many steps, after so many seconds, and with `on_exit` the last value when the block is left, also
    by an exception.
    """
    for name, value in (("every_steps", every_steps), ("every_s", every_s)):
        if value is not None and value <= 0:
            raise UsageError(f"{name} must be more than 0, not {value}.")
    return Checkpoints(stores, task, every_steps=every_steps, every_s=every_s, on_exit=on_exit)


class Checkpoints:
    """The checkpoints of a task. What one object saves follows what it saved or restored before."""

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
        """Say what the states look like: what is saved from now on has this schema, what is loaded is brought to it.

        `upcasters` are by the version that they take: each makes a state of that version one of the next.
        """
        self._schema = (name, version)
        self._upcasters = dict(upcasters or {})
        return self

    def save(self, value: Any, *, label: str = "", parent: str | None = None) -> Checkpoint:
        """Save a state; when this returns, it is durable."""
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
        """Say that a step was made and what the state is now; the checkpoint, where one was due."""
        self._steps += 1
        self._last = value
        by_steps = self._every_steps is not None and self._steps >= self._every_steps
        by_time = self._every_s is not None and time.monotonic() - self._saved_at >= self._every_s
        return self.save(value) if by_steps or by_time else None

    def load(self, id: str | None = None) -> Any:
        """Return a state, by a number, a label or an id; by None that of what was restored last, else the newest one.

        Nothing is recorded. MissingFileError where there is none; FormatVersionError where it cannot be brought to
        the schema.
        """
        self._stores.begin()
        return self._upcast(listing.show(self._stores, self.task, id))

    def restore(self, to: str | None = None) -> Any:
        """As `load`, recorded as an event; what is saved next follows it."""
        self.load(to)  # what cannot be brought to the schema is not restored
        found = restore.restore(self._stores, self.task, to)
        self._parent = found.id
        return self._upcast(found)

    def list(self) -> list[Row]:
        """Return the checkpoints, the oldest first."""
        self._stores.begin()
        return list(listing.list_checkpoints(self._stores, self.task).rows)

    def _upcast(self, found: Checkpoint) -> Any:
        """The state in the schema that was asked for."""
        if self._schema is None:
            return found.state
        name, version = self._schema
        saved, at = found.head.schema or (name, 1)
        if saved != name or at > version:
            raise FormatVersionError(
                f"Checkpoint {found.id} has the schema {saved}@{at}, not {name}@{version}.",
                hint="Load it with a newer version of your program." if saved == name else None,
            )
        state = found.state
        for number in range(at, version):
            if number not in self._upcasters:
                raise FormatVersionError(
                    f"Checkpoint {found.id} has the schema {saved}@{at}, and no upcaster takes version {number}.",
                    hint=f"Give one: schema({name!r}, {version}, upcasters={{{number}: function}})",
                )
            state = self._upcasters[number](state)
        return state

    def close(self) -> None:
        """Save the last value that `step` was given, with `on_exit` and where it was not saved."""
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
