"""compact --verify: every folded line compared with what it was, every memory followed to where it came from."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING

from agentws.errors import AgentwsError
from agentws.formats import digest, layout
from agentws.formats.documents import managed, sources
from agentws.operations.compact import inputs
from agentws.planning.compact import digest as page
from agentws.planning.notes.document import File
from agentws.storage.disk import local_dir

if TYPE_CHECKING:
    from collections.abc import Callable

    from agentws.formats.documents.sources import Folded, Sidecar, Source
    from agentws.storage.workspace.stores import Stores

    Progress = Callable[[str, int, int], None]

_MOST_NAMED = 20
_UNREAD = "unread"


@dataclass(frozen=True, slots=True)
class Fault:
    """A difference: `path`, the `line` (1-based, 0 for the whole file), what is `wrong`."""

    path: str
    line: int
    wrong: str


@dataclass(slots=True)
class Verified:
    """The result of a verification.

    `days` and `lines` that are as they were; `entries` of the managed section, `sourced` of them; `sources` that were
    followed. `edited` are days that stayed where they are and have changed since, as they may: the next run folds them
    again.
    """

    days: int = 0
    lines: int = 0
    entries: int = 0
    sourced: int = 0
    sources: int = 0
    edited: list[str] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)


def verify(stores: Stores, *, progress: Progress | None = None) -> Verified:
    """Compare what compaction folded with the digests that were recorded before. Reads only."""
    records = inputs.everything(stores)
    result = Verified(faults=[Fault(path, line, "unreadable record of compaction") for path, line in records.unread])

    @lru_cache(maxsize=1)
    def at(path: str) -> File:
        """The file at a path, with the digest UNREAD where it is there and cannot be read."""
        try:
            return inputs.document(stores, path)
        except AgentwsError as error:
            return File(path, error.message.encode("utf-8", "replace"), _UNREAD)

    days = list(records.sidecar.every())
    for number, row in enumerate(days, 1):
        _day(result, row, at)
        if progress is not None:
            progress("days", number, len(days))
    memory = inputs.document(stores, layout.MEMORY).text
    entries = managed.read(memory, stores.manifest.setting("compaction.section")).entries
    result.entries = len(entries)
    result.sourced = sum(entry.digest in records.sidecar.made for entry in entries)
    lines = [(layout.MEMORY, entry.line, entry.digest) for entry in entries]
    listed = page.lines(inputs.document(stores, layout.DIGEST).text)
    lines += [(layout.DIGEST, line.number, line.digest) for line in listed]
    for path, line, name in lines:
        made = records.sidecar.made.get(name)
        for source in made.sources if made is not None else ():
            _source(result, source, at, records.sidecar, (path, line))
    result.notices = list(stores.notices)
    if local_dir.interrupted(stores.files):
        result.notices.append(
            "A change was interrupted, which may have caused these findings. "
            "First run agentws compact, which reverts that change, then verify again."
        )
    return result


def _day(result: Verified, row: Folded, at: Callable[[str], File]) -> None:
    if row.is_deleted:
        return
    now = at(row.to or row.path)
    if now.digest == digest.ABSENT:
        result.faults.append(Fault(now.path, 0, "is missing"))
    elif now.digest == _UNREAD:
        result.faults.append(Fault(now.path, 0, f"cannot be compared ({now.text.rstrip('.')})"))
    elif row.is_as_it_was(now.data):
        result.days += 1
        result.lines += now.data.count(b"\n")
    elif not row.to:
        result.edited.append(now.path)
    else:
        lines = row.changed_lines(now.data)
        result.faults += [Fault(now.path, line, "was changed") for line in lines[:_MOST_NAMED]]
        if len(lines) > _MOST_NAMED:
            result.faults.append(Fault(now.path, 0, f"{len(lines) - _MOST_NAMED} more changed lines"))


def _source(
    result: Verified, source: Source, at: Callable[[str], File], sidecar: Sidecar, entry: tuple[str, int]
) -> None:
    """Follow a source of an entry at this (path, line)."""
    result.sources += 1
    known = sidecar.places(source.path)
    # An answer may be about a day that was written anew and is not folded yet, or name one by where it was archived.
    places = [row.to for row in known if row.to and not row.is_deleted]
    places += [source.path, *sources.once(source.path)]
    if any(row.is_deleted for row in known) or any(
        sources.of_lines(at(place).data, source.line, source.end) == source.digest for place in places
    ):
        return
    if not {*places} & {*result.edited, *(fault.path for fault in result.faults)}:
        place = f"{places[0]}:{source.line}"
        result.faults.append(Fault(*entry, f"this entry came from {place}, which was changed since"))
