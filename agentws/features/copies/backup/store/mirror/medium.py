"""The mirror of one installation beside the backups of an agent, as earlier versions made it; clears forgotten ones."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Sequence
from contextlib import suppress

from agentws.core.disk import files
from agentws.core.disk.files import Files
from agentws.core.formats.travel import backup, mirror
from agentws.core.formats.travel.backup import Header
from agentws.core.formats.travel.inventory import Inventory
from agentws.core.formats.travel.mirror import State
from agentws.core.installation import backups
from agentws.core.stores.purges import PurgedEvent
from agentws.core.stores.stores import Stores
from agentws.errors import AgentwsError, MissingFileError, UnsafeFileError
from agentws.features.copies.backup.store import chain, erase, folder, reach

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


_HOW = "Delete this folder, or run on its machine: agentws backup create"
_REMOVED = "Removed the mirror {} of an earlier version."
_AHEAD = "The mirror {} of an earlier version holds events that are missing here: delete it yourself."


def clear_forgotten(stores: Stores) -> list[str]:
    """Remove the mirrors of this installation: the workspace holds what they do. Returns notices.

    One that holds events which are missing here stays.
    """
    notices: list[str] = []
    owner = reach.owner(stores.root)

    def look(replica: Medium) -> None:
        state = replica.state()
        if replica.owner != owner:
            return
        if state is not None and not has_events(stores.files, state):
            notices.append(_AHEAD.format(replica.path))
        else:
            replica.remove()
            notices.append(_REMOVED.format(replica.path))

    _each(stores, look)
    return notices


def holding(stores: Stores, lines: Sequence[PurgedEvent], *, but: str = "") -> list[str]:
    """Return, in words, which mirrors at known destinations, `but` those of one owner, hold some of these bodies."""
    result: list[str] = []

    def look(replica: Medium) -> None:
        if replica.owner != but and any(erase.whole(replica.tree, line) is not None for line in lines):
            result.append(words(replica))

    _each(stores, look)
    return result


def words(replica: Medium) -> str:
    """What there is to say of a mirror that holds what is forgotten."""
    return f"The mirror {replica.path} contains matches. {_HOW}"


def _each(stores: Stores, act: Callable[[Medium], None]) -> None:
    """Let `act` look at each mirror in a folder that can be reached; a mirror that cannot be read or removed stays."""
    agent = stores.manifest
    for known in backups.read(stores.files, agent.agent_id, stores.environment.state):
        if known.to.startswith("/"):
            with suppress(AgentwsError):
                place = folder.at(known.to, agent.agent_id, agent.name, known=True).place
                for replica in all_of(place):
                    with suppress(AgentwsError):
                        act(replica)
