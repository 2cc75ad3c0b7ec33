"""Cursor's settings as `install` writes them: mcp.json, and the permission of its command line. Pure."""

from __future__ import annotations

from agentws.features.hosts.family.mcp_file import SERVER, McpFile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.core.hosts.plan import Wiring

EVENTS: tuple[str, ...] = ()

_ROW = McpFile(
    project=".cursor/mcp.json",
    user="mcp.json",
    homes=(("HOME", ".cursor"),),
    here="${workspaceFolder}",
    permissions={".cursor/cli.json": {("permissions", "allow"): f"Mcp({SERVER}:*)"}},
)
home, signs, places = _ROW.home, _ROW.signs, _ROW.places
install, uninstall, wired, allowed, rules = _ROW.install, _ROW.uninstall, _ROW.wired, _ROW.allowed, _ROW.rules


def next_steps(wiring: Wiring) -> tuple[str, ...]:
    """Return what a person still has to do in Cursor after install."""
    return (f"Switch the server on in Cursor's settings, Tools & MCP; on a terminal: `agent mcp enable {SERVER}`.",)
