"""The folder `.agentws/`: what belongs to this machine alone and is never versioned or copied by agentws.

`lock` files, `changes.jsonl` (what agentws changed here lately, so that it can be repaired and undone), `undo/`
(the files as they were before), `quarantine/` (torn lines that were taken out), `state/` where `init` made it.
"""

from __future__ import annotations

import json
import os

from agentws.errors import AgentwsError, MissingFileError
from agentws.formats import digest
from agentws.storage import files as _files

FOLDER = ".agentws"
CHANGES = ".agentws/changes.jsonl"
UNDO = ".agentws/undo"
QUARANTINE = ".agentws/quarantine"
STATE = ".agentws/state"

_ROTATE_AT_BYTES = 1 << 20
_KEEP_BYTES = 1 << 17
_TAIL_BYTES = 1 << 19


def prepare(files: _files.Files) -> None:
    """Make `.agentws/` with its `.gitignore`, if it is not there."""
    ignore = f"{FOLDER}/.gitignore"
    if files.exists(ignore):
        return
    files.make_folder(FOLDER)
    try:
        fd = files.open(ignore, os.O_WRONLY | os.O_CREAT)
        try:
            _files.write_all(fd, b"*\n")
            _files.sync(fd)
        finally:
            os.close(fd)
    except OSError as error:
        raise _files.failure(error, ignore) from error


def last(files: _files.Files) -> dict[str, object] | None:
    """The newest recorded change, None where there is none."""
    found = changes(files)
    return found[-1] if found else None


def changes(files: _files.Files) -> list[dict[str, object]]:
    """The recorded changes, oldest first; at least the last hundreds. A torn last line is passed over."""
    try:
        size = files.size(CHANGES)
        tail = _tail(files, size)
    except MissingFileError:
        return []
    lines = tail.split(b"\n")[:-1]
    if size > len(tail):
        lines = lines[1:]
    return [record for record in map(_record, lines) if record is not None]


def add(files: _files.Files, record: dict[str, object], *, previous: dict[str, object] | None) -> int:
    """Record a change, durably, and return its number. The caller holds the append lock."""
    number = _number(previous) + 1
    line = json.dumps({"number": number, **record}, ensure_ascii=True, separators=(",", ":")).encode() + b"\n"
    try:
        fd = files.open(CHANGES, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            size = os.fstat(fd).st_size
            # A torn last line of ours was never relied on: what follows it starts on a line of its own.
            glue = b"\n" if size and os.pread(fd, 1, size - 1) != b"\n" else b""
            _files.write_all(fd, glue + line)
            _files.sync(fd)
        finally:
            os.close(fd)
        if not size:
            files.sync_folder(FOLDER)
    except OSError as error:
        raise _files.failure(error, CHANGES) from error
    if size > _ROTATE_AT_BYTES:
        _shorten(files)
    return number


def quarantine(files: _files.Files, name: str, data: bytes) -> str:
    """Keep bytes that are about to be taken out of a file; returns where they are kept."""
    files.make_folder(QUARANTINE)
    taken = {entry for entry, _ in files.names(QUARANTINE)}
    number = 1
    while f"{name}.{number}" in taken:
        number += 1
    path = f"{QUARANTINE}/{name}.{number}"
    files.replace(path, data, expects="")
    return path


def _number(record: dict[str, object] | None) -> int:
    number = record.get("number") if record else None
    return number if isinstance(number, int) else 0


def _record(line: bytes) -> dict[str, object] | None:
    try:
        record = json.loads(line)
    except ValueError:
        return None
    return record if isinstance(record, dict) else None


def _tail(files: _files.Files, size: int) -> bytes:
    try:
        fd = files.open(CHANGES)
        try:
            os.lseek(fd, max(0, size - _TAIL_BYTES), os.SEEK_SET)
            return _files.read_up_to(fd, _TAIL_BYTES)
        finally:
            os.close(fd)
    except OSError as error:
        raise _files.failure(error, CHANGES) from error


def _shorten(files: _files.Files) -> None:
    whole = files.read(CHANGES)
    kept = whole[-_KEEP_BYTES:].split(b"\n", 1)[1]
    try:
        files.replace(CHANGES, kept, expects=digest.of(whole))
    except AgentwsError:
        return  # only a courtesy to the disk: the next change tries again
