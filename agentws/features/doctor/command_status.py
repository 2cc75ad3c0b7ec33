"""The verb `agentws status`: its options and its call."""

from __future__ import annotations

from agentws.core.terminal import output
from agentws.core.terminal.invocation import Run
from agentws.core.terminal.options import Verb, flag
from agentws.errors import NeedsYouError, UsageError
from agentws.features.doctor import render_status as render
from agentws.features.doctor import render_verdict as verdict


def status(run: Run, *, line: bool, full: bool) -> None:
    """Show the health of the workspace in five lines. Exits 3 if there is a problem.

    These are quick checks; `agentws doctor` checks more, and lists each finding with its remedy. `agentws` alone is
    `agentws status` inside a workspace; elsewhere it prints the help.
    """
    if line and run.as_json:
        raise UsageError("--line and --json cannot be used together.", hint="Use one of them.")
    found = run.workspace().status()
    if line:
        output.text(render.status_line(found))
        return
    output.notices(found.notices, quiet=run.quiet)
    if run.as_json:
        output.data("status", render.status_fields(found))
    elif full:
        render.status(found)
    else:
        output.lines(verdict.lines(found))
    if not found.well:
        raise NeedsYouError(verdict.complaint(found))


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
