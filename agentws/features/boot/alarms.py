"""Alarms in boot about failed seals, syncs, compaction and history, from marks in `.agentws/`."""

from __future__ import annotations

from agentws.core.disk import local_dir
from agentws.core.formats import layout
from agentws.errors import AgentwsError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.core.stores.stores import Stores


def of(stores: Stores) -> list[str]:
    """Return a sentence for each alarm in boot, none if all works."""
    result = []
    sealing = local_dir.seal_failure(stores.files)
    if sealing:
        result.append(f"The journal has not been sealed since {sealing} To seal it: agentws journal seal")
    try:
        names = stores.files.listing(local_dir.FOLDER)
    except AgentwsError as error:
        result.append(error.message)
        names = []
    if any(name.endswith(local_dir.POISON) for name in names):
        result.append("A disk error lost an event. For details: agentws status")
    if local_dir.COMPACTION_FAILURES.rpartition("/")[2] in names:
        from agentws.core.stores import marks

        count = len(marks.failures(stores.files, marks.COMPACTION))
        loud = f"Compaction failed {count} times in a row. For details: agentws status"
        result += [loud] if count >= marks.LOUD else []
    if local_dir.SYNC_HELD.rpartition("/")[2] in names:
        result += _held(stores)
    result += _lost_lines(stores)
    result += _syncs(stores)
    failure = stores.history_failure()
    if failure:
        result.append(f"History has not been recorded since {failure} For details: agentws status")
    return result


def _held(stores: Stores) -> list[str]:
    from agentws.core.stores import marks

    lines = marks.of(stores.files, local_dir.SYNC_HELD).split("\n")
    return [f"{line.rstrip('.')}. A person runs: agentws sync" for line in lines if line]


def _lost_lines(stores: Stores) -> list[str]:
    """Return alarms about acknowledged lines and facts that are missing; the record of them may be unreadable."""
    if stores.environment.as_of:
        return []
    try:
        if not local_dir.may_lack(stores.files):
            return []
        from agentws.core.stores import lost_lines  # seldom

        return [lost.notice for lost in lost_lines.losses(stores.files)]
    except AgentwsError as error:
        return [error.message]


def _syncs(stores: Stores) -> list[str]:
    """Return alarms about waiting sync conflicts and about the lease."""
    result = []
    try:
        waiting = [name for name in stores.files.listing(layout.CONFLICTS) if name.endswith(".json")]
    except AgentwsError as error:
        result.append(f"Conflicts cannot be listed: {error.message}")
        waiting = []
    if waiting:
        what = "1 conflict waits" if len(waiting) == 1 else f"{len(waiting)} conflicts wait"
        result.append(f"{what} for a person's decision: agentws sync conflicts")
    if stores.manifest.setting("sync.lease") != "off":
        from agentws.core.identity import lease

        says = lease.said(stores.files, stores.manifest.agent_id, stores.environment.state)
        result += [f"{says} {lease.TAKE}"] if says else []
    return result


def pending(stores: Stores) -> list[str]:
    """Return the alarms about a read-only workspace and an interrupted change, as sentences."""
    result = []
    if not stores.files.writable():
        result.append("This workspace is read-only: agentws can write nothing.")
    try:
        if stores.files.listing(local_dir.UNDO) and local_dir.interrupted(stores.files):
            result.append(
                "A change was interrupted, and no data is lost; to complete or revert it: agentws doctor --fix"
            )
    except AgentwsError as error:
        result.append(error.message)
    return result
