"""The verb `agentws status`: its options and its call."""

from __future__ import annotations

from agentws.core.terminal import output
from agentws.core.terminal.invocation import Run
from agentws.core.terminal.options import Verb, flag
from agentws.core.terminal.page import Page
from agentws.core.text import names
from agentws.core.text.sanitize import one_line
from agentws.errors import NeedsYouError, UsageError
from agentws.features.doctor import render_verdict as verdict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.features.doctor.status import Status


def status(run: Run, *, line: bool, full: bool) -> None:
    """Show the health of the workspace in five lines. Exits 3 if there is a problem.

    `agentws doctor` checks more. Inside a workspace, `agentws` alone is `agentws status`.
    """
    if line and run.as_json:
        raise UsageError("--line and --json cannot be used together.", hint="Use one of them.")
    result = run.workspace().status()
    if line:
        output.text(status_line(result))
        return
    output.notices(result.notices, quiet=run.quiet)
    if run.as_json:
        output.data("status", status_fields(result))
    elif full:
        print_full(result)
    else:
        output.lines(verdict.lines(result))
    if not result.well:
        raise NeedsYouError(verdict.complaint(result))


VERBS = (
    Verb(
        "status",
        status,
        (
            flag("--full", "Show each check, what boot reads, and the layers of memory."),
            flag("--line", "Print one line; always exits 0."),
        ),
        "agentws status",
        "agentws                            the same",
        "agentws status --full",
        "agentws status --json",
        "agentws status -C ~/agents/robin",
        "agentws status --line              for the status line of another program; exits 0",
    ),
)


def _handoffs(state: Status) -> str:
    """Return how many handoffs are open, and which: `2 open (recovered: s1; handoffs/2026-11-20-x.md)`."""
    nobody = f"recovered: {names.some(state.broken)}"
    parts = [words for words, some in ((nobody, state.broken), (names.some(state.handoffs), state.handoffs)) if some]
    return f"{len(state.broken) + len(state.handoffs)} open ({'; '.join(parts)})" if parts else "none open"


def status_fields(state: Status) -> dict[str, object]:
    """Return the fields of `agentws/status@1`."""
    return {
        **output.fields(state, "well root adopted agent_id name timezone counter"),
        "files": [{"path": path, "bytes": size, "tokens": tokens} for path, size, tokens in state.files],
        "days": len(state.days),
        "first_day": state.days[0] if state.days else None,
        "last_day": state.days[-1] if state.days else None,
        "tasks": state.tasks,
        "open_handoffs": [*state.broken, *state.handoffs],
        "layers": [{"layer": layer, "says": says} for layer, says in state.layers],
        "checks": [output.fields(check, "name ok says remedy?") for check in state.checks],
        "not_checked": list(state.not_checked),
    }


def status_line(state: Status) -> str:
    """Return the line of `status --line`: what is active, and whether there are problems."""
    problems = len(state.findings)
    handoffs = len(state.handoffs) + len(state.broken)
    active = [
        state.name,
        f"{state.tasks['active']} active" if state.tasks.get("active") else "",
        f"{handoffs} handoff{'s' * (handoffs > 1)} open" if handoffs else "",
        f"log {state.days[-1]}" if state.days else state.unlogged,
        *(check.says for check in state.checks if check.name == "approvals" and check.remedy),
        f"✗ {problems} problem{'s' * (problems > 1)}: agentws status" if problems else "✓",
    ]
    return one_line(" · ".join(filter(None, active))) + "\n"


def print_full(report: Status) -> None:
    """Print the page of `status --full`: the verdict, the workspace, each check."""
    page = Page()

    def say(label: str, text: str, style: str = "") -> None:
        page.line(text, style, label=f"  {label:<10} ")

    page.line(verdict.headline(report), "bold green" if report.well else "bold red")
    say("agent", f"{report.name}" + (f" · {report.agent_id[:8]}" if report.agent_id else ""))
    say("where", report.root)
    count = f"{len(report.days)} day{'s' * (len(report.days) > 1)}"
    say("logs", f"{count}, newest {report.days[-1]}" if report.days else report.unlogged)
    say("tasks", ", ".join(f"{count} {state}" for state, count in sorted(report.tasks.items())) or "none")
    say("handoffs", _handoffs(report))
    for layer, says in report.layers:
        say(layer, says)
    total = sum(tokens for _, _, tokens in report.files)
    say("boot reads", f"{total:,} tokens ({report.counter})")
    for path, size, tokens in report.files:
        say("", f"{path:<14} {size:>8,} bytes {tokens:>8,} tokens")
    for check in report.checks:
        say(check.name, f"{'✓' if check.ok else '✗'} {check.says}", "" if check.ok else "red")
        if check.remedy:
            say("", f"→ {check.remedy}")
    say("not checked", ", ".join(report.not_checked))
    say("", "→ agentws doctor")
    page.print()
