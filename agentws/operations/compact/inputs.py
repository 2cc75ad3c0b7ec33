"""The input of compaction: the logs that are due, MEMORY.md, the digest, and the records of earlier runs."""

from __future__ import annotations

from agentws.errors import DamagedError, MissingFileError, TooLargeError, UnsafeFileError
from agentws.formats import digest, layout
from agentws.formats.documents import sources
from agentws.formats.text import utf8
from agentws.planning.compact import digest as page
from agentws.planning.compact import fold
from agentws.planning.compact.fold import Folder
from agentws.planning.notes.document import File

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentws.formats.documents.sources import Sidecar
    from agentws.storage.workspace.stores import Stores

_EMPTY_MEMORY = b"# Memory\n"


class Input:
    """The input of a run: the `folder` to compact, and the `sidecar` with what earlier runs said.

    `skipped` are the files that cannot be folded or moved, each with its reason: they stay as they are.
    """

    __slots__ = ("folder", "sidecar", "skipped")

    def __init__(self, folder: Folder, sidecar: Sidecar, skipped: list[tuple[str, str]]) -> None:
        self.folder = folder
        self.sidecar = sidecar
        self.skipped = skipped

    @property
    def is_first(self) -> bool:
        """Return whether no run of compaction has been here yet."""
        return not (self.sidecar.runs or self.sidecar.folded or self.sidecar.made)


def read(stores: Stores, *, before: str) -> Input:
    """Return the input of a run that compacts the days before `before` (ISO)."""
    memory = _memory(stores)
    sidecar = document(stores, sources.PATH)
    known = sources.decode(sidecar.text)
    names = sorted((day, name) for name in stores.files.listing(layout.DAYS) if (day := layout.day_of(name)))
    old = [(day, f"{layout.DAYS}/{name}") for day, name in names if day < before]
    months = {path: document(stores, path) for path in sorted({sources.month_path(day) for day, _ in old})}
    for month in months.values():
        sources.decode(month.text, known)
    skipped: list[tuple[str, str]] = []
    moves = stores.manifest.setting("compaction.archive")
    days: list[tuple[str, File]] = []
    stayed: list[tuple[str, File]] = []
    for day, one in _documents(stores, old, skipped):  # one at a time: of most that stay nothing is kept
        if not _is_folded(known, one):
            days.append((day, one))
        elif moves and _has_stayed(known, one):
            stayed.append((day, one))
    archive = _archive(stores, [*days, *stayed]) if moves else {}
    shelved = [(day, one, archive.pop(one.path)) for day, one in stayed]
    folder = Folder(
        memory,
        sidecar,
        months,
        document(stores, page.PATH),
        document(stores, layout.OLD_DIGEST),
        days,
        archive,
        shelved,
        heading=stores.manifest.setting("compaction.section"),
    )
    return Input(folder, known, skipped)


def _memory(stores: Stores) -> File:
    memory = document(stores, layout.MEMORY)
    if b"\0" in memory.data:
        raise DamagedError(
            f"{layout.MEMORY}: not UTF-8, so agentws cannot add to the file.", hint="Save the file as UTF-8 and re-run."
        )
    return File(memory.path, _EMPTY_MEMORY, memory.digest) if memory.digest == digest.ABSENT else memory


class Everything:
    """The records of all runs of compaction: the `sidecar` of all files, the `months`, what is `unread`."""

    __slots__ = ("months", "sidecar", "unread")

    def __init__(self, months: list[File]) -> None:
        self.months = months
        self.sidecar = sources.Sidecar()
        self.unread: list[tuple[str, int]] = []


def everything(stores: Stores) -> Everything:
    """Return the records of all runs."""
    years = [name for name, kind in stores.files.names(layout.ARCHIVE) if kind == "folder"]
    folders = [f"{layout.ARCHIVE}/{year}" for year in years]
    names = [
        f"{folder}/{name}" for folder in folders for name in stores.files.listing(folder) if sources.is_month(name)
    ]
    found = Everything([document(stores, path) for path in names])
    # The sidecar comes last: it names the runs in their order, and the newest word wins.
    for one in (*found.months, document(stores, sources.PATH)):
        before = len(found.sidecar.unread)
        sources.decode(one.text, found.sidecar)
        found.unread += [(one.path, line) for line in found.sidecar.unread[before:]]
    return found


def document(stores: Stores, path: str) -> File:
    """A file as it is, empty where there is none."""
    try:
        data = stores.files.read(path)
    except MissingFileError:
        return File(path, b"", digest.ABSENT)
    return File(path, data, digest.of(data))


def _documents(
    stores: Stores, paths: list[tuple[str, str]], skipped: list[tuple[str, str]]
) -> Iterator[tuple[str, File]]:
    """The days that can be folded. What is no text, or no file, must not keep the others from it for ever."""
    for day, path in paths:
        try:
            one = document(stores, path)
        except (UnsafeFileError, TooLargeError) as error:
            skipped.append((path, error.message.removeprefix(f"{path}: ").rstrip(".")))
            continue
        if why := _is_no_text(one.data):
            skipped.append((path, why))
        elif one.digest != digest.ABSENT:  # else somebody took it away just now
            yield day, one


def _is_no_text(data: bytes) -> str:
    """Why these bytes must not get into memory; empty where they may."""
    if line := utf8.bad_line(data):
        return f"line {line} is not UTF-8"
    return "the file contains NUL bytes" if b"\0" in data else ""


def _is_folded(known: Sidecar, one: File) -> bool:
    return any(folded.is_as_it_was(one.data) for folded in known.places(one.path))


def _has_stayed(known: Sidecar, one: File) -> bool:
    """Return True for a day that was compacted while days did not move, and is unchanged: now it moves too."""
    return any(not folded.to and folded.is_as_it_was(one.data) for folded in known.places(one.path))


def _archive(stores: Stores, days: list[tuple[str, File]]) -> dict[str, str]:
    """Where each day goes to: a name that nothing has yet."""
    years = sorted({day[:4] for day, _ in days})
    taken = {
        f"{layout.ARCHIVE}/{year}/{name}" for year in years for name in stores.files.listing(f"{layout.ARCHIVE}/{year}")
    }
    targets: dict[str, str] = {}
    for _, one in days:
        targets[one.path] = fold.archived(one.path, taken)
        taken.add(targets[one.path])
    return targets
