"""The backups that this installation has made: where to, what is in the newest, when one was last restored to try.

They stand in its state, outside of the workspace, so that no folder from elsewhere tells us where to write.
"""

from __future__ import annotations

from datetime import datetime

from agentws.core.installation import state_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from agentws.core.disk.files import Files
    from agentws.core.installation.state_dir import State

_NAME, _KEY = "backups", "destinations"


class Known:
    """A destination: `to` (absolute), used `since` a moment, the rule of what it is to `keep`, and its newest backup.

    That has a `name`, was made `at` (ISO 8601), and holds the events of each writer up to `heads`; `newest_ns` is the
    newest time of a document in it, as its file system tells it (0: not known). `failed` says when and why the newest
    try failed, empty where it went well; `drilled` is the result of the newest drill. `hooks` is `on` or `off` where
    it was said whether hooks make backups there, `hooks_failed` is `failed` of the newest one of theirs. `due` are
    forgettings that could not reach it: `at` a moment, by a `verb`, with a `salt` and digests of their `words`.
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
        """Return whether only an earlier version of agentws reaches it: through rclone."""
        return self.to.startswith("rclone:")

    @property
    def by_hooks(self) -> bool:
        """Return whether hooks make a backup there when a session ends: it has one, and takes more."""
        return bool(self.name) and (self.hooks == "on" or (self.hooks != "off" and self.to.startswith("/")))

    def plain(self) -> dict[str, object]:
        """The destination as a value of JSON."""
        return {name: getattr(self, name) for name in self.__slots__}


def read(files: Files, agent: str, state: State) -> list[Known]:
    """Return the destinations, the one that was added first at the beginning; none where nothing can be read.

    DiskError where the disk fails: what it does not give is there all the same.
    """
    return state_file.rows(files, agent, state, _NAME, _KEY, _decode)


def write(
    files: Files, agent: str, state: State, to: str, change: Callable[[Known], object], *, adds: bool = False
) -> None:
    """Let `change` change what is known of one destination as it is now, durably: another run may have done so too.

    One that is not known is left out, but where this `adds` it.
    """
    present = read(files, agent, state)
    one = next((one for one in present if one.to == to), None)
    if one is None and adds:
        present.append(one := Known(to))
    if one is not None:
        change(one)
        state_file.replace_rows(files, agent, state, _NAME, _KEY, present)


def forget(files: Files, agent: str, state: State, to: str) -> None:
    """Forget a destination: nothing is copied there by itself any more."""
    kept = [one for one in read(files, agent, state) if one.to != to]
    state_file.replace_rows(files, agent, state, _NAME, _KEY, kept)


def _decode(told: Mapping[str, Any]) -> Known:
    made = Known(str(told["to"]))
    for name in ("keep", "name", "at", "failed", "since", "hooks", "hooks_failed"):
        setattr(made, name, str(told.get(name) or ""))
    made.heads, made.newest_ns = _heads(told), count if type(count := told.get("newest_ns")) is int else 0
    made.hooks = made.hooks or str(told.get("mirror") or "")  # so an earlier version called it
    drilled = told.get("drilled")
    made.drilled = dict(drilled) if isinstance(drilled, dict) else {}
    due = told.get("due")
    made.due = [one for one in due if isinstance(one, dict) and _is_moment(one.get("at"))] if type(due) is list else []
    return made


def _heads(told: Mapping[str, Any]) -> dict[str, int]:
    return {str(writer): int(seq) for writer, seq in (told.get("heads") or {}).items()}


def _is_moment(told: object) -> bool:
    try:
        return datetime.fromisoformat(str(told).replace("Z", "+00:00")).tzinfo is not None
    except ValueError:
        return False
