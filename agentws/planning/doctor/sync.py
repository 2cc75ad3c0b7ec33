"""Findings about syncs: a remote that was not reached for a week, conflicts that wait for a person. Pure."""

from __future__ import annotations

from datetime import datetime, timedelta

from agentws.planning.doctor.finding import WARNING, Finding

_AWAY = timedelta(days=7)


def failing(now: datetime, reached: datetime, remote: str, failed: str) -> list[Finding]:
    """A finding where a remote was not reached for a week: before that, a machine is on the road."""
    if now - reached < _AWAY:
        return []
    remedy = f"Fix the cause, then: agentws sync. To stop: agentws sync detach {remote}"
    return [Finding("sync-failing", WARNING, f"{remote} was not reached since {failed}", remedy=remedy)]


def conflicts(count: int) -> list[Finding]:
    """A finding where conflicts wait for a decision."""
    if not count:
        return []
    says = "1 conflict waits for your decision" if count == 1 else f"{count} conflicts wait for your decision"
    return [Finding("sync-conflicts", WARNING, says, remedy="agentws sync conflicts")]
