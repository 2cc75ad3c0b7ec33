"""Reads the inputs of a compaction: logs, MEMORY.md, digest, records of runs, files due by retention. Its lock."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import chain, count

from agentws.changes import ABSENT, ChangeSet, Write
from agentws.core.disk import clock, local_dir, lock
from agentws.core.formats import layout, manifest_tables as _vocabulary
from agentws.core.formats.documents import document as front, handoff, sources, task
from agentws.core.markdown import conflict
from agentws.core.notes import reading, vocabulary
from agentws.core.notes.document import File
from agentws.core.notes.entry import STANDING, Entry
from agentws.core.stores.provenance import file_of, memory_of
from agentws.core.stores.stores import Stores
from agentws.core.text import utf8
from agentws.errors import AgentwsError, TooLargeError, UnsafeFileError
from agentws.features.memory.compact.plan import digest
from agentws.features.memory.compact.plan.runs import Folder

_LOCK = "compaction"
_LOCK_TIMEOUT_S = 2.0
MOST_BYTES = 6 << 20
"""The most text of logs that one run of compaction reads: a year of 16 KB a day."""


@contextmanager
def alone(stores: Stores, what: str, *, dry_run: bool) -> Iterator[None]:
    """Hold the compaction lock, and begin with a settled workspace; a dry run does neither.

    LockHeldError if another run holds it. Without the lock two runs would read the same, and the second would find out
    only when it writes.
    """
    if dry_run:
        yield
        return
    local_dir.prepare(stores.files)
    with lock.Lock(stores.files, _LOCK, timeout_s=_LOCK_TIMEOUT_S, note=what):
        stores.settle()
        yield


def read(stores: Stores, *, since: str, before: str) -> Folder:
    """Return the inputs of a compaction of the days from `since` on and before `before` (ISO), as many as have room.

    A long history is compacted in parts, the oldest first, so memory does not grow with what is due. All files that the
    manifest's retention rules find due are among them.
    """
    memory, sidecar = memory_of(stores.files), file_of(stores.files, sources.PATH)
    known = sources.decode(sidecar.text)
    old = [(day, path) for day, path in logs(stores) if since <= day < before]
    months = {path: file_of(stores.files, path) for path in sorted({sources.month_path(day) for day, _ in old})}
    for month in months.values():
        sources.decode(month.text, known)
    skipped: list[tuple[str, str]] = []
    moves = stores.manifest.setting("compaction.archive")
    days: list[tuple[str, File]] = []
    stayed: list[tuple[str, File]] = []
    rest, total, newest = "", 0, ""
    for day, path in old:  # one at a time, so that most need not stay in memory
        file = _log(stores, path, skipped)
        if file is None or file.digest == ABSENT:  # somebody removed it just now
            continue
        earlier = [row for row in known.places(file.path) if row.is_as_it_was(file.data)]
        if earlier and (not moves or all(row.to for row in earlier)):
            continue
        total += len(file.data)
        if newest not in ("", day) and total > MOST_BYTES:
            rest = day
            break
        newest = day
        # A day that was compacted while days did not move is moved now.
        (stayed if earlier else days).append((day, file))
    settings = {name: stores.manifest.setting(f"retention.{name}") for name in _vocabulary.RETENTIONS}
    last = _vocabulary.retention_rules(settings, stores.here().day)
    due = list(_due(stores, last, skipped))
    expired = list(_expired(stores, last["archive"], skipped)) if last["archive"] else []
    for path in {sources.month_path(day) for day in (*(day for day, _, _ in due), *(row.day for row, _ in expired))}:
        months.setdefault(path, file_of(stores.files, path))
    archive = _archive(stores, [*days, *stayed]) if moves else {}
    return Folder(
        memory,
        sidecar,
        months,
        file_of(stores.files, digest.PATH),
        file_of(stores.files, layout.OLD_DIGEST),
        days,
        archive | {file.path: to for _, file, to in due},
        known,
        skipped,
        rest=rest,
        shelved=[*stayed, *((day, file) for day, file, _ in due)],
        expired=expired,
        heading=stores.manifest.setting("compaction.section"),
    )


def _file(stores: Stores, path: str, skipped: list[tuple[str, str]]) -> File | None:
    try:
        return file_of(stores.files, path)
    except (UnsafeFileError, TooLargeError) as error:  # it must not block the others for ever
        skipped.append((path, why(path, error)))
        return None


def _log(stores: Stores, path: str, skipped: list[tuple[str, str]]) -> File | None:
    """Return a log; None, with the reason in `skipped`, if it cannot be compacted."""
    file, fault = _file(stores, path, skipped), ""
    if file is None:
        return None
    if encoding := utf8.other_encoding(file.data):
        fault = f"the file is {encoding}: {utf8.conversion(path, encoding)}"
    elif line := conflict.line(file.text):
        fault = f"an unresolved merge conflict begins at line {line}"
    elif line := utf8.bad_line(file.data):
        fault = f"line {line} is not UTF-8"
    elif b"\0" in file.data:
        fault = "the file contains NUL bytes"
    skipped += [(path, fault)] if fault else []
    return None if fault else file


def logs(stores: Stores) -> list[tuple[str, str]]:
    """Return (day, path) of each daily log that is not archived, the oldest first."""
    listed = layout.daily_logs(stores.files.listing(layout.DAYS))
    names = sorted((name[:10], name) for name in listed)
    return [(day, f"{layout.DAYS}/{name}") for day, name in names]


@dataclass(slots=True)
class Everything:
    """The records of all compactions: `sidecar` of all files, the files of `months`, and `unread` (path, line)."""

    months: list[File]
    sidecar: sources.Sidecar = field(default_factory=sources.Sidecar)
    unread: list[tuple[str, int]] = field(default_factory=list)


def everything(stores: Stores) -> Everything:
    """Return the records of all runs of compaction."""
    from agentws.features.memory import checks

    records = Everything([file_of(stores.files, path) for path in checks.months(stores.files)])
    # The sidecar comes last: it names the runs in their order, and the newest record wins.
    for file in (*records.months, file_of(stores.files, sources.PATH)):
        before = len(records.sidecar.unread)
        sources.decode(file.text, records.sidecar)
        records.unread += [(file.path, line) for line in records.sidecar.unread[before:]]
    return records


def text_after(file: File, changes: ChangeSet) -> str:
    """Return the text of a document after the changes of a compaction."""
    text = file.text
    for change in changes.changes:
        if change.path == file.path:
            text = change.data.decode("utf-8", "surrogateescape") if isinstance(change, Write) else ""
    return text


def why(path: str, error: AgentwsError) -> str:
    """Return the reason that a file is skipped by compaction, taken from an error about it."""
    return error.message.removeprefix(f"{path}: ").rstrip(".")


def _archive(stores: Stores, days: list[tuple[str, File]]) -> dict[str, str]:
    """Return the archive path for each log that moves: a name that is still free."""
    folders = sorted({f"{layout.ARCHIVE}/{day[:4]}" for day, _ in days})
    taken = {f"{folder}/{name}" for folder in folders for name in stores.files.listing(folder)}
    targets: dict[str, str] = {}
    for _, file in days:
        name = file.path.rpartition("/")[2]
        stem = f"{layout.ARCHIVE}/{name[:4]}/{name.removesuffix('.md')}"
        paths = chain([f"{stem}.md"], (f"{stem}.{number}.md" for number in count(2)))
        targets[file.path] = next(path for path in paths if path not in taken)
        taken.add(targets[file.path])
    return targets


class Logs:
    """The logs of a compaction: their entries by path, the oldest first, and the `texts` of those that move."""

    def __init__(self, stores: Stores, folder: Folder) -> None:
        self._stores = stores
        self._words = vocabulary.extended(stores.manifest.vocabulary)
        self.due = {file.path: self._read(file.path, file.data, day) for day, file in folder.days}
        moves = [(day, file) for day, file, _ in folder.moves if file.path.startswith(f"{layout.DAYS}/")]
        self.texts = {file.path: file.text for _, file in moves}
        self._moving = [self.due.get(file.path) or self._read(file.path, file.data, day) for day, file in moves]

    def every(self, page: str) -> list[Sequence[Entry]]:
        """Return the entries of all files that list open items: logs, the digest with this text, MEMORY.md, tasks.

        Of logs that do not move only those entries that may close an item elsewhere, or be the newest next list: there
        may be ten years of them.
        """
        files: list[Sequence[Entry]] = [*self._moving, reading.read(page, path=digest.PATH, words=self._words)]
        asking = [entry for entries in files for entry in entries if entry.state in STANDING and entry.headings]
        titles = {vocabulary.bare_title(entry.headings[-1]) for entry in asking}
        for day, path in logs(self._stores):
            if path not in self.texts:
                files.append(list(self._telling(self._file(path, day), titles)))
        files.append(self._file(layout.MEMORY))
        names = self._stores.own_documents(layout.TASKS, self._stores.files.listing(layout.TASKS))
        files += [self._file(f"{layout.TASKS}/{name}", is_task=True) for name in names]
        return files

    def later(self) -> Iterator[Sequence[Entry]]:
        """Yield the entries that open or close an item in logs after those that are due for compaction."""
        first = min((day for day, path in logs(self._stores) if path in self.due), default="9999-12-31")
        for day, path in logs(self._stores):
            if path not in self.due and day > first:
                yield list(self._telling(self._file(path, day), ()))

    def _telling(self, entries: Sequence[Entry], titles: Collection[str]) -> Iterator[Entry]:
        """Yield the entries that open or close an item, or are under an open heading or one of these titles.

        Of each other list one entry is among them, which keeps the lists apart.
        """
        headings: tuple[str, ...] | None = None
        for entry in entries:
            is_told = entry.state is not None or bool(entry.closes) or entry.headings != headings
            is_listed = any(map(self._words.is_open_heading, entry.headings))
            if is_told or is_listed or (entry.headings and vocabulary.bare_title(entry.headings[-1]) in titles):
                yield entry
            headings = entry.headings

    def _file(self, path: str, day: str = "", *, is_task: bool = False) -> list[Entry]:
        try:
            data = self._stores.files.read(path)
            if is_task and task.Task(path, front.decode(data, where=path)).is_over:
                return []
            return self._read(path, data, day)
        except AgentwsError:  # boot, status and doctor name it
            return []

    def _read(self, path: str, data: bytes, day: str) -> list[Entry]:
        read, _ = front.lenient(data, where=path)  # boot, status and doctor name damage
        return reading.read(read.body, path=path, day=day, words=self._words, first_line=read.body_line)


def _due(stores: Stores, last: Mapping[str, str], skipped: list[tuple[str, str]]) -> Iterator[tuple[str, File, str]]:
    """Yield (day, file, archive path) of each closed handoff, finished task and answered approval that is due to move.

    The file moves to the archive of its folder, by year, unless that path exists already.
    """
    kinds = ((layout.HANDOFFS, _handoffs), (layout.TASKS, _tasks), (layout.APPROVALS, _approvals))
    for folder, over in kinds:
        for day, file in over(stores, skipped) if last[folder] else ():
            to = f"{folder}/archive/{day[:4]}/{file.path.rpartition('/')[2]}"
            if not layout.is_day(day) or day > last[folder] or stores.files.exists(to):
                continue
            places = ((folder, "archive"), (f"{folder}/archive", day[:4]))
            kinds_there = {f"{above}/{name}": dict(stores.files.names(above)).get(name) for above, name in places}
            way = next((path for path, kind in kinds_there.items() if kind not in (None, "folder")), "")
            if way:
                skipped.append((file.path, f"{way} is not a folder"))
            else:
                yield day, file, to


def _expired(stores: Stores, last: str, skipped: list[tuple[str, str]]) -> Iterator[tuple[sources.Folded, File]]:
    """Yield the archived days that the retention rule keeps no longer."""
    for row in everything(stores).sidecar.every():
        if row.to.startswith(f"{layout.ARCHIVE}/") and not row.is_deleted and row.day <= last:
            file = _file(stores, row.to, skipped)
            if file is not None and file.digest != ABSENT:
                yield row, file


def _handoffs(stores: Stores, skipped: list[tuple[str, str]]) -> Iterator[tuple[str, File]]:
    """Yield the handoffs that are closed. One stays if another that it follows would be open without it."""
    notes = [(file, handoff.Handoff(file.path, made)) for file, made in _in_folder(stores, layout.HANDOFFS, skipped)]
    is_open = {note.path for note in handoff.still_open([note for _, note in notes])}
    unclosed = [note for _, note in notes if not note.closed]
    for file, note in notes:
        holds = any({other.path, other.name, other.session} & {*note.follows} for other in unclosed if other != note)
        if note.path not in is_open and not holds:
            yield note.at[:10], file


def _tasks(stores: Stores, skipped: list[tuple[str, str]]) -> Iterator[tuple[str, File]]:
    for file, made in _in_folder(stores, layout.TASKS, skipped):
        entry = task.Task(file.path.rpartition("/")[2].removesuffix(".md"), made)
        if entry.status.lower() in task.OVER:
            yield (entry.updated or entry.created)[:10], file


def _approvals(stores: Stores, skipped: list[tuple[str, str]]) -> Iterator[tuple[str, File]]:
    """Yield the approvals that the journal, not the file, records as used, rejected or expired.

    An approval that may still be used stays.
    """
    from agentws.features.approvals import approval_events
    from agentws.features.approvals.plan import request_state

    unread: list[str] = []
    facts = approval_events.by_id(stores, unread)
    if unread:
        skipped.append((layout.APPROVALS, "the journal cannot be read as a whole"))
        return
    for file, _ in _in_folder(stores, layout.APPROVALS, skipped):
        id = file.path.rpartition("/")[2].removesuffix(".md")
        if since := request_state.over_since(facts.get(id, [])):
            yield clock.day_in(stores.clock.now().tzinfo, since), file


def _in_folder(stores: Stores, folder: str, skipped: list[tuple[str, str]]) -> Iterator[tuple[File, front.Document]]:
    """Yield the documents of a folder; one that cannot be read is skipped."""
    for name in stores.files.listing(folder):
        if name.endswith(".md") and not name.startswith("."):
            path = f"{folder}/{name}"
            try:
                file = file_of(stores.files, path)
                made = front.decode(file.data, where=path)
            except AgentwsError as error:
                skipped.append((path, why(path, error)))
                continue
            yield file, made
