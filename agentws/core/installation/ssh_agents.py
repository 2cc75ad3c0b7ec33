"""The private keys that this user id can use: in ssh-agents that it can reach, and in files that it can read.

Whatever an agent program may do runs under the same user id: a key that stands here proves no person.
"""

from __future__ import annotations

import os
import stat
import time

from agentws.core.formats.identity.sshsig import KEY_FILE_BYTES, Reader, packed
from agentws.core.installation import unix_sockets
from agentws.errors import AgentwsError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_LIST, _LISTED = 11, 12
_TIMEOUT_S = 1.0
"""So long all of them may take together."""
_MOST_BYTES = 1 << 18
_MOST_SOCKETS, _MOST_FILES = 64, 200
_RUN = ("ssh-agent.socket", "openssh_agent", "keyring/ssh", "gcr/ssh", "gnupg/S.gpg-agent.ssh", "ssh-agent")
_MAGIC = b"openssh-key-v1\0"
_BEGIN = b"-----BEGIN "


def against(blob: str, *, socket: str | None, folders: tuple[str, ...] = ()) -> str:
    """Return why a signature by this key (the blob of its public half in base64) proves no person; empty for nothing.

    This user id can use the private half, or nobody can tell. `socket` is the ssh-agent that the surroundings name,
    `folders` are looked at besides `~/.ssh`.
    """
    doors = _doors(socket)
    untold = doors.untold
    until = time.monotonic() + _TIMEOUT_S
    for path in doors.paths[:_MOST_SOCKETS]:
        held = _held(path, until)
        if held is None:
            untold = untold or (f"no ssh-agent answers at {path}" if path in doors.lively else "")
        elif blob in held:
            return f"this user id can use the key: it is in the ssh-agent at {path}"
    for path in _files([*_homes(), *folders]):
        if blob in _usable(path):
            return f"this user id can use the key: it is in {path}, without a passphrase"
    if not untold:
        return ""
    return (
        f"nobody can tell whether this user id can use the key: {untold}. End that program, or use a key with a touch"
    )


class _Doors:
    """The sockets to be asked: their `paths`, those of them at which a program surely listens (`lively`), and why
    others cannot be asked (`untold`).
    """

    __slots__ = ("lively", "paths", "untold")

    def __init__(self) -> None:
        self.paths: list[str] = []
        self.lively: set[str] = set()
        self.untold = ""


def _doors(named: str | None) -> _Doors:
    """The sockets at which an ssh-agent may listen for this user id.

    No program but its own can look into an ssh-agent, and no other listens at a path in secret: what listens for this
    user id is one of its programs that can be looked into, or has to answer as an ssh-agent does.
    """
    uid, found = os.geteuid(), _Doors()
    usual = [path for path in _usual(named) if path == named or _is_of(path, (uid, 0))]
    rows = unix_sockets.listening()
    own = [row for row in rows if row.is_of(uid)]
    plain = unix_sockets.plain() if own else set()
    for row in own:
        if row.inode in plain and not _is_called_so(row.path):
            continue
        if row.is_at_its_path:
            found.paths.append(row.path)
            if row.inode not in plain or row.path in usual:
                found.lively.add(row.path)
        elif row.inode not in plain:
            found.untold = f"a program of this user listens where no file leads now ({row.path})"
    others = [row.path for row in rows if row.uid == 0 and uid and _is_called_so(row.path)]
    found.paths = [*dict.fromkeys([*usual, *found.paths, *others])]
    if len(found.paths) > _MOST_SOCKETS:
        found.untold = f"there are more than {_MOST_SOCKETS} sockets that may be an ssh-agent's"
    return found


def _is_of(path: str, uids: tuple[int, ...]) -> bool:
    """Return whether there is a socket that belongs to one of these; a stranger's could keep us waiting."""
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return False
    return found.st_uid in uids and stat.S_ISSOCK(found.st_mode)


def _is_called_so(path: str) -> bool:
    name = "/".join(path.split("/")[-2:])
    return any(word in name for word in ("ssh", "agent"))


def _homes() -> list[str]:
    import pwd

    found = []
    try:
        found.append(pwd.getpwuid(os.geteuid()).pw_dir)
    except KeyError:
        pass
    found.append(os.path.expanduser("~"))
    return [f"{home}/.ssh" for home in dict.fromkeys(found) if os.path.isabs(home)]


def _usual(named: str | None) -> list[str]:
    """The places at which ssh-agents usually listen, the one that is named first."""
    found = [named] if named else []
    found += [f"/run/user/{os.geteuid()}/{name}" for name in _RUN]
    for folder, within in [("/tmp", "ssh-"), *((f"{home}/agent", "") for home in _homes())]:  # noqa: S108
        found += list(_listed(folder, within))
    return found


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


def _held(path: str, until: float) -> set[str] | None:
    """The keys that an ssh-agent lists; None where it does not answer until then."""
    import socket

    left_s = until - time.monotonic()
    if left_s <= 0:
        return None
    try:
        with socket.socket(socket.AF_UNIX) as agent:
            agent.settimeout(left_s)
            agent.connect(path)
            agent.sendall(packed(bytes([_LIST])))
            size = int.from_bytes(_received(agent, 4), "big")
            reader = Reader(_received(agent, min(size, _MOST_BYTES)))
        if reader.take(1)[0] != _LISTED:
            return None
        found = set()
        for _ in range(reader.number()):
            found.add(_base64(reader.text()))
            reader.text()
        return found
    except (OSError, ValueError):
        return None


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
    from agentws.core.installation import ssh_keygen

    try:
        status, out, _ = ssh_keygen.run("-y", "-P", "", "-f", path)
    except AgentwsError:
        return set()
    words = out.decode("ascii", "replace").split()
    return {words[1]} if status == 0 and len(words) > 1 else set()


def _base64(raw: bytes) -> str:
    import binascii

    return binascii.b2a_base64(raw, newline=False).decode("ascii")
