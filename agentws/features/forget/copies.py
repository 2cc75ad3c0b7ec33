"""What is forgotten taken out of the backups that hold it, where the medium can.

The same goes as in a workspace: lines of documents, what compaction says of them, bodies of events.
"""

from __future__ import annotations

from agentws.changes import Write
from agentws.core.formats import layout
from agentws.core.formats.documents import checkpoint
from agentws.core.journal.sealing import pack
from agentws.core.stores.stores import Stores
from agentws.errors import AgentwsError
from agentws.features.copies.backup.store import copies as _copies
from agentws.features.copies.backup.store import erase
from agentws.features.forget import documents, events
from agentws.features.forget.backups import interrupted
from agentws.features.forget.plan import strike

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from agentws.core.disk.files import Files
    from agentws.core.formats.travel.backup import Manifest
    from agentws.core.ports import Backups
    from agentws.features.copies.backup.store.copies import HeldCopies
    from agentws.features.copies.backup.store.erase import Contents, Eraser
    from agentws.features.forget.backups import Looks
    from agentws.features.forget.plan.wanted import Wanted

_KEPT = "not a document, or a name"


def forget(eraser: Eraser, stores: Stores, wanted: Wanted, looks: Looks) -> list[HeldCopies]:
    """Take all that holds it out of the backups of all known destinations where that can be done."""

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
                    contents, left = _without(copy, eraser, manifest, wanted, looks, held)
                    copies.left += [f"{name}: {path} ({_KEPT})" for path in left]
                    eraser.put(copies, place, name, manifest, contents, copy.files)

    with eraser.alone():
        return _copies.each(stores, clear, all_=False)


def _without(
    copy: Stores, eraser: Eraser, manifest: Manifest, wanted: Wanted, looks: Looks, held: Sequence[str]
) -> tuple[Contents, list[str]]:
    """The files of a backup without it, and the paths of those that keep it."""
    copy.load()
    found = documents.find(copy, wanted, run=eraser.run, dry_run=False)
    changes = [one for one in found.changes.changes if isinstance(one, Write)]
    contents: Contents = {one.path: one.data for one in changes if one.path in manifest.entries}
    places = {(path, line.line) for path, line in found.lines}
    only = _segments(copy.files, manifest, looks, held, recalls=bool(places))
    said = events.find(copy, wanted, places, only=only).events if only else []
    contents |= eraser.journal(copy.files, manifest, [one.line for one in said if not one.line.already])
    contents |= dict.fromkeys(path for path in _checkpoints(copy, wanted, held) if path in manifest.entries)
    return contents, [path for path in held if _keeps(contents, path, wanted)]


def _segments(
    files: Files, manifest: Manifest, looks: Looks, held: Collection[str], *, recalls: bool
) -> set[tuple[str, int]]:
    """The segments (writer, number) that may hold it: themselves, in a blob, or as a receipt of a recall."""
    blobs = {path.rpartition("/")[2] for path in held if "/blobs/" in path}
    found = set()
    for path, place in erase.segments(manifest).items():
        look = looks.of(files, manifest.entries[path])
        if look.holds or not blobs.isdisjoint(look.blobs) or (recalls and look.recalls):
            found.add(place)
    return found


def _checkpoints(copy: Stores, wanted: Wanted, held: Collection[str]) -> list[str]:
    """The files of the checkpoints that hold it, and of the long texts that no other needs: each goes as a whole."""
    if not any(path.startswith(f"{layout.CHECKPOINTS}/") for path in held):
        return []
    from agentws.features.checkpoints.store import folder
    from agentws.features.forget import checkpoints

    states = checkpoints.find(copy, wanted, [])
    unused = folder.unused_blobs(copy.files, without=states)
    return [checkpoint.path(*place) for place in states] + [checkpoint.blob_path(name) for name in unused]


def _keeps(contents: Mapping[str, bytes | None], path: str, wanted: Wanted) -> bool:
    """Return whether a file that held it still does."""
    if path not in contents:
        return True
    data = contents[path]
    return data is not None and (wanted.is_in(path) or strike.holds(pack.lines(path, data), wanted))
