"""The mirrors of a workspace at the destinations that this installation knows: brought up to date one at a time."""

from __future__ import annotations

from agentws.core.disk import files as _files
from agentws.core.disk import local_dir, lock
from agentws.core.formats import layout
from agentws.core.formats.travel import mirror
from agentws.core.installation import backups, host_info
from agentws.errors import AgentwsError, MissingFileError
from agentws.features.copies.backup.store import folder, reach
from agentws.features.copies.backup.store.mirror import medium, over
from agentws.features.copies.backup.store.mirror.run import Run

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.core.installation.backups import Known
    from agentws.core.stores.stores import Stores

_NO_BACKUP = "To make one: agentws backup create"
_OFF = "off"
_RENEW_TIMEOUT_S = 10.0
_NOT_UPDATED = "The mirror in {} was not updated: {} Re-run: agentws backup mirror"
_WAS_OFF = "Removed the mirror in {}: it is switched off, and was older than this."
_AHEAD = "The mirror in {} is switched off, and holds events that are missing here: delete {} yourself."


def destinations(stores: Stores) -> list[Known]:
    """Return the destinations that take a mirror: folders with a backup, where nobody has said otherwise."""
    return [one for one in _folders(stores) if one.mirror != _OFF]


def _folders(stores: Stores) -> list[Known]:
    """The folders with a backup: they may have a mirror, whatever was said of it since."""
    present = backups.read(stores.files, stores.manifest.agent_id, stores.environment.state)
    return [one for one in present if one.name and one.to.startswith("/")]


def update(stores: Stores, one: Known, *, timeout_s: float) -> tuple[Run, int]:
    """Copy to a destination what its newest backup and its mirror lack, and remember how far; the bytes copied besides.

    MissingFileError where there is no backup, LockHeldError where a backup is being made, DiskError.
    """
    local_dir.prepare(stores.files)
    with lock.Lock(stores.files, medium.LOCK, timeout_s=timeout_s, note="backup mirror"):
        try:
            run, copied = _run(stores, one)
        except (AgentwsError, OSError) as error:
            known = _files.failure(error, one.to) if isinstance(error, OSError) else error
            _remember(stores, one, {**one.mirrored, "failed": f"{stores.now_text()} {known.message}"})
            raise known from error
        done = {"at": stores.now_text(), "heads": run.state.heads, "newest_ns": run.newest_ns, "failed": ""}
        _remember(stores, one, done)
    return run, copied


def renew(stores: Stores) -> list[str]:
    """Let the mirrors hold what the workspace holds, after something was forgotten; what cannot be reached is told.

    One that was switched off goes: nothing new is written to it.
    """
    notices = []
    for one in _folders(stores) if not stores.files.exists(layout.MOVED) else ():
        if one.mirrored or _stands(stores, one):
            try:
                if one.mirror == _OFF:
                    notices += _removed(stores, one)
                else:
                    update(stores, one, timeout_s=_RENEW_TIMEOUT_S)
            except AgentwsError as error:
                notices.append(_NOT_UPDATED.format(one.to, error.message))
    return notices


def _stands(stores: Stores, one: Known) -> bool:
    """Return whether the medium has a mirror of this installation, of which a run that was killed has told nothing."""
    agent = stores.manifest
    try:
        place = folder.at(one.to, agent.agent_id, agent.name, known=True).place
    except AgentwsError:
        return False  # where no run has come to its end, backups say that it is away
    return medium.Medium(place, reach.owner(stores.root)).exists


def _removed(stores: Stores, one: Known) -> list[str]:
    """Remove a mirror that is switched off, but where it holds events that the workspace lacks; the notice of it."""
    agent = stores.manifest
    there = medium.Medium(folder.at(one.to, agent.agent_id, agent.name, known=True).place, reach.owner(stores.root))
    local_dir.prepare(stores.files)
    with lock.Lock(stores.files, medium.LOCK, timeout_s=_RENEW_TIMEOUT_S, note="backup mirror"):
        state = there.state()
        if state is not None and not over.has_events(stores.files, state):
            return [_AHEAD.format(one.to, f"{there.place}/{mirror.FOLDER}/{there.owner}")]
        there.remove()
        _remember(stores, one, {})
    return [_WAS_OFF.format(one.to)]


def _run(stores: Stores, one: Known) -> tuple[Run, int]:
    agent = stores.manifest
    place = folder.at(one.to, agent.agent_id, agent.name, known=True)
    names = place.names()
    if not names:
        raise MissingFileError(f"{place.place}: contains no complete backup.", hint=_NO_BACKUP)
    manifest = place.manifest(names[-1])
    there = medium.Medium(place.place, reach.owner(stores.root))
    run = Run(stores.files, there, names[-1], manifest)
    run.copy(stores.now_text(), host_info.name())
    return run, there.bytes


def _remember(stores: Stores, one: Known, mirrored: dict[str, object]) -> None:
    one.mirrored = mirrored
    agent, state = stores.manifest.agent_id, stores.environment.state
    backups.write(stores.files, agent, state, one.to, lambda now: setattr(now, "mirrored", mirrored))
