"""The mirror of one installation beside the backups of an agent, as earlier versions made it."""

from __future__ import annotations

import os
import shutil

from agentws.core.disk import files
from agentws.core.formats.travel import mirror
from agentws.errors import MissingFileError, UnsafeFileError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.core.formats.travel.mirror import State

_GONE = ".gone-"


class Medium:
    """The mirror of one installation, the `owner`, in the absolute folder `place` of an agent's backups."""

    def __init__(self, place: str, owner: str) -> None:
        self.place = place
        self.owner = owner
        self._within = f"{mirror.FOLDER}/{owner}"
        self._files = files.Files(place)

    @property
    def path(self) -> str:
        """The absolute folder of it."""
        return f"{self.place}/{self._within}"

    @property
    def tree(self) -> files.Files:
        """The mirrored files, as a workspace has them."""
        return files.Files(f"{self.path}/{mirror.TREE}")

    @property
    def is_bare(self) -> bool:
        """Return whether nothing was told or written yet: the first run was killed at once."""
        return not any(os.path.lexists(f"{self.path}/{name}") for name in (mirror.STATE, mirror.TREE))

    def state(self) -> State | None:
        """What the mirror holds; None where it cannot be read."""
        try:
            return mirror.decode(self._files.read(f"{self._within}/{mirror.STATE}", limit_bytes=mirror.MOST_BYTES))
        except (MissingFileError, UnsafeFileError, mirror.NotAMirrorError):
            return None

    def paths(self) -> list[str]:
        """The mirrored files, as RelPaths of a workspace."""
        root = self.tree.root
        return [
            os.path.relpath(f"{folder}/{name}", root) for folder, _, names in os.walk(root) for name in sorted(names)
        ]

    def remove(self) -> None:
        """Remove the mirror: at once it is none, whenever this ends."""
        gone = f"{self.place}/{_GONE}{mirror.FOLDER}-{self.owner}"
        try:
            shutil.rmtree(gone, ignore_errors=True)
            os.rename(self.path, gone)
            self._files.sync_folder(mirror.FOLDER)
            shutil.rmtree(gone)
        except FileNotFoundError:
            return
        except OSError as error:
            raise files.failure(error, self.path) from error


def all_of(place: str) -> list[Medium]:
    """The mirrors at the `place` of an agent's backups, of all installations; none where that is no folder."""
    if not place.startswith("/"):
        return []
    found = files.Files(place).names(mirror.FOLDER)
    return [Medium(place, name) for name, kind in found if kind == "folder" and not name.startswith(".")]
