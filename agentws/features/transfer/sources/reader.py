"""Reading the files of a source once, in bounded memory: lines, JSON values, texts; also in a zip archive."""

from __future__ import annotations

import os
import re
import sqlite3
import stat
import zipfile
import zlib
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from agentws.core.formats.json import plainjson
from agentws.features.transfer.plan.items import Rest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import IO, BinaryIO

    from agentws.features.transfer.plan.items import Item

MOST_LINE_BYTES = 8 << 20
"""A longer line of JSON holds a picture or the like, and is listed with the rest."""
MOST_TEXT_BYTES = 4 << 20
_NOT_UTF8 = "not a text in UTF-8"
_OUT = "a link that leads out of the folder"
_PIECE_BYTES = 1 << 16
_MOST_KEY_BYTES = 256
_MOST_COLUMNS = 64
_IN_TEXT, _OUTSIDE = re.compile(rb'["\\]'), re.compile(rb'["\[\]{},]')
_FAILURES = (
    *(OSError, EOFError, zipfile.BadZipFile, zlib.error, RuntimeError, NotImplementedError),
    *(sqlite3.Error, UnicodeDecodeError),
)
"""What a disk, a damaged, encrypted or unknown archive, or a damaged database may raise."""


class Input:
    """A file of a source: its `name` for people; `project` limits it to sessions of that folder (empty: all).

    `advanced` is called with the number of bytes that were read, `modified` is when the file last changed.
    """

    __slots__ = ("_advanced", "_stream", "modified", "name", "path", "project")

    def __init__(
        self, name: str, stream: IO[bytes], *, path: str, project: str, modified: float, advanced: Callable[[int], None]
    ) -> None:
        self.name = name
        self.path = path
        self.project = project
        self.modified = modified
        self._stream = stream
        self._advanced = advanced

    def lines(self) -> Iterator[tuple[int, bytes | None]]:
        """Yield each line with its number (1-based), None for one that is too long."""
        number = 0
        while line := self._stream.readline(MOST_LINE_BYTES):
            number += 1
            is_long = len(line) == MOST_LINE_BYTES and not line.endswith(b"\n")
            self._advanced(len(line))
            while is_long and line and not line.endswith(b"\n"):
                line = self._stream.readline(MOST_LINE_BYTES)
                self._advanced(len(line))
            yield number, None if is_long else line

    def objects(self) -> Iterator[tuple[int, dict[str, Any]] | Rest]:
        """Yield (line number, JSON object) for each line, and a Rest for each other line."""
        for number, line in self.lines():
            if line is None:
                yield Rest(f"{self.name}:{number}", f"longer than {MOST_LINE_BYTES >> 20} MiB")
            elif line.strip():
                value = _value(line)
                is_object = isinstance(value, dict)
                yield (number, value) if is_object else Rest(f"{self.name}:{number}", "not a JSON object")

    def values(self, lists: tuple[str, ...] = ()) -> Iterator[tuple[int, Any] | Rest]:
        """Yield the values of a file with one JSON value or a JSON array, with their numbers (1-based).

        The array may be the first one below these keys of an object (`lists`). Of an array only one value at a time is
        in memory; one that is cut off or too long is part of the rest.
        """
        for number, text in enumerate(_elements(self._pieces(), lists), 1):
            value = _value(text) if text else None
            if value is None:
                yield Rest(f"{self.name}#{number}", "damaged, cut off or too long JSON")
            else:
                yield number, value

    def text(self) -> str | Rest:
        """Return the whole text."""
        data = self._stream.read(MOST_TEXT_BYTES + 1)
        self._advanced(len(data))
        if len(data) > MOST_TEXT_BYTES:
            return Rest(self.name, f"longer than {MOST_TEXT_BYTES >> 20} MiB")
        try:
            text = data.removeprefix(b"\xef\xbb\xbf").decode("utf-8")
        except UnicodeDecodeError as error:
            line = data.count(b"\n", 0, error.start) + 1
            return Rest(f"{self.name}:{line}", _NOT_UTF8)
        return Rest(self.name, _NOT_UTF8) if "\0" in text else text.replace("\r\n", "\n")

    def _pieces(self) -> Iterator[bytes]:
        while piece := self._stream.read(_PIECE_BYTES):
            self._advanced(len(piece))
            yield piece


@contextmanager
def database(path: str) -> Iterator[sqlite3.Connection]:
    """Open a program's SQLite database for reading only; rows are found by the names of their columns.

    A row with a longer value than a line may have, and a table of more than 64 columns, raise `sqlite3.Error`.
    """
    base = sqlite3.connect(f"file:{quote(path)}?mode=ro", uri=True)
    try:
        base.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MOST_LINE_BYTES)
        base.setlimit(sqlite3.SQLITE_LIMIT_COLUMN, _MOST_COLUMNS)
        base.row_factory = sqlite3.Row
        yield base
    finally:
        base.close()


def tables(base: sqlite3.Connection) -> set[str]:
    """Return the names of the tables of a database."""
    return {str(row[0]) for row in base.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}


def rows(base: sqlite3.Connection, table: str, name: str) -> Iterator[dict[str, Any] | Rest]:
    """Yield the rows of a table in their order; one that cannot be read is part of the rest. `name` is the database."""
    for (number,) in base.execute(f"SELECT rowid FROM {table} ORDER BY rowid"):
        where = f"{name} {table} {number}"
        try:
            row = base.execute(f"SELECT * FROM {table} WHERE rowid = ?", (number,)).fetchone()
        except sqlite3.DataError as error:
            yield Rest(where, _why(error))
        else:
            yield dict(row) if row is not None else Rest(where, "damaged")


def _value(data: bytes) -> Any:
    try:
        return plainjson.loads(data.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return None


def _elements(pieces: Iterator[bytes], lists: tuple[str, ...]) -> Iterator[bytes]:
    """Yield the text of each element of an array, or of the only value; empty for a damaged one.

    The array is the top level, or the first one below one of these keys of the top level's object.
    """
    opening = re.compile(rb'"(?:%s)"\s*:\s*\Z' % "|".join(map(re.escape, lists)).encode()) if lists else None
    depth, in_text, is_escaped, is_array, is_long = 0, False, False, None, False
    top = 1  # the depth between the elements
    held = bytearray()
    for read in pieces:
        start, piece = 0, read
        if is_array is None:
            piece = read.removeprefix(b"\xef\xbb\xbf").lstrip()
            if not piece:
                continue
            is_array = piece[:1] == b"["
            start, depth = (1, 1) if is_array else (0, 0)
        at = start
        while (at := _next_sign(piece, at, in_text=in_text, is_escaped=is_escaped)) < len(piece):
            sign = piece[at : at + 1]
            is_escaped_now, is_escaped = is_escaped, False
            if in_text:
                is_escaped = sign == b"\\" and not is_escaped_now
                in_text = not (sign == b'"' and not is_escaped_now)
            elif sign == b'"':
                in_text = True
            elif sign in b"[{":
                depth += 1
            elif sign in b"]}":
                depth -= 1
            if opening and not is_array and not in_text and sign == b"[" and depth == 2:
                head = bytes(held[-_MOST_KEY_BYTES:]) + piece[max(start, at - _MOST_KEY_BYTES) : at]
                if opening.search(head):
                    held.clear()
                    start, is_array, is_long, top = at + 1, True, False, 2
            if is_array and not in_text and ((sign == b"," and depth == top) or depth < top):
                held += piece[start:at]
                if held.strip() or is_long:
                    yield b"" if is_long else bytes(held)
                held.clear()
                start, is_long = at + 1, False
                if depth < top:
                    return
            at += 1
        held += piece[start:]
        if len(held) > MOST_LINE_BYTES * 4:
            held.clear()
            is_long = True
    if held.strip() or is_long:
        yield b"" if is_array or is_long else bytes(held)


def _next_sign(piece: bytes, at: int, *, in_text: bool, is_escaped: bool) -> int:
    """Return the position of the next byte that affects JSON nesting, or the length of the piece."""
    if is_escaped:
        return at
    match = (_IN_TEXT if in_text else _OUTSIDE).search(piece, at)
    return match.start() if match else len(piece)


def _why(error: BaseException) -> str:
    reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return f"cannot be read: {reason or type(error).__name__}"


class Files:
    """The files below the paths of a source, without the folder `besides`; `size` is that of all, in bytes."""

    def __init__(self, paths: list[str], suffixes: tuple[str, ...], *, besides: str) -> None:
        self.found: list[tuple[str, str]] = []
        self._out: list[Rest] = []
        for path in paths:
            above = path if os.path.isdir(path) else os.path.dirname(path)
            for each in _below(path, suffixes, besides):
                name = os.path.relpath(each, above)
                if each != path and _leads_out(each, above):
                    self._out.append(Rest(name, _OUT))
                else:
                    self.found.append((name, each))
        self.size = sum(_size(path) for _, path in self.found)

    def items(
        self, read: Callable[[Input], Iterator[Item]], *, project: str, advanced: Callable[[int], None]
    ) -> Iterator[Item]:
        """Yield what a source reads in each file; a failure of the disk or of an archive is part of the rest."""
        yield from self._out
        for file in self._inputs(project, advanced):
            if isinstance(file, Rest):
                yield file
                continue
            try:
                yield from read(file)
            except _FAILURES as error:
                yield Rest(file.name, _why(error))

    def _inputs(self, project: str, advanced: Callable[[int], None]) -> Iterator[Input | Rest]:
        """Yield each file, opened; of a zip archive each of its JSON and Markdown files."""
        for name, path in self.found:
            try:
                stream, status = _opened(path)
                if stream is None:
                    yield Rest(name, "not a regular file")
                    continue
                with stream:
                    if path.endswith(".zip"):
                        yield from _members(name, stream, path, status, advanced)
                        continue
                    yield Input(name, stream, path=path, project=project, modified=status.st_mtime, advanced=advanced)
            except _FAILURES as error:
                yield Rest(name, _why(error))


def _members(
    name: str, stream: BinaryIO, path: str, status: os.stat_result, advanced: Callable[[int], None]
) -> Iterator[Input]:
    with zipfile.ZipFile(stream) as archive:
        for member in archive.infolist():
            if member.is_dir() or not member.filename.endswith((".json", ".jsonl", ".md")):
                continue
            with archive.open(member) as opened:
                inside, place = f"{name}/{member.filename}", f"{path}/{member.filename}"
                yield Input(
                    inside, opened, path=place, project="", modified=status.st_mtime, advanced=_scaled(advanced, member)
                )


def _scaled(advanced: Callable[[int], None], member: zipfile.ZipInfo) -> Callable[[int], None]:
    """Return a function that counts the packed bytes for the unpacked ones."""
    ratio = member.compress_size / member.file_size if member.file_size else 0.0
    return lambda count: advanced(int(count * ratio))


def _opened(path: str) -> tuple[BinaryIO | None, os.stat_result]:
    fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    status = os.fstat(fd)
    if not stat.S_ISREG(status.st_mode):
        os.close(fd)
        return None, status
    return os.fdopen(fd, "rb"), status


def _below(path: str, suffixes: tuple[str, ...], besides: str) -> Iterator[str]:
    if not os.path.isdir(path):
        yield path
        return
    for folder, folders, names in os.walk(path):
        yield from (
            f"{folder}/{name}" for name in sorted(folders) if name[0] != "." and _leads_out(f"{folder}/{name}", path)
        )
        folders[:] = sorted(
            name for name in folders if name[0] != "." and f"{os.path.realpath(f'{folder}/{name}')}/" != besides
        )
        yield from (f"{folder}/{name}" for name in sorted(names) if name.endswith(suffixes))


def _leads_out(path: str, folder: str) -> bool:
    """Return whether a path is a link to something that is not in the folder."""
    return os.path.islink(path) and not f"{os.path.realpath(path)}/".startswith(f"{os.path.realpath(folder)}/")


def _size(path: str) -> int:
    try:
        return os.stat(path).st_size
    except OSError:
        return 0
