"""Remove forgotten text from backups, if the destination allows changes.

As in a workspace, these are lines of documents, compaction's records of them, and bodies of events.
"""

from __future__ import annotations

from agentws.core.journal.sealing import pack
from agentws.core.stores.stores import Stores
from agentws.errors import AgentwsError
from agentws.features.copies.backup.store import copies as _copies, erase
from agentws.features.copies.backup.store.matches import Looks, interrupted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from agentws.core.disk.files import Files
    from agentws.core.formats.travel.backup import Manifest
    from agentws.core.stores.traces import HeldCopies, Sought
    from agentws.features.copies.backup.store.backups import Backups
    from agentws.features.copies.backup.store.erase import Contents, Eraser

_KEPT = "not a document, or a name"


def forget(eraser: Eraser, stores: Stores, sought: Sought, looks: Looks) -> list[HeldCopies]:
    """Remove all matches from the backups of all known destinations that allow changes."""

    def clear(copies: HeldCopies, place: Backups) -> None:
        eraser.sweep(place)
        copies.left += [f"{name}: {_copies.INTERRUPTED}" for name in interrupted(place, looks)]
        for name in place.names():
            try:
                manifest = place.manifest(name)
            except AgentwsError:
                copies.left.append(f"{name}: {_copies.UNREADABLE}")
                continue
            copies.git = copies.git or _copies.has_past(manifest)
            with place.tree(name) as tree:
                held = looks.held(manifest, tree)
                if held:
                    copy = Stores(tree, stores.environment)
                    contents, left = _without(copy, eraser, manifest, sought, looks, held)
                    copies.left += [f"{name}: {path} ({_KEPT})" for path in left]
                    eraser.put(copies, place, name, manifest, contents, copy.files)

    with eraser.alone():
        return _copies.each(stores, clear, all_=False)


def _without(
    copy: Stores, eraser: Eraser, manifest: Manifest, sought: Sought, looks: Looks, held: Sequence[str]
) -> tuple[Contents, list[str]]:
    """Return the changed files of a backup without the matches, and the paths that still match."""
    copy.load()
    changes, places = sought.documents(copy, run=eraser.run)
    contents: Contents = {change.path: change.data for change in changes if change.path in manifest.entries}
    only = _segments(copy.files, manifest, looks, held, recalls=bool(places))
    events = sought.events(copy, places, only) if only else []
    contents |= eraser.journal(copy.files, manifest, [event for event in events if not event.already])
    contents |= dict.fromkeys(path for path in sought.whole_files(copy, held) if path in manifest.entries)
    return contents, [path for path in held if _keeps(contents, path, sought)]


def _segments(
    files: Files, manifest: Manifest, looks: Looks, held: Collection[str], *, recalls: bool
) -> set[tuple[str, int]]:
    """Return the segments (writer, number) that may match, also by a blob or a recall receipt."""
    blobs = {path.rpartition("/")[2] for path in held if "/blobs/" in path}
    segments = set()
    for path, place in erase.segments(manifest).items():
        look = looks.of(files, manifest.entries[path])
        if look.holds or not blobs.isdisjoint(look.blobs) or (recalls and look.recalls):
            segments.add(place)
    return segments


def _keeps(contents: Mapping[str, bytes | None], path: str, sought: Sought) -> bool:
    """Return whether a file with a match still matches after the change."""
    if path not in contents:
        return True
    data = contents[path]
    return data is not None and (sought.is_in(path) or sought.is_in_bytes(pack.lines(path, data)))
