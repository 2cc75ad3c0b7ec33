"""compact --verify: every folded line compared with what it was, every memory followed to where it came from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentws.errors import AgentwsError
from agentws.formats import digest, layout
from agentws.formats.documents import managed, sources
from agentws.operations.compact import inputs
from agentws.planning.compact import digest as compaction_digest
from agentws.planning.notes.document import File
from agentws.storage.disk import local_dir

if TYPE_CHECKING:
    from collections.abc import Callable

    from agentws.formats.documents.sources import Folded, Sidecar, Source
    from agentws.storage.workspace.stores import Stores

    Progress = Callable[[str, int, int], None]

_MOST_NAMED = 20
_UNREAD = "unread"


class Fault:
    """A difference: `path`, the `line` (1-based, 0 for the whole file), what is `wrong`."""

    __slots__ = ("line", "path", "wrong")

    def __init__(self, path: str, line: int, wrong: str) -> None:
        self.path = path
        self.line = line
        self.wrong = wrong


class Verified:
    """The result of a verification.

    `days` and `lines` that are as they were; `entries` of the managed section, `sourced` of them; `sources` that were
    followed. `edited` are days that stayed where they are and have changed since, as they may: the next run folds them
    again.
    """

    __slots__ = ("days", "edited", "entries", "faults", "lines", "notices", "sourced", "sources")

    def __init__(self) -> None:
        self.days = self.lines = self.entries = self.sourced = self.sources = 0
        self.edited: list[str] = []
        self.faults: list[Fault] = []
        self.notices: list[str] = []


def verify(stores: Stores, *, progress: Progress | None = None) -> Verified:
    """Compare what compaction folded with the digests that were recorded before. Reads only."""
    found = Verified()
    known = inputs.everything(stores)
    found.faults += [Fault(path, line, "unreadable record of compaction") for path, line in known.unread]
    read = _Read(stores, known.sidecar)
    days = list(known.sidecar.every())
    for number, one in enumerate(days, 1):
        _day(found, one, read)
        if progress is not None:
            progress("days", number, len(days))
    memory = inputs.document(stores, layout.MEMORY)
    for entry in managed.read(memory.text, stores.manifest.setting("compaction.section")).entries:
        found.entries += 1
        made = known.sidecar.made.get(entry.digest)
        if made is not None:
            found.sourced += 1
            for source in made.sources:
                _source(found, source, read, (layout.MEMORY, entry.line))
    for line in compaction_digest.lines(inputs.document(stores, layout.DIGEST).text):
        made = known.sidecar.made.get(line.digest)
        for source in made.sources if made is not None else ():
            _source(found, source, read, (layout.DIGEST, line.number))
    found.notices = list(stores.notices)
    if local_dir.interrupted(stores.files):
        found.notices.append(
            "A change was interrupted, which may have caused these findings. "
            "First run agentws compact, which reverts that change, then verify again."
        )
    return found


class _Read:
    """Reads each folded day once, from where it is now."""

    def __init__(self, stores: Stores, sidecar: Sidecar) -> None:
        self._stores = stores
        self._sidecar = sidecar
        self._last: File | None = None

    def places(self, path: str) -> list[Folded]:
        """What is known of the files that had this path when they were folded, newest first."""
        return self._sidecar.places(path)

    def now(self, place: str) -> File:
        """The file at a place, with the digest UNREAD where it is there and cannot be read."""
        if self._last is None or self._last.path != place:
            try:
                self._last = inputs.document(self._stores, place)
            except AgentwsError as error:
                self._last = File(place, error.message.encode("utf-8", "replace"), _UNREAD)
        return self._last


def _day(found: Verified, one: Folded, read: _Read) -> None:
    if one.is_deleted:
        return
    now = read.now(one.to or one.path)
    if now.digest == digest.ABSENT:
        found.faults.append(Fault(now.path, 0, "is missing"))
    elif now.digest == _UNREAD:
        found.faults.append(Fault(now.path, 0, f"cannot be compared ({now.text.rstrip('.')})"))
    elif one.is_as_it_was(now.data):
        found.days += 1
        found.lines += now.data.count(b"\n")
    elif not one.to:
        found.edited.append(now.path)
    else:
        lines = one.changed_lines(now.data)
        found.faults += [Fault(now.path, line, "was changed") for line in lines[:_MOST_NAMED]]
        if len(lines) > _MOST_NAMED:
            found.faults.append(Fault(now.path, 0, f"{len(lines) - _MOST_NAMED} more changed lines"))


def _source(found: Verified, source: Source, read: _Read, entry: tuple[str, int]) -> None:
    found.sources += 1
    known = read.places(source.path)
    # An answer may be about a day that was written anew and is not folded yet, or name one by where it was archived.
    places = [one.to for one in known if one.to and not one.is_deleted]
    places += [source.path, *sources.once(source.path)]
    if any(_says(read.now(place), source) for place in places) or any(one.is_deleted for one in known):
        return
    if not {*places} & {*found.edited, *(fault.path for fault in found.faults)}:
        place = f"{places[0]}:{source.line}"
        found.faults.append(Fault(*entry, f"this entry came from {place}, which was changed since"))


def _says(now: File, source: Source) -> bool:
    return sources.of_lines(now.data, source.line, source.end) == source.digest
