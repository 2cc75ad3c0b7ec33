"""Records of this installation: orders that it gave, approvals that it used, and texts that it forgot.

All are outside of the workspace. An order (a purge or a retirement) that somebody else adds to the journal, with a
matching chain, is not among those given here, even if the next seal would cover it; all orders up to `through` are
known to be its own. Specified in docs/format/local.md.

An older copy of the workspace does not know the used approvals. They are kept beside the states of the agent's
installations, as these depend on the folder's inode: a restored workspace is the same agent.

Forgotten text is known by the calls of `forget` and a digest of each removed line, so that a sync with an old remote
does not bring the lines back. The digests are salted: whoever guesses a whole line can confirm it, nobody can read it.
"""

from __future__ import annotations

import os

from agentws.core import Record
from agentws.core.disk import files as _files, lock
from agentws.core.formats import digest
from agentws.core.formats.json import plainjson
from agentws.core.installation import installation, state_dir, state_file
from agentws.errors import AgentwsError, ChangedUnderneathError, LockHeldError, MissingFileError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from agentws.core.disk.files import Files
    from agentws.core.installation.installation import Installation
    from agentws.core.installation.state_dir import State


NAME, _SEALED = "orders", "sealed"
_MOST_ORDERS_BYTES = 1 << 24


class GivenOrders(Record):
    """The `digests` of the orders given here, and by writer the event number `through` which all orders are its own."""

    through: dict[str, int]
    digests: set[str]

    def is_ours(self, writer: str, seq: int, digest: str) -> bool:
        """Return whether the order in event `seq` of this installation's writer, or a former one, was given here."""
        return seq <= self.through.get(writer, 0) or digest in self.digests


def read_orders(current: Installation) -> GivenOrders | None:
    """Return the orders given here; None if none were ever saved, DiskError if the disk fails."""
    own = _files.Outside(current.folder)
    try:
        decoded = plainjson.loads(own.read(NAME, limit_bytes=_MOST_ORDERS_BYTES))
        through = {str(writer): int(seq) for writer, seq in decoded["through"].items()}
        return GivenOrders(through, {str(item) for item in decoded["orders"]})
    except MissingFileError:
        return None
    except (ValueError, KeyError, TypeError, AttributeError):
        return GivenOrders({}, set())  # damaging the file gains nothing: unknown orders do not count


def note_orders(folder: str, agent: str, digests: Iterable[str]) -> None:
    """Record orders that are about to be given, durably. The caller holds the append lock."""
    own = installation.at(folder, agent)
    if own is not None:
        given = known_orders(own)
        given.digests.update(digests)
        _write(own, given)


def note_proved_orders(own: Installation, seq: int, gone: Iterable[str]) -> None:
    """Record that all orders up to `seq` were given here, and drop their digests `gone`; durably, under the lock."""
    given = known_orders(own)
    if given.through.get(own.writer, 0) < seq:
        given.through[own.writer] = seq
        given.digests.difference_update(gone)
        _write(own, given)


def known_orders(own: Installation) -> GivenOrders:
    """Return the orders given here. If none were ever saved: all up to the newest seal that was made here; for an
    installation of an earlier version, all up to its newest remembered event.
    """
    given = read_orders(own)
    if given is not None:
        return given
    mark = installation.mark(own) if not own.record.get(installation.ORDERS) else None
    return GivenOrders({own.writer: max(_sealed(own), mark.seq if mark is not None else 0)}, set())


def _sealed(own: Installation) -> int:
    """Return the number of the newest seal that this installation remembers; 0 for none."""
    try:
        decoded = plainjson.loads(_files.Outside(own.folder).read(_SEALED, limit_bytes=1 << 12))
        return int(decoded["seq"]) if decoded["writer"] == own.writer else 0
    except (AgentwsError, ValueError, KeyError, TypeError):
        return 0


def _write(current: Installation, given: GivenOrders) -> None:
    own = _files.Outside(current.folder)
    fields = {"agentws": 1, "through": given.through, "orders": sorted(given.digests)}
    own.replace(NAME, plainjson.dumps(fields).encode() + b"\n", expects=own.digest(NAME))


_APPROVALS_KEY = "used"
_MOST_APPROVALS = 2_000
"""The number of newest approvals kept; older ones are bounded by their expiry, if they have one."""
_MOST_APPROVALS_BYTES = 1 << 20
_APPROVAL_ATTEMPTS = 50
"""The number of attempts if other copies of the workspace write first and no lock is held."""
_APPROVAL_LOCK_TIMEOUT_S = 10.0


class ApprovalTurn:
    """The turn to use an approval: a lock, as a `with` block, from the check whether it was used to recording its use.
    Copies of a workspace share no other lock.

    If the folder cannot be written, no lock is taken and `add` raises the error. LockHeldError.
    """

    def __init__(self, files: _files.Files, agent: str, state: State) -> None:
        self._folder, name = _approvals_place(files, agent, state)
        self._name = name
        self._own = _files.Outside(self._folder, patience_s=files.patience_s)
        self._lock: lock.Lock | None = lock.Lock(
            self._own, name, timeout_s=_APPROVAL_LOCK_TIMEOUT_S, note="ask use", folder=""
        )

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


def settle_approvals(folder: str, name: str) -> None:
    """Make durable what a killed turn has left, which its note in the lock shows; LockHeldError if the turn lives."""
    own = _files.Outside(folder)
    with lock.Lock(own, name, timeout_s=0.0, note="recovery", folder="") as held:
        _repair(own, name)
        held.clear_note()


def _repair(own: _files.Files, name: str) -> None:
    """Remove the temporary files of a killed turn, and make durable what it has put in place."""
    own.clear_beside(name)
    own.sync_folder("")


def read_approvals(files: _files.Files, agent: str, state: State) -> list[str]:
    """Return the used approvals as `ID DIGEST`, oldest first; none if unreadable. DiskError if the disk fails."""
    folder, name = _approvals_place(files, agent, state)
    return _read_approvals(_files.Outside(folder), name)[0]


def add_approval(files: _files.Files, agent: str, state: State, id: str, action_digest: str) -> None:
    """Record a used approval, durably."""
    folder, name = _approvals_place(files, agent, state)
    with _files.Failing(folder):
        state_dir.make(folder)
    own = _files.Outside(folder)
    for left in reversed(range(_APPROVAL_ATTEMPTS)):
        used, before = _read_approvals(own, name)
        fields = {"agentws": 1, _APPROVALS_KEY: [*used, f"{id} {action_digest}"][-_MOST_APPROVALS:]}
        try:
            own.replace(name, plainjson.dumps(fields, indent=2).encode() + b"\n", expects=before)
            return
        except ChangedUnderneathError:
            if not left:
                raise


def _read_approvals(own: _files.Files, name: str) -> tuple[list[str], str]:
    """Return (the listed approvals, the digest of the file)."""
    try:
        data = own.read(name, limit_bytes=_MOST_APPROVALS_BYTES)
    except MissingFileError:
        return [], digest.ABSENT
    except AgentwsError as error:
        if installation.is_failing(error):
            raise
        return [], digest.ABSENT
    try:
        return list(map(str, plainjson.loads(data)[_APPROVALS_KEY])), digest.of(data)
    except (ValueError, KeyError, TypeError):
        return [], digest.of(data)


def _approvals_place(files: _files.Files, agent: str, state: State) -> tuple[str, str]:
    """Return (folder, name) of this agent's file of used approvals."""
    return state_dir.of_used_approvals(installation.place(files, agent, state), agent)


_FORGOTTEN = "forgotten"
_MOST_FORGOTTEN_BYTES = 1 << 23
_MOST_FORGOTTEN_CALLS = 64
"""As many as the first state of an epoch lists."""
_MOST_FORGOTTEN_LINES = 50_000
"""The number of newest digests kept; older lines are no longer recognized."""
_SALT_BYTES = 32


class Forgotten:
    """Forgotten text: the `calls` of `forget`, oldest first, and the `digests` of lines, made with the `salt`."""

    def __init__(self, salt: str = "", calls: Iterable[str] = (), digests: Iterable[str] = ()) -> None:
        self.salt = salt
        self.calls = [*calls]
        self.digests = dict.fromkeys(digests)

    def holds(self, line: bytes) -> bool:
        """Return whether this line was forgotten here."""
        return bool(self.digests) and self._of(line) in self.digests

    def add(self, calls: Iterable[str], lines: Iterable[bytes]) -> None:
        """Add forgotten lines and the calls; beyond the limits the oldest are dropped."""
        self.salt = self.salt or os.urandom(_SALT_BYTES).hex()
        self.calls = [*dict.fromkeys([*self.calls, *calls])][-_MOST_FORGOTTEN_CALLS:]
        self.digests |= dict.fromkeys(map(self._of, lines))
        self.digests = dict.fromkeys([*self.digests][-_MOST_FORGOTTEN_LINES:])

    def _of(self, line: bytes) -> str:
        return digest.quick(line.strip(), bytes.fromhex(self.salt))


def read_forgotten(files: Files, agent: str, state: State) -> Forgotten:
    """Return the record of forgotten text, empty if unreadable. DiskError if the disk fails."""
    return (
        state_file.read(files, agent, state, _FORGOTTEN, _decode_forgotten, limit_bytes=_MOST_FORGOTTEN_BYTES)
        or Forgotten()
    )


def note_forgotten(files: Files, agent: str, state: State, calls: Iterable[str], lines: Iterable[bytes] = ()) -> None:
    """Record calls of `forget` and the forgotten lines, durably."""

    def added(present: Forgotten | None) -> dict[str, object]:
        known = present or Forgotten()
        known.add(calls, lines)
        return {"agentws": 1, "salt": known.salt, "calls": known.calls, "lines": [*known.digests]}

    state_file.update(files, agent, state, _FORGOTTEN, _decode_forgotten, added, limit_bytes=_MOST_FORGOTTEN_BYTES)


def _decode_forgotten(fields: Mapping[str, Any]) -> Forgotten:
    bytes.fromhex(fields["salt"])
    return Forgotten(str(fields["salt"]), map(str, fields["calls"]), map(str, fields["lines"]))
