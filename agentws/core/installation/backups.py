"""The backup destinations of this installation: where they are, the newest backup and drill, errors.

Kept in the installation's state, outside of the workspace, so that a foreign folder cannot say where to write.
"""

from __future__ import annotations

from agentws.core import Result
from agentws.core.installation import state_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from agentws.core.disk.files import Files
    from agentws.core.installation.state_dir import State

_NAME, _KEY = "backups", "destinations"


class Known(Result):
    """A backup destination: `to` (absolute), used since the time `since`, its `keep` rule, and its newest backup.

    The backup has a `name`, was made `at` (ISO 8601), and holds the events of each writer up to `heads`; `newest_ns` is
    the newest modification time of a document in it (0: unknown). `failed` says when and why the newest attempt failed,
    empty if it succeeded; `drilled` is the result of the newest drill. `hooks` is `on` or `off` if it was set whether
    hooks make backups there; `hooks_failed` is like `failed`, for hooks. `due` are forget calls that could not reach
    the destination: `at` a time, by a `verb`, with a `salt` and digests of their `words`.
    """

    __slots__ = (
        "at", "drilled", "due", "failed", "heads", "hooks", "hooks_failed", "keep", "name", "newest_ns", "since", "to"
    )  # fmt: skip

    def __init__(self, to: str) -> None:
        self.to = to
        self.keep = self.name = self.at = self.failed = self.since = self.hooks = self.hooks_failed = ""
        self.heads: dict[str, int] = {}
        self.newest_ns = 0
        self.drilled: dict[str, Any] = {}
        self.due: list[dict[str, Any]] = []

    @property
    def is_gone(self) -> bool:
        """Return whether only an earlier version of agentws can reach this backup destination: through rclone."""
        return self.to.startswith("rclone:")

    @property
    def by_hooks(self) -> bool:
        """Return whether hooks make a backup there when a session ends."""
        return bool(self.name) and (self.hooks == "on" or (self.hooks != "off" and self.to.startswith("/")))

    def plain(self) -> dict[str, object]:
        """Return the backup destination as a JSON value."""
        return {name: getattr(self, name) for name in self.__slots__}


def read(files: Files, agent: str, state: State) -> list[Known]:
    """Return the backup destinations in the order in which they were added; none if they cannot be read.

    DiskError if the disk itself fails: unreadable data may still exist.
    """
    return state_file.rows(files, agent, state, _NAME, _KEY, _decode)


def write(
    files: Files, agent: str, state: State, to: str, change: Callable[[Known], object], *, adds: bool = False
) -> None:
    """Change this installation's record of one backup destination by `change`, durably, after reading it again: another
    run may have changed it.

    An unknown destination is ignored, unless `adds`.
    """

    def changed(present: list[Known]) -> list[Known]:
        destination = next((destination for destination in present if destination.to == to), None)
        if destination is None and adds:
            present.append(destination := Known(to))
        if destination is not None:
            change(destination)
        return present

    if adds or any(destination.to == to for destination in read(files, agent, state)):
        state_file.update_rows(files, agent, state, _NAME, _KEY, _decode, changed)


def forget(files: Files, agent: str, state: State, to: str) -> None:
    """Remove a backup destination: no more backups are made there automatically."""

    def left(present: list[Known]) -> list[Known]:
        return [destination for destination in present if destination.to != to]

    state_file.update_rows(files, agent, state, _NAME, _KEY, _decode, left)


def _decode(fields: Mapping[str, Any]) -> Known:
    made = Known(str(fields["to"]))
    for name in ("keep", "name", "at", "failed", "since", "hooks", "hooks_failed"):
        setattr(made, name, str(fields.get(name) or ""))
    made.heads, made.newest_ns = _heads(fields), count if type(count := fields.get("newest_ns")) is int else 0
    drilled = fields.get("drilled")
    made.drilled = dict(drilled) if isinstance(drilled, dict) else {}
    due = fields.get("due")
    made.due = (
        [item for item in due if isinstance(item, dict) and _is_moment(item.get("at"))] if type(due) is list else []
    )
    return made


def _heads(fields: Mapping[str, Any]) -> dict[str, int]:
    return {str(writer): int(seq) for writer, seq in (fields.get("heads") or {}).items()}


def _is_moment(value: object) -> bool:
    from datetime import datetime  # only for what could not be forgotten there: hooks read this at each session's end

    try:
        return datetime.fromisoformat(str(value).replace("Z", "+00:00")).tzinfo is not None
    except ValueError:
        return False
