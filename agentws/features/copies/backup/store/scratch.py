"""A backup that is being made for a destination which is no folder: what is copied lies here until it is there."""

from __future__ import annotations

from agentws.core.formats import layout
from agentws.core.formats.journal import segment
from agentws.features.copies.backup.store.part import Part

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from agentws.core.formats.travel.inventory import TreeEntry


class Scratch(Part):
    """A part in the folder `place` of this machine, which goes with `clear`.

    A kind of destination answers `has`, and what follows when all is copied: `settle`, `read_back`, `finish`, `keep`.
    """

    def __init__(self, place: str, before: Iterable[str]) -> None:
        """`before` are the paths of the backup before."""
        super().__init__(place)
        self._newest = set(newest_segments(before))

    def has(self, entry: TreeEntry) -> bool:
        """Return whether the destination has the content of this file already."""
        raise NotImplementedError

    def link(self, entry: TreeEntry) -> None:
        """The manifest alone tells of links."""

    def same(self, entry: TreeEntry) -> bool:
        """Take a file that is there already. The newest segments are copied all the same: their ends are read here."""
        return entry.path not in self._newest and self.has(entry)

    def share(self, entry: TreeEntry) -> None:
        """Do not send what was copied, and is there already."""
        if self.has(entry):
            self.copied.pop(entry.path, None)

    def settle(self, entries: Iterable[TreeEntry]) -> None:
        """Nothing here has to last."""

    def read_back(self) -> None:
        """What is here goes; what is there is read when it has gone there."""


def newest_segments(paths: Iterable[str]) -> list[str]:
    """The paths of the newest segment of each writer."""
    found: dict[str, int] = {}
    for path in paths:
        parts = path.split("/")
        number = segment.number_of(parts[2]) if len(parts) == 3 and parts[0] == layout.JOURNAL else None
        if number is not None:
            found[parts[1]] = max(number, found.get(parts[1], 0))
    return [segment.path(writer, number) for writer, number in found.items()]
