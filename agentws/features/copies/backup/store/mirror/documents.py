"""Documents that the mirrors beside the newest backup have newer: taken where the backup has them as they were.

A mirror follows a backup. What it tells of a document is taken where the newest backup holds what that one held; where
both have gone on, or another mirror tells otherwise, the document of the backup stays, and the other one is named.
"""

from __future__ import annotations

from agentws.core.formats import digest
from agentws.core.formats.travel import backup, mirror
from agentws.core.formats.travel.inventory import FILE, FOLDER
from agentws.errors import AgentwsError, MissingFileError
from agentws.features.copies.backup.store.folder import FolderBackups
from agentws.features.copies.backup.store.mirror import overlay

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from agentws.core.formats.travel.backup import Manifest
    from agentws.core.formats.travel.inventory import Inventory
    from agentws.core.formats.travel.mirror import Document, State
    from agentws.features.copies.backup.store.mirror.medium import Medium
    from agentws.features.copies.backup.store.mirror.overlay import Overlay

_APART = "{} of the mirror in {}: another version, which was left there"


def take(found: Overlay, mirrors: Iterable[tuple[Medium, State]], name: str, manifest: Manifest) -> None:
    """Take from the mirrors what is newer than `manifest`, that of the backup `name`; the newest mirror comes first."""
    for one, state in sorted(mirrors, key=lambda each: (each[1].follows == name, each[1].at), reverse=True):
        before = manifest.entries if state.follows == name else _followed(one, state)
        for path, told in state.documents.items():
            _one(found, one, path, told, before, manifest)


def _followed(one: Medium, state: State) -> Inventory | None:
    """What the backup that a mirror follows holds; None where nobody can tell."""
    if not backup.number_of(state.follows):
        return None
    try:
        manifest = FolderBackups(one.place).manifest(state.follows)
    except AgentwsError:
        return None
    return manifest.entries if manifest.header.agent == state.agent else None


def _one(
    found: Overlay, one: Medium, path: str, told: Document | None, before: Inventory | None, manifest: Manifest
) -> None:
    new, now = told[3] if told is not None else "", _content(manifest.entries, path)
    taken = "" if path in found.removed else _content(found.entries, path)
    is_taken = path in found.removed or path in found.entries
    if new == (taken if is_taken else now):
        return
    if is_taken or before is None or now != _content(before, path):
        found.apart.append(_APART.format(path, f"{one.place}/{mirror.FOLDER}/{one.owner}"))
    elif told is None:
        found.removed.append(path)
        found.documents += 1
    else:
        _add(found, one, path, told, manifest)


def _add(found: Overlay, one: Medium, path: str, told: Document, manifest: Manifest) -> None:
    mode, mtime_ns, _, content, before = told
    try:
        data = one.tree.read(path)
    except MissingFileError:
        if before != "":  # else it was to be written
            found.wrong.append(f"{path} of the mirror: missing")
        return
    except AgentwsError as error:
        found.wrong.append(f"{path} of the mirror: {error.message}")
        return
    if digest.of(data) not in (content, before) or not _has_room(path, manifest):
        found.wrong.append(f"{path} of the mirror: not what was copied")
        return
    found.add(path, data, mode & 0o777, mtime_ns, one)
    found.documents += 1


def _content(entries: Inventory, path: str) -> str:
    """The digest of a file; empty where there is none."""
    entry = entries.get(path)
    return entry.content if entry is not None else ""


def _has_room(path: str, manifest: Manifest) -> bool:
    """Return whether a file may stand at `path`: nothing above it is a link or a file, and no folder stands there."""
    present = manifest.entries.get(path)
    above = [manifest.entries.get(folder) for folder in overlay.folders(path)]
    return (present is None or present.kind == FILE) and all(one is None or one.kind == FOLDER for one in above)
