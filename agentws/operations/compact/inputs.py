"""The input of compaction: the logs that are due, MEMORY.md, the digest, the records of earlier runs; and its lock."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from agentws.changes import ABSENT, Write
from agentws.errors import AgentwsError, DamagedError, MissingFileError, TooLargeError, UnsafeFileError
from agentws.formats import layout
from agentws.formats.digest import of
from agentws.formats.documents import sources
from agentws.formats.text import utf8
from agentws.planning.compact import digest, fold
from agentws.planning.compact.fold import Folder
from agentws.planning.notes.document import File
from agentws.storage.disk import local_dir, lock
from agentws.storage.workspace import record, seals

if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentws.changes import ChangeSet
    from agentws.storage.workspace.record import Happening
    from agentws.storage.workspace.stores import Stores

_LOCK = "compaction"
_LOCK_TIMEOUT_S = 2.0
MOST_BYTES = 6 << 20
"""So much text of logs enters one run: a year of 16 KB a day."""
_EMPTY_MEMORY = b"# Memory\n"


@contextmanager
def alone(stores: Stores, what: str) -> Iterator[None]:
    """Hold off other runs meanwhile, and begin with a workspace that no killed verb has left half done.

    LockHeldError where another one is at it. Without this two runs would read the same, and the one that comes second
    would find out only when it writes.
    """
    local_dir.prepare(stores.files)
    with lock.Lock(stores.files, _LOCK, timeout_s=_LOCK_TIMEOUT_S, note=what):
        stores.settle()
        yield


def told(stores: Stores, what: str, happened: Happening) -> list[str]:
    """Record what was done; a journal that refuses it is a notice, for the files are changed and safe."""
    try:
        _, notices = record.record(stores, [happened])
    except AgentwsError as error:
        return [f"{what}, but its event was not recorded: {error.message} {error.hint or ''}".rstrip()]
    return [*notices, *seals.quietly(stores)]


def read(stores: Stores, *, before: str) -> Folder:
    """Return the input of a run that compacts the days before `before` (ISO)."""
    sidecar = document(stores, sources.PATH)
    known = sources.decode(sidecar.text)
    old = [(day, path) for day, path in logs(stores) if day < before]
    months = {path: document(stores, path) for path in sorted({sources.month_path(day) for day, _ in old})}
    for month in months.values():
        sources.decode(month.text, known)
    skipped: list[tuple[str, str]] = []
    moves = stores.manifest.setting("compaction.archive")
    days: list[tuple[str, File]] = []
    stayed: list[tuple[str, File]] = []
    for day, file in _documents(stores, old, skipped):  # one at a time: of most that stay nothing is kept
        earlier = [row for row in known.places(file.path) if row.is_as_it_was(file.data)]
        if not earlier:
            days.append((day, file))
        elif moves and not all(row.to for row in earlier):  # it was compacted while days did not move
            stayed.append((day, file))
    return Folder(
        memory(stores),
        sidecar,
        months,
        document(stores, digest.PATH),
        document(stores, layout.OLD_DIGEST),
        days,
        _archive(stores, [*days, *stayed]) if moves else {},
        known,
        skipped,
        shelved=stayed,
        heading=stores.manifest.setting("compaction.section"),
    )


def ends(stores: Stores, before: str) -> list[str]:
    """Return the first day (ISO) that each run leaves to the next one; the last is `before`, mostly the only one.

    A long history is compacted in parts, the oldest first, so memory does not grow with what is due.
    """
    due = [(day, path, _size(stores, path)) for day, path in logs(stores) if day < before]
    if sum(size for _, _, size in due) <= MOST_BYTES:
        return [before]
    if not stores.manifest.setting("compaction.archive"):  # days that were folded lie there too
        known = everything(stores).sidecar
        due = [row for row in due if not known.places(row[1])]
    first_days: list[str] = []
    total = 0
    for day, _, size in due:
        if total and total + size > MOST_BYTES and day not in first_days:
            first_days.append(day)
            total = 0
        total += size
    return [*first_days, before]


def logs(stores: Stores) -> list[tuple[str, str]]:
    """(day, path) of the logs that are not archived, the oldest first."""
    names = sorted((day, name) for name in stores.files.listing(layout.DAYS) if (day := layout.day_of(name)))
    return [(day, f"{layout.DAYS}/{name}") for day, name in names]


def memory(stores: Stores) -> File:
    """Return MEMORY.md as it is, or as it begins; DamagedError where it is no text."""
    file = document(stores, layout.MEMORY)
    if b"\0" in file.data:
        raise DamagedError(
            f"{layout.MEMORY}: not UTF-8, so agentws cannot change the file.", hint="Save the file as UTF-8 and re-run."
        )
    return File(file.path, _EMPTY_MEMORY, ABSENT) if file.digest == ABSENT else file


@dataclass(slots=True)
class Everything:
    """The records of all runs of compaction: the `sidecar` of all files, the `months`, what is `unread`."""

    months: list[File]
    sidecar: sources.Sidecar = field(default_factory=sources.Sidecar)
    unread: list[tuple[str, int]] = field(default_factory=list)


def everything(stores: Stores) -> Everything:
    """Return the records of all runs."""
    years = [name for name, kind in stores.files.names(layout.ARCHIVE) if kind == "folder"]
    folders = [f"{layout.ARCHIVE}/{year}" for year in years]
    names = [
        f"{folder}/{name}" for folder in folders for name in stores.files.listing(folder) if sources.is_month(name)
    ]
    records = Everything([document(stores, path) for path in names])
    # The sidecar comes last: it names the runs in their order, and the newest word wins.
    for file in (*records.months, document(stores, sources.PATH)):
        before = len(records.sidecar.unread)
        sources.decode(file.text, records.sidecar)
        records.unread += [(file.path, line) for line in records.sidecar.unread[before:]]
    return records


def document(stores: Stores, path: str) -> File:
    """A file as it is, empty where there is none."""
    try:
        data = stores.files.read(path)
    except MissingFileError:
        return File(path, b"", ABSENT)
    return File(path, data, of(data))


def text_after(file: File, changes: ChangeSet) -> str:
    """Return the text of a document after the changes."""
    text = file.text
    for change in changes.changes:
        if change.path == file.path:
            text = change.data.decode("utf-8", "surrogateescape") if isinstance(change, Write) else ""
    return text


def why(path: str, error: AgentwsError) -> str:
    """Return why a file stays as it is, in the words of an error about it."""
    return error.message.removeprefix(f"{path}: ").rstrip(".")


def _documents(
    stores: Stores, paths: list[tuple[str, str]], skipped: list[tuple[str, str]]
) -> Iterator[tuple[str, File]]:
    """The days that can be folded. What is no text, or no file, must not keep the others from it for ever."""
    for day, path in paths:
        try:
            file = document(stores, path)
        except (UnsafeFileError, TooLargeError) as error:
            skipped.append((path, why(path, error)))
            continue
        if line := utf8.bad_line(file.data):
            skipped.append((path, f"line {line} is not UTF-8"))
        elif b"\0" in file.data:
            skipped.append((path, "the file contains NUL bytes"))
        elif file.digest != ABSENT:  # else somebody took it away just now
            yield day, file


def _size(stores: Stores, path: str) -> int:
    try:
        return stores.files.size(path)
    except AgentwsError:  # no file: the run says so
        return 0


def _archive(stores: Stores, days: list[tuple[str, File]]) -> dict[str, str]:
    """Where each day goes to: a name that nothing has yet."""
    folders = sorted({f"{layout.ARCHIVE}/{day[:4]}" for day, _ in days})
    taken = {f"{folder}/{name}" for folder in folders for name in stores.files.listing(folder)}
    targets: dict[str, str] = {}
    for _, file in days:
        targets[file.path] = fold.archived(file.path, taken)
        taken.add(targets[file.path])
    return targets
