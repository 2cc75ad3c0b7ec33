"""Plan: the result of merging two workspace trees; and Blobs, the contents that the merge reads."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from agentws.features.sync.plan.merged import Conflict

Tree = Mapping[str, str]
"""The files of a state: the id of the blob that each path holds."""


Value = str | bytes | None
"""The content of a path: the id of a blob, bytes that are not a blob yet, or None for no file."""

_MOST_KEPT_BYTES = 1 << 22


@dataclass(slots=True)
class Plan:
    """The plan of a merge: the changes that turn our files into the merged state.

    Fields:
        changes: by path, relative to ours: new content, the id of a blob to take unchanged, or None to remove the file.
        conflicts: what a person has to decide; both sides are kept.
        notices: what was not merged, and why.
        apart: paths at which each side keeps its own content, with the remote's: a commit records the remote's, so
        that two machines that disagree do not push by turns.
        forks: for each writer with a different history on the other side, the newest event number that both share.
    """

    changes: dict[str, Value] = field(default_factory=dict)
    conflicts: list[Conflict] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)
    apart: dict[str, Value] = field(default_factory=dict)
    forks: dict[str, int] = field(default_factory=dict)


class Blobs:
    """Reads blobs by their ids, and caches the contents as far as memory allows."""

    def __init__(self, read: Callable[[str], bytes]) -> None:
        self._read = read
        self._kept: dict[str, bytes] = {}
        self._size = 0

    def content(self, value: Value) -> bytes | None:
        """Return the bytes of a value, None for no file."""
        if not isinstance(value, str):
            return value
        if (content := self._kept.get(value)) is not None:
            return content
        data = self._read(value)
        self._size += len(data)
        if self._size > _MOST_KEPT_BYTES:
            self._kept.clear()
            self._size = len(data)
        self._kept[value] = data
        return data

    def bytes_of(self, value: Value) -> bytes:
        """Return the bytes of a value, empty for no file."""
        return self.content(value) or b""

    def same(self, content: Value, other: Value) -> bool:
        """Return whether two values are the same content; two blobs are compared by their ids alone."""
        if content is None or other is None or (isinstance(content, str) and isinstance(other, str)):
            return content == other
        return self.content(content) == self.content(other)


def changes(ours: Mapping[str, str], made: Mapping[str, Value], blobs: Blobs) -> dict[str, Value]:
    """Return the changes for a plan that turn our files into those in `made`."""
    writes: dict[str, Value] = {path: None for path in ours if made.get(path) is None}
    writes |= {
        path: value for path, value in made.items() if value is not None and not blobs.same(value, ours.get(path))
    }
    return dict(sorted(writes.items()))


def common(ours: Mapping[str, str], theirs: Mapping[str, str]) -> dict[str, str]:
    """Return the files that two states have in common: the base of a first sync."""
    return {path: oid for path, oid in ours.items() if theirs.get(path) == oid}
