"""Seals of the journal made for a verb: waiting purges come first, and history records a joining writer.

A failure is kept in `.agentws/seal-failure` until a seal succeeds, so that `status` and `boot` report it.
"""

from __future__ import annotations

import os

from agentws.core.disk import local_dir
from agentws.core.installation import installation, keys
from agentws.core.journal import head
from agentws.core.journal.sealing import purge, seal as _seal
from agentws.core.stores import marks, writer_trust
from agentws.errors import AgentwsError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.core.journal.sealing.seal import Sealed
    from agentws.core.stores import record
    from agentws.core.stores.stores import Stores


def seal(stores: Stores) -> Sealed:
    """Seal this installation's journal, and finish waiting purges; raises as core/journal/sealing/seal.py."""
    from agentws.core.installation import leftovers as state_leftovers  # who only looks seals and judges nothing
    from agentws.core.journal.sealing import leftovers, writer_join
    from agentws.core.stores import order_trust

    stores.check_writable()
    own = stores.installation()
    if own is None:
        return _seal.Sealed("", reason="this installation has not written any event yet")
    try:
        trust = order_trust.OrderTrust(stores)
        leftovers.sweep(stores.files, own.writer)
        writer_join.sweep(stores.files)
        state_leftovers.sweep(stores.files, own.folder, stores.manifest.agent_id)
        carried = purge.carry_out(
            stores.files,
            own,
            trust.is_good,
            is_over=trust.is_over,
            strangers=writer_trust.of(stores).unknown,
            begins=lambda: _renewed(stores),
        )
        appender = stores.appender()
        # In an older copy, that makes another writer: a seal belongs to the journal it is appended to.
        own = stores.installation() or own
        done = _seal.seal(stores.files, own, appender, moment_us=stores.moment_us())
    except AgentwsError as error:
        when = stores.clock.now().isoformat(timespec="seconds")
        marks.leave(stores.files, local_dir.SEAL_FAILURE, f"{when}: {error.message}")
        raise
    done.notices += carried.notices
    if done.reason == keys.MISSING:
        done.notices.append(f"The journal is not sealed: {done.reason}.")
    if done.joined and stores.keeps_history():
        stores.record("journal seal")
    marks.leave(stores.files, local_dir.SEAL_FAILURE, _stopped(stores, own, done))
    return done


def _renewed(stores: Stores) -> None:
    """Mark all remotes for renewal: what another machine ordered to purge was sent to them from here before."""
    from agentws.core.installation import remotes

    remotes.forgotten(*stores.machine, at=stores.now_text())


def quietly(stores: Stores, *, due: bool = False) -> list[str]:
    """Seal the journal at the end of a verb (`due`: only if many events are unsealed). Never fails; returns notices."""
    if not stores.environment.seals:
        return []
    try:
        if due and not _is_due(stores):
            return []
        return seal(stores).notices
    except AgentwsError as error:
        return [f"The journal was not sealed: {error.message} {error.hint or ''}".rstrip()]


def recorded(stores: Stores, what: str, happened: record.Happening) -> list[str]:
    """Record that `what` was done, then seal; a refusing journal is a notice, as the files are changed and safe."""
    from agentws.core.stores import record

    try:
        _, notices = record.record(stores, [happened])
    except AgentwsError as error:
        return [f"{what}, but its event was not recorded: {error.message} {error.hint or ''}".rstrip()]
    return [*notices, *quietly(stores)]


def begin_aside(stores: Stores) -> bool:
    """Return whether a background process may seal the journal: False if the one before never finished."""
    if stores.files.exists(local_dir.SEAL_ASIDE):
        return False
    try:
        local_dir.prepare(stores.files)
        os.close(stores.files.open(local_dir.SEAL_ASIDE, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    except (AgentwsError, OSError):
        return False
    return True


def end_aside(stores: Stores) -> list[str]:
    """Seal the journal, in the background or because that did not happen; returns notices."""
    notices = quietly(stores)
    marks.leave(stores.files, local_dir.SEAL_ASIDE, "")
    return notices


def _is_due(stores: Stores) -> bool:
    own = stores.installation()
    return own is not None and not 0 <= head.unsealed(stores.files, own) <= _seal.MOST_UNSEALED


def _stopped(stores: Stores, own: installation.Installation, done: Sealed) -> str:
    """Return the failure of a journal that was sealed before and cannot be any longer; empty if it never was sealed."""
    if done.reason != keys.MISSING or head.own_seal(own) is None:
        return ""
    return f"{stores.clock.now().isoformat(timespec='seconds')}: {done.reason}"
