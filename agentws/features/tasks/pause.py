"""Pauses a task together with its state, and resumes it with that: a checkpoint and a move of the task in one call."""

from __future__ import annotations

from typing import Any

from agentws.core import Record, Result
from agentws.core.notes import transitions
from agentws.core.stores.stores import Stores
from agentws.features.checkpoints import restore, save, task_checkpoints
from agentws.features.checkpoints.task_checkpoints import Checkpoint, TaskCheckpoints
from agentws.features.tasks import move
from agentws.features.tasks.change import TaskChanged

_NOTHING = object()


class Moved(Record, Result):
    """The result of pausing or resuming a task with its state: `done` of the move, `state` that was restored.

    `checkpoint` is the one that was saved or restored, None if the task has none.
    """

    done: TaskChanged
    checkpoint: Checkpoint | None
    notices: list[str]

    @property
    def state(self) -> Any:
        """The state of the checkpoint, None without one."""
        return self.checkpoint.state if self.checkpoint is not None else None


def pause(
    stores: Stores, task: str, state: Any = _NOTHING, *, reason: str = "", label: str = "", via: str | None = None
) -> Moved:
    """Save the state of a task, if one is given, as a checkpoint, then pause the task.

    A process killed in between leaves only the pause undone. If the task cannot be paused, nothing is saved.
    """
    if state is not _NOTHING:
        transitions.check(task_checkpoints.task_of(stores, task), transitions.PAUSE)
    made = None if state is _NOTHING else save.save(stores, task, state, label=label)
    done = move.pause(stores, task, reason, via=via)
    return Moved(done, made, list(dict.fromkeys([*(made.notices if made else ()), *done.notices])))


def resume(stores: Stores, task: str, *, to: str | None = None, reason: str = "", via: str | None = None) -> Moved:
    """Resume a task; return it with the state of its checkpoint that counts, or the one that `to` names.

    A state that is missing or cannot be read leaves the task as it is.
    """
    checkpoints = TaskCheckpoints(stores, task_checkpoints.known_task(stores, task))
    has_state = bool(to is not None or checkpoints.headers or checkpoints.lost)
    if has_state:
        checkpoints.state(checkpoints.counting(to))
    done = move.resume(stores, task, reason, via=via)
    made = restore.restore(stores, task, to) if has_state else None
    return Moved(done, made, list(dict.fromkeys([*done.notices, *(made.notices if made else ())])))
