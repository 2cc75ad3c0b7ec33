"""The private keys that this user id can use: in ssh-agents that it can reach, and in files that it can read.

Whatever an agent program may do runs under the same user id: a key that stands here proves no person.
"""

from __future__ import annotations

import os

from agentws.errors import AgentwsError
from agentws.formats.identity.sshsig import KEY_FILE_BYTES, Reader, packed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_LIST, _LISTED = 11, 12
_TIMEOUT_S = 1.0
_MOST_BYTES = 1 << 18
_MOST_SOCKETS, _MOST_FILES = 64, 200
_RUN = ("ssh-agent.socket", "openssh_agent", "keyring/ssh", "gcr/ssh", "gnupg/S.gpg-agent.ssh", "ssh-agent")
_TABLE = "/proc/net/unix"
"""Where the kernel lists the sockets of a machine."""
_COLUMNS = 7
"""So many stand before the path of a socket."""
_MAGIC = b"openssh-key-v1\0"
_BEGIN = b"-----BEGIN "


def where(blob: str, *, socket: str | None, folders: tuple[str, ...] = ()) -> str:
    """Return where this user id can use the private half of a public key (its blob in base64), empty for nowhere.

    `socket` is the ssh-agent that the surroundings name, `folders` are looked at besides `~/.ssh`.
    """
    for path in _sockets(socket):
        if blob in _held(path):
            return f"in the ssh-agent at {path}"
    for path in _files([*_homes(), *folders]):
        if blob in _usable(path):
            return f"in {path}, without a passphrase"
    return ""


def _homes() -> list[str]:
    import pwd

    found = []
    try:
        found.append(pwd.getpwuid(os.geteuid()).pw_dir)
    except KeyError:
        pass
    found.append(os.path.expanduser("~"))
    return [f"{home}/.ssh" for home in dict.fromkeys(found) if os.path.isabs(home)]


def _sockets(named: str | None) -> list[str]:
    """The sockets at which ssh-agents usually listen, the one that is named first."""
    found = [named] if named else []
    found += [f"/run/user/{os.geteuid()}/{name}" for name in _RUN]
    for folder, within in [("/tmp", "ssh-"), *((f"{home}/agent", "") for home in _homes())]:  # noqa: S108
        found += list(_listed(folder, within))
    found += _listening()
    there = [path for path in dict.fromkeys(found) if path and os.path.exists(path)]
    return there[:_MOST_SOCKETS]


def _listening() -> list[str]:
    """The sockets of this machine that are called like an ssh-agent's, wherever they lie; none where nothing tells."""
    try:
        with open(_TABLE, encoding="utf-8", errors="surrogateescape") as table:
            rows = [line.split(maxsplit=_COLUMNS) for line in table]
    except OSError:
        return []
    paths = [row[_COLUMNS].strip() for row in rows if len(row) > _COLUMNS]
    return [path for path in paths if path.startswith("/") and any(word in path for word in ("ssh", "agent"))]


def _listed(folder: str, within: str) -> Iterator[str]:
    try:
        names = sorted(os.listdir(folder))
    except OSError:
        return
    for name in names:
        if not within:
            yield f"{folder}/{name}"
        elif name.startswith(within):
            yield from _listed(f"{folder}/{name}", "")


def _held(path: str) -> set[str]:
    """The keys that an ssh-agent lists; none where it does not answer."""
    import socket

    try:
        with socket.socket(socket.AF_UNIX) as agent:
            agent.settimeout(_TIMEOUT_S)
            agent.connect(path)
            agent.sendall(packed(bytes([_LIST])))
            size = int.from_bytes(_received(agent, 4), "big")
            reader = Reader(_received(agent, min(size, _MOST_BYTES)))
        if reader.take(1)[0] != _LISTED:
            return set()
        found = set()
        for _ in range(reader.number()):
            found.add(_base64(reader.text()))
            reader.text()
        return found
    except (OSError, ValueError):
        return set()


def _received(agent: object, count: int) -> bytes:
    found = b""
    while len(found) < count:
        piece: bytes = agent.recv(count - len(found))  # type: ignore[attr-defined]
        if not piece:
            raise ValueError("it was cut short")
        found += piece
    return found


def _files(folders: list[str]) -> Iterator[str]:
    count = 0
    for folder in folders:
        for path in _listed(folder, ""):
            count += 1
            if count <= _MOST_FILES and not path.endswith(".pub") and os.path.isfile(path):
                yield path


def _usable(path: str) -> set[str]:
    """The public half of the private key in a file that needs no passphrase; empty for any other file."""
    try:
        with open(path, "rb") as file:
            data = file.read(KEY_FILE_BYTES + 1)
    except OSError:
        return set()
    if not data.startswith(_BEGIN) or len(data) > KEY_FILE_BYTES:
        return set()
    if b"OPENSSH PRIVATE KEY" in data:
        return _of_openssh(data)
    if b"ENCRYPTED" in data:
        return set()
    return _asked(path)


def _of_openssh(data: bytes) -> set[str]:
    import binascii

    try:
        lines = data.decode("ascii").strip().split("\n")
        reader = Reader(binascii.a2b_base64("".join(line.strip() for line in lines[1:-1])))
        if reader.take(len(_MAGIC)) != _MAGIC:
            return set()
        cipher = reader.text()
        reader.text(), reader.text(), reader.number()
        return {_base64(reader.text())} if cipher == b"none" else set()
    except (ValueError, binascii.Error):
        return set()


def _asked(path: str) -> set[str]:
    """The public half of a key in an older form, as ssh-keygen tells it."""
    from agentws.storage.installation import ssh_keygen

    try:
        status, out, _ = ssh_keygen.run("-y", "-P", "", "-f", path)
    except AgentwsError:
        return set()
    words = out.decode("ascii", "replace").split()
    return {words[1]} if status == 0 and len(words) > 1 else set()


def _base64(raw: bytes) -> str:
    import binascii

    return binascii.b2a_base64(raw, newline=False).decode("ascii")
