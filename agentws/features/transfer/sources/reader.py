"""Reading the files of a source once, in bounded memory: lines, JSON values, texts; also in a zip archive."""

from __future__ import annotations

import codecs
import json
import os
import re
import sqlite3
import stat
import zipfile
import zlib
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from typing import IO, Any, BinaryIO
from urllib.parse import quote

from agentws.core.formats.json import plainjson
from agentws.features.transfer.plan.items import UNREADABLE, Item, Rest

MOST_LINE_BYTES = 8 << 20
"""A longer line of JSON holds a picture or the like, and is listed with the rest."""
MOST_TEXT_BYTES = 4 << 20
_NOT_UTF8, _NO_OBJECT = "not a text in UTF-8", "not a JSON object"
_OUT = "a link that leads out of the folder"
_PIECE_BYTES = 1 << 16
_MOST_VALUE_CHARS = 16 << 20
_MOST_COLUMNS = 64
_DECODER = json.JSONDecoder()
_SPACE, _UNDECODED = re.compile(r"[ \t\n\r]*"), re.compile(r"[\udc80-\udcff]")
_FAILURES = (
    *(OSError, EOFError, zipfile.BadZipFile, zlib.error, RuntimeError, NotImplementedError),
    *(sqlite3.Error, UnicodeDecodeError),
)
"""Errors of a disk, a damaged, encrypted or unknown archive, or a damaged database."""


class Input:
    """A file of a source: its `name` for people; `project` limits it to sessions of that folder (empty: all).

    `advanced` is called with the number of bytes that were read, `modified` is when the file last changed. `rest` is
    what could not be read since it was looked at.
    """

    __slots__ = ("_advanced", "_stream", "modified", "name", "path", "project", "rest")

    def __init__(
        self, name: str, stream: IO[bytes], *, path: str, project: str, modified: float, advanced: Callable[[int], None]
    ) -> None:
        self.name = name
        self.path = path
        self.project = project
        self.modified = modified
        self.rest: list[Rest] = []
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

    def objects(self) -> Iterator[tuple[int, dict[str, Any]]]:
        """Yield (line number, JSON object) for each line; any other line is part of the rest."""
        for number, line in self.lines():
            if line is not None and not line.strip():
                continue
            reason = _NO_OBJECT if line is not None else f"longer than {MOST_LINE_BYTES >> 20} MiB"
            try:
                value = plainjson.loads(line.decode("utf-8-sig")) if line is not None else None
            except UnicodeDecodeError:
                value, reason = None, _NOT_UTF8
            except ValueError:
                value = None
            if isinstance(value, dict):
                yield number, value
            else:
                self.rest.append(Rest(f"{self.name}:{number}", reason))

    def values(self, lists: Collection[str] = ()) -> Iterator[tuple[int, Any]]:
        """Yield the values of a file with one JSON value or a JSON array, with their numbers (1-based).

        The array may be the first one below these keys of an object (`lists`). Of an array only one value at a time is
        in memory. Nothing is read after a value that is damaged, cut off or too long.
        """
        number = 0
        try:
            for number, (value, is_utf8) in enumerate(_Json(self._pieces()).elements(lists), 1):
                if is_utf8:
                    yield number, value
                else:
                    self.rest.append(Rest(f"{self.name}#{number}", _NOT_UTF8))
        except (ValueError, RecursionError):
            reason = "damaged, cut off or too long JSON: nothing after it was read"
            self.rest.append(Rest(f"{self.name}#{number + 1}", reason))

    def text(self) -> str | None:
        """Return the whole text; None if it is part of the rest."""
        data = self._stream.read(MOST_TEXT_BYTES + 1)
        self._advanced(len(data))
        where, reason = self.name, _NOT_UTF8
        if len(data) > MOST_TEXT_BYTES:
            reason = f"longer than {MOST_TEXT_BYTES >> 20} MiB"
        else:
            try:
                text = data.removeprefix(b"\xef\xbb\xbf").decode("utf-8")
                if "\0" not in text:
                    return text.replace("\r\n", "\n")
            except UnicodeDecodeError as error:
                line = data.count(b"\n", 0, error.start) + 1
                where = f"{self.name}:{line}"
        self.rest.append(Rest(where, reason))
        return None

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


def rows(base: sqlite3.Connection, table: str, file: Input) -> Iterator[dict[str, Any]]:
    """Yield the rows of a table of a database in their order; one that cannot be read is part of the rest of `file`."""
    for (number,) in base.execute(f"SELECT rowid FROM {table} ORDER BY rowid"):
        row, reason = None, "damaged"
        try:
            row = base.execute(f"SELECT * FROM {table} WHERE rowid = ?", (number,)).fetchone()
        except sqlite3.DataError as error:
            reason = _why(error)
        if row is not None:
            yield dict(row)
        else:
            file.rest.append(Rest(f"{file.name} {table} {number}", reason))


class _Json:
    """A JSON text that is read piece by piece: at most one of its values is in memory.

    A damaged, cut off or too long value raises ValueError or RecursionError.
    """

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self._pieces = pieces
        self._decode = codecs.getincrementaldecoder("utf-8-sig")("surrogateescape").decode
        self._text = ""
        self._at = 0

    def elements(self, lists: Collection[str]) -> Iterator[tuple[Any, bool]]:
        """Yield each element of the array, or the only value, and whether its text is in UTF-8.

        The array is the whole text, or the first one below one of these keys of an object.
        """
        sign = self._next()
        if sign == "[":
            yield from self._array()
        elif sign == "{" and lists:
            members, is_utf8 = dict[str, Any](), True
            self._take("{")
            while self._next() == '"':
                key, _ = self._value()
                self._take(":")
                if key in lists and self._next() == "[":
                    yield from self._array()
                    return
                members[key], is_valid = self._value()
                is_utf8 = is_utf8 and is_valid
                if self._take(",}") == "}":
                    break
            yield members, is_utf8
        elif sign:
            yield self._value()

    def _array(self) -> Iterator[tuple[Any, bool]]:
        self._take("[")
        if self._next() == "]":
            return
        while True:
            yield self._value()
            if self._take(",]") == "]":
                return

    def _next(self) -> str:
        """Return the next character that is not a space, empty at the end."""
        while True:
            match = _SPACE.match(self._text, self._at)
            self._at = match.end() if match else self._at
            if self._at < len(self._text):
                return self._text[self._at]
            if not self._more():
                return ""

    def _take(self, signs: str) -> str:
        """Go behind the next character, which must be one of these, and return it."""
        sign = self._next()
        if not sign or sign not in signs:
            raise ValueError(f"{sign!r} instead of one of {signs}")
        self._at += 1
        return sign

    def _value(self) -> tuple[Any, bool]:
        """Go behind the next value, and return it and whether its text is in UTF-8."""
        self._next()
        while True:
            try:
                value, end = _DECODER.raw_decode(self._text, self._at)
            except ValueError:
                if self._more():
                    continue
                raise
            if end == len(self._text) and self._more():  # a number may go on
                continue
            is_utf8 = _UNDECODED.search(self._text, self._at, end) is None
            self._at = end
            return value, is_utf8

    def _more(self) -> bool:
        """Read as much again as is held, so that a long value is seldom parsed again; return whether there was more."""
        parts = [self._text[self._at :]]
        held, size = len(parts[0]), 0
        if held > _MOST_VALUE_CHARS:
            raise ValueError("too long")
        for piece in self._pieces:
            parts.append(self._decode(piece))
            size += len(piece)
            if size >= held:
                break
        if size:
            self._text, self._at = "".join(parts), 0
        return size > 0


def _why(error: BaseException) -> str:
    reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return f"{UNREADABLE}: {reason or type(error).__name__}"


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
                for item in read(file):
                    yield from _taken(file.rest)
                    yield item
            except _FAILURES as error:
                file.rest.append(Rest(file.name, _why(error)))
            yield from _taken(file.rest)

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


def _taken(rest: list[Rest]) -> list[Rest]:
    """Empty a list, and return what was in it."""
    held, rest[:] = [*rest], []
    return held


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
