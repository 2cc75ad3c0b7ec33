"""Visual Studio Code as a host: an MCP client."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.core.hosts.loading import Host


def host() -> Host:
    """Return the description of Visual Studio Code as of late 2026; its own documents are the authority."""
    from agentws.core.hosts.loading import Host

    return Host(recorded=None, project_files=(".vscode/mcp.json",), runs=(".vscode/mcp.json",))
