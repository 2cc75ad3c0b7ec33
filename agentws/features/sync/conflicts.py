"""sync conflicts, sync resolve: list the conflicts between two machines, and carry out a person's decision."""

from __future__ import annotations

import contextlib
import os
from dataclasses import dataclass, field

from agentws.changes import ABSENT, Change, ChangeSet, Remove, Write
from agentws.core.disk import local_dir, lock
from agentws.core.disk.files import exact
from agentws.core.formats import digest, layout
from agentws.core.formats.documents import sources
from agentws.core.formats.travel import conflict, sync_path
from agentws.core.formats.travel.conflict import Record, Side
from agentws.core.stores.stores import Stores
from agentws.errors import (
    AgentwsError,
    AmbiguousError,
    ChangedUnderneathError,
    DamagedError,
    MissingFileError,
    UsageError,
)
from agentws.features.sync.plan import decision
from agentws.features.sync.plan.merged import FIELD, FILE, REMOVAL
from agentws.features.sync.plan.plan import Blobs, Value
from agentws.features.sync.plan.state import archive, moves

_VERB = "sync resolve"
_ARCHIVE = "/archive/"


@dataclass(frozen=True, slots=True)
class Conflicts:
    """The `records` of open sync conflicts, the oldest first, and the host name of each writer."""

    records: list[Record]
    hosts: dict[str, str]
    notices: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Resolved:
    """A resolved conflict: the side taken (empty: the file as it is), and the `paths` that change."""

    record: Record
    take: str
    paths: tuple[str, ...]
    dry_run: bool
    notices: list[str] = field(default_factory=list)


def conflicts(stores: Stores) -> Conflicts:
    """Return the open conflicts. A record that cannot be read becomes a notice."""
    from agentws.core.identity import writers

    records = []
    for name, kind in stores.files.names(conflict.FOLDER):
        id = conflict.id_of(name) if kind == "file" else ""
        if id:
            try:
                records.append(_read(stores, id))
            except AgentwsError as error:
                stores.notices.append(f"{error.message} {error.hint or ''}".rstrip())
    records.sort(key=lambda record: (record.at, record.id))
    hosts = {line.writer: line.host for line in writers.lines(stores.files)} if records else {}
    return Conflicts(records, hosts, list(stores.notices))


def resolve(stores: Stores, id: str, *, take: str | None = None, dry_run: bool = False) -> Resolved:
    """Resolve a conflict: keep side 1, 2, both or neither; without `take`, the file stays as it was edited by hand.

    The conflict's record is removed here, and on other machines with the next sync.

    MissingFileError for an unknown id, AmbiguousError if the beginning of an id fits several, UsageError for a
    choice that the file cannot hold, ChangedUnderneathError if the file was edited since.
    """
    if not dry_run:
        stores.check_writable()
        stores.settle()
    with lock.Lock(stores.files, "sync", note=_VERB):
        record = _named(stores, id)
        decided = _decided(stores, record, take) if take is not None else []
        changes = [*decided, *_record_changes(stores, decided), *_gone(stores, record)]
        made = ChangeSet(_VERB, tuple(changes))
        if not dry_run:
            for change in changes:  # a side may bring wider settings, which are held back until a person agrees
                if isinstance(change, Write) and change.path == layout.MANIFEST:
                    from agentws.core.installation import scope_changes

                    scope_changes.note(stores.files, stores.files.read(layout.MANIFEST), change.data)
            stores.apply(made, is_exact=True)
            for folder in (f"{conflict.FOLDER}/{record.id}", conflict.FOLDER):
                stores.files.remove_folder(folder)  # where nothing else is in it
            if take is None and record.path == stores.files.real(layout.MEMORY):
                from agentws.core.stores import lost_facts

                lost_facts.keep(stores.files, local_dir.newest(stores.files))  # what a person took out is not a loss
    return Resolved(record, take or "", made.paths, dry_run, list(stores.notices))


def _read(stores: Stores, id: str) -> Record:
    record = conflict.decode(id, stores.files.read(conflict.path(id)))
    from agentws.core.installation import scope_changes  # not to count them

    if not sync_path.travels(record.path, scope_changes.agreed(stores.files, stores.manifest, "sync.include")):
        raise DamagedError(
            f"{conflict.path(id)} is about a file that does not travel from here: {record.path!r}.",
            hint="Resolve it where sync.include names the file. No machine does: remove this record.",
        )
    return record


def _named(stores: Stores, id: str) -> Record:
    names = [conflict.id_of(name) for name, kind in stores.files.names(conflict.FOLDER) if kind == "file"]
    fitting = [name for name in names if name and name.startswith(id)]
    if not fitting:
        raise MissingFileError(f"No conflict {id}.", hint="To list them: agentws sync conflicts")
    if len(fitting) > 1 and id not in fitting:
        raise AmbiguousError(f"Several conflicts fit {id}: {', '.join(fitting)}.", hint="Write more of the id.")
    return _read(stores, id if id in fitting else fitting[0])


def _gone(stores: Stores, record: Record) -> list[Change]:
    """Return the changes that remove a conflict's record and the file contents stored beside it."""
    paths = [conflict.path(record.id), *(side.file for side in record.sides if side.file)]
    pairs = [(path, stores.files.digest(path)) for path in paths]
    return [Remove(path, expects=expects) for path, expects in pairs if expects != ABSENT]


def _decided(stores: Stores, record: Record, take: str) -> list[Change]:
    decision.wanted(take, (None, None))
    if is_whole(record):
        return _whole(stores, record, take)
    if record.what == FIELD and take == decision.BOTH:
        raise UsageError(f"{record.where or record.path}: a field has one value.", hint="Choose --take 1 or --take 2.")
    path = _place(stores, record.path)
    data = exact(stores.files).read(path)
    text = data.decode("utf-8", "surrogateescape")
    sides = (record.sides[0].text, record.sides[1].text)
    keeps = _is_in_archive(path)
    new = decision.decided(text, sides, take, path=path, keeps_lines=keeps).encode("utf-8", "surrogateescape")
    return [Write(path, new, expects=digest.of(data))] if new != data else []


def is_whole(record: Record) -> bool:
    """Return whether a conflict is about a whole file, whose contents are stored beside the record."""
    return record.what == FILE or (record.what == REMOVAL and all(side.text is None for side in record.sides))


def _whole(stores: Stores, record: Record, take: str) -> list[Change]:
    if take not in (decision.ONE, decision.TWO):
        raise UsageError(
            f"{record.path} can only be one of both.",
            hint="Choose --take 1 or --take 2, or edit the file and run the command without --take.",
        )
    content = _content(stores, record.sides[int(take) - 1])
    path, files = _place(stores, record.path), exact(stores.files)
    if os.path.islink(f"{stores.root}/{path}"):
        raise ChangedUnderneathError(
            f"{path}: a link here; nothing was changed.",
            hint=f"To take a side, remove the link first (rm {path}). To keep it, run the command without --take.",
        )
    now = files.digest(path)
    if now != ABSENT and _is_edited(stores, record, files.read(path)):
        raise ChangedUnderneathError(
            f"{path}: edited since the conflict was found; nothing was changed.",
            hint="Edit or remove the file by hand, then run the command without --take.",
        )
    if content is None:
        return [Remove(path, expects=now)] if now != ABSENT else []
    return [Write(path, content, expects=now)] if digest.of(content) != now else []


def _content(stores: Stores, side: Side) -> bytes | None:
    if side.file:
        return stores.files.read(side.file)
    return side.text.encode("utf-8", "surrogateescape") if side.text is not None else None


def _is_edited(stores: Stores, record: Record, data: bytes) -> bool:
    """Return whether a file has lines of neither side, which taking one side would lose.

    A file that one side removed counts as edited unless it equals the other side. Empty lines are ignored, since
    `forget` leaves some.
    """
    sides = []
    for side in record.sides:
        with contextlib.suppress(MissingFileError):  # then it cannot be chosen either
            sides.append(_lines(_content(stores, side) or b""))
    lines = _lines(data)
    if record.what == REMOVAL:
        return lines not in sides
    return not {*lines} <= {line for side in sides for line in side}  # one that was merged in part holds both


def _lines(data: bytes) -> list[bytes]:
    return [line for line in data.splitlines() if line.strip()]


def _place(stores: Stores, path: str) -> str:
    """Return the current path of a file: its own, or the one in the archive to which compaction moved it."""
    if exact(stores.files).exists(path):
        return path
    known = sources.Sidecar()
    for month in _months(stores):
        sources.decode(stores.files.read(month).decode("utf-8", "surrogateescape"), known)
    return next((place.to for place in known.places(path) if stores.files.exists(place.to)), path)


def _is_in_archive(path: str) -> bool:
    """Return whether a file was archived by compaction."""
    return _ARCHIVE in path and not moves.is_month(path)


def _record_changes(stores: Stores, changes: list[Change]) -> list[Change]:
    """Return the changes to compaction's records that these `changes` of archived files require."""
    done = [change for change in changes if _is_in_archive(change.path)]
    if not done:
        return []
    before: dict[str, Value] = {
        path: stores.files.read(path) for path in _paths(stores, [change.path for change in done])
    }
    after = {**before, **{change.path: change.data if isinstance(change, Write) else None for change in done}}
    result: dict[str, Value] = {path: value for path, value in after.items() if value is not None}
    archive.settle(result, before, before, before, Blobs(dict[str, bytes]().__getitem__))  # all contents are given
    made: list[Change] = []
    for path, value in before.items():
        new = result.get(path)
        if path not in {change.path for change in done} and isinstance(value, bytes) and new != value:
            expects = digest.of(value)
            made.append(Write(path, new, expects=expects) if isinstance(new, bytes) else Remove(path, expects=expects))
    return made


def _paths(stores: Stores, archived: list[str]) -> list[str]:
    """Return the paths of compaction's records, and of all files of the same days as these archived ones."""
    days = {layout.day_of(path.rpartition("/")[2]) for path in archived} - {None}
    matches = [*archived, sources.PATH, *_months(stores)]
    for folder in (layout.DAYS, *_years(stores)):
        names = [name for name, kind in stores.files.names(folder) if kind == "file" and layout.day_of(name) in days]
        matches += [f"{folder}/{name}" for name in names]
    return [path for path in dict.fromkeys(matches) if stores.files.exists(path)]


def _months(stores: Stores) -> list[str]:
    every = (f"{folder}/{name}" for folder in _years(stores) for name, _ in stores.files.names(folder))
    return [path for path in every if moves.is_month(path)]


def _years(stores: Stores) -> list[str]:
    return [f"{layout.ARCHIVE}/{name}" for name, kind in stores.files.names(layout.ARCHIVE) if kind == "folder"]
