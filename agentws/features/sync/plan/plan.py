"""The plan of a merge of two workspace trees, and the blobs that it reads."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from agentws.features.sync.plan.merged import Conflict

    Tree = Mapping[str, str]
    """The files of a state: the id of the blob that each path holds."""

Value = str | bytes | None
"""What a path holds: the id of a blob, bytes that no blob holds yet, or None for no file."""

_MOST_KEPT_BYTES = 1 << 22


@dataclass(slots=True)
class Plan:
    """What has to change here, so that the files are those of both sides.

    Fields:
        changes: relative to ours: new content, the id of a blob to take as it is, or None for a file that goes.
        conflicts: what a person has to decide; both sides are kept.
        notices: what was not merged, and why.
        apart: paths at which each side keeps what it has, and what the remote has there: a commit says that of them,
            so that two machines that disagree do not push by turns.
        forks: of each writer with another history on the other side, the newest number that both share.
    """

    changes: dict[str, Value] = field(default_factory=dict)
    conflicts: list[Conflict] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)
    apart: dict[str, str | None] = field(default_factory=dict)
    forks: dict[str, int] = field(default_factory=dict)


class Blobs:
    """Contents by the ids of their blobs, each read as seldom as memory allows."""

    def __init__(self, read: Callable[[str], bytes]) -> None:
        self._read = read
        self._kept: dict[str, bytes] = {}
        self._size = 0

    def content(self, value: Value) -> bytes | None:
        """Return the bytes, None for no file."""
        if not isinstance(value, str):
            return value
        if (found := self._kept.get(value)) is not None:
            return found
        data = self._read(value)
        self._size += len(data)
        if self._size > _MOST_KEPT_BYTES:
            self._kept.clear()
            self._size = len(data)
        self._kept[value] = data
        return data

    def bytes_of(self, value: Value) -> bytes:
        """Return the bytes; none for no file."""
        return self.content(value) or b""

    def same(self, one: Value, other: Value) -> bool:
        """Return whether two values are the same content; blobs are told apart by their ids alone."""
        if one is None or other is None or (isinstance(one, str) and isinstance(other, str)):
            return one == other
        return self.content(one) == self.content(other)


def changes(ours: Mapping[str, str], made: Mapping[str, Value], blobs: Blobs) -> dict[str, Value]:
    """Return what makes of our files those that were `made`."""
    found: dict[str, Value] = {path: None for path in ours if made.get(path) is None}
    found |= {
        path: value for path, value in made.items() if value is not None and not blobs.same(value, ours.get(path))
    }
    return dict(sorted(found.items()))


def common(ours: Mapping[str, str], theirs: Mapping[str, str]) -> dict[str, str]:
    """Return what two states have in common: the base of a first contact."""
    return {path: oid for path, oid in ours.items() if theirs.get(path) == oid}
