"""Logs of JSON rows that only grow, in files of the workspace: the storage of adapters.

A row is a line of `data/<name>.jsonl`. The rows of one `append` are a batch, and a line that begins with a space is
followed by more of its batch. So a batch that a crash has torn is recognized: it is never read, and the next append
removes it. The kernel lock of the file itself excludes other threads and processes. Whoever replaces the file writes a
new one, so an open file shows by its inode whether offsets still hold.
"""

from __future__ import annotations

import itertools
import os
import stat
import threading
import weakref
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager

from agentws.core.disk import dir_cache, files as _files, local_dir, lock
from agentws.core.stores.stores import Stores
from agentws.errors import ChangedUnderneathError, MissingFileError, UsageError
from agentws.features.data import rows_file
from agentws.features.data.plan import names
from agentws.features.data.rows_file import Parse, RowsFile

_LOCK_TIMEOUT_S = 30.0
_MOST_OPEN = 100
_WRITING = os.O_RDWR | os.O_APPEND
_generations = itertools.count(1)


def rows(stores: Stores, name: str) -> RowLog:
    """Return the log of rows with a name, a path such as `langgraph/thread-1`. Nothing is read or written."""
    if not name:
        raise UsageError("A log of rows needs a name.", hint='For example: workspace.data.rows("langgraph/thread-1")')
    return RowLog(stores, name)


def row_logs(stores: Stores, prefix: str = "") -> list[str]:
    """Return the names of all logs of rows that start with `prefix`, sorted."""
    result, folders = [], [names.folder_of(prefix)]
    while folders:
        folder = folders.pop()
        for entry, kind in stores.files.names(folder):
            path = f"{folder}/{entry}"
            if kind == "folder":
                folders.append(path)
            elif kind == "file" and entry.endswith(names.SUFFIX):
                name = names.name_of(path) if names.is_whole(path) else _named_within(stores.files, path)
                if name and name.startswith(prefix) and names.path(name) == path:
                    result.append(name)
    return sorted(result)


def _named_within(files: _files.Files, path: str) -> str:
    head = rows_file.decoded(files.part(path, rows_file.PIECE_BYTES)[0].partition(b"\n")[0])
    return str(head.get(rows_file.NAME, "")) if head else ""


class RowLog:
    """Rows that are only added, in the order in which they were added. Threads and processes may share one.

    Offsets of rows are bytes, and void when `generation` changes: the rows were replaced or deleted. Methods that get
    the `generation` of their offset raise ChangedUnderneathError then.
    """

    __slots__ = (
        "__weakref__",
        "_absent",
        "_depth",
        "_files",
        "_is_known",
        "_mutex",
        "_open",
        "_stores",
        "name",
        "path",
    )

    def __init__(self, stores: Stores, name: str) -> None:
        self.name = name
        self.path = names.path(name)
        self._stores = stores
        self._files = stores.files
        self._open: RowsFile | None = None
        self._absent = next(_generations)
        self._mutex = threading.RLock()
        self._depth = 0
        self._is_known = False
        _logs.add(self)

    def __repr__(self) -> str:
        return f"<RowLog {self.name!r}>"

    # Reading

    @property
    def generation(self) -> int:
        """The number of the present file within this object; when it changes, all offsets are void."""
        opened = self._current()
        return opened.generation if opened is not None else self._absent

    @property
    def size(self) -> int:
        """The offset behind the last row: 0 without rows."""
        opened = self._current()
        return 0 if opened is None else opened.sound_end(opened.size())[0]

    def read(self, start: int = 0, *, generation: int | None = None) -> Iterator[tuple[int, dict[str, object]]]:
        """Yield each row from the offset `start` on, with its own offset. DamagedError for a line that is not a row."""
        opened = self._at_generation(generation)
        if opened is not None:
            for offset, row, _ in opened.rows(start, rows_file.decoded):
                yield offset, row

    def since(
        self, start: int = 0, *, generation: int | None = None, parse: Parse = rows_file.decoded
    ) -> tuple[list[tuple[int, dict[str, object]]], int]:
        """Return the rows from `start` on with their offsets, and the offset from which the next call goes on.

        `parse` makes the row of a line, for callers that need only a part of it; None for an invalid line.
        """
        opened = self._at_generation(generation)
        result: list[tuple[int, dict[str, object]]] = []
        if opened is not None and (start < opened.end or start < opened.size()):
            for offset, row, end in opened.rows(start, parse):
                result.append((offset, row))
                start = end
        return result, start

    def backwards(
        self, mark: bytes, *, generation: int | None = None, parse: Parse = rows_file.decoded
    ) -> Iterator[tuple[int, dict[str, object]]]:
        """Yield each row whose line contains `mark`, with its offset, the last first; also rows of a torn batch."""
        opened = self._at_generation(generation)
        if opened is not None:
            yield from opened.backwards(mark, parse)

    def at(self, offset: int, *, generation: int | None = None, parse: Parse = rows_file.decoded) -> dict[str, object]:
        """Return the row at an offset, as `parse` makes it of its line. MissingFileError if no row begins there."""
        opened = self._at_generation(generation)
        row = opened.row(offset, parse) if opened is not None else None
        if row is None:
            raise MissingFileError(f"{self.path}: no row begins at byte {offset}.", hint="Read the rows again.")
        return row

    def _at_generation(self, expected: int | None) -> RowsFile | None:
        opened = self._current()
        if expected is not None and expected != (opened.generation if opened is not None else self._absent):
            raise ChangedUnderneathError(
                f"{self.path}: was replaced since it was read, so offsets are void.", hint="Read the rows again."
            )
        return opened

    def _current(self) -> RowsFile | None:
        """Return the file that is at the path now, opened, or None."""
        opened = self._open
        if opened is not None and self._files.is_at(self.path, opened.status):
            return opened
        if opened is None and self._files.is_missing(self.path):
            return None
        with self._mutex:
            return self._opened(os.O_RDONLY)

    def _opened(self, flags: int) -> RowsFile | None:
        """Open the file at the path unless it is open already. The caller holds the mutex."""
        before = self._open
        try:
            fd = self._files.open_in_place(self.path, flags)
        except OSError as error:
            failure = _files.failure(error, self.path)
            if not isinstance(failure, MissingFileError):
                raise failure from error
            if before is not None:
                self._open, self._absent = None, next(_generations)
            return None
        opened = RowsFile(fd, self.path, writable=flags != os.O_RDONLY, generation=next(_generations))
        if before is not None and os.path.samestat(before.status, opened.status):
            if before.writable or not opened.writable:
                return before  # another thread has opened it meanwhile
            opened.generation, opened.end = before.generation, before.end
        self._open = opened
        _note_open(self)
        return opened

    # Writing

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Exclude other threads and processes from writing to this log in a `with` block, which may be nested.

        LockHeldError if another process has the lock for too long, MayNotWriteError if the agent moved away.
        """
        mutex = self._mutex
        with mutex:
            if not self._depth:
                self._locked_file()
            self._depth += 1
            try:
                if self._depth == 1:
                    self._stores.check_writable()  # the agent may have moved away while we waited
                yield
            finally:
                if mutex is self._mutex:  # not in a child that was forked in the block
                    self._depth -= 1
                    if not self._depth:
                        self._let_go()

    def append(self, *rows: Mapping[str, object]) -> list[int]:
        """Add rows behind all others, durably, all or none; returns the offset of each.

        UsageError if a row is not JSON, DiskError if the disk refuses, MayNotWriteError if the agent moved away.
        """
        batch = [rows_file.line_of(row) for row in rows]
        if not batch:
            return []
        batch[:-1] = [rows_file.MORE + line for line in batch[:-1]]
        with self._changing():
            opened = self._open
            while True:
                if opened is None or not opened.writable:
                    opened = self._locked_file()
                start = self._add(opened, batch)
                if self._files.is_at(self.path, opened.status):
                    break
                opened = None
                # Another program, without the lock, has replaced the file meanwhile: the rows go behind its content.
        return list(itertools.accumulate(map(len, batch[:-1]), initial=start))

    def replace(self, rows: Iterable[Mapping[str, object]]) -> list[int]:
        """Replace all rows, durably and atomically; returns the offset of each new one. Errors as for `append`."""
        folder, _, name = self.path.rpartition("/")
        new = f".{name}.agentws-new"
        held = dir_cache.Held(self._files.root)
        with self._changing():
            opened = self._locked_file()
            try:
                place = held.folder(folder)
                mode = stat.S_IMODE(opened.status.st_mode)
                fd = os.open(new, _WRITING | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC, mode, dir_fd=place)
                try:
                    lock.wait(fd, 0)  # nobody else knows this file yet
                    made = RowsFile(fd, self.path, writable=True, generation=next(_generations))
                    offsets = self._write(fd, rows)
                    made.end = made.size()
                    os.rename(new, name, src_dir_fd=place, dst_dir_fd=place)
                except BaseException:
                    os.unlink(new, dir_fd=place)
                    raise
                self._open = made
                lock.release(opened.fd)  # waiting processes see that it was replaced
                _files.sync(place)
            except OSError as error:
                raise _files.failure(error, self.path) from error
            finally:
                held.close()
        return offsets

    def delete(self) -> bool:
        """Remove the log with all of its rows, durably; False if it did not exist."""
        if self._current() is None:
            return False
        with self._changing():
            self._locked_file()
            self._unlink()
        return True

    @contextmanager
    def _changing(self) -> Iterator[None]:
        older = None if self._is_known else self._stores.missing_change()
        with self.locked():
            yield
        if not self._is_known:
            self._stores.sign_in(older=older)
            self._is_known = True

    def _unlink(self) -> None:
        folder, _, name = self.path.rpartition("/")
        held = dir_cache.Held(self._files.root)
        try:
            os.unlink(name, dir_fd=held.folder(folder))
            _files.sync(held.folder(folder))
        except OSError as error:
            raise _files.failure(error, self.path) from error
        finally:
            held.close()

    def _locked_file(self) -> RowsFile:
        """Lock the file at the path and return it; creates a missing file. The caller holds the mutex."""
        while True:
            opened = self._open
            if opened is None or not opened.writable:
                opened = self._opened(_WRITING)
            if opened is None:
                self._stores.check_writable()
                self._files.make_folder(self.path.rpartition("/")[0])
                opened = self._opened(_WRITING | os.O_CREAT)
            if opened is None:
                continue  # its folder is gone again
            with _files.Failing(self.path):
                lock.wait(opened.fd, min(_LOCK_TIMEOUT_S, self._files.patience_s or _LOCK_TIMEOUT_S))
            if self._files.is_at(self.path, opened.status):
                return opened
            lock.release(opened.fd)
            self._opened(_WRITING)

    def _let_go(self) -> None:
        opened = self._open
        if opened is None:
            return
        if not opened.size() and self._files.is_at(self.path, opened.status):
            self._unlink()  # made for the lock alone
        lock.release(opened.fd)

    def _add(self, opened: RowsFile, batch: list[bytes]) -> int:
        """Write a batch behind the last sound row and sync it; returns the offset of its first row."""
        before = b""
        with _files.Failing(self.path):
            size = opened.size()
            if size != opened.end:
                end, lacks_newline = opened.sound_end(size)
                if end < size:
                    self._cut(opened, end, size)
                size, before = end, b"\n" if lacks_newline else b""
            if not size:
                self._files.sync_way(self.path)  # the name is durable before any content
                before = self._head()
            data = b"".join((before, *batch))
            opened.write_durably(data)
        return opened.end - len(data) + len(before)

    def _cut(self, opened: RowsFile, end: int, size: int) -> None:
        """Move the torn end of the file to quarantine."""
        local_dir.prepare(self._files)
        torn = os.pread(opened.fd, size - end, end)
        kept = local_dir.quarantine(self._files, self.path.rpartition("/")[2], torn)
        os.ftruncate(opened.fd, end)
        _files.sync(opened.fd)
        self._stores.notices.append(f"{self.path}: rows that a crash had cut off were moved to {kept}.")

    def _head(self) -> bytes:
        return b"" if names.is_whole(self.path) else rows_file.line_of({rows_file.NAME: self.name})

    def _write(self, fd: int, rows: Iterable[Mapping[str, object]]) -> list[int]:
        """Write rows to a new file and sync it; returns the offset of each."""
        offsets, parts = [], [self._head()]
        position = size = len(parts[0])
        for row in rows:
            parts.append(rows_file.line_of(row))
            offsets.append(position)
            position += len(parts[-1])
            size += len(parts[-1])
            if size > rows_file.PIECE_BYTES:
                _files.write_all(fd, b"".join(parts))
                parts, size = [], 0
        _files.write_all(fd, b"".join(parts))
        _files.sync(fd)
        return offsets


_logs: weakref.WeakSet[RowLog] = weakref.WeakSet()
_open_logs: dict[int, weakref.ref[RowLog]] = {}


def _note_open(log: RowLog) -> None:
    """Close the logs that were opened first while too many are open, except those that are in use."""
    _open_logs.pop(id(log), None)
    _open_logs[id(log)] = weakref.ref(log)
    for key, reference in list(_open_logs.items())[:-_MOST_OPEN]:
        other = reference()
        if other is not None and other._mutex.acquire(blocking=False):
            try:
                if other._depth:
                    continue
                other._open = None
            finally:
                other._mutex.release()
        elif other is not None:
            continue
        _open_logs.pop(key, None)


def _forget_in_child() -> None:
    """Open files again in a forked child: a lock belongs to an open file, which the parent shares."""
    for log in list(_logs):
        log._mutex, log._depth, log._open = threading.RLock(), 0, None


os.register_at_fork(after_in_child=_forget_in_child)
