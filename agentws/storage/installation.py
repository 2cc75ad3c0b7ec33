"""This installation of the agent: the writer that it appends as, and the folder of what never leaves this machine.

The folder is `$AGENTWS_STATE_DIR`, else `.agentws/state/` where that exists, else `$XDG_STATE_HOME/agentws`; within it
each workspace has its own, by the path and inode of its root: a copied folder is another installation, and becomes
another writer. Specified in docs/format/local.md.
"""

from __future__ import annotations

import os

from agentws.changes import ABSENT
from agentws.errors import ChangedUnderneathError, DamagedError, DiskError, MissingFileError
from agentws.formats import digest, plainjson
from agentws.storage import files as _files
from agentws.storage import local

TYPE_CHECKING = False
if TYPE_CHECKING:
    State = tuple[str | None, str | None]

_WRITER = "writer"
_ID_DIGITS = 16
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


def ensure(files: _files.Files, agent: str, state: State, *, second: int) -> Installation:
    """This installation; made, durably, at this second, where it has none. DiskError where nothing can be kept."""
    known = find(files, agent, state)
    if known is not None:
        return known
    base = _base(files, state)
    if base is None:
        # Without a home there is one place left that belongs to this machine alone.
        local.prepare(files)
        files.make_folder(local.STATE)
        base = os.path.join(files.root, local.STATE)
    folder = _folder(files, agent, base)
    _make(folder)
    record = {
        "agentws": 1,
        "agent": agent,
        "writer": f"{second:010x}{os.urandom(_RANDOM_BYTES).hex()}",
        "root": files.root,
        "inode": os.stat(files.root).st_ino,
    }
    try:
        _files.Files(folder).replace(_WRITER, plainjson.dumps(record, indent=2).encode() + b"\n", expects=ABSENT)
    except ChangedUnderneathError:
        pass  # another process was first: then this installation is what that one made
    made = _read(folder, agent)
    if made is None:
        raise DiskError(f"{folder}: the writer of this installation could not be kept.")
    return made


def _base(files: _files.Files, state: State) -> str | None:
    declared, usual = state
    if declared:
        return declared
    beside = os.path.join(files.root, local.STATE)
    return beside if os.path.isdir(beside) else usual


def _folder(files: _files.Files, agent: str, base: str) -> str:
    try:
        inode = os.stat(files.root).st_ino
    except OSError as error:
        raise _files.failure(error, files.root) from error
    return f"{base}/{digest.quick(os.fsencode(f'{agent} {inode} {files.root}'))}"


def _read(folder: str, agent: str) -> Installation | None:
    try:
        record = plainjson.loads(_files.Files(folder).read(_WRITER, limit_bytes=1 << 16))
        known, writer = record["agent"], record["writer"]
        sound = len(writer) == _ID_DIGITS and not writer.strip("0123456789abcdef")
    except MissingFileError:
        return None
    except (ValueError, KeyError, TypeError, AttributeError):
        sound, known, writer = False, agent, ""
    if not sound:
        raise DamagedError(f"{folder}/{_WRITER}: cannot be read as this installation's writer.", hint=_WAY_OUT)
    if known != agent:
        raise DamagedError(f"{folder}/{_WRITER}: belongs to another agent.", hint=_WAY_OUT)
    return Installation(agent, writer, folder)


def _make(folder: str) -> None:
    """Make the folder and what lacks above it, durably, for this user alone."""
    above = os.path.dirname(folder)
    if not os.path.isdir(above):
        _make(above)
    try:
        try:
            os.mkdir(folder, 0o700)
        except FileExistsError:
            pass  # another process made it in between
        fd = os.open(above, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            _files.sync(fd)
        finally:
            os.close(fd)
    except OSError as error:
        raise _files.failure(error, folder) from error
