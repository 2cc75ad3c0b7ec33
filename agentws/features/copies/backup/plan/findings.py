"""Findings about backups: failing, old, never restored for a test. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from agentws.core.findings import ADVICE, PROBLEM, WARNING, Finding, since

_IO_ERROR = "disk I/O error"
FAILING_DISK = "Its disk may be failing: keep it, and back up to another one: agentws backup create FOLDER"
_OLD, _UNTRIED = timedelta(days=7), timedelta(days=30)


def failing(to: str, failed: str) -> list[Finding]:
    """Return a finding that the newest backup to a destination failed."""
    says = f"the backup to {to} fails since {since(failed)}"
    return [Finding("backup-failing", PROBLEM, says, remedy=remedy(to, failed))]


def remedy(to: str, failed: str) -> str:
    """Return the remedy for a failed backup. A disk that fails may still hold the only copy, so it stays connected."""
    if _IO_ERROR in failed:
        return FAILING_DISK
    from agentws.core.text import sh  # seldom needed

    return f"Fix the cause, then: agentws backup create. To stop copying there: agentws backup detach {sh.quote(to)}"


def gone(to: str) -> Finding:
    """Return a finding about a destination through rclone, which agentws no longer supports."""
    from agentws.core.text import sh  # seldom needed

    says = f"no backup goes to {to}: agentws no longer makes backups through rclone"
    remedy = f"agentws backup detach {sh.quote(to)}. For restic, and to restore: agentws docs guides/backup"
    return Finding("backup-gone", PROBLEM, says, remedy=remedy)


def unbegun(to: str) -> list[Finding]:
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


def drill_failed(to: str) -> list[Finding]:
    """Return a finding that the newest drill with a destination failed."""
    remedy = "agentws backup create --full, then: agentws backup drill"
    return [Finding("drill-failed", PROBLEM, f"the newest drill with {to} failed", remedy=remedy)]
