"""The keys of approvers, people who may approve: pinned where this user cannot write, or signed by a pinned key.

Specified in docs/format/approval.md.
"""

from __future__ import annotations

import os
import stat

from agentws.core import Result
from agentws.core.formats import layout
from agentws.core.formats.identity import approver
from agentws.core.installation import installation, keys, ssh_keygen
from agentws.errors import AgentwsError, MissingFileError, OutsideProgramError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.core.disk.files import Files
    from agentws.core.formats.identity.approver import ApproverKey, Signature

FILE = "/etc/agentws/approvers"
"""A constant: no setting of an agent can change the path."""
_MOST_BYTES = 1 << 16


class Approver(Result):
    """An approver's key: the `key`, the list that contains it (`where`), and `why` it does not count, or empty."""

    __slots__ = ("key", "where", "why")

    def __init__(self, key: ApproverKey, where: str, why: str = "") -> None:
        self.key = key
        self.where = where
        self.why = why


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
            is_good = ssh_keygen.verify(key.line, key.principal, namespace, parsed.text, message)
        except (OutsideProgramError, OSError) as error:
            return None, f"the signature could not be checked: {error}"
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
