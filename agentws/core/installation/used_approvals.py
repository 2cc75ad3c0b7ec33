"""The approvals of an agent that were used on this machine: an older copy of the workspace does not know them.

Kept beside the states of its installations, as these depend on the folder's inode: a restored workspace is the same
agent.
"""

from __future__ import annotations

from agentws.core.disk import files as _files
from agentws.core.disk import lock
from agentws.core.formats import digest
from agentws.core.formats.json import plainjson
from agentws.core.installation import installation, state_dir
from agentws.errors import AgentwsError, ChangedUnderneathError, LockHeldError, MissingFileError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.core.installation.state_dir import State

_KEY = "used"
_MOST = 2_000
"""The number of newest approvals kept; older ones are bounded by their expiry, if they have one."""
_LIST_BYTES = 1 << 20
_TRIES = 50
"""How often another copy of the workspace may write first if there is no lock."""
_LOCK_TIMEOUT_S = 10.0


class Turn:
    """The turn to use an approval: a lock, as a `with` block, from the check whether it was used to recording its use.
    Copies of a workspace share no other lock.

    If nothing can be saved there is no lock either, and `add` raises the error. LockHeldError.
    """

    def __init__(self, files: _files.Files, agent: str, state: State) -> None:
        self._folder, name = _place(files, agent, state)
        self._name = name
        self._own = _files.Outside(self._folder, patience_s=files.patience_s)
        self._lock: lock.Lock | None = lock.Lock(self._own, name, timeout_s=_LOCK_TIMEOUT_S, note="ask use", folder="")

    def __enter__(self) -> None:
        assert self._lock is not None
        try:
            state_dir.make(self._folder)
            self._lock.__enter__()
            _repair(self._own, self._name)
        except LockHeldError:
            raise
        except (AgentwsError, OSError):
            self._lock = None

    def __exit__(self, *_: object) -> None:
        if self._lock is not None:
            self._lock.clear_note()
            self._lock.__exit__()


def settle(folder: str, name: str) -> None:
    """Make durable what a killed turn has left, which its note in the lock shows; LockHeldError if the turn lives."""
    own = _files.Outside(folder)
    with lock.Lock(own, name, timeout_s=0.0, note="recovery", folder="") as held:
        _repair(own, name)
        held.clear_note()


def _repair(own: _files.Files, name: str) -> None:
    """Remove the temporary files of a killed turn, and make durable what it has put in place."""
    own.clear_beside(name)
    own.sync_folder("")


def read(files: _files.Files, agent: str, state: State) -> list[str]:
    """Return the used approvals as `ID DIGEST`, oldest first; none if unreadable. DiskError if the disk fails."""
    folder, name = _place(files, agent, state)
    return _read(_files.Outside(folder), name)[0]


def add(files: _files.Files, agent: str, state: State, id: str, action_digest: str) -> None:
    """Record a used approval, durably."""
    folder, name = _place(files, agent, state)
    try:
        state_dir.make(folder)
    except OSError as error:
        raise _files.failure(error, folder) from error
    own = _files.Outside(folder)
    for left in reversed(range(_TRIES)):
        used, before = _read(own, name)
        fields = {"agentws": 1, _KEY: [*used, f"{id} {action_digest}"][-_MOST:]}
        try:
            own.replace(name, plainjson.dumps(fields, indent=2).encode() + b"\n", expects=before)
            return
        except ChangedUnderneathError:
            if not left:
                raise


def _read(own: _files.Files, name: str) -> tuple[list[str], str]:
    """Return (the listed approvals, the digest of the file)."""
    try:
        data = own.read(name, limit_bytes=_LIST_BYTES)
    except MissingFileError:
        return [], digest.ABSENT
    except AgentwsError as error:
        if installation.is_failing(error):
            raise
        return [], digest.ABSENT
    try:
        return list(map(str, plainjson.loads(data)[_KEY])), digest.of(data)
    except (ValueError, KeyError, TypeError, RecursionError):
        return [], digest.of(data)


def _place(files: _files.Files, agent: str, state: State) -> tuple[str, str]:
    """Return (folder, name) of this agent's file of used approvals."""
    return state_dir.of_used_approvals(installation.place(files, agent, state), agent)
