"""The mirrors of a workspace at the destinations that this installation knows: brought up to date one at a time."""

from __future__ import annotations

from agentws.errors import AgentwsError, MissingFileError
from agentws.formats import layout
from agentws.storage.backup import folder, reach
from agentws.storage.backup.mirror import medium
from agentws.storage.backup.mirror.run import Run
from agentws.storage.disk import files as _files
from agentws.storage.disk import local_dir, lock
from agentws.storage.installation import backups, host_info

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.storage.installation.backups import Known
    from agentws.storage.workspace.stores import Stores

_NO_BACKUP = "To make one: agentws backup create"
_OFF = "off"


def destinations(stores: Stores) -> list[Known]:
    """Return the destinations that take a mirror: folders with a backup, where nobody has said otherwise."""
    present = backups.read(stores.files, stores.manifest.agent_id, stores.environment.state)
    return [one for one in present if one.name and one.to.startswith("/") and one.mirror != _OFF]


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
        _remember(stores, one, {"at": stores.now_text(), "heads": run.state.heads, "failed": ""})
    return run, copied


def renew(stores: Stores) -> list[str]:
    """Let the mirrors hold what the workspace holds, after something was forgotten; what cannot be reached is told."""
    notices = []
    for one in destinations(stores) if not stores.files.exists(layout.MOVED) else ():
        if one.mirrored:
            try:
                update(stores, one, timeout_s=10.0)
            except AgentwsError as error:
                notices.append(f"The mirror in {one.to} was not updated: {error.message} Re-run: agentws backup mirror")
    return notices


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
    """Read anew: the state is replaced as a whole, and a backup may have been made meanwhile."""
    agent, state = stores.manifest.agent_id, stores.environment.state
    present = next((each for each in backups.read(stores.files, agent, state) if each.to == one.to), None)
    if present is not None:
        present.mirrored = one.mirrored = mirrored
        backups.write(stores.files, agent, state, present)
