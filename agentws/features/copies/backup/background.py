"""Backups that hooks make when a session has ended: nobody waits, and what fails is remembered for `status`."""

from __future__ import annotations

from agentws.core.disk import files as _files, local_dir, lock
from agentws.core.formats import layout
from agentws.core.installation import backups
from agentws.core.installation.backups import Known
from agentws.core.stores.stores import Stores
from agentws.errors import AgentwsError

_TIMEOUT_S = 30.0
"""So long another backup of the same workspace is waited for."""


def backup_aside(stores: Stores) -> None:
    """Make a backup at each destination that takes one when a session ends."""
    if not stores.adopted or stores.files.exists(layout.MOVED):
        return
    if not any(destination.by_hooks for destination in backups.read(*stores.machine)):
        return
    from agentws.features.copies.backup import create

    try:
        stores.settle()
        local_dir.prepare(stores.files)
        with lock.Lock(stores.files, create.LOCK, timeout_s=_TIMEOUT_S, note="backup"):
            for destination in backups.read(*stores.machine):
                if destination.by_hooks:
                    _back_up(stores, destination)
    except AgentwsError:
        return  # the next session's end tries again


def _back_up(stores: Stores, destination: Known) -> None:
    from agentws.features.copies.backup import create

    try:
        create.follow(stores, destination)
    except (AgentwsError, OSError) as error:
        known = _files.failure(error, destination.to) if isinstance(error, OSError) else error
        failed = f"{stores.now_text()} {known.message}"
        backups.write(*stores.machine, destination.to, lambda now: setattr(now, "hooks_failed", failed))
