"""Droid as a host: the files it loads, its limits, its settings files and its variables."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.core.hosts.loading import Host


def host() -> Host:
    """Return the description of Droid as of late 2026; its own documents are the authority."""
    from agentws.core.hosts.loading import Host, Reach

    return Host(
        signs=(".factory",),
        loads=(("AGENTS.md",), ("CLAUDE.md",), (".factory/AGENTS.md",), (".agents/AGENTS.md",)),
        reach=Reach(in_all=80_000),
        project_files=(".factory/settings.json",),
        user_files=("settings.json",),
        homes=(("FACTORY_HOME_OVERRIDE", "/.factory"), ("HOME", "/.factory")),
        runs=(".factory/settings.json", ".factory/hooks.json", ".factory/hooks/hooks.json", ".factory/mcp.json"),
        is_family=True,
        variables=(("FACTORY_HOME_OVERRIDE", "Folder of the user's `.factory` with Droid's settings. Default: `~`."),),
    )
