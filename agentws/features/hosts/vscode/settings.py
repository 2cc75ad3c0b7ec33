"""Visual Studio Code's settings as `install` writes them: .vscode/mcp.json. Pure."""

from __future__ import annotations

from agentws.features.hosts.family.mcp_file import McpFile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.core.hosts.plan import Wiring

EVENTS: tuple[str, ...] = ()

_ROW = McpFile(project=".vscode/mcp.json", key="servers", here="${workspaceFolder}", fields={"type": "stdio"})
home, signs, places = _ROW.home, _ROW.signs, _ROW.places
install, uninstall, wired, allowed, rules = _ROW.install, _ROW.uninstall, _ROW.wired, _ROW.allowed, _ROW.rules


def next_steps(wiring: Wiring) -> tuple[str, ...]:
    """Return what a person still has to do in Visual Studio Code after install."""
    return ("In the chat's agent mode, start and trust the server when asked.",)
