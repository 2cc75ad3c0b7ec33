"""Syncs by the hooks of a host, where `sync.hooks` is set: bounded as a session starts, aside when it has ended."""

from __future__ import annotations

import contextlib
from datetime import timedelta

from agentws.core.disk import local_dir, lock
from agentws.errors import AgentwsError
from agentws.features.copies.backup import backup_lag
from agentws.features.sync import known as _known
from agentws.features.sync import run

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.core.stores.stores import Stores

START_S = 2.0
"""So long a session waits for a sync as it starts; then it goes on with what is here."""
_GIT_S = 1.4
"""So long git may ask a remote then: there is time left to end it, and to remember that it is away."""
_LOCK = "sync-start"
_JUST_NOW = timedelta(seconds=10)


def sync_at_start(stores: Stores) -> None:
    """Sync before a boot. What fails is remembered for `status`, and said nowhere else.

    Of several hooks that start a session at once, one does it and the others wait: they tell parts of one boot.
    """
    if not _wanted(stores):
        return
    began = stores.now_text()
    try:
        local_dir.prepare(stores.files)
        with lock.Lock(stores.files, _LOCK, timeout_s=START_S, idle=True):
            if not _is_done(stores):
                run.sync(stores, timeout_s=_GIT_S)
    except AgentwsError:
        return
    except BaseException:  # nobody waits any longer
        _note_late(stores, began)
        raise


def _note_late(stores: Stores, began: str) -> None:
    """Remember that remotes did not answer in time, for `status`."""
    with contextlib.suppress(AgentwsError):
        for one in _known.known(stores):
            if one.at < began:
                one.failed, one.away = f"{began} It did not answer within {START_S:g} s.", "away"
                _known.keep(stores, one)


def sync_aside(stores: Stores) -> None:
    """Sync when a session has ended; nobody waits. What fails is remembered for `status`."""
    if not _wanted(stores):
        return
    try:
        run.sync(stores)
    except AgentwsError:
        return


def _wanted(stores: Stores) -> bool:
    return bool(stores.adopted and stores.manifest.setting("sync.hooks") and _known.known(stores))


def _is_done(stores: Stores) -> bool:
    """Return whether another hook has just tried."""
    now = backup_lag.moment(stores.now_text())
    tried = [one.failed.partition(" ")[0] or one.at for one in _known.known(stores)]
    return all(at and now - backup_lag.moment(at) < _JUST_NOW for at in tried)
