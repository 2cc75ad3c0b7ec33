"""The mirror of one installation beside the backups of an agent, as earlier versions made it."""

from __future__ import annotations

import os
import shutil

from agentws.core.disk import files
from agentws.core.formats.travel import backup, mirror
from agentws.errors import AgentwsError, MissingFileError, UnsafeFileError
from agentws.features.copies.backup.store import chain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.core.disk.files import Files
    from agentws.core.formats.travel.backup import Header
    from agentws.core.formats.travel.inventory import Inventory
    from agentws.core.formats.travel.mirror import State

_GONE = ".gone-"
_APART = "The mirror {} of an earlier version holds another history, and was kept."


class Medium:
    """The mirror of one installation, the `owner`, in the absolute folder `place` of an agent's backups."""

    def __init__(self, place: str, owner: str) -> None:
        self.place = place
        self.owner = owner
        self._within = f"{mirror.FOLDER}/{owner}"
        self._files = files.Outside(place)

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
    names = files.Files(place).names(mirror.FOLDER)
    return [Medium(place, name) for name, kind in names if kind == "folder" and not name.startswith(".")]


def clear(place: str, name: str, header: Header, entries: Inventory, *, owner: str) -> list[str]:
    """Remove the mirrors that hold nothing beyond the backup `name`, just made by `owner`, with these `entries`.

    Of another installation, nothing goes that cannot be read, or holds a document otherwise than the backup: its own
    next backup takes that along. The own one stays where it holds other events under the same numbers. Returns the
    notices of that.
    """
    notices = []
    tree = files.Files(f"{place}/{name}/{backup.TREE}")
    for medium in all_of(place):
        try:
            state = medium.state()
            own = medium.owner == owner
            if own and state is not None and _is_other(tree, state):
                notices.append(_APART.format(medium.path))
            elif (own and state is None) or (
                state is not None
                and all(header.heads.get(writer, (0, ""))[0] >= seq for writer, seq in state.heads.items())
                and (own or (state.agent == header.agent and _is_in(state, tree, entries)))
            ):
                medium.remove()
        except AgentwsError:
            continue  # it stays, is older than the backup, and goes with the next one
    return notices


def _is_in(state: State, tree: Files, entries: Inventory) -> bool:
    """Return whether the backup has the same events and documents, not only as many."""
    if state.odd:
        return False
    for path, document in state.documents.items():
        if document is not None and (path not in entries or entries[path].content != document[3]):
            return False
    return has_events(tree, state)


def _is_other(files: Files, state: State) -> bool:
    """Return whether other events stand under the numbers of those that a mirror holds."""
    newest = [
        (writer, max(held.values(), key=lambda stretch: stretch.seq)) for writer, held in state.segments.items() if held
    ]
    return any(chain.differs(files, writer, stretch.seq, stretch.hash) for writer, stretch in newest)


def has_events(files: Files, state: State) -> bool:
    """Return whether a workspace has the events of a mirror: the same ones, not only as many."""
    for writer, held in state.segments.items():
        newest = max(held.values(), key=lambda stretch: stretch.seq, default=None)
        if newest is not None and newest.hash != chain.hash_of(files, writer, newest.seq):
            return False
    return True
