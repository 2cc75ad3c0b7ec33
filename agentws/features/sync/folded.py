"""Update compaction's records of an archived file when a conflict in it is resolved."""

from __future__ import annotations

from agentws.changes import Remove, Write
from agentws.core.formats import digest, layout
from agentws.core.formats.documents import sources
from agentws.features.sync.plan.plan import Blobs
from agentws.features.sync.plan.state import archive, moves

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.changes import Change
    from agentws.core.stores.stores import Stores
    from agentws.features.sync.plan.plan import Value

_ARCHIVE = "/archive/"


def place(stores: Stores, path: str) -> str:
    """Return the current path of a file: its own, or the one in the archive to which compaction moved it."""
    if stores.files.exists(path):
        return path
    known = sources.Sidecar()
    for month in _months(stores):
        sources.decode(stores.files.read(month).decode("utf-8", "surrogateescape"), known)
    return next((one.to for one in known.places(path) if stores.files.exists(one.to)), path)


def is_in_archive(path: str) -> bool:
    """Return whether a file was archived by compaction."""
    return _ARCHIVE in path and not moves.is_month(path)


def records(stores: Stores, changes: list[Change]) -> list[Change]:
    """Return the changes to compaction's records that these `changes` of archived files require."""
    done = [one for one in changes if is_in_archive(one.path)]
    if not done:
        return []
    before: dict[str, Value] = {path: stores.files.read(path) for path in _paths(stores, [one.path for one in done])}
    after = {**before, **{one.path: one.data if isinstance(one, Write) else None for one in done}}
    result: dict[str, Value] = {path: value for path, value in after.items() if value is not None}
    archive.settle(result, before, before, before, Blobs(_no_blob))
    made: list[Change] = []
    for path, value in before.items():
        new = result.get(path)
        if path not in {one.path for one in done} and isinstance(value, bytes) and new != value:
            expects = digest.of(value)
            made.append(Write(path, new, expects=expects) if isinstance(new, bytes) else Remove(path, expects=expects))
    return made


def _paths(stores: Stores, archived: list[str]) -> list[str]:
    """Return the paths of compaction's records, and of all files of the same days as these archived ones."""
    days = {layout.day_of(path.rpartition("/")[2]) for path in archived} - {None}
    found = [*archived, sources.PATH, *_months(stores)]
    for folder in (layout.DAYS, *_years(stores)):
        names = [name for name, kind in stores.files.names(folder) if kind == "file" and layout.day_of(name) in days]
        found += [f"{folder}/{name}" for name in names]
    return [path for path in dict.fromkeys(found) if stores.files.exists(path)]


def _months(stores: Stores) -> list[str]:
    every = (f"{folder}/{name}" for folder in _years(stores) for name, _ in stores.files.names(folder))
    return [path for path in every if moves.is_month(path)]


def _years(stores: Stores) -> list[str]:
    return [f"{layout.ARCHIVE}/{name}" for name, kind in stores.files.names(layout.ARCHIVE) if kind == "folder"]


def _no_blob(oid: str) -> bytes:
    raise KeyError(oid)  # all contents are given
