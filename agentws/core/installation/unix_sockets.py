"""The sockets at which programs of this machine listen, as the kernel tells them: which of them are whose, and where.

A socket stays reachable when its file is renamed, and the kernel goes on telling the old name: what lies there may be
another one.
"""

from __future__ import annotations

import os
import stat
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_DIAG, _BY_FAMILY, _DUMP, _DONE, _FAILED = 4, 20, 0x301, 3, 2
"""Of netlink: the protocol, the question, that all rows are wanted; what ends an answer."""
_LISTENING = 1 << 10
_NAME, _PLACE, _UID = 0, 1, 7
_SHOW_NAME, _SHOW_PLACE, _SHOW_UID = 1, 2, 0x40
_TIMEOUT_S = 1.0
_PIECE = 1 << 16
_TABLE = "/proc/net/unix"
"""What tells the same without the owners, where the kernel is older."""
_COLUMNS, _FLAGS, _ACCEPTS = 7, 3, "00010000"
_PROCESSES, _SECRETIVE = "/proc", ("ssh-agent", "sshd")


class Listener:
    """A listening socket: its `path` as it was bound, the `inode` of the socket, and the user id that made it.

    `uid` is None where nothing tells; `file` is the inode of its file, 0 where nothing tells.
    """

    __slots__ = ("file", "inode", "path", "uid")

    def __init__(self, path: str, inode: int, uid: int | None = None, file: int = 0) -> None:
        self.path = path
        self.inode = inode
        self.uid = uid
        self.file = file

    @property
    def is_at_its_path(self) -> bool:
        """Return whether its path leads to it, as far as that can be told."""
        try:
            found = os.stat(self.path)
        except (OSError, ValueError):
            return False
        is_same = not self.file or (found.st_ino & 0xFFFFFFFF) == self.file
        return os.path.isabs(self.path) and stat.S_ISSOCK(found.st_mode) and is_same

    def is_of(self, uid: int) -> bool:
        """Return whether this user id made it; where nothing tells, whether its file or folder is theirs."""
        if self.uid is not None:
            return self.uid == uid
        for place in (self.path, os.path.dirname(self.path)):
            try:
                return os.lstat(place).st_uid == uid
            except (OSError, ValueError):
                continue
        return False


def listening() -> list[Listener]:
    """Return the sockets with a path at which somebody listens, none where nothing tells."""
    try:
        return [*_told()]
    except (OSError, ValueError):
        return [*_listed()]


def plain() -> set[int]:
    """The inodes of the sockets of programs that this user id can look into, as nobody can into an ssh-agent."""
    found, uid = set(), os.geteuid()
    for process in _names(_PROCESSES):
        place = f"{_PROCESSES}/{process}"
        try:
            if not process.isdigit() or os.stat(place).st_uid != uid:
                continue
            with open(f"{place}/comm", encoding="utf-8", errors="replace") as name:
                if name.read().startswith(_SECRETIVE):
                    continue  # the superuser can look into all
        except OSError:
            continue
        found |= _sockets(f"{place}/fd")
    return found


def _sockets(folder: str) -> set[int]:
    found = set()
    for number in _names(folder):
        try:
            kind, _, inode = os.readlink(f"{folder}/{number}").partition(":[")
        except OSError:
            continue
        if kind == "socket":
            found.add(int(inode[:-1]))
    return found


def _names(folder: str) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:
        return []


def _told() -> Iterator[Listener]:
    """Yield what the kernel answers; OSError and ValueError where it has no such answer."""
    import socket
    import struct

    show = _SHOW_NAME | _SHOW_PLACE | _SHOW_UID
    asked = struct.pack("=BBHIIIII", socket.AF_UNIX, 0, 0, _LISTENING, 0, show, 0xFFFFFFFF, 0xFFFFFFFF)
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, _DIAG) as kernel:
        kernel.settimeout(_TIMEOUT_S)
        kernel.send(struct.pack("=IHHII", 16 + len(asked), _BY_FAMILY, _DUMP, 1, 0) + asked)
        while True:
            data, at = kernel.recv(_PIECE), 0
            while at < len(data):
                size, kind = struct.unpack_from("=IH", data, at)
                if kind == _DONE:
                    return
                if kind == _FAILED or size < 32:
                    raise ValueError("no such answer")
                row = _row(data[at : at + size])
                if row is not None:
                    yield row
                at += (size + 3) & ~3


def _row(data: bytes) -> Listener | None:
    """The socket in a message of the kernel, None for one without a path; ValueError where it names no owner."""
    words, at = {}, 32
    while at + 4 <= len(data):
        size, kind = (
            int.from_bytes(data[at : at + 2], sys.byteorder),
            int.from_bytes(data[at + 2 : at + 4], sys.byteorder),
        )
        words[kind] = data[at + 4 : at + max(size, 4)]
        at += (max(size, 4) + 3) & ~3
    name = words.get(_NAME, b"").rstrip(b"\0")
    if not name or name.startswith(b"\0"):
        return None
    if _UID not in words:
        raise ValueError("no owner")
    numbers = [int.from_bytes(part[:4], sys.byteorder) for part in (data[20:24], words[_UID], words.get(_PLACE, b""))]
    return Listener(os.fsdecode(name), *numbers)


def _listed() -> Iterator[Listener]:
    try:
        with open(_TABLE, encoding="utf-8", errors="surrogateescape") as table:
            rows = [line.rstrip("\n").split(maxsplit=_COLUMNS) for line in table]
    except OSError:
        return
    for row in rows:
        if len(row) > _COLUMNS and row[_FLAGS] == _ACCEPTS and not row[_COLUMNS].startswith("@"):
            yield Listener(row[_COLUMNS], int(row[_COLUMNS - 1]))
