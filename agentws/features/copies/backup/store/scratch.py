"""A partial backup in a temporary folder, for a destination that is not a folder."""

from __future__ import annotations

from agentws.core.formats import layout
from agentws.core.formats.journal import segment
from agentws.features.copies.backup.store.part import Part

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from agentws.core.formats.travel.inventory import TreeEntry


class Scratch(Part):
    """A partial backup in the local folder `place`, which `clear` removes.

    A kind of destination implements `has` and the steps after copying: `settle`, `read_back`, `finish`, `keep`.
    """

    def __init__(self, place: str, before: Iterable[str]) -> None:
        """`before` are the paths of the previous backup."""
        super().__init__(place)
        self._newest = set(newest_segments(before))

    def has(self, entry: TreeEntry) -> bool:
        """Return whether the destination has the content of this file already."""
        raise NotImplementedError

    def link(self, entry: TreeEntry) -> None:
        """Do nothing: only the manifest records links."""

    def same(self, entry: TreeEntry) -> bool:
        """Return whether a file need not be copied; the newest segments always are, since their ends are read here."""
        return entry.path not in self._newest and self.has(entry)

    def share(self, entry: TreeEntry) -> None:
        """Skip sending a copied file that the destination already has."""
        if self.has(entry):
            self.copied.pop(entry.path, None)

    def settle(self, entries: Iterable[TreeEntry]) -> None:
        """Do nothing: the temporary folder need not be durable."""

    def read_back(self) -> None:
        """Do nothing: the destination is read back after sending."""


def newest_segments(paths: Iterable[str]) -> list[str]:
    """Return the path of each writer's newest segment."""
    found: dict[str, int] = {}
    for path in paths:
        parts = path.split("/")
        number = segment.number_of(parts[2]) if len(parts) == 3 and parts[0] == layout.JOURNAL else None
        if number is not None:
            found[parts[1]] = max(number, found.get(parts[1], 0))
    return [segment.path(writer, number) for writer, number in found.items()]
