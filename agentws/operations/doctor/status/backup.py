"""The check of backups in `status`: how old the newest is, and how many events are not in it."""

from __future__ import annotations

from agentws.planning.doctor.verdict import Check
from agentws.storage.installation import backups

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime, timedelta

    from agentws.operations.doctor.report import Seen

_NAME = "backup"


def checks(seen: Seen) -> list[Check]:
    """Return the check, none where no backup is configured. No destination is looked at."""
    stores = seen.stores
    known = backups.read(stores.files, stores.manifest.agent_id, stores.environment.state)
    known = [one for one in known if one.at]
    if not known:
        return []
    from agentws.storage.workspace import backup_lag

    newest = max(known, key=lambda one: backup_lag.moment(one.at))
    failed = next((one for one in known if one.failed), None)
    if failed is not None:
        says = f"fails since {failed.failed}"
        remedy = f"Fix the cause, then: agentws backup create. Or: agentws backup detach {failed.to}"
        return [Check(_NAME, ok=False, says=says, remedy=remedy)]
    lag = backup_lag.behind(stores.files, newest.heads)
    says = f"newest {_ago(seen.moment, backup_lag.moment(newest.at))}, in {newest.to}"
    if not lag.events:
        return [Check(_NAME, ok=True, says=f"{says}; all events are in it")]
    last = f", the last {_ago(seen.moment, lag.newest)}" if lag.newest else ""
    return [Check(_NAME, ok=True, says=f"{says}; {lag.events:,} event{'s' * (lag.events != 1)} not in it{last}")]


def _ago(now: datetime, at: datetime) -> str:
    return f"{_words(max(now - at, now - now))} ago"


def _words(span: timedelta) -> str:
    seconds = int(span.total_seconds())
    for size, word in ((86_400, "d"), (3_600, "h"), (60, "min")):
        if seconds >= 2 * size or (size == 60 and seconds >= 60):
            return f"{seconds // size} {word}"
    return f"{seconds} s"
