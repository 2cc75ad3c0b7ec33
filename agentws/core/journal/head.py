"""The end of a writer's journal and its newest seal, as this machine last knew them to be durable.

The hint `.agentws/WRITER.head` is written after each sync and never synced itself, so it may lag behind or be lost in a
power cut. Bytes below its offset are durable: damage among them is not a crash. A second line, made with the
installation's secret, proves that this installation wrote it. The newest seal is in the installation's state, to notice
a journal that lost it.
"""

from __future__ import annotations

import os

from agentws.core import Record
from agentws.core.disk import files, files as _files, local_dir
from agentws.core.formats import digest, layout
from agentws.core.formats.journal import chain, event, segment
from agentws.core.formats.journal.segment import MOST_SESSIONS
from agentws.core.formats.json import plainjson
from agentws.core.installation import installation
from agentws.errors import AgentwsError, MissingFileError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from agentws.core.installation.installation import Installation
    from agentws.core.installation.state_dir import State


_TURNS = (event.STARTED, event.ENDED)
_MOST_BYTES = 1 << 13
_VALUES = 8


class Head(Record):
    """The end of a writer's journal: `segment`, number and hash of the newest line, and the offset behind it.

    `length` is the newest line's length in bytes with its newline; `sessions` are the ids of sessions without an end,
    newest last; `sealed` is the number that the newest seal covers.
    """

    writer: str
    segment: int
    offset: int
    length: int
    seq: int
    hash: str
    sessions: Sequence[str] = ()
    sealed: int = 0

    def copy(self) -> Head:
        """Return a copy of this head."""
        return Head(**vars(self))


def advance(end: Head, line: bytes, hash: str, kind: str, session: str | None, sealed: int = 0) -> None:
    """Move the head behind the next line, which has this hash; `sealed` is the number covered if the line is a seal."""
    end.sealed = sealed or end.sealed
    end.seq += 1
    end.hash = hash
    end.offset += len(line)
    end.length = len(line)
    if kind in _TURNS:
        end.sessions = turned(end.sessions, kind, session)


def turned(sessions: Sequence[str], kind: str, session: str | None) -> list[str]:
    """Return the ids of the sessions without an end, newest last, after a start or end of a session."""
    others = [name for name in sessions if name != session]
    return [*others, session][-MOST_SESSIONS:] if kind == event.STARTED and session else others


def read(files: _files.Files, writer: str, secret: bytes | None = None) -> Head | None:
    """Return the end of this writer's journal from the hint, None if unknown.

    With the installation's `secret`, a hint that others wrote is ignored. Without it, anybody who can write to the
    folder may have made the hint: use it only where a wrong one does no harm.
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


def unsealed(files: _files.Files, own: Installation) -> int:
    """Return how many events of an installation follow its newest seal; 0 if unknown."""
    end = read(files, own.writer, own.secret)
    return end.seq - end.sealed if end is not None else 0


def is_level(files: _files.Files, writer: str, seq: int, hash: str, secret: bytes | None) -> bool:
    """Return whether this event is the newest that the hint names, and the segment file is long enough to hold it."""
    known = read(files, writer, secret)
    if known is None or known.seq != seq or known.hash != hash:
        return False
    try:
        return files.size(segment.path(writer, known.segment)) >= known.offset
    except AgentwsError:
        return False


def left_by(files: _files.Files, agent: str, state: State) -> Installation | None:
    """Return this machine's installation if the journal is as it left it, None if it must be checked."""
    own = installation.find(files, agent, state)
    mark = installation.mark(own) if own is not None else None
    if own is None or mark is None or own.secret is None:
        return None
    if not is_level(files, mark.writer, mark.seq, mark.hash, own.secret):
        return None
    is_told = files.exists(layout.WRITERS) and files.exists(layout.SIGNERS)
    return own if is_told else None


def write(files: _files.Files, head: Head, secret: bytes | None = None) -> None:
    """Save this head as the durable end. Not synced, and no error if it cannot be written."""
    values = [head.writer, head.segment, head.offset, head.length, head.seq, head.hash, head.sessions, head.sealed]
    put(files, _path(head.writer), values, secret=secret)


def get(files: _files.Files, path: str, most_bytes: int, secret: bytes | None = None) -> list[Any] | None:
    """Return the values of the hint at `path`, None if it is missing or torn, or was not made with the given
    `secret`.
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
    """Write a hint, unless it would be too large. Not synced, and no error if it cannot be written.

    With a `secret`, a second line proves that this installation has written it.
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
            # In one write; what an earlier, longer hint left behind the newline does not count.
            os.pwrite(fd, whole, 0)
        finally:
            os.close(fd)
    except (OSError, AgentwsError):
        return


def forget(files: _files.Files, writer: str) -> None:
    """Remove the hint of this writer's journal."""
    if files.exists(_path(writer)):
        files.remove(_path(writer), expects=files.digest(_path(writer)))


def becomes(files: _files.Files, writer: str, path: str) -> bool:
    """Rename the hint durably, to serve as another file; False if that fails."""
    try:
        files.rename_folder(_path(writer), path)
    except AgentwsError:
        return False
    return True


def _path(writer: str) -> str:
    return f"{local_dir.FOLDER}/{writer}.head"


_SEALED = "sealed"


def own_seal(own: Installation) -> tuple[int, str] | None:
    """Return (number, hash) of the event of this installation's newest seal; None if it has made none.

    A journal without that event, or with another hash at its number, was cut, or replaced by an older copy.
    """
    row = newest_seal(own.folder)
    return row[1:] if row is not None and row[0] == own.writer else None


def newest_seal(folder: str) -> tuple[str, int, str] | None:
    """Return (writer, number, hash) of the newest seal kept in this state, under whichever writer id."""
    try:
        decoded = plainjson.loads(files.Files(folder).read(_SEALED, limit_bytes=1 << 12))
        writer, seq, hash_ = decoded["writer"], decoded["seq"], decoded["hash"]
        sound = isinstance(writer, str) and isinstance(seq, int) and isinstance(hash_, str)
    except MissingFileError:
        return None
    except (ValueError, KeyError, TypeError):
        return None  # an attacker who damaged it could have removed it as well
    return (writer, seq, hash_) if sound else None


def forget_seal(current: Installation) -> None:
    """Remove the remembered seal, durably: a person has agreed that the events it covered are lost."""
    own = files.Files(current.folder)
    if own.exists(_SEALED):
        own.remove(_SEALED, expects=own.digest(_SEALED))


def keep_seal(current: Installation, seq: int, hash: str) -> None:
    """Save the newest seal, durably, unless a later one is known. The caller holds the append lock."""
    known = own_seal(current)
    if known is not None and known[0] >= seq:
        return  # another process has sealed later
    own = files.Files(current.folder)
    fields = {"agentws": 1, "writer": current.writer, "seq": seq, "hash": hash}
    own.replace(_SEALED, plainjson.dumps(fields).encode() + b"\n", expects=own.digest(_SEALED))
