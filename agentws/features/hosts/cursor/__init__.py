"""Cursor as a host: an MCP client, editor and command line alike."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.core.hosts.loading import Host


def host() -> Host:
    """Return the description of Cursor as of late 2026; its own documents are the authority."""
    from agentws.core.hosts.loading import Host

    return Host(
        recorded=None,
        project_files=(".cursor/mcp.json",),
        user_files=("mcp.json",),
        homes=(("HOME", "/.cursor"),),
        runs=(".cursor/mcp.json",),
    )
