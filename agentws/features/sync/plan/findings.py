"""Findings about syncs: a remote that fails, or is away for a week, and conflicts that wait for a person. Pure."""

from __future__ import annotations

from datetime import datetime, timedelta

from agentws.core.findings import PROBLEM, WARNING, Finding, since

_AWAY = timedelta(days=7)


def failing(remote: str, failed: str) -> list[Finding]:
    """Return a finding if a sync fails for another reason than a remote that is out of reach.

    `failed` is the moment and the message; below it may be what to do.
    """
    from agentws.core.text import sh  # seldom needed

    text, _, hint = failed.partition("\n")
    again = f"{hint.rstrip('.')} (then: agentws sync)" if hint else "Fix the cause, then: agentws sync"
    remedy = f"{again}. To stop: agentws sync detach {sh.quote(remote)}"
    return [Finding("sync-failing", PROBLEM, f"the sync with {remote} fails since {since(text)}", remedy=remedy)]


def away(now: datetime, reached: datetime, remote: str, failed: str) -> list[Finding]:
    """Return a finding if a remote was out of reach for a week; before that, a machine may just be on the road."""
    if now - reached < _AWAY:
        return []
    from agentws.core.text import sh  # seldom needed

    remedy = f"Bring it back, then: agentws sync. To stop: agentws sync detach {sh.quote(remote)}"
    text = failed.partition("\n")[0]
    says = f"{remote} is out of reach since {since(text)}"
    return [Finding("sync-away", WARNING, says, remedy=remedy)]


def conflicts(count: int) -> list[Finding]:
    """Return a finding if conflicts wait for a decision."""
    if not count:
        return []
    says = "1 conflict waits for your decision" if count == 1 else f"{count} conflicts wait for your decision"
    return [Finding("sync-conflicts", WARNING, says, remedy="agentws sync conflicts")]
