"""Findings about syncs: a remote that is not reached, conflicts that wait."""

from __future__ import annotations

from agentws.formats.travel import conflict
from agentws.planning.doctor import sync
from agentws.storage.installation import remotes
from agentws.storage.workspace import backup_lag

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.operations.doctor.report import Seen
    from agentws.planning.doctor.finding import Finding


def findings(seen: Seen) -> list[Finding]:
    """Return the findings; none where the workspace is not synced."""
    stores = seen.stores
    names = stores.files.names(conflict.FOLDER)
    found = sync.conflicts(sum(1 for name, kind in names if kind == "file" and conflict.id_of(name)))
    for one in remotes.read(stores.files, stores.manifest.agent_id, stores.environment.state):
        if one.failed:
            reached = backup_lag.moment(one.at or one.since)
            found += sync.failing(seen.moment, reached, one.url, one.failed)
    return found
