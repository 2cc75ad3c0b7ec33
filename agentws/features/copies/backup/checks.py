"""The checks of backups in `status` and `doctor`: age and lag of the newest, failures and drills."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from agentws.core.findings import ADVICE, PROBLEM, WARNING, Check, Finding, since
from agentws.core.installation import backups
from agentws.core.stores.seen import Seen

_NAME = "backup"
_IO_ERROR = "disk I/O error"
FAILING_DISK = "Its disk may be failing: keep it, and back up to another one: agentws backup create FOLDER"
_OLD, _UNTRIED = timedelta(days=7), timedelta(days=30)


def checks(seen: Seen) -> list[Check]:
    """Return the check about the newest backup; none if no destination is known. No destination is read."""
    stores = seen.stores
    present = backups.read(*stores.machine)
    known = [destination for destination in present if not destination.is_gone]  # a finding names it
    failed = next((destination for destination in known if destination.failed), None)
    if failed is not None:
        says = f"fails since {since(failed.failed)}"
        return [Check(_NAME, ok=False, says=says, remedy=_remedy(failed.to, failed.failed))]
    begun = [destination for destination in known if destination.at]
    if not begun:
        says = "{}: none was made here since it was restored. agentws backup create"
        return [Check(_NAME, ok=True, says=says.format(destination.to)) for destination in known[:1]]
    known = begun
    from agentws.features.copies.backup import backup_lag

    newest = max(known, key=lambda destination: backup_lag.moment(destination.at))
    says = f"newest {backup_lag.ago(seen.moment, newest.at)}, in {newest.to}"
    late = next((destination.hooks_failed for destination in known if destination.hooks_failed), "")
    if late:
        says += f"; at a session's end it fails since {since(late).rstrip('.')}"
    lag = backup_lag.behind(stores.files, newest.heads)
    lacking = [(lag.events, "event"), (backup_lag.documents(stores.files, newest.newest_ns), "document")]
    lacks = " and ".join(f"{count:,} {word}{'s' * (count != 1)}" for count, word in lacking if count)
    if not lacks:
        what = "events and documents" if newest.newest_ns else "events"
        return [Check(_NAME, ok=True, says=f"{says}; all {what} are in it")]
    last = f", the last event {backup_lag.span(seen.moment, lag.newest)}" if lag.newest else ""
    return [Check(_NAME, ok=True, says=f"{says}; {lacks} not in it{last}")]


def findings(seen: Seen) -> list[Finding]:
    """Return the findings about backups; none if no destination is known."""
    stores, known = seen.stores, backups.read(*seen.stores.machine)
    if not known:
        return []
    from agentws.features.copies.backup import backup_lag

    faults = [_gone(destination.to) for destination in known if destination.is_gone]
    known = [destination for destination in known if not destination.is_gone]
    faults += [_failing(destination.to, destination.failed) for destination in known if destination.failed]
    times = [backup_lag.moment(destination.at) for destination in known if destination.at]
    if known and not times and not known[0].failed:
        faults += _unbegun(known[0].to)
    if times:
        lag = min(
            (backup_lag.behind(stores.files, destination.heads) for destination in known if destination.at),
            key=lambda lag: lag.events,
        )
        documents = backup_lag.documents(
            stores.files, max(destination.newest_ns for destination in known if destination.at)
        )
        faults += old(seen.moment, max(times), lag.events, documents)
        drilled = [
            backup_lag.moment(str(destination.drilled["at"])) for destination in known if destination.drilled.get("at")
        ]
        failed = [destination for destination in known if destination.drilled.get("well") is False]
        since = min(backup_lag.moment(destination.since or destination.at) for destination in known if destination.at)
        faults += _drill_failed(failed[0].to) if failed else drill_due(seen.moment, since, drilled)
    return faults


def _failing(to: str, failed: str) -> Finding:
    """Return a finding that the newest backup to a destination failed."""
    says = f"the backup to {to} fails since {since(failed)}"
    return Finding("backup-failing", PROBLEM, says, remedy=_remedy(to, failed))


def _remedy(to: str, failed: str) -> str:
    """Return the remedy for a failed backup. A disk that fails may still hold the only copy, so it stays connected."""
    if _IO_ERROR in failed:
        return FAILING_DISK
    from agentws.core.text import sh  # seldom needed

    return f"Fix the cause, then: agentws backup create. To stop copying there: agentws backup detach {sh.quote(to)}"


def _gone(to: str) -> Finding:
    """Return a finding about a destination through rclone, which agentws no longer supports."""
    from agentws.core.text import sh  # seldom needed

    says = f"no backup goes to {to}: agentws no longer makes backups through rclone"
    remedy = f"agentws backup detach {sh.quote(to)}. For restic, and to restore: agentws docs guides/backup"
    return Finding("backup-gone", PROBLEM, says, remedy=remedy)


def _unbegun(to: str) -> list[Finding]:
    """Return a finding that this copy was restored from a destination and has made no backup since."""
    says = f"this copy was restored from {to}, and is in no backup since"
    return [Finding("backup-unbegun", ADVICE, says, remedy="agentws backup create")]


def old(now: datetime, newest: datetime, events: int, documents: int) -> list[Finding]:
    """Return a finding if the newest backup is older than a week and lacks events or documents."""
    if not (events or documents) or now - newest < _OLD:
        return []
    counted = ((events, "event"), (documents, "document"))
    lacks = " and ".join(f"{count:,} {word}{'s' * (count != 1)}" for count, word in counted if count)
    says = f"the newest backup is {(now - newest).days} days old; not in it: {lacks}"
    remedy = "agentws backup create. To run it every night: agentws schedule install backup"
    return [Finding("backup-old", WARNING, says, remedy=remedy)]


def drill_due(now: datetime, since: datetime, drilled: Sequence[datetime]) -> list[Finding]:
    """Return a finding if no drill was made for 30 days."""
    tried = max(drilled, default=None)
    if now - (tried or since) < _UNTRIED:
        return []
    says = f"last drill {(now - tried).days} days ago" if tried else "no backup was ever restored to try it"
    return [Finding("drill-due", ADVICE, says, remedy="agentws backup drill")]


def _drill_failed(to: str) -> list[Finding]:
    """Return a finding that the newest drill with a destination failed."""
    remedy = "agentws backup create --full, then: agentws backup drill"
    return [Finding("drill-failed", PROBLEM, f"the newest drill with {to} failed", remedy=remedy)]
