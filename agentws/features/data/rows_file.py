"""An open file of rows: its lines, its batches, and the torn end that a crash leaves."""

from __future__ import annotations

import json
import os
from codecs import BOM_UTF8
from collections.abc import Callable, Iterable, Iterator, Mapping

from agentws.core.disk import files as _files
from agentws.errors import AgentwsError, DamagedError, UsageError
from agentws.features.data.plan import names

Parse = Callable[[bytes], dict[str, object] | None]

MORE = b" "
"""How a line begins that is followed by more of its batch."""
NAME = "agentws-rows"
"""The key of the first line of a file whose path does not show the whole name."""
PIECE_BYTES = 1 << 20
_FIRST_BYTES = 1 << 16
"""Of the first piece of lines: memory for a whole one costs as much as 20 rows."""
_ROW_BYTES = 1 << 13
_PLAIN = frozenset((str, int, float, bool, type(None)))
_encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode
_escape = json.JSONEncoder(allow_nan=False, separators=(",", ":")).encode
_decode = json.JSONDecoder().decode


class RowsFile:
    """An open file of rows at a `path`, closed when no thread uses it longer.

    `end` is how far its rows are known to be sound, `generation` its number within a log.
    """

    __slots__ = ("end", "fd", "generation", "path", "status", "writable")

    def __init__(self, fd: int, path: str, *, writable: bool, generation: int) -> None:
        self.fd = fd
        self.path = path
        self.writable = writable
        self.generation = generation
        self.status = os.fstat(fd)
        self.end = 0

    def __del__(self) -> None:
        os.close(self.fd)

    def size(self) -> int:
        """Return the present size in bytes, with a torn end."""
        return os.fstat(self.fd).st_size

    def row(self, offset: int, parse: Parse) -> dict[str, object] | None:
        """Return the row that begins at an offset, as `parse` returns it for its line; None if none does."""
        line = b""
        while not line.endswith(b"\n"):
            piece = os.pread(self.fd, max(_ROW_BYTES, len(line)), offset + len(line))
            line += piece[: piece.find(b"\n") + 1 or None]
            if not piece:
                break
        return parse(line)

    def rows(self, start: int, parse: Parse) -> Iterator[tuple[int, dict[str, object], int]]:
        """Yield offset, row (as `parse` returns it) and the offset behind it, of all whole batches from `start` on.

        DamagedError for a line that is not a row, except in the torn end.
        """
        batch: list[tuple[int, dict[str, object], int]] = []
        broken = -1
        for offset, line in self._lines(start):
            if broken >= 0:
                raise self._damaged(broken)
            is_torn = not line.endswith(b"\n") and decoded(line) is None  # `parse` may read the end of a line alone
            row = None if is_torn else parse(line)
            if row is None:
                if line.strip(b" \r\n"):
                    broken = offset
                elif line.endswith(b"\n"):  # a row that was forgotten
                    yield from batch
                    batch.clear()
                continue
            if offset == 0 and not names.is_whole(self.path):
                continue
            batch.append((offset, row, offset + len(line)))
            if not line.startswith(MORE):
                yield from batch
                batch.clear()
        if 0 <= broken < self.end:
            raise self._damaged(broken)

    def backwards(self, mark: bytes, parse: Parse) -> Iterator[tuple[int, dict[str, object]]]:
        """Yield offset and row of each line that contains `mark`, the last first; a torn batch too."""
        position, step, tail = self.size(), _FIRST_BYTES, b""
        while position:
            step = min(step, position)
            position -= step
            tail = os.pread(self.fd, step, position) + tail
            whole = (tail.find(b"\n") + 1 or len(tail)) if position else 0
            while (at := tail.rfind(mark, whole)) >= 0:
                start, end = tail.rfind(b"\n", whole, at) + 1 or whole, tail.find(b"\n", at) + 1
                if (row := parse(tail[start:end])) is not None:
                    yield position + start, row
                tail = tail[:start]
            tail, step = tail[:whole], min(2 * step, PIECE_BYTES)

    def sound_end(self, size: int) -> tuple[int, bool]:
        """Return where the rows end before a torn batch, and whether a newline is missing there."""
        if size < self.end:
            self.end = 0  # somebody cut the file
        end, has_newline, position, tail = size, True, size, b""
        while position > 0 and end > self.end:
            step = min(PIECE_BYTES, position)
            position -= step
            tail = os.pread(self.fd, step, position) + tail
            while end > max(position, self.end):
                start = position + tail.rfind(b"\n", 0, end - position - 1) + 1
                if start == position and position > 0:
                    break  # the line began before this piece
                line = tail[start - position : end - position]
                has_newline = line.endswith(b"\n")
                is_torn = line.startswith(MORE) or b"\0" in line or not (has_newline or decoded(line))
                if not is_torn:
                    return end, not has_newline
                end, has_newline = start, True
        return end, not has_newline

    def write_durably(self, data: bytes) -> None:
        """Append data and sync it; `end` is behind it then. If that fails, it is taken back."""
        before = self.size()
        try:
            _files.write_all(self.fd, data)
            _files.sync_data(self.fd)
        except OSError:
            if os.lseek(self.fd, 0, os.SEEK_CUR) == self.size() > before:  # no other program has appended since
                os.ftruncate(self.fd, before)
            raise
        self.end = os.lseek(self.fd, 0, os.SEEK_CUR)

    def _lines(self, start: int) -> Iterator[tuple[int, bytes]]:
        """Yield each line from an offset on with its own offset; the last may lack its newline."""
        rest, position, size = b"", start, _FIRST_BYTES
        while piece := os.pread(self.fd, size, position):
            position, size = position + len(piece), min(2 * size, PIECE_BYTES)
            *lines, rest = (rest + piece).split(b"\n")
            for line in lines:
                yield start, line + b"\n"
                start += len(line) + 1
        if rest:
            yield start, rest

    def _damaged(self, offset: int) -> AgentwsError:
        number = 1 + sum(line.endswith(b"\n") for at, line in self._lines(0) if at < offset)
        return DamagedError(
            f"{self.path}:{number}: not a row: a JSON object was expected.",
            hint=f"Correct or remove the line: agentws open {self.path}",
        )


def line_of(row: Mapping[str, object]) -> bytes:
    """Return a row as a line; UsageError if it is not JSON."""
    try:
        content = dict(row)
        text = _encode(content)
        _refuse_keys(content)
        try:
            return text.encode() + b"\n"
        except UnicodeEncodeError:
            return _escape(content).encode() + b"\n"  # half of a surrogate pair
    except (TypeError, ValueError, RecursionError) as error:
        raise UsageError(f"A row is not JSON: {error}.", hint="Give a dictionary of JSON values.") from error


def _refuse_keys(value: dict[str, object] | Iterable[object]) -> None:
    """Raise TypeError for a key that is not text: the encoder would replace it by one that may exist already."""
    if isinstance(value, dict):
        for key in value:
            if not isinstance(key, str):
                raise TypeError(f"the key {key!r} is not text")
        value = value.values()
    for item in value:
        if item.__class__ not in _PLAIN and isinstance(item, dict | list | tuple):
            _refuse_keys(item)


def decoded(line: bytes) -> dict[str, object] | None:
    """Return the row in a line, None for another line."""
    try:
        row = _decode(line.removeprefix(BOM_UTF8).decode())
    except (ValueError, RecursionError):
        return None
    return row if isinstance(row, dict) else None
