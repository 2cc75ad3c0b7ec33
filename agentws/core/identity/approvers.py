"""The keys of approvers, people who may approve: pinned where this user cannot write, or signed by a pinned key.

Signatures are checked by ssh-keygen, preferably from a system folder that this user cannot change. Specified in
docs/format/approval.md.
"""

from __future__ import annotations

import fcntl
import os
import stat
import sys

from agentws.core import Record, Result
from agentws.core.disk.files import Files
from agentws.core.formats import layout
from agentws.core.formats.identity import approver
from agentws.core.formats.identity.approver import ApproverKey, Signature
from agentws.core.installation import installation, keys
from agentws.errors import AgentwsError, MissingFileError, OutsideProgramError

FILE = "/etc/agentws/approvers"
"""A constant: no setting of an agent can change the path."""
_MOST_BYTES = 1 << 16


class Approver(Record, Result):
    """An approver's key: the `key`, the list that contains it (`where`), and `why` it does not count, or empty."""

    key: ApproverKey
    where: str
    why: str = ""


class Approvers:
    """The approver keys pinned for a workspace, valid or not; `problems` says what is wrong with the lists.

    `state` is the folder of this installation.
    """

    def __init__(self, files: Files, *, state: str = "") -> None:
        self.problems: list[str] = []
        self._state = state
        self.keys = self._pinned()
        self.keys += self._of_workspace(files)  # signed by one of those

    def _pinned(self) -> list[Approver]:
        text = _text(FILE)
        if text is None:
            self.problems.append(f"{FILE} does not exist: no key of a person is pinned.")
            return []
        why = within_reach(FILE)
        if why:
            self.problems.append(f"{FILE} does not count: {why}.")
        return [Approver(key, FILE, key.wrong or why) for key in approver.keys_of(text)]

    def _of_workspace(self, files: Files) -> list[Approver]:
        try:
            data = files.read(layout.APPROVERS, limit_bytes=_MOST_BYTES)
        except MissingFileError:
            return []
        except AgentwsError as error:
            self.problems.append(error.message)
            return []
        why = self._unsigned(files, data)
        if why:
            self.problems.append(f"{layout.APPROVERS} does not count: {why}.")
        return [
            Approver(key, layout.APPROVERS, key.wrong or why)
            for key in approver.keys_of(data.decode("utf-8", "replace"))
        ]

    def _unsigned(self, files: Files, data: bytes) -> str:
        """Return why the workspace's own list does not count, empty if a valid key has signed it."""
        try:
            signature = files.read(f"{layout.APPROVERS}.sig", limit_bytes=_MOST_BYTES).decode("ascii", "replace")
        except AgentwsError:
            return f"{layout.APPROVERS}.sig is missing"
        _, why = self.proof(signature, data, namespace=approver.LIST_NAMESPACE)
        return why

    def proof(
        self, signature: str, message: bytes, *, namespace: str = approver.NAMESPACE
    ) -> tuple[ApproverKey | None, str]:
        """Return (key, problem): the approver's key that signed the message, and why that does not prove a person.

        The problem is empty if a person was present: the key was touched, or is pinned as a key of another machine.
        """
        parsed, key, why = self._signer(signature, namespace)
        if parsed is None or key is None:
            return None, why
        try:
            is_good = verify(key.line, key.principal, namespace, parsed.text, message)
        except (OutsideProgramError, OSError) as error:
            return None, f"{approver.UNCHECKED}: {error}"
        if not is_good:
            return None, "the signature is not over these words"
        if key.is_touched:
            return key, "" if parsed.is_present else "nobody touched the key"
        return key, self.unproved(key)

    def signer(self, signature: str, *, namespace: str) -> tuple[ApproverKey | None, str]:
        """Return (key, reason for none): the approver's key that a signature names, without verifying it."""
        _, key, why = self._signer(signature, namespace)
        return key, why

    def _signer(self, signature: str, namespace: str) -> tuple[Signature | None, ApproverKey | None, str]:
        try:
            parsed = approver.signature(signature)
        except ValueError as error:
            return None, None, f"it is not a signature ({error})"
        if parsed.namespace != namespace:
            return None, None, f"the signature is for {parsed.namespace!r}, not for {namespace!r}"
        ours = [signer for signer in self.keys if signer.key.blob == parsed.blob]
        counting = [signer for signer in ours if not signer.why]
        if not counting:
            return None, None, ours[0].why if ours else "the key that signed is not pinned"
        return parsed, counting[0].key, ""

    def unproved(self, key: ApproverKey) -> str:
        """Return why an approver's plain key does not prove a person, empty if it does: this user may have it."""
        if self._state and f"{key.kind} {key.blob}" in keys.publics(self._state):
            return "it is the key of this installation"
        if not key.is_elsewhere:
            names = f'namespaces="{approver.NAMESPACE},{approver.ELSEWHERE}"'
            return f"a plain key counts only if it is kept on another machine, and pinned with {names}"
        return ""


def of(files: Files, agent: str, state: tuple[str | None, ...]) -> Approvers:
    """Return the approver keys pinned for this workspace on this machine."""
    own = installation.find(files, agent, state)
    return Approvers(files, state=own.folder if own else "")


def within_reach(path: str) -> str:
    """Return why this user could change the approvers file at this absolute path, empty if it could not."""
    uid = os.geteuid()
    if uid == 0:
        return "the superuser can write everything, so run the agent as another user"
    place = path
    while True:
        why = _writable(place, uid)
        if why:
            return why
        if place == "/":
            return ""
        place = os.path.dirname(place)


def _writable(place: str, uid: int) -> str:
    try:
        status = os.lstat(place)
    except OSError as error:
        return f"{place} cannot be looked at: {error.strerror}"
    if stat.S_ISLNK(status.st_mode):
        return f"{place} is a symbolic link"
    if status.st_uid == uid:
        return f"{place} belongs to this user"
    if stat.S_ISDIR(status.st_mode) and status.st_mode & stat.S_ISVTX:
        return ""  # what is in it belongs to somebody else, who alone can replace it
    if os.access(place, os.W_OK, effective_ids=os.access in os.supports_effective_ids):
        return f"this user can write {place}"
    return ""


def _text(path: str) -> str | None:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read(_MOST_BYTES)
    except OSError:
        return None


_PLACES = ("/usr/bin", "/bin", "/usr/local/bin", "/opt/homebrew/bin", "/run/current-system/sw/bin")
"""Searched before PATH, which the caller may have set."""
_TIMEOUT_S = 20.0
_SEALS = sys.platform == "linux"
_FOLDER = "/proc/self/fd" if _SEALS else "/dev/fd"


def program() -> str:
    """Return the absolute path of ssh-keygen; OutsideProgramError if it is not installed."""
    for folder in (*_PLACES, *os.get_exec_path()):
        path = os.path.join(folder, "ssh-keygen")
        if os.path.isabs(path) and os.access(path, os.X_OK) and not os.path.isdir(path):
            return path
    raise OutsideProgramError("ssh-keygen was not found.", hint="Install OpenSSH 8.2 or newer.")


def verify(line: str, principal: str, namespace: str, signature: str, message: bytes) -> bool:
    """Return whether ssh-keygen verifies a signature by this allowed_signers line. OutsideProgramError, OSError.

    No other process can change what ssh-keygen reads: the agent runs under the same user id.
    """
    from agentws.core.disk import spawn

    fds: list[int] = []
    try:
        for text in (f"{line}\n", signature):
            fds.append(_unchangeable(text.encode()))
        signers, signed = (f"{_FOLDER}/{fd}" for fd in fds)
        if _SEALS:
            fds.append(_unchangeable(message))
        words = ["-Y", "verify", "-f", signers, "-I", principal, "-n", namespace, "-s", signed]
        env = {"PATH": os.defpath, "LC_ALL": "C"}
        stdin = fds[-1] if _SEALS else message
        status, out, complaint = spawn.run([program(), *words], env=env, stdin=stdin, timeout_s=_TIMEOUT_S)
    except TimeoutError as error:
        raise OutsideProgramError(f"ssh-keygen did not finish within {_TIMEOUT_S:g} s.") from error
    finally:
        for fd in fds:
            os.close(fd)
    if status and b"incorrect signature" not in complaint:  # e.g. its user has no name: nothing was judged
        reason = complaint.decode("utf-8", "replace").strip().partition("\n")[0]
        raise OutsideProgramError(f"ssh-keygen failed: {reason or 'no reason given'}")
    return status == 0 and out.startswith(b"Good ")


def _unchangeable(data: bytes) -> int:
    """Return a descriptor, which ssh-keygen inherits, from which these bytes are read: no other process changes them.

    On Linux it is a sealed file in memory, since `/proc` opens a pipe of another process for writing; on macOS a pipe.
    """
    if sys.platform == "linux" and _SEALS:
        fd = os.memfd_create("agentws", os.MFD_ALLOW_SEALING)
        try:
            os.write(fd, data)
            fcntl.fcntl(fd, fcntl.F_ADD_SEALS, fcntl.F_SEAL_WRITE | fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW)
            os.lseek(fd, 0, os.SEEK_SET)
            if os.pread(fd, len(data) + 1, 0) != data:
                raise OSError("another process changed what is judged")
        except BaseException:
            os.close(fd)
            raise
        return fd
    fd, end = os.pipe()
    os.set_blocking(end, False)
    is_whole = os.write(end, data) == len(data)
    os.close(end)
    os.set_inheritable(fd, True)
    if not is_whole:
        os.close(fd)
        raise OSError("the key or the signature is too long")
    return fd


def at_a_terminal() -> dict[str, str]:
    """Return the environment in which ssh-keygen asks a person: without the ssh-agent, which would sign unasked."""
    return {name: value for name, value in os.environ.items() if name != "SSH_AUTH_SOCK"}  # noqa: TID251
