"""This installation of the agent: its writer id, and its state folder, which never leaves this machine.

core/installation/state_dir.py finds the folder. Specified in docs/format/local.md.
"""

from __future__ import annotations

import errno
import os

from agentws.core import Record
from agentws.core.disk import files as _files, local_dir
from agentws.core.formats import digest, layout
from agentws.core.formats.digest import ABSENT
from agentws.core.formats.json import plainjson
from agentws.core.installation import state_dir
from agentws.errors import AgentwsError, DamagedError, MissingFileError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from agentws.core.installation.state_dir import State

JOINS, BESIDE, LOST, COPIED, ADMITTED = "joins", "beside", "lost", "copied", "admitted"
"""Further keys of an installation's record: see `Installation`."""

NEW, STALE = "new", "stale"
"""Why an installation joins others: it is new here; or this copy lacks what it had written."""
FIRST, VOUCHED, TAKEOVER = "first", "vouched", "takeover"
"""Why an installation was admitted: it was the first here, another one vouched for it, or a person took over."""
KNOWN = "known"
"""The name of the file with the writers that this machine knows: see core/identity/pinned_writers.py."""
ORDERS = "orders"
"""The key of a record that says that this installation has saved its orders from the beginning (own_records.py)."""
SECRET = "secret"  # noqa: S105 - a key of JSON
"""The key of the record with the secret of this installation; if present, the known writers are pinned."""
PIN, PINS, SEEN = "soul", "pins", "seen"
"""The names of the files with the pin of SOUL.md, the other pins, and the days on which changes were first seen."""
WRITER = "writer"
_NEWEST = "newest"
_MARK_BYTES = 1 << 12
_OURS = ("agentws", "agent", "writer", "root", "inode")
_ID_DIGITS = 16
_WAY_OUT = "Move the folder {} elsewhere; do not delete the key in it. The next event then starts a new writer."
_RANDOM_BYTES = 3
_SECRET_BYTES = 32


class Installation(Record):
    """An installation: the id of the `agent`, of its `writer`, and its private state `folder` (absolute).

    A writer's id has 16 hexadecimal digits: the second it was made in, so that ids sort by age, and random ones.
    `record` is its whole record: why it joined others (`joins`), which it found (`beside`), what it wrote and lost
    (`lost`), and by what it was admitted (`admitted`). `socket` is the socket of an ssh-agent.
    """

    agent: str
    writer: str
    folder: str
    record: Mapping[str, Any] = {}
    socket: str | None = None

    @property
    def secret(self) -> bytes | None:
        """The secret with which this installation marks its hints in the folder. None if an earlier version made it and
        it has written nothing since.
        """
        value = self.record.get(SECRET)
        return value.encode()[:64] if isinstance(value, str) and value else None


class Mark(Record):
    """The newest event known to be written by this installation's writer: its number and hash."""

    writer: str
    seq: int
    hash: str

    def plain(self) -> dict[str, object]:
        """Return the mark as the record of an installation holds it."""
        return {"seq": self.seq, "hash": self.hash}


def find(files: _files.Files, agent: str, state: State) -> Installation | None:
    """Return this installation, None before its first write; `state` is that of the Environment."""
    for folder in state_dir.known(files, agent, state):
        own = _read(folder, agent, socket=state_dir.socket(state))
        if own is not None:
            return own
    return None


def is_failing(error: AgentwsError) -> bool:
    """Return whether an error of an installation's files means that the disk failed: unreadable data may exist."""
    return isinstance(error.__cause__, OSError) and error.__cause__.errno == errno.EIO


def place(files: _files.Files, agent: str, state: State) -> str:
    """Return the folder of this installation's state, or the one that would be made."""
    known = find(files, agent, state)
    return known.folder if known is not None else state_dir.new(files, agent, state)


def ensure(
    files: _files.Files,
    agent: str,
    state: State,
    *,
    second: Callable[[], int],
    more: Mapping[str, Any] | None = None,
) -> Installation:
    """Return this installation; if there is none, make it durably: `second` then returns the present second.

    `more` goes into the record of a new one. DiskError if it cannot be saved.
    """
    known = find(files, agent, state)
    if known is not None:
        if not files.exists(f"{layout.JOURNAL}/{known.writer}"):
            state_dir.keep(known.folder)  # a kill may have come before its name was durable
        return known
    from agentws.core.disk import lock

    folder = state_dir.ensure(files, agent, state)
    with lock.Lock(files, lock.APPEND):
        made = _read(folder, agent)
        if made is None:
            own = _files.Outside(folder)
            if own.exists(WRITER):
                own.move(WRITER, f"{WRITER}.{_free(own)}", expects=own.digest(WRITER))
            made = _new(files.root, agent, folder, second(), more or {})
        state_dir.keep(folder)
    made.socket = state_dir.socket(state)
    return made


def renew(
    files: _files.Files, current: Installation, *, second: int, more: Mapping[str, Any] | None = None
) -> Installation:
    """Make this installation another writer; the former record is kept beside it, numbered.

    The other values of that record are kept, except why it joined; `more` is merged into them. If another process has
    just done this, its result is returned.
    """
    from agentws.core.disk import lock

    own = _files.Outside(current.folder)
    local_dir.prepare(files)  # a backup need not hold it
    with lock.Lock(files, lock.APPEND):
        now = _read(current.folder, current.agent, socket=current.socket)
        if now is not None and now.writer != current.writer:
            return now
        before = own.read(WRITER, limit_bytes=1 << 16)
        for number in _numbers(own):  # a kill may have left a second name of a former record
            own.clear_beside(f"{WRITER}.{number}")
        if current.writer not in former(current):
            own.replace(f"{WRITER}.{_free(own)}", before, expects=ABSENT)
        kept = {name: value for name, value in current.record.items() if name not in (*_OURS, JOINS)} | dict(more or {})
        made = _new(files.root, current.agent, current.folder, second, kept, expects=digest.of(before))
        made.socket = current.socket
        return made


def note(files: _files.Files, current: Installation, **fields: Any) -> Installation:
    """Write the values `fields` into the record of this installation, durably; None removes a key."""
    from agentws.core.disk import lock

    own = _files.Outside(current.folder)
    with lock.Lock(files, lock.APPEND):
        before = own.read(WRITER, limit_bytes=1 << 16)
        record = {**plainjson.loads(before), **fields}
        record = {name: value for name, value in record.items() if value is not None}
        own.replace(WRITER, _encoded(record), expects=digest.of(before))
    return Installation(current.agent, record["writer"], current.folder, record=record, socket=current.socket)


def keep_secret(files: _files.Files, current: Installation) -> Installation:
    """Add a secret to the record of this installation, durably, unless it has one."""
    from agentws.core.disk import lock

    own = _files.Outside(current.folder)
    with lock.Lock(files, lock.APPEND):
        before = own.read(WRITER, limit_bytes=1 << 16)
        record = plainjson.loads(before)
        if not record.get(SECRET):  # else another process was first
            record[SECRET] = os.urandom(_SECRET_BYTES).hex()
            own.replace(WRITER, _encoded(record), expects=digest.of(before))
    return Installation(current.agent, record["writer"], current.folder, record=record, socket=current.socket)


def remember(folder: str, writer: str, seq: int, hash: str) -> None:
    """Save the newest event that this installation has written. Errors are ignored.

    This hint is never synced: it may lag behind, and is never ahead of the disk.
    """
    leave(folder, _NEWEST, [writer, seq, hash])


def leave(folder: str, name: str, value: object) -> None:
    """Write a hint, plain JSON, to this file of the installation's state, unsynced. Errors are ignored."""
    body = plainjson.dumps(value, separators=(",", ":")).encode()
    try:
        fd = os.open(f"{folder}/{name}", os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        try:
            # In one step; what an earlier, longer one has left behind the newline does not count.
            os.pwrite(fd, digest.quick(body).encode() + b" " + body + b"\n", 0)
        finally:
            os.close(fd)
    except OSError:
        return


def mark(own: Installation) -> Mark | None:
    """Return the newest event that this installation has written as its present writer; None if unknown."""
    try:
        writer, seq, hash_ = left(own.folder, _NEWEST)
        sound = writer == own.writer and type(seq) is int and seq > 0 and isinstance(hash_, str)
    except (AgentwsError, ValueError, TypeError):
        return None  # not there, or torn
    return Mark(writer, seq, hash_) if sound else None


def left(folder: str, name: str) -> Any:
    """Return the installation's hint that `leave` has written; ValueError if torn, MissingFileError, DiskError."""
    whole = _files.Outside(folder).part(name, _MARK_BYTES)[0]
    seal, _, body = whole.partition(b"\n")[0].partition(b" ")
    if digest.quick(body).encode() != seal:
        raise ValueError(name)
    return plainjson.loads(body)


def lost(own: Installation) -> list[Mark]:
    """Return this installation's events that were found lost and that nobody has accepted since, oldest first."""
    seq = (fields for fields in told_lost(own) if isinstance(fields.get("seq"), int))
    return [Mark(str(fields.get("writer")), fields["seq"], str(fields.get("hash"))) for fields in seq]


def told_lost(own: Installation) -> list[dict[str, Any]]:
    """Return the lost events and changes in the record of this installation, oldest first."""
    value = own.record.get(LOST)
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def token(files: _files.Files, agent: str, state: State) -> list[str]:
    """Return the cache key of an answer, without documents and journal: the installation's record, pins
    and known writers, and the newest change here. Never fails.
    """
    try:
        folder = place(files, agent, state)
    except AgentwsError as error:
        return [error.message]
    own = _files.Outside(folder)
    pinned = [_quick_digest(own, WRITER), _stamp(f"{folder}/{PIN}"), _stamp(f"{folder}/{PINS}")]
    return [*pinned, _moved_on(files, local_dir.CHANGES), _moved_on(own, KNOWN)]


def _stamp(path: str) -> str:
    """Return the stamp of a file that is only ever replaced as a whole; empty for none."""
    try:
        status = os.stat(path, follow_symlinks=False)
    except OSError:
        return ""
    return f"{status.st_ino} {status.st_size} {status.st_mtime_ns} {status.st_ctime_ns}"


def _moved_on(files: _files.Files, path: str) -> str:
    """Return a value that changes whenever the file is written."""
    try:
        status = files.status(path)
    except AgentwsError:
        return ""
    return f"{status.st_size} {status.st_mtime_ns}"


def _quick_digest(own: _files.Files, name: str) -> str:
    try:
        return digest.quick(own.part(name, 1 << 16)[0])
    except AgentwsError:
        return ""


def at(folder: str, agent: str) -> Installation | None:
    """Return the installation whose state is in this folder; None for none."""
    return _read(folder, agent)


def former(own: Installation) -> list[str]:
    """Return the ids of this installation's former writers, oldest first."""
    currents = (_read(own.folder, own.agent, f"{WRITER}.{number}") for number in _numbers(_files.Outside(own.folder)))
    return [each.writer for each in currents if each is not None]


def _free(own: _files.Files) -> int:
    return max(_numbers(own), default=0) + 1


def _numbers(own: _files.Files) -> list[int]:
    endings = [name.removeprefix(f"{WRITER}.") for name, _ in own.names() if name.startswith(f"{WRITER}.")]
    return sorted(int(each) for each in endings if each.isascii() and each.isdigit())


def _new(
    root: str, agent: str, folder: str, second: int, more: Mapping[str, Any], *, expects: str = ABSENT
) -> Installation:
    writer = f"{max(0, second):010x}{os.urandom(_RANDOM_BYTES).hex()}"
    with _files.Failing(folder):
        state_dir.make(folder)
        ours = {"agentws": 1, "agent": agent, "writer": writer, "root": root, "inode": os.stat(root).st_ino}
        ours |= {ORDERS: True}
    record = {**ours, **more}
    _files.Outside(folder).replace(WRITER, _encoded(record), expects=expects)
    return Installation(agent, writer, folder, record=record)


def _encoded(record: Mapping[str, Any]) -> bytes:
    return plainjson.dumps(record, indent=2).encode() + b"\n"


def _read(folder: str, agent: str, name: str = WRITER, *, socket: str | None = None) -> Installation | None:
    try:
        record = plainjson.loads(_files.Outside(folder).read(name, limit_bytes=1 << 16))
        known, writer = record["agent"], record["writer"]
        # Made with a clock before 1970: no event was ever written by it.
        if len(writer) == _ID_DIGITS and writer[0] == "-" and not writer[1:].strip("0123456789abcdef"):
            return None
        sound = len(writer) == _ID_DIGITS and not writer.strip("0123456789abcdef")
    except MissingFileError:
        return None
    except (ValueError, KeyError, TypeError, AttributeError):
        sound, known, writer = False, agent, ""
    if not sound:
        raise DamagedError(
            f"{folder}/{name}: unreadable record of this installation's writer.", hint=_WAY_OUT.format(folder)
        )
    if known != agent:
        raise DamagedError(f"{folder}/{name}: belongs to another agent.", hint=_WAY_OUT.format(folder))
    return Installation(agent, writer, folder, record=record, socket=socket)
