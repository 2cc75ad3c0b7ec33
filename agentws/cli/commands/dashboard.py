"""agentws dashboard, which `agentws` alone is inside a workspace."""

from __future__ import annotations

from agentws.cli.options import Verb
from agentws.cli.render import dashboard as render

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.cli.invocation import Run


def dashboard(run: Run) -> None:
    """Show the workspace in ten lines: who, problems, open items, tasks, actions in flight, next steps.

    `agentws` alone does so inside a workspace; elsewhere it prints the help.
    """
    found = run.workspace().dashboard()
    run.done("dashboard", render.fields(found), render.lines(found), found.notices)


VERBS = (Verb("dashboard", dashboard, (), "agentws", "agentws --json", "agentws -C ~/agents/robin"),)
