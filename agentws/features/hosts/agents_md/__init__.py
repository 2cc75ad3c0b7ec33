"""AGENTS.md as a host: for programs without hooks, whose agent follows written instructions instead. Pure."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.core.hosts.loading import Host


def host() -> Host:
    """Return the description of the host agents-md: any program without hooks that reads AGENTS.md."""
    from agentws.core.hosts.loading import Host

    return Host(recorded=None, project_files=("AGENTS.md",))
