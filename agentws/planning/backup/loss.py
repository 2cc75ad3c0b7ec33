"""What of a living workspace a backup lacks: events, and files that differ. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from agentws.formats.travel.inventory import FOLDER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from agentws.formats.travel.inventory import Inventory


@dataclass(frozen=True, slots=True)
class Differences:
    """The paths that were `added`, `changed` or `removed` since; folders are none of them."""

    added: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()

    @property
    def count(self) -> int:
        """How many paths differ."""
        return len(self.added) + len(self.changed) + len(self.removed)


def between(before: Inventory, after: Inventory) -> Differences:
    """Return what differs in `after`."""
    old = {path: entry for path, entry in before.items() if entry.kind != FOLDER}
    new = {path: entry for path, entry in after.items() if entry.kind != FOLDER}
    changed = [
        path
        for path in sorted(old.keys() & new.keys())
        if (old[path].kind, old[path].content, old[path].mode) != (new[path].kind, new[path].content, new[path].mode)
    ]
    return Differences(tuple(sorted(new.keys() - old.keys())), tuple(changed), tuple(sorted(old.keys() - new.keys())))


def events(copied: Mapping[str, int], now: Mapping[str, int]) -> dict[str, int]:
    """How many events of each writer are newer than what was copied; writers without any are left out."""
    missing = {writer: seq - copied.get(writer, 0) for writer, seq in now.items()}
    return {writer: count for writer, count in missing.items() if count > 0}
