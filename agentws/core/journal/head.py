"""The hint `.agentws/WRITER.head`: the end of a writer's journal, as this machine last knew it to be durable.

It is written after each sync and never synced itself, so it may lag behind, and a power cut may take it. What it says
was true when it was written: bytes below its offset are durable, and damage among them is no crash of ours. A line that
only this installation can make proves that it has written it.
"""

from __future__ import annotations

import os

from agentws.core.disk import files as _files
from agentws.core.disk import local_dir
from agentws.core.formats import digest
from agentws.core.formats.journal import chain, event, segment
from agentws.core.formats.journal.segment import MOST_SESSIONS
from agentws.core.formats.json import plainjson
from agentws.errors import AgentwsError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_TURNS = (event.STARTED, event.ENDED)
_MOST_BYTES = 1 << 13
_VALUES = 8


class Head:
    """The end of a writer's journal: the newest line's `segment`, number and hash, and the offset behind it.

    `length` is that of the newest line in bytes, with its newline; `sessions` are the ids of those that have not
    ended, the newest last; `sealed` is the number that the newest seal covers.
    """

    __slots__ = ("hash", "length", "offset", "sealed", "segment", "seq", "sessions", "writer")

    def __init__(
        self,
        writer: str,
        segment: int,
        offset: int,
        *,
        length: int,
        seq: int,
        hash: str,
        sessions: list[str] | None = None,
        sealed: int = 0,
    ) -> None:
        self.writer = writer
        self.segment = segment
        self.offset = offset
        self.length = length
        self.seq = seq
        self.hash = hash
        self.sessions = sessions or []
        self.sealed = sealed

    def copy(self) -> Head:
        """Another one that says the same."""
        return Head(
            self.writer,
            self.segment,
            self.offset,
            length=self.length,
            seq=self.seq,
            hash=self.hash,
            sessions=list(self.sessions),
            sealed=self.sealed,
        )


def advance(end: Head, line: bytes, hash: str, kind: str, session: str | None, sealed: int = 0) -> None:
    """Move the end behind a line with this hash that follows it; `sealed` is the number that it covers, where it is a
    seal.
    """
    end.sealed = sealed or end.sealed
    end.seq += 1
    end.hash = hash
    end.offset += len(line)
    end.length = len(line)
    if kind in _TURNS:
        end.sessions = turned(end.sessions, kind, session)


def turned(sessions: list[str], kind: str, session: str | None) -> list[str]:
    """The sessions that have not ended, the newest last, after an event by which one begins or ends."""
    others = [name for name in sessions if name != session]
    return [*others, session][-MOST_SESSIONS:] if kind == event.STARTED and session else others


def read(files: _files.Files, writer: str, secret: bytes | None = None) -> Head | None:
    """Return the end of this writer's journal as this machine knows it, None for unknown.

    With the `secret` of the installation, what somebody else has written there is nothing. Without it, whoever can
    write to the folder may have: only for what does no harm where it is wrong.
    """
    values = get(files, _path(writer), _MOST_BYTES, secret)
    try:
        if values is None or len(values) != _VALUES or values[0] != writer:
            return None
        writer, segment, offset, length, seq, hash_, sessions, sealed = values
        if not (0 < length <= min(offset, chain.LINE_LIMIT_BYTES) and segment > 0 and seq > 0 and sealed >= 0):
            return None
    except (ValueError, TypeError):
        return None
    return Head(writer, segment, offset, length=length, seq=seq, hash=hash_, sessions=sessions, sealed=sealed)


def is_level(files: _files.Files, writer: str, seq: int, hash: str, secret: bytes | None) -> bool:
    """Return whether this event is the newest that this machine knows to be durable, and the segment goes as far."""
    known = read(files, writer, secret)
    if known is None or known.seq != seq or known.hash != hash:
        return False
    try:
        return files.size(segment.path(writer, known.segment)) >= known.offset
    except AgentwsError:
        return False


def write(files: _files.Files, head: Head, secret: bytes | None = None) -> None:
    """Remember that all up to this head is durable. Not synced, and no error where it cannot be written."""
    values = [head.writer, head.segment, head.offset, head.length, head.seq, head.hash, head.sessions, head.sealed]
    put(files, _path(head.writer), values, secret=secret)


def get(files: _files.Files, path: str, most_bytes: int, secret: bytes | None = None) -> list[Any] | None:
    """The values of the hint at `path`, None where it is not there, torn, or another's; with a `secret` also where it
    was not made with that.
    """
    try:
        seal, _, rest = files.read(path, limit_bytes=most_bytes).partition(b" ")
        body, _, proof = rest.partition(b"\n")
        sound = digest.quick(body).encode() == seal
        if secret is not None:
            sound = sound and digest.quick(body, secret).encode() == proof.partition(b"\n")[0]
        values = plainjson.loads(body) if sound else None
    except (AgentwsError, ValueError, TypeError):
        return None
    return values if isinstance(values, list) else None


def put(
    files: _files.Files,
    path: str,
    values: list[Any],
    most_bytes: int | None = None,
    *,
    secret: bytes | None = None,
) -> None:
    """Write a hint, unless it would be too large. Not synced, and no error where it cannot be written.

    With a `secret` a second line shows that this installation has written it.
    """
    body = plainjson.dumps(values, separators=(",", ":")).encode()
    whole = digest.quick(body).encode() + b" " + body + b"\n"
    if secret is not None:
        whole += digest.quick(body, secret).encode() + b"\n"
    if most_bytes is not None and len(whole) > most_bytes:
        return
    try:
        fd = files.open_in_place(path, os.O_WRONLY | os.O_CREAT, 0o600)
        try:
            # In one step, and longer than any before where it can be: what is behind the newline does not count.
            os.pwrite(fd, whole, 0)
        finally:
            os.close(fd)
    except (OSError, AgentwsError):
        return


def forget(files: _files.Files, writer: str) -> None:
    """Remove what is known of the end of this writer's journal."""
    if files.exists(_path(writer)):
        files.remove(_path(writer), expects=files.digest(_path(writer)))


def becomes(files: _files.Files, writer: str, path: str) -> bool:
    """Give the hint another name, durably; False where that cannot be done. It is no hint any more."""
    try:
        files.rename_folder(_path(writer), path)
    except AgentwsError:
        return False
    return True


def _path(writer: str) -> str:
    return f"{local_dir.FOLDER}/{writer}.head"
