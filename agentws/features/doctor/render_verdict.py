"""Rendering of the verdict of `status` and `doctor`: headline, error message, and the five lines of `status`."""

from __future__ import annotations

from agentws.core.text.names import some
from agentws.core.text.sanitize import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from agentws.features.doctor.apply import Examined
    from agentws.features.doctor.status import Status

_MOST_LINES = 5


def headline(found: Status | Examined) -> str:
    """Return the headline of the verdict: how many problems and how much advice."""
    problems = sum(one.needs_you for one in found.findings)
    advice = len(found.findings) - problems
    said = f"{problems} problem{'s' * (problems > 1)} found" if problems else "No problem found"
    extra = f", {advice} piece{'s' * (advice > 1)} of advice" if advice else ""
    return f"{said}{extra}."


def complaint(found: Status | Examined) -> str:
    """Return the error message for a verdict with problems."""
    problems = sum(one.needs_you for one in found.findings)
    return f"{problems} problem{'s' * (problems > 1)} found (see above)."


def lines(found: Status) -> Iterator[str]:
    """Yield the lines of `status`: headline, workspace, the worst findings, and the commands for details."""
    findings = found.findings
    about = _about(found)
    yield headline(found)
    yield from about
    shown = findings[: max(1, _MOST_LINES - 2 - len(about))]
    for one in shown:
        said = f"{one.where}: {one.says}" if one.where else one.says
        yield one_line(f"{'✗' if one.needs_you else '·'} {said} → {one.remedy}")
    more = len(findings) - len(shown)
    yield f"{f'{more} more' if more else 'Details'}: agentws doctor · agentws status --full"


def _about(found: Status) -> list[str]:
    """Return the lines about the workspace, its backups and its syncs."""
    told = [check for check in found.checks if check.name in ("backup", "sync") and check.ok]
    copies = [one_line(f"{check.name} {check.says}") for check in told]
    return [of_workspace(found), *copies]


def of_workspace(found: Status) -> str:
    """Return the line about the workspace: name, logs, tasks, handoffs, waiting approvals and workflows."""
    days, handoffs = len(found.days), len(found.handoffs) + len(found.broken)
    parts = (
        found.name,
        f"{days} day{'s' * (days > 1)} of logs, newest {found.days[-1]}" if days else "no log in memory/",
        f"tasks: {', '.join(f'{count} {state}' for state, count in sorted(found.tasks.items())) or 'none'}",
        f"{handoffs or 'no'} open handoff{'s' * (handoffs != 1)}",
        *_in_flight(found.in_flight),
        *(f"{one.says}: {one.remedy}" for one in found.checks if one.name == "approvals" and one.remedy),
        *(f"workflows: {one.says}" for one in found.checks if one.name == "workflows" and one.ok),
    )
    return one_line(" · ".join(parts))


def _in_flight(calls: Sequence[tuple[str, str]]) -> Iterator[str]:
    if calls:
        said = some([f"{tool} ({call})" for tool, call in calls])
        yield f"in flight when a session crashed: {said}: agentws boot"
