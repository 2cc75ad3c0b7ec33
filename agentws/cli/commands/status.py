"""agentws status."""

from __future__ import annotations

from agentws.cli import output
from agentws.cli.invocation import Run
from agentws.cli.options import Verb, flag
from agentws.cli.render import everyday
from agentws.errors import NeedsYouError, UsageError


def status(run: Run, *, line: bool) -> None:
    """Say how the workspace is: the verdict first, then one screen. Exits 3 where something needs you.

    These are the quick checks of `agentws doctor`, which looks deeper.
    """
    if line and run.as_json:
        raise UsageError("--line and --json are two formats.", hint="Leave one of them out.")
    found = run.workspace().status()
    if line:
        output.text(everyday.status_line(found))
        return
    output.notices(found.notices, quiet=run.quiet)
    if run.as_json:
        output.data("status", everyday.status_fields(found))
    else:
        everyday.status(found)
    if not found.well:
        raise NeedsYouError("Something needs you: see above.")


VERBS = (
    Verb(
        "status",
        status,
        options=(flag("--line", "One line, for a status line: exits 0 also where something needs you."),),
        examples=(
            "agentws status",
            "agentws status --json",
            "agentws status -C ~/agents/robin",
            "agentws status --line              for the status line of another program; exits 0",
        ),
    ),
)
