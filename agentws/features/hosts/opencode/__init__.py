"""OpenCode as a host: connected by a plugin, because its hooks cannot be commands. Pure."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.core.hosts.loading import Host


def host() -> Host:
    """Return the description of OpenCode as of late 2026; its own documents are the authority."""
    from agentws.core.hosts.loading import Host

    return Host(
        signs=("opencode.json", ".opencode"),
        loads=(("AGENTS.md", "CLAUDE.md"),),
        once=True,
        allows_all=True,
        project_files=(".opencode/plugin/agentws.js",),
        user_files=("plugin/agentws.js",),
        homes=(("XDG_CONFIG_HOME", "/opencode"), ("HOME", "/.config/opencode")),
        runs=("opencode.json", "opencode.jsonc", ".opencode/plugin/", ".opencode/plugins/"),
        variables=(("OPENCODE", "As `CLAUDECODE`, set by OpenCode."),),
    )
