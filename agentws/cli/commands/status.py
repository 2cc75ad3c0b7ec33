"""agentws status."""

from __future__ import annotations

from agentws.cli import output
from agentws.cli.invocation import Run
from agentws.cli.options import Verb, flag
from agentws.cli.render import everyday, verdict
from agentws.errors import NeedsYouError, UsageError


def status(run: Run, *, line: bool, full: bool) -> None:
    """Say how the workspace is, in five lines. Exits 3 where there is a problem.

    These are the quick checks of `agentws doctor`, which looks deeper.
    """
    if line and run.as_json:
        raise UsageError("--line and --json exclude each other.", hint="Leave one of them out.")
    found = run.workspace().status()
    if line:
        output.text(everyday.status_line(found))
        return
    output.notices(found.notices, quiet=run.quiet)
    if run.as_json:
        output.data("status", everyday.status_fields(found))
    elif full:
        everyday.status(found)
    else:
        output.lines(verdict.lines(found, about=[verdict.of_workspace(found)], details=_DETAILS))
    if not found.well:
        raise NeedsYouError(verdict.complaint(found))


_DETAILS = "agentws status --full · closer: agentws doctor"
VERBS = (
    Verb(
        "status",
        status,
        (
            flag("--full", "One screen: each check, what boot reads, the layers of memory."),
            flag("--line", "One line, for a status line: exits 0 also where there is a problem."),
        ),
        "agentws status",
        "agentws status --full",
        "agentws status --json",
        "agentws status -C ~/agents/robin",
        "agentws status --line              for the status line of another program; exits 0",
    ),
)
