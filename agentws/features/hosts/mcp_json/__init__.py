""".mcp.json as a host: MCP servers of a project, for programs whose agent has no shell, as in headless runs."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.core.hosts.loading import Host


def host() -> Host:
    """Return the description of the host mcp-json: any program that reads .mcp.json."""
    from agentws.core.hosts.loading import Host

    return Host(recorded=None, project_files=(".mcp.json",), runs=(".mcp.json",))
