"""import: brings what another program wrote into daily logs and memory pages, in parts that are undone together."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from agentws.changes import ABSENT, Change, ChangeSet, Write
from agentws.core import environment
from agentws.core.disk import local_dir, locate, lock
from agentws.core.formats import digest, layout
from agentws.core.formats.journal import event, summary
from agentws.core.journal import select
from agentws.core.journal.events import imported
from agentws.core.journal.events.imported import ImportedSession
from agentws.core.markdown import markdown
from agentws.core.notes import vocabulary
from agentws.core.stores import record, seals
from agentws.core.stores.stores import Stores
from agentws.errors import MissingFileError, UsageError
from agentws.features.memory.curate.plan import brief
from agentws.features.transfer import sources
from agentws.features.transfer.cleaner import Cleaner
from agentws.features.transfer.imported import Imported, Stopped
from agentws.features.transfer.plan import pages
from agentws.features.transfer.plan.items import (
    MOST_MEMORY_CHARS,
    TOO_LONG,
    UNREADABLE,
    Item,
    Line,
    Memory,
    Rest,
    Turn,
    stamp,
)
from agentws.features.transfer.plan.pages import Entry
from agentws.features.transfer.sources import Source, reader

Progress = Callable[[int, int], None]


_PART_ITEMS, _PART_CHARS = 10_000, 4 << 20
"""A part of an import is written when it has so many items, or so many characters."""
_MOST_PARTS = 40
"""So many parts of an import stay undoable: undo keeps 50 changes."""
_LISTED = "not importable, listed by an earlier import"
_MOST_DECIDED = 2
_MOST_SESSIONS = 20_000
_STILL_S = 3600.0
"""A session may go on for so long after its last message: until then its last request has no result to keep."""
_LOCK, _LOCK_TIMEOUT_S = "import", 60.0
"""Held over a whole import, which reads once what earlier ones wrote."""


def import_from(
    stores: Stores,
    source: str,
    path: str | None = None,
    *,
    variables: Mapping[str, str] | None = None,
    dry_run: bool = False,
    progress: Progress | None = None,
    continues: Imported | None = None,
) -> Imported:
    """Import what a program wrote: the requests of its sessions into daily logs, its memories into memory pages.

    `path` is a file, a folder or an export archive; without it the source's usual place in the `variables` of the
    environment, limited to this project where the program keeps its sessions by project. All of it is quoted as
    `import:SOURCE`. Known items are skipped, secrets are masked, forgotten lines left out; nothing is
    executed. One `undo` takes an import back, with the one that it `continues`. UsageError for an unknown source or one
    without a usual place, MissingFileError if nothing is there. Ctrl-C raises Stopped, with history up to date.
    """
    program = sources.source(source)
    stores.check_writable()
    place = sources.Place(environment.variables() if variables is None else variables, locate.project(stores.root))
    usual = [os.path.abspath(os.path.expanduser(path))] if path is not None else program.usual(place)
    paths = [each for each in usual if os.path.exists(each)]
    hint = f"Name a file or folder: agentws import --from {source} PATH"
    if not usual:
        raise UsageError(f"{program.title} has no usual place.", hint=hint)
    if not paths:
        raise MissingFileError(f"{path or usual[0]}: no such file or folder.", hint=hint)
    own = f"{os.path.realpath(stores.root)}/"
    real = [f"{os.path.realpath(each)}/" for each in paths]
    if any(each == own or each.startswith(f"{own}{layout.DAYS}/") for each in real):
        raise UsageError("A workspace cannot be imported into itself.", hint="Name another folder.")
    files = reader.Files(paths, program.suffixes, besides=own)
    project, result = place.project if path is None else "", Imported(source, dry_run)
    result.call, result.parts = (continues.call, continues.parts) if continues else (local_dir.new_id(), 0)
    if dry_run:
        return _import(stores, program, files, project, result, progress)
    local_dir.prepare(stores.files)
    with lock.Lock(stores.files, _LOCK, timeout_s=_LOCK_TIMEOUT_S, note=f"import {source}", idle=True):
        stores.settle()
        return _import(stores, program, files, project, result, progress)


def _import(
    stores: Stores, program: Source, files: reader.Files, project: str, result: Imported, progress: Progress | None
) -> Imported:
    run = _Run(stores, program.title, result)
    done = 0

    def advanced(count: int) -> None:
        nonlocal done
        done += count
        if progress is not None:
            progress(done, files.size)

    stores.call = result.call
    try:
        for item in files.items(program.read, project=project, advanced=advanced):
            if not run.has_room():
                result.is_complete = False
                break
            run.take(item)
        run.write()
    except KeyboardInterrupt:
        if result.dry_run:
            raise
        stores.settle()  # else history would lack the last part until the next command
        raise Stopped(run.added()) from None
    finally:
        stores.call = ""
    if result.paths and not result.dry_run:
        stores.notices += seals.quietly(stores, due=True)
    result.notices = list(stores.notices)
    return result


@dataclass(frozen=True, slots=True)
class _Request:
    """A request that waits to be written: its clean `turn`, its `key`, and the sentences that name a decision."""

    turn: Turn
    key: int
    decided: list[str]


class _Run:
    """An import under way: takes items, and writes them in parts."""

    def __init__(self, stores: Stores, title: str, result: Imported) -> None:
        self.result = result
        self._stores = stores
        self._title = title
        self._zone = stores.clock.now().tzinfo
        self._today = stores.here().day
        self._still = stamp(stores.clock.now().timestamp() - _STILL_S)
        self._words = vocabulary.extended(stores.manifest.vocabulary)
        self._cleaner = Cleaner(stores)
        self._known = self._written()
        self._before = len(self._known)
        self._recorded = _recorded(stores)
        self._listed = frozenset(pages.keys_of(_data(stores, pages.ids_path(result.source))[0], "rest"))
        self._rest: dict[int, None] = {}
        self._requests: dict[tuple[str, str], list[_Request]] = {}
        self._sessions: list[ImportedSession] = []
        self._lines: list[Line] = []
        self._memories: list[tuple[Memory, str]] = []
        self._new: list[int] = []
        self._chars = 0
        self._page = 1
        self._page_bytes = _size(stores, pages.page_path(result.source, 1))

    def _written(self) -> set[int]:
        return set(pages.keys_of(_data(self._stores, pages.ids_path(self.result.source))[0]))

    def added(self) -> int:
        """Return how many items this import has written."""
        return len(self._written()) - self._before

    def has_room(self) -> bool:
        """Return whether more parts can be written that one undo takes back."""
        return self.result.parts < _MOST_PARTS

    def take(self, item: Item) -> None:
        """Take an item of the source; a full part is written."""
        self.result.read += 1
        if isinstance(item, Rest):
            self.result.unread += 1
            self._leave(item.where, item.reason)
            return
        key = pages.key(item)
        if key in self._known:
            self.result.known += 1
            return
        if isinstance(item, Line):
            self._take_line(item, key)
        elif isinstance(item, Turn):
            self._take_turn(item, pages.local(item.at, self._zone)[0] if item.at else "", key)
        else:
            self._take_memory(item, pages.local(item.at, self._zone)[0] if item.at else item.day, key)
        if len(self._new) >= _PART_ITEMS or self._chars >= _PART_CHARS:
            self.write()

    def _take_turn(self, turn: Turn, day: str, key: int) -> None:
        if turn.session in self._recorded:
            self.result.leave(f"session {turn.session}", "recorded by hooks")
            return
        if not day or day > self._today:
            if day:
                self.result.leave(f"session {turn.session}", "a time in the future")
            else:
                self._leave(f"session {turn.session}", "no time")
            return
        if turn.until > self._still:
            self.result.leave(f"session {turn.session}", "still going on")
            return
        clean = Turn(
            turn.id,
            turn.session,
            turn.at,
            summary.cut(self._cleaner.clean(turn.asked), pages.MOST_ASKED),
            summary.cut(done := self._cleaner.clean(turn.done), pages.MOST_DONE),
            tuple(filter(None, map(self._cleaner.clean, turn.files))),
            tuple(filter(None, (summary.cut(self._cleaner.clean(each), pages.MOST_LISTED) for each in turn.failed))),
            summary.cut(self._cleaner.clean(turn.title), pages.MOST_LISTED),
        )
        if not (clean.asked.strip() or clean.done.strip()):
            self.result.leave(f"session {turn.session}", "forgotten")
            return
        self._requests.setdefault((day, turn.session), []).append(_Request(clean, key, self._decided(done)))
        self._chars += len(clean.asked) + len(clean.done)
        self.result.sessions += 1
        self._add(key)

    def _take_line(self, item: Line, key: int) -> None:
        text = "" if len(item.text) > MOST_MEMORY_CHARS else self._cleaner.clean(item.text).strip()
        if not text or item.day > self._today:
            reason = (
                "a time in the future" if text else "forgotten" if len(item.text) <= MOST_MEMORY_CHARS else TOO_LONG
            )
            self.result.leave(f"a line of {item.day}", reason)
            return
        self._lines.append(Line(text, item.day, item.time, item.origin))
        self._chars += len(text)
        self.result.lines += 1
        self._add(key)

    def _take_memory(self, item: Memory, day: str, key: int) -> None:
        if len(item.text) > MOST_MEMORY_CHARS:
            self._leave(item.id or f"{self._cleaner.clean(item.text[:40])}…", TOO_LONG)
            return
        text = self._cleaner.clean(item.text).strip()
        if not text:
            leave = self.result.leave if item.text.strip() else self._leave
            leave(item.id or "a memory", "forgotten" if item.text.strip() else "no text")
            return
        self._memories.append((Memory(text, item.id, item.at, origin=item.origin), day))
        self._chars += len(text)
        self.result.memories += 1
        self._add(key)

    def _leave(self, where: str, reason: str) -> None:
        """Count an item that can never be imported; it is listed once. A disk may fail for a moment."""
        key = pages.rest_key(where, reason)
        if key in self._listed:
            self.result.reasons[_LISTED] += 1
            return
        self.result.leave(where, reason)
        if not reason.startswith(UNREADABLE):
            self._rest[key] = None

    def _add(self, key: int) -> None:
        self._known.add(key)
        self._new.append(key)

    def write(self) -> None:
        """Write the items that wait, as one change."""
        entries = [*self._logged(), *self._remembered()]
        self._requests, self._lines, self._memories, self._chars = {}, [], [], 0
        sessions, self._sessions = self._sessions, []
        self.result.secrets, self.result.forgotten = self._cleaner.secrets, self._cleaner.forgotten
        if not self._new:
            return
        by_path: dict[str, list[Entry]] = {}
        for entry in entries:
            by_path.setdefault(entry.path, []).append(entry)
        changes: list[Change] = []
        for path, several in by_path.items():
            data, expects = _data(self._stores, path)
            before = data or pages.title(path, self._title, several[0].day).encode("utf-8", "surrogateescape")
            glue = b"" if before.endswith(b"\n") else b"\n"
            added = "".join(entry.text for entry in several).encode("utf-8", "surrogateescape")
            changes.append(Write(path, b"".join((before, glue, added)), expects=expects))
        path = pages.ids_path(self.result.source)
        data, expects = _data(self._stores, path)
        line = pages.keys_line(self._new, self._rest, at=self._stores.now_text())
        changes.append(Write(path, data + line, expects=expects))
        if not self.result.dry_run:
            self._stores.apply(ChangeSet(f"import {self.result.source}", tuple(changes)))
            via, bodies = pages.origin_of(self.result.source), imported.bodies(sessions, changes=self.result.call)
            told = [record.Happening(event.IMPORTED, body, session=record.NOBODY, src=via) for body in bodies]
            self._stores.notices += record.record(self._stores, told)[1]
        self.result.paths = sorted({*self.result.paths, *by_path})
        self._new, self._rest = [], {}
        self.result.parts += 1

    def _logged(self) -> list[Entry]:
        entries = []
        for (day, session), requests in self._requests.items():
            entry, clean = self._of_session(day, requests), requests
            if self._cleaner.has_forgotten(entry.text):
                clean = self._without_forgotten(day, session, requests)
                if not clean:
                    continue
                entry = self._of_session(day, clean)
            entries.append(entry)
            turns = [request.turn for request in clean]
            id = summary.cut(self._cleaner.clean(session), pages.MOST_LISTED)
            self._sessions.append(
                ImportedSession(
                    self.result.source,
                    id,
                    began=turns[0].at,
                    ended=turns[-1].at,
                    requests=len(turns),
                    failed=sum(len(turn.failed) for turn in turns),
                    path=entry.path,
                )
            )
        entries += [pages.of_line(self.result.source, item) for item in self._lines]
        return sorted(entries, key=lambda entry: (entry.day, entry.time))

    def _of_session(self, day: str, requests: Sequence[_Request]) -> Entry:
        turns = [request.turn for request in requests]
        decided = [sentence for request in requests for sentence in request.decided][:_MOST_DECIDED]
        time = pages.local(turns[0].at, self._zone)[1]
        return pages.of_session(self.result.source, day, time, turns, decided, self._shown)

    def _without_forgotten(self, day: str, session: str, requests: Sequence[_Request]) -> list[_Request]:
        """Return the requests whose entry has no forgotten text: an entry joins lines and requests."""
        clean: list[_Request] = []
        for request in requests:
            if not self._cleaner.has_forgotten(self._of_session(day, [*clean, request]).text):
                clean.append(request)
                continue
            self._cleaner.forgotten += 1
            self.result.sessions -= 1
            self.result.leave(f"session {session}", "forgotten")
            self._known.discard(request.key)
            self._new.remove(request.key)
        return clean

    def _decided(self, text: str) -> list[str]:
        lines = (line.strip() for line in text.split("\n"))
        plain = (line[markdown.marker(line) :] for line in lines if line)
        return [sentence for line in plain for sentence in brief.named_in(line, self._words)]

    def _remembered(self) -> list[Entry]:
        entries = []
        for item, day in self._memories:
            while self._page_bytes > pages.MOST_PAGE_BYTES:
                self._page += 1
                self._page_bytes = _size(self._stores, pages.page_path(self.result.source, self._page))
            path = pages.page_path(self.result.source, self._page)
            entries.append(pages.of_memory(self.result.source, path, item, day))
            self._page_bytes += len(entries[-1].text.encode())
        return entries

    def _shown(self, path: str) -> str:
        return path.removeprefix(f"{locate.project(self._stores.root)}/")


def _recorded(stores: Stores) -> Collection[str | None]:
    """Return the sessions that the hooks of this installation have recorded."""
    own = stores.installation()
    if own is None:
        return ()
    starts = select.Reader(stores.files, select.Wanted(kinds=(event.STARTED,))).newest(own.writer, _MOST_SESSIONS)
    return {started.session for started in starts}


def _data(stores: Stores, path: str) -> tuple[bytes, str]:
    """Return (content, digest) of a file, (b"", ABSENT) if it is missing."""
    try:
        data = stores.files.read(path)
    except MissingFileError:
        return b"", ABSENT
    return data, digest.of(data)


def _size(stores: Stores, path: str) -> int:
    return stores.files.size(path) if stores.files.exists(path) else 0
