"""Rendering of the verdict of `status` and `doctor`: headline, error message, and the five lines of `status`."""

from __future__ import annotations

from agentws.core.terminal import output
from agentws.core.text.names import some
from agentws.core.text.sanitize import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from agentws.features.doctor.apply import Examined
    from agentws.features.doctor.status import Status

_MOST_LINES = 5


def headline(report: Status | Examined) -> str:
    """Return the headline of the verdict: how many problems and how much advice."""
    problems = sum(finding.needs_you for finding in report.findings)
    advice = len(report.findings) - problems
    message = f"{problems} problem{'s' * (problems > 1)} found" if problems else "No problem found"
    extra = f", {advice} piece{'s' * (advice > 1)} of advice" if advice else ""
    return f"{message}{extra}."


def complaint(report: Status | Examined) -> str:
    """Return the error message for a verdict with problems."""
    problems = sum(finding.needs_you for finding in report.findings)
    return f"{problems} problem{'s' * (problems > 1)} found (see above)."


def lines(status: Status) -> Iterator[str]:
    """Yield the lines of `status`: headline, workspace, the worst findings, and the commands for details."""
    findings = status.findings
    about = _about(status)
    yield headline(status)
    yield from about
    shown = findings[: max(1, _MOST_LINES - 2 - len(about))]
    for finding in shown:
        text = f"{output.place(finding.where)}: {finding.says}" if finding.where else finding.says
        yield one_line(f"{'✗' if finding.needs_you else '·'} {text} → {finding.remedy}")
    more = len(findings) - len(shown)
    yield f"{f'{more} more' if more else 'Details'}: agentws doctor · agentws status --full"


def _about(status: Status) -> list[str]:
    """Return the lines about the workspace, its backups and its syncs."""
    checks = [check for check in status.checks if check.name in ("backup", "sync") and check.ok]
    copies = [one_line(f"{check.name} {check.says}") for check in checks]
    return [of_workspace(status), *copies]


def of_workspace(status: Status) -> str:
    """Return the line about the workspace: name, logs, tasks, handoffs, waiting approvals and workflows."""
    days, handoffs = len(status.days), len(status.handoffs) + len(status.broken)
    parts = (
        status.name,
        f"{days} day{'s' * (days > 1)} of logs, newest {status.days[-1]}" if days else status.unlogged,
        f"tasks: {', '.join(f'{count} {state}' for state, count in sorted(status.tasks.items())) or 'none'}",
        f"{handoffs or 'no'} open handoff{'s' * (handoffs != 1)}",
        *_in_flight(status.in_flight),
        *(f"{check.says}: {check.remedy}" for check in status.checks if check.name == "approvals" and check.remedy),
        *(f"workflows: {check.says}" for check in status.checks if check.name == "workflows" and check.ok),
    )
    return one_line(" · ".join(parts))


def _in_flight(calls: Sequence[tuple[str, str]]) -> Iterator[str]:
    if calls:
        listed = some([f"{tool} ({call})" for tool, call in calls])
        yield f"in flight when a session crashed: {listed}: agentws boot"
