"""This installation of the agent: the writer that it appends as, and the folder of what never leaves this machine.

The folder is `$AGENTWS_STATE_DIR`, else `.agentws/state/` where that exists, else `$XDG_STATE_HOME/agentws`; within it
each workspace has its own, by the path and inode of its root: a copied folder is another installation, and becomes
another writer. Specified in docs/format/local.md.
"""

from __future__ import annotations

import os

from agentws.errors import DamagedError, MissingFileError
from agentws.formats import digest, layout, plainjson
from agentws.formats.digest import ABSENT
from agentws.storage import files as _files
from agentws.storage import local, lock

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    State = tuple[str | None, str | None]

_WRITER = "writer"
_ID_DIGITS = 16
_LOCK_TIMEOUT_S = 30.0
_WAY_OUT = "Move that folder away: the next event begins with a new writer, and nothing that was written is lost."
_RANDOM_BYTES = 3


class Installation:
    """The id of the `agent`, that of the `writer`, and the `folder` (absolute) of its state, for this user alone.

    A writer's id has 16 hexadecimal digits: the second it was made in, so that ids stand in that order, and chance.
    """

    __slots__ = ("agent", "folder", "writer")

    def __init__(self, agent: str, writer: str, folder: str) -> None:
        self.agent = agent
        self.writer = writer
        self.folder = folder


def find(files: _files.Files, agent: str, state: State) -> Installation | None:
    """This installation, None where it has not written any event yet; `state` is that of the Environment."""
    base = _base(files, state)
    return _read(_folder(files, agent, base), agent) if base else None


def ensure(files: _files.Files, agent: str, state: State, *, second: Callable[[], int]) -> Installation:
    """This installation; made, durably, where it has none: then `second` is asked for the present one.

    DiskError where nothing can be kept.
    """
    known = find(files, agent, state)
    if known is not None:
        if not files.exists(f"{layout.JOURNAL}/{known.writer}"):
            _keep(known.folder)  # whoever made it may have been killed before its name was durable
        return known
    base = _base(files, state)
    if base is None:
        # Without a home there is one place left that belongs to this machine alone.
        local.prepare(files)
        files.make_folder(local.STATE)
        base = os.path.join(files.root, local.STATE)
    folder = _folder(files, agent, base)
    local.prepare(files)
    with lock.Lock(files, lock.APPEND, timeout_s=_LOCK_TIMEOUT_S):
        made = _read(folder, agent) or _new(files.root, agent, folder, second())
        _keep(folder)
    return made


def renew(files: _files.Files, here: Installation, *, second: int) -> Installation:
    """This installation as another writer from now on; the record of the one it was is kept beside, numbered.

    Where another process has just done it, what that one made.
    """
    own = _files.Files(here.folder)
    with lock.Lock(files, lock.APPEND, timeout_s=_LOCK_TIMEOUT_S):
        now = _read(here.folder, here.agent)
        if now is not None and now.writer != here.writer:
            return now
        before = own.read(_WRITER, limit_bytes=1 << 16)
        if here.writer not in former(here):
            own.replace(f"{_WRITER}.{_free(own)}", before, expects=ABSENT)
        return _new(files.root, here.agent, here.folder, second, expects=digest.of(before))


def former(here: Installation) -> list[str]:
    """The ids of the writers that this installation was before it was renewed, the oldest first."""
    found = (_read(here.folder, here.agent, f"{_WRITER}.{number}") for number in _numbers(_files.Files(here.folder)))
    return [each.writer for each in found if each is not None]


def _free(own: _files.Files) -> int:
    return max(_numbers(own), default=0) + 1


def _numbers(own: _files.Files) -> list[int]:
    endings = [name.removeprefix(f"{_WRITER}.") for name, _ in own.names() if name.startswith(f"{_WRITER}.")]
    return sorted(int(each) for each in endings if each.isascii() and each.isdigit())


def _new(root: str, agent: str, folder: str, second: int, *, expects: str = ABSENT) -> Installation:
    writer = f"{second:010x}{os.urandom(_RANDOM_BYTES).hex()}"
    try:
        _make(folder)
        record = {"agentws": 1, "agent": agent, "writer": writer, "root": root, "inode": os.stat(root).st_ino}
    except OSError as error:
        raise _files.failure(error, folder) from error
    _files.Files(folder).replace(_WRITER, plainjson.dumps(record, indent=2).encode() + b"\n", expects=expects)
    return Installation(agent, writer, folder)


def _base(files: _files.Files, state: State) -> str | None:
    declared, usual = state
    if declared:
        return os.path.abspath(declared)
    beside = os.path.join(files.root, local.STATE)
    try:
        os.stat(beside)
    except (FileNotFoundError, NotADirectoryError):
        return usual
    except OSError as error:  # a disk that fails to tell must not make a new writer
        raise _files.failure(error, beside) from error
    return beside


def _folder(files: _files.Files, agent: str, base: str) -> str:
    try:
        inode = os.stat(files.root).st_ino
    except OSError as error:
        raise _files.failure(error, files.root) from error
    return f"{base}/{digest.quick(os.fsencode(f'{agent} {inode} {files.root}'))}"


def _read(folder: str, agent: str, name: str = _WRITER) -> Installation | None:
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
    return Installation(agent, writer, folder)


def _make(folder: str) -> None:
    """Make the folder and what lacks above it, for this user alone."""
    try:
        os.mkdir(folder, 0o700)
    except FileExistsError:
        return
    except FileNotFoundError:
        _make(os.path.dirname(folder))
        os.mkdir(folder, 0o700)


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
