"""Programs that have no hooks and read AGENTS.md: the agent is told to do by itself what hooks would do. Pure."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.core.hosts.loading import Host


def host() -> Host:
    """Return the description of AGENTS.md, for programs that have no hooks."""
    from agentws.core.hosts.loading import Host

    return Host(recorded=None, project_files=("AGENTS.md",))
