"""The folder of an installation's state, which never leaves this machine: outside of the workspace or beside it.

It is `$AGENTWS_STATE_DIR`, else its present folder in `$XDG_STATE_HOME/agentws`; a new one is made in `.agentws/state/`
if that exists or the home is not writable. Each workspace has its own folder there, by the machine and the path and
inode of its root: a copied workspace is another installation. Specified in docs/format/local.md.
"""

from __future__ import annotations

import errno
import os

from agentws.core.disk import files as _files, local_dir
from agentws.core.formats import digest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

State = tuple[str | None, ...]
"""The state of the Environment: the declared folder, the default one, the machine's id, the ssh-agent's socket.

The last two may be missing: then the machine's id is read, and there is no ssh-agent.
"""

_MACHINE_IDS = ("/etc/machine-id", "/var/lib/dbus/machine-id")
_CONTAINER = ("/.dockerenv", "/run/.containerenv", "/var/run/secrets/kubernetes.io")
_MACHINE, _SOCKET = 2, 3
"""Indexes of the machine id and the ssh-agent's socket in the Environment's state."""
_BARRED = (errno.EACCES, errno.EPERM, errno.ENOTDIR, errno.ELOOP)


def known(files: _files.Files, agent: str, state: State) -> Iterator[str]:
    """Yield the folders in which this installation may have its state, in the order of search."""
    for base in _bases(files, state):
        yield _folder(files, agent, base, state)


def new(files: _files.Files, agent: str, state: State) -> str:
    """Return the state folder that a new installation would use."""
    return _folder(files, agent, _new_base(files, state), state)


def ensure(files: _files.Files, agent: str, state: State) -> str:
    """Return the state folder of a new installation: beside the workspace if the home is not writable."""
    base, beside = _new_base(files, state), _beside(files)
    if not state[0] and base != beside and not _may_hold(_folder(files, agent, base, state)):
        base = beside
    local_dir.prepare(files)
    if base == beside:
        files.make_folder(local_dir.STATE)
    return _folder(files, agent, base, state)


def of_used_approvals(folder: str, agent: str) -> tuple[str, str]:
    """Return (folder, name) of the list of an agent's used approvals, beside the state folders of its workspaces."""
    return os.path.dirname(folder), f"used-approvals.{digest.quick(agent.encode())}"


def socket(state: State) -> str | None:
    """Return the socket of an ssh-agent that comes with the state folder, None for none."""
    return state[_SOCKET] if len(state) > _SOCKET else None


def make(folder: str) -> None:
    """Make the state folder and its missing parents, for this user alone."""
    try:
        os.mkdir(folder, 0o700)
    except FileExistsError:
        return
    except FileNotFoundError:
        make(os.path.dirname(folder))
        try:
            os.mkdir(folder, 0o700)
        except FileExistsError:
            return  # another process was first


def keep(folder: str) -> None:
    """Make the names of the state folder and its parents durable; an error for the lowest two is raised."""
    above = os.path.dirname(folder)
    for place in (folder, above):
        with _files.Failing(place):
            fd = os.open(place, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            try:
                _files.sync(fd)
            finally:
                os.close(fd)
    local_dir.sync_above(above)


def this_machine() -> str:
    """Return the permanent id of this machine, which names its state folder; empty for none.

    Containers have none: their ids are new with every run, or shared by all containers of an image.
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
    """Return whether the state folder is in a container, by files. DiskError if that fails: no new writer then."""
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


def _bases(files: _files.Files, state: State) -> list[str]:
    """Return the folders that may hold state of this machine already, in the order of search.

    The home comes first: one run without it, which keeps its state beside the workspace, must not take over the writer.
    """
    declared, usual = state[:2]
    if declared:
        return [os.path.abspath(declared)]
    beside = _beside(files)
    names = [usual] if usual and _is_ours(usual) else []
    return names + ([beside] if _is_there(beside) else [])


def _new_base(files: _files.Files, state: State) -> str:
    """Return the folder for the state of a new installation: beside the workspace if that exists or there is no
    home.
    """
    declared, usual = state[:2]
    if declared:
        return os.path.abspath(declared)
    beside = _beside(files)
    return usual if usual and not _is_there(beside) else beside


def _beside(files: _files.Files) -> str:
    return os.path.join(files.root, local_dir.STATE)


def _is_there(beside: str) -> bool:
    try:
        os.stat(beside)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError as error:  # a failing disk must not make a new writer
        raise _files.failure(error, beside) from error
    return True


def _is_ours(usual: str) -> bool:
    """Return False if this user may not read the home folder: it holds no state then."""
    try:
        os.stat(usual)
    except OSError as error:  # other errors are reported by the read
        return error.errno not in _BARRED
    return True


def _may_hold(folder: str) -> bool:
    """Make the folder; False if this user may not, as in a read-only home."""
    try:
        make(folder)
    except OSError as error:
        if error.errno in (*_BARRED, errno.EROFS):
            return False
        raise _files.failure(error, folder) from error
    return True


def _folder(files: _files.Files, agent: str, base: str, state: State) -> str:
    with _files.Failing(files.root):
        inode = os.stat(files.root).st_ino
    text = state[_MACHINE] if len(state) > _MACHINE else None
    on = this_machine() if text is None else text
    return f"{base}/{digest.quick(os.fsencode(f'{agent} {inode} {on} {files.root}'))}"
