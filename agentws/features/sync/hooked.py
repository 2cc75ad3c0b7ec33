"""Syncs run by a host's hooks if `sync.hooks` is set: time-limited at session start, in the background at its end."""

from __future__ import annotations

import contextlib
from datetime import timedelta

from agentws.core.disk import local_dir, lock
from agentws.core.stores.stores import Stores
from agentws.errors import AgentwsError
from agentws.features.copies.backup import backup_lag
from agentws.features.sync import known as _known, run

START_S = 2.0
"""Seconds that a starting session waits for a sync before it boots with the local files."""
_GIT_S = 1.4
"""Seconds that git gets for a remote at session start; the rest is for ending it and recording the failure."""
_LOCK = "sync-start"
_JUST_NOW = timedelta(seconds=10)


def sync_at_start(stores: Stores) -> None:
    """Sync before a boot. A failure is recorded for `status` and reported nowhere else.

    If several hooks start a session at once, one syncs and the others wait.
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
    except BaseException:  # nobody waits any longer: what did not answer in time is recorded for `status`
        with contextlib.suppress(AgentwsError):
            for remote in _known.known(stores):
                if remote.at < began:
                    remote.failed, remote.away = f"{began} It did not answer within {START_S:g} s.", "away"
                    _known.keep(stores, remote)
        raise


def sync_aside(stores: Stores) -> None:
    """Sync in the background after a session has ended. A failure is recorded for `status`."""
    if not _wanted(stores):
        return
    try:
        run.sync(stores)
    except AgentwsError:
        return


def _wanted(stores: Stores) -> bool:
    return bool(stores.adopted and stores.manifest.setting("sync.hooks") and _known.known(stores))


def _is_done(stores: Stores) -> bool:
    """Return whether another hook tried all remotes within the last seconds."""
    now = backup_lag.moment(stores.now_text())
    tried = [remote.failed.partition(" ")[0] or remote.at for remote in _known.known(stores)]
    return all(at and now - backup_lag.moment(at) < _JUST_NOW for at in tried)
