"""agentws config."""

from __future__ import annotations

from agentws.cli import output
from agentws.cli.options import Verb, optional
from agentws.cli.render import config as render

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.cli.invocation import Run


def config(run: Run, *, key: str | None, value: str | None) -> None:
    """Show settings with their defaults and origins, or set one in agentws.toml.

    A value is checked before it is written; comments and other lines stay. `agentws undo` reverts it.
    """
    workspace = run.workspace()
    found = workspace.settings(key) if key is None or value is None else workspace.set_setting(key, value)
    lines = render.table(found) if key is None else render.lines(found)
    run.done("config", render.fields(found), lines, found.notices, look=output.PLAIN if key else output.ROWS)


VERBS = (
    Verb(
        "config",
        config,
        (
            optional("key", "KEY", "A setting, such as boot.budget; without one all are shown."),
            optional("value", "VALUE", "Its new value; a list is divided by commas."),
        ),
        "agentws config",
        "agentws config boot.budget",
        "agentws config boot.budget 12000",
        "agentws config boot.pinned notes/house.md,notes/garden.md",
    ),
)
