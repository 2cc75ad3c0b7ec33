"""The place where a copy arrives: what is there and around it, and the lock of the copy on its way.

It is sent as text with the receiver, so it imports nothing else of agentws.
"""

from __future__ import annotations

import fcntl
import json
import os
import re
import signal
import time
from typing import Any

from agentws.features.copies.transfer import disk

ARRIVAL = ".agentws/arrival.json"
LOCK = ".agentws/incoming.lock"
MOVED = "identity/moved.json"
_MANIFEST, _RETIRED = "agentws.toml", "identity/retired.jsonl"
_ID = re.compile(rb'^id\s*=\s*["\']([^"\']*)["\']', re.MULTILINE)
_LARGE = 1 << 24
_WIRED = "wired"
"""In the lock of a process that is asked through a connection, and ends with that."""
_TRIES, _TRIES_WIRED, _TRY_S = 20, 100, 0.05


class Refused(Exception):  # noqa: N818
    """A refusal; `code` says why in a word."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


# What is there


def inspect(place: str, staging: str) -> dict[str, Any]:
    """Return what is at `place` and around it, and whether a copy waits at `staging`."""
    above = os.path.dirname(place)
    return {
        "rsync": bool(program("rsync")),
        "above": _folder_state(above),
        "inside": _workspace_above(above),
        "stands": what_stands(place),
        "agent": _agent(place),
        "moved": disk.text(os.path.join(place, MOVED), _LARGE),
        "retired": os.path.lexists(os.path.join(place, _RETIRED)),
        "arrived": arrived(place),
        "waiting": os.path.isdir(staging),
        **_space(above),
    }


def what_stands(place: str) -> str:
    """Return `nothing`, `empty` (a folder), `workspace`, `folder` (with other things in it), or `other`."""
    if not os.path.lexists(place):
        return "nothing"
    if os.path.islink(place) or not os.path.isdir(place):
        return "other"
    if os.path.lexists(os.path.join(place, _MANIFEST)):
        return "workspace"
    return "folder" if os.listdir(place) else "empty"


def _folder_state(place: str) -> str:
    if not os.path.isdir(place):
        return "missing"
    return "ready" if os.access(place, os.W_OK | os.X_OK) else "read-only"


def _workspace_above(place: str) -> str:
    while True:
        if os.path.lexists(os.path.join(place, _MANIFEST)):
            return place
        above = os.path.dirname(place)
        if above == place:
            return ""
        place = above


def _agent(place: str) -> str:
    text = disk.text(os.path.join(place, _MANIFEST)) or ""
    match = _ID.search(text.partition("\n[")[0].encode("utf-8", "surrogateescape"))
    return match.group(1).decode("ascii", "replace") if match else ""


def arrived(place: str) -> str:
    """Return the id of the migration that brought the workspace at `place`; empty if none did."""
    try:
        return str(json.loads(disk.text(os.path.join(place, ARRIVAL)) or "{}").get("migration", ""))
    except (ValueError, AttributeError):
        return ""


def _space(above: str) -> dict[str, int | None]:
    try:
        status = os.statvfs(above)
    except OSError:
        return {"free_bytes": None, "free_files": None}
    return {
        "free_bytes": status.f_bavail * status.f_frsize,
        "free_files": status.f_favail if status.f_files else None,
    }


def program(name: str) -> str:
    """Return the program of this name on the PATH; empty without one."""
    places = (os.path.join(folder, name) for folder in os.get_exec_path() if os.path.isabs(folder))
    return next((place for place in places if os.access(place, os.X_OK) and not os.path.isdir(place)), "")


# The lock


class Lock:
    """The lock of a copy, which lies in the copy and goes with it.

    `wired`: this process is asked through a connection, and another one means that the earlier one has broken.
    """

    def __init__(self, wired: bool) -> None:
        self._wired = wired
        self._fd = -1

    def take(self, staging: str) -> bool:
        """Lock the copy at `staging`; False if it is missing. Refused (`busy`) if others work on it.

        Whoever gets the lock looks whether the copy is still where it was.
        """
        holder = ""
        place = os.path.join(staging, LOCK)
        if self._fd >= 0 and _is_at(self._fd, place):
            return True
        self.release()
        for _ in range(_TRIES_WIRED if self._wired else _TRIES):
            fd = _opened(place)
            if fd < 0:
                return False
            try:
                fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                holder = self._end_holder(fd)
                os.close(fd)
                time.sleep(_TRY_S)
                continue
            except OSError as error:
                if error.errno not in disk.NO_LOCKS:
                    os.close(fd)
                    raise OSError(error.errno, error.strerror, place) from error
                # A disk without locks: the copy is read back before it counts.
            if _is_at(fd, place):
                os.ftruncate(fd, 0)
                words = f"{_process(str(os.getpid()))} {_WIRED if self._wired else ''}".rstrip()
                os.pwrite(fd, f"{words}\n".encode("ascii"), 0)
                self._fd = fd
                return True
            os.close(fd)
        if holder:
            raise Refused("busy", f"another `agentws migrate --from` is running at {staging} (process {holder})")
        raise Refused("busy", f"another process is working on the copy at {staging}")

    def release(self) -> None:
        """Release the lock."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1

    def _end_holder(self, fd: int) -> str:
        """Return the process that holds the lock and goes on; empty if unknown.

        A holder that was also started over a connection, like this process, is left from an earlier attempt by the
        same source, which knows that the attempt failed. So it is ended; no other process is.
        """
        words = os.pread(fd, 200, 0).decode("ascii", "replace").split("\n")[0].split(" ")
        holder, pid = " ".join(words[:3]), words[0]
        if not holder or holder != _process(pid):
            return ""
        if not self._wired or words[3:] != [_WIRED] or int(pid) == os.getpid():
            return pid
        try:
            os.kill(int(pid), signal.SIGKILL)
        except OSError:
            pass  # it has ended by itself; or it is another user's, and goes on
        return ""


def _process(pid: str) -> str:
    """Return a process by its id, the moment it began, and its namespace; empty if unknown."""
    try:
        with open(f"/proc/{int(pid)}/stat", encoding="utf-8", errors="replace") as file:
            began = file.read(4096).rpartition(")")[2].split()[19]
        return f"{int(pid)} {began} {os.stat('/proc/self/ns/pid').st_ino}"
    except (OSError, ValueError, IndexError):
        return ""


def _opened(place: str) -> int:
    """Open the lock file of a copy; -1 if there is no such copy."""
    try:
        try:
            os.mkdir(os.path.dirname(place), 0o700)
        except FileExistsError:
            pass
        return os.open(place, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    except (FileNotFoundError, NotADirectoryError):
        return -1


def _is_at(fd: int, place: str) -> bool:
    """Return whether the file that was opened is still the one at this place."""
    try:
        status = os.lstat(place)
    except (FileNotFoundError, NotADirectoryError):
        return False
    return os.path.samestat(os.fstat(fd), status)
