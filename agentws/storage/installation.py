"""This installation of the agent: the writer that it appends as, and the folder of what never leaves this machine.

The folder is `$AGENTWS_STATE_DIR`, else the one that it has in `$XDG_STATE_HOME/agentws` already; a new one is made in
`.agentws/state/` where that exists or nothing can be kept in the home. Within it each workspace has its own, by the
machine and the path and inode of its root: a copied folder is another installation, and becomes another writer.
Specified in docs/format/local.md.
"""

from __future__ import annotations

import errno
import os

from agentws.errors import AgentwsError, DamagedError, MissingFileError
from agentws.formats import digest, layout, plainjson
from agentws.formats.digest import ABSENT
from agentws.storage import files as _files
from agentws.storage import local

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    State = tuple[str | None, ...]
    """That of the Environment: the declared folder, the usual one, what the machine is told by, a socket of ssh-agent.

    The last two may be missing: the machine then tells itself, and there is no agent.
    """

JOINS, BESIDE, LOST, ADMITTED = "joins", "beside", "lost", "admitted"
"""What a record may say beyond the writer: see `Installation`."""

FIRST, VOUCHED, TAKEOVER = "first", "vouched", "takeover"
"""By what it was let in: it was here before anybody else, another one vouched for it, a person took over."""
PIN = "soul"
"""The name of the file that says what SOUL.md was when a person last agreed to it."""
_MACHINE_IDS = ("/etc/machine-id", "/var/lib/dbus/machine-id")
_CONTAINER = ("/.dockerenv", "/run/.containerenv", "/var/run/secrets/kubernetes.io")
_WRITER = "writer"
_NEWEST = "newest"
_MARK_BYTES = 1 << 12
_OURS = ("agentws", "agent", "writer", "root", "inode")
_MACHINE, _SOCKET = 2, 3
"""Their places in the state of the Environment."""
_ID_DIGITS = 16
_LOCK_TIMEOUT_S = 30.0
_WAY_OUT = "Move that folder away: the next event begins with a new writer, and nothing that was written is lost."
_RANDOM_BYTES = 3
_BARRED = (errno.EACCES, errno.EPERM, errno.ENOTDIR, errno.ELOOP)


class Installation:
    """The id of the `agent`, that of the `writer`, and the `folder` (absolute) of its state, for this user alone.

    A writer's id has 16 hexadecimal digits: the second it was made in, so that ids stand in that order, and chance.
    `record` is all that its record says: why it joined others (`joins`), what it found of them (`beside`), what it had
    written and lost (`lost`), and by what it was let in (`admitted`). `socket` is that of an ssh-agent.
    """

    __slots__ = ("agent", "folder", "record", "socket", "writer")

    def __init__(
        self,
        agent: str,
        writer: str,
        folder: str,
        *,
        record: Mapping[str, Any] | None = None,
        socket: str | None = None,
    ) -> None:
        self.agent = agent
        self.writer = writer
        self.folder = folder
        self.record = record or {}
        self.socket = socket


class Mark:
    """The newest event that a writer is known to have written: its number and hash."""

    __slots__ = ("hash", "seq", "writer")

    def __init__(self, writer: str, seq: int, hash: str) -> None:
        self.writer = writer
        self.seq = seq
        self.hash = hash

    def plain(self) -> dict[str, object]:
        """As it stands in the record of an installation."""
        return {"seq": self.seq, "hash": self.hash}


def find(files: _files.Files, agent: str, state: State) -> Installation | None:
    """This installation, None where it has not written anything yet; `state` is that of the Environment."""
    for base in _bases(files, state):
        found = _read(_folder(files, agent, base, state), agent, socket=_socket(state))
        if found is not None:
            return found
    return None


def place(files: _files.Files, agent: str, state: State) -> str:
    """The folder of this installation's state; where it has none yet, the one that would be made."""
    known = find(files, agent, state)
    return known.folder if known is not None else _folder(files, agent, _new_base(files, state), state)


def ensure(
    files: _files.Files,
    agent: str,
    state: State,
    *,
    second: Callable[[], int],
    more: Mapping[str, Any] | None = None,
) -> Installation:
    """This installation; made, durably, where it has none: then `second` is asked for the present one.

    `more` goes into the record of a new one. DiskError where nothing can be kept.
    """
    known = find(files, agent, state)
    if known is not None:
        if not files.exists(f"{layout.JOURNAL}/{known.writer}"):
            _keep(known.folder)  # whoever made it may have been killed before its name was durable
        return known
    from agentws.storage import lock

    base, beside = _new_base(files, state), os.path.join(files.root, local.STATE)
    if not state[0] and base != beside and not _may_hold(_folder(files, agent, base, state)):
        base = beside
    folder = _folder(files, agent, base, state)
    local.prepare(files)
    if base == beside:
        files.make_folder(local.STATE)
    with lock.Lock(files, lock.APPEND, timeout_s=_LOCK_TIMEOUT_S):
        made = _read(folder, agent, socket=_socket(state)) or _new(files.root, agent, folder, second(), more or {})
        _keep(folder)
    made.socket = _socket(state)
    return made


def renew(
    files: _files.Files, here: Installation, *, second: int, more: Mapping[str, Any] | None = None
) -> Installation:
    """This installation as another writer from now on; the record of the one it was is kept beside, numbered.

    What that record said beyond the writer holds on, but for why it joined; `more` is put over it. Where another
    process has just done it, what that one made.
    """
    from agentws.storage import lock

    own = _files.Files(here.folder)
    local.prepare(files)  # a backup need not hold it
    with lock.Lock(files, lock.APPEND, timeout_s=_LOCK_TIMEOUT_S):
        now = _read(here.folder, here.agent, socket=here.socket)
        if now is not None and now.writer != here.writer:
            return now
        before = own.read(_WRITER, limit_bytes=1 << 16)
        if here.writer not in former(here):
            own.replace(f"{_WRITER}.{_free(own)}", before, expects=ABSENT)
        kept = {name: value for name, value in here.record.items() if name not in (*_OURS, JOINS)} | dict(more or {})
        made = _new(files.root, here.agent, here.folder, second, kept, expects=digest.of(before))
        made.socket = here.socket
        return made


def note(files: _files.Files, here: Installation, **told: Any) -> Installation:
    """This installation with `told` in its record, durably; what is None is taken out of it."""
    from agentws.storage import lock

    own = _files.Files(here.folder)
    with lock.Lock(files, lock.APPEND, timeout_s=_LOCK_TIMEOUT_S):
        before = own.read(_WRITER, limit_bytes=1 << 16)
        record = {**plainjson.loads(before), **told}
        record = {name: value for name, value in record.items() if value is not None}
        own.replace(_WRITER, _encoded(record), expects=digest.of(before))
    return Installation(here.agent, record["writer"], here.folder, record=record, socket=here.socket)


def this_machine() -> str:
    """What tells this machine from others for good; empty where nothing does.

    In a container nothing does: what stands there is new with every run, or the same in all that an image begins.
    """
    if in_container():
        return ""
    for path in _MACHINE_IDS:
        try:
            with open(path, encoding="ascii", errors="replace") as file:
                return file.read(64).strip()
        except (FileNotFoundError, NotADirectoryError, PermissionError):
            continue
        except OSError as error:
            raise _files.failure(error, path) from error
    return ""


def in_container() -> bool:
    """True inside a container, as far as its files tell. DiskError where the disk fails to: that must not make a new
    writer.
    """
    for sign in _CONTAINER:
        try:
            os.stat(sign)
        except (FileNotFoundError, NotADirectoryError):
            continue
        except PermissionError:
            pass  # there is something, then
        except OSError as error:
            raise _files.failure(error, sign) from error
        return True
    return False


def remember(folder: str, writer: str, seq: int, hash: str) -> None:
    """Keep how far this installation has written: up to this event, durably. No error where that cannot be kept.

    It is never synced itself: so it may lag behind, and is never ahead of what the disk has taken.
    """
    leave(folder, _NEWEST, [writer, seq, hash])


def leave(folder: str, name: str, told: object) -> None:
    """Put a hint that is plain JSON into this file of the state, unsynced. No error where it cannot be kept."""
    body = plainjson.dumps(told, separators=(",", ":")).encode()
    try:
        fd = os.open(f"{folder}/{name}", os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        try:
            # In one step; what an earlier, longer one has left behind the newline does not count.
            os.pwrite(fd, digest.quick(body).encode() + b" " + body + b"\n", 0)
        finally:
            os.close(fd)
    except OSError:
        return


def mark(here: Installation) -> Mark | None:
    """How far this installation has ever written as its present writer; None where it does not know."""
    try:
        writer, seq, hash_ = left(here.folder, _NEWEST)
        sound = writer == here.writer and type(seq) is int and seq > 0 and isinstance(hash_, str)
    except (AgentwsError, ValueError, TypeError):
        return None  # not there, or torn
    return Mark(writer, seq, hash_) if sound else None


def left(folder: str, name: str) -> Any:
    """What `leave` has put there; ValueError where it is torn, MissingFileError, DiskError."""
    whole = _files.Files(folder).part(name, _MARK_BYTES)[0]
    seal, _, body = whole.partition(b"\n")[0].partition(b" ")
    if digest.quick(body).encode() != seal:
        raise ValueError(name)
    return plainjson.loads(body)


def lost(here: Installation) -> list[Mark]:
    """The events that were noticed as lost of what this installation has written, and that nobody has agreed to since,
    the oldest first.
    """
    told = (one for one in told_lost(here) if isinstance(one.get("seq"), int))
    return [Mark(str(one.get("writer")), one["seq"], str(one.get("hash"))) for one in told]


def told_lost(here: Installation) -> list[dict[str, Any]]:
    """What the record of this installation says of what was lost, events and changes, the oldest first."""
    told = here.record.get(LOST)
    return [one for one in told if isinstance(one, dict)] if isinstance(told, list) else []


def token(files: _files.Files, agent: str, state: State) -> list[str]:
    """What a remembered answer depends on besides the documents and the journal: the record of this installation, its
    pin, and what was changed here last. Never fails.
    """
    try:
        folder = place(files, agent, state)
    except AgentwsError as error:
        return [error.message]
    own = _files.Files(folder)
    return [_told(own, _WRITER), _told(own, PIN), _last_changed(files)]


def _last_changed(files: _files.Files) -> str:
    try:
        status = files.status(local.CHANGES)
    except AgentwsError:
        return ""
    return f"{status.st_size} {status.st_mtime_ns}"


def _told(own: _files.Files, name: str) -> str:
    try:
        return digest.quick(own.part(name, 1 << 16)[0])
    except AgentwsError:
        return ""


def former(here: Installation) -> list[str]:
    """The ids of the writers that this installation was before it was renewed, the oldest first."""
    found = (_read(here.folder, here.agent, f"{_WRITER}.{number}") for number in _numbers(_files.Files(here.folder)))
    return [each.writer for each in found if each is not None]


def _free(own: _files.Files) -> int:
    return max(_numbers(own), default=0) + 1


def _numbers(own: _files.Files) -> list[int]:
    endings = [name.removeprefix(f"{_WRITER}.") for name, _ in own.names() if name.startswith(f"{_WRITER}.")]
    return sorted(int(each) for each in endings if each.isascii() and each.isdigit())


def _new(
    root: str, agent: str, folder: str, second: int, more: Mapping[str, Any], *, expects: str = ABSENT
) -> Installation:
    writer = f"{second:010x}{os.urandom(_RANDOM_BYTES).hex()}"
    try:
        _make(folder)
        ours = {"agentws": 1, "agent": agent, "writer": writer, "root": root, "inode": os.stat(root).st_ino}
    except OSError as error:
        raise _files.failure(error, folder) from error
    record = {**ours, **more}
    _files.Files(folder).replace(_WRITER, _encoded(record), expects=expects)
    return Installation(agent, writer, folder, record=record)


def _encoded(record: Mapping[str, Any]) -> bytes:
    return plainjson.dumps(record, indent=2).encode() + b"\n"


def _socket(state: State) -> str | None:
    return state[_SOCKET] if len(state) > _SOCKET else None


def _bases(files: _files.Files, state: State) -> list[str]:
    """Where state of this machine may be kept already, in the order in which it is looked for.

    The home first: one run without it, which keeps its own beside the workspace, must not take the writer's place.
    """
    declared, usual = state[:2]
    if declared:
        return [os.path.abspath(declared)]
    beside = os.path.join(files.root, local.STATE)
    found = [usual] if usual and _is_ours(usual) else []
    return found + ([beside] if _is_there(beside) else [])


def _new_base(files: _files.Files, state: State) -> str:
    """Where the state of a new installation goes: beside the workspace where that was begun, or there is no home."""
    declared, usual = state[:2]
    if declared:
        return os.path.abspath(declared)
    beside = os.path.join(files.root, local.STATE)
    return usual if usual and not _is_there(beside) else beside


def _is_there(beside: str) -> bool:
    try:
        os.stat(beside)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError as error:  # a disk that fails to tell must not make a new writer
        raise _files.failure(error, beside) from error
    return True


def _is_ours(usual: str) -> bool:
    """False where the home is no folder that this user may look into: it has kept nothing there."""
    try:
        os.stat(usual)
    except OSError as error:  # whoever reads there says what else is wrong
        return error.errno not in _BARRED
    return True


def _may_hold(folder: str) -> bool:
    """Make the folder; False where this user may make none there, as in a home that may only be read."""
    try:
        _make(folder)
    except OSError as error:
        if error.errno in (*_BARRED, errno.EROFS):
            return False
        raise _files.failure(error, folder) from error
    return True


def _folder(files: _files.Files, agent: str, base: str, state: State) -> str:
    try:
        inode = os.stat(files.root).st_ino
    except OSError as error:
        raise _files.failure(error, files.root) from error
    told = state[_MACHINE] if len(state) > _MACHINE else None
    on = this_machine() if told is None else told
    return f"{base}/{digest.quick(os.fsencode(f'{agent} {inode} {on} {files.root}'))}"


def _read(folder: str, agent: str, name: str = _WRITER, *, socket: str | None = None) -> Installation | None:
    try:
        record = plainjson.loads(_files.Files(folder).read(name, limit_bytes=1 << 16))
        known, writer = record["agent"], record["writer"]
        sound = len(writer) == _ID_DIGITS and not writer.strip("0123456789abcdef")
    except MissingFileError:
        return None
    except (ValueError, KeyError, TypeError, AttributeError):
        sound, known, writer = False, agent, ""
    if not sound:
        raise DamagedError(f"{folder}/{name}: cannot be read as this installation's writer.", hint=_WAY_OUT)
    if known != agent:
        raise DamagedError(f"{folder}/{name}: belongs to another agent.", hint=_WAY_OUT)
    return Installation(agent, writer, folder, record=record, socket=socket)


def _make(folder: str) -> None:
    """Make the folder and what lacks above it, for this user alone."""
    try:
        os.mkdir(folder, 0o700)
    except FileExistsError:
        return
    except FileNotFoundError:
        _make(os.path.dirname(folder))
        try:
            os.mkdir(folder, 0o700)
        except FileExistsError:
            return  # another process was first


def _keep(folder: str) -> None:
    """Make the names on the way to this installation durable; of its own folder and the one above, without excuse."""
    above = os.path.dirname(folder)
    for place in (folder, above):
        try:
            fd = os.open(place, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            try:
                _files.sync(fd)
            finally:
                os.close(fd)
        except OSError as error:
            raise _files.failure(error, place) from error
    local.sync_above(above)
