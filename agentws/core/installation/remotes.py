"""The sync remotes of this installation: their URLs, and the result of the newest sync with each.

Kept in the installation's state, outside of the workspace, so that a foreign folder cannot name remotes.
"""

from __future__ import annotations

import os

from agentws.core import Result
from agentws.core.installation import own_records as _given_orders, state_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any

    from agentws.core.disk.files import Files
    from agentws.core.installation.state_dir import State

_NAME, _KEY = "remotes", "remotes"
_MOST_TREES = 64
_WORDS = ("since", "at", "failed", "away", "commit", "between", "renew")


class Known(Result):
    """A sync remote: its `url`, known since the time `since`, and the newest sync that reached it: `at` (ISO 8601).

    `commit` is the state that both sides had then, `between` the host that had written there before, `heads` the newest
    event of each writer there, `epoch` the remote's epoch. `failed` says when and why the newest attempt failed, empty
    if it succeeded, and `away` is not empty if the remote was unreachable; `renew` are the calls of `forget`, separated
    by spaces, after which it must be renewed. `change` is the number of the newest recorded change that it may hold,
    and `newest_ns` the newest time of a document. `trees` are the git trees of the newest states met there, by commit.
    """

    __slots__ = (
        "at", "away", "between", "change", "commit", "epoch", "failed", "heads", "newest_ns", "renew", "since", "trees",
        "url",
    )  # fmt: skip

    def __init__(self, url: str) -> None:
        self.url = url
        self.at = self.away = self.between = self.commit = self.failed = self.renew = self.since = ""
        self.epoch = self.change = self.newest_ns = 0
        self.heads: dict[str, int] = {}
        self.trees: dict[str, str] = {}

    def met(self, commit: str, tree: str) -> None:
        """Remember the git tree of a state; of many, the newest."""
        self.trees = dict([*(pair for pair in self.trees.items() if pair[0] != commit), (commit, tree)][-_MOST_TREES:])

    def plain(self) -> dict[str, object]:
        """Return the remote as a JSON value."""
        return {name: getattr(self, name) for name in self.__slots__}


def read(files: Files, agent: str, state: State) -> list[Known]:
    """Return the sync remotes in the order in which they were added; none if they cannot be read.

    DiskError if the disk itself fails: unreadable data may still exist.
    """
    return state_file.rows(files, agent, state, _NAME, _KEY, _decode)


def update(files: Files, agent: str, state: State, change: Callable[[list[Known]], Sequence[Known]]) -> None:
    """Save what `change` makes of the remotes, durably; no other process changes them meanwhile."""
    state_file.update_rows(files, agent, state, _NAME, _KEY, _decode, change)


def forgotten(files: Files, agent: str, state: State, *, at: str, lines: Iterable[bytes] = ()) -> list[str]:
    """Let the next sync renew every remote, since they hold forgotten `lines`; returns the URLs."""
    call = f"{at}-{os.urandom(4).hex()}"
    _given_orders.note_forgotten(files, agent, state, [call], lines)
    renew(files, agent, state, [call])
    return [remote.url for remote in read(files, agent, state)]


def renew(files: Files, agent: str, state: State, calls: Iterable[str], *, but: str = "") -> None:
    """Mark the remotes, except the one at `but`, for renewal after these calls of `forget`."""

    def marked(present: list[Known]) -> list[Known]:
        for remote in present:
            if remote.url != but:
                remote.renew = " ".join(dict.fromkeys([*remote.renew.split(), *calls]))
        return present

    if read(files, agent, state):
        update(files, agent, state, marked)


def _decode(fields: Mapping[str, Any]) -> Known:
    made = Known(str(fields["url"]))
    for name in _WORDS:
        setattr(made, name, str(fields.get(name) or ""))
    made.epoch, made.change, made.newest_ns = (int(fields.get(name) or 0) for name in ("epoch", "change", "newest_ns"))
    made.heads = {str(writer): int(seq) for writer, seq in (fields.get("heads") or {}).items()}
    made.trees = {str(commit): str(tree) for commit, tree in (fields.get("trees") or {}).items()}
    return made
