"""agentws status."""

from __future__ import annotations

import typer

from agentws.cli import output, render, run
from agentws.errors import NeedsYouError

EXAMPLES = run.examples("agentws status", "agentws status --json", "agentws status -C ~/agents/robin")


def status(context: typer.Context) -> None:
    """Say how the workspace is: the verdict first, then one screen. Exits 3 where something needs you.

    These are the quick checks of `agentws doctor`, which looks deeper.
    """
    asked = run.of(context)
    found = asked.workspace().status()
    output.notices(found.notices, quiet=asked.quiet)
    if asked.as_json:
        output.data("status", render.status_fields(found))
    else:
        render.status(found)
    if not found.well:
        raise NeedsYouError("Something needs you: see above.")
