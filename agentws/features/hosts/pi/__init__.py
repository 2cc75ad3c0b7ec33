"""Pi as a host: connected by an extension, because it has no hooks that are commands. Pure."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.core.hosts.loading import Host


def host() -> Host:
    """Return the description of Pi as of late 2026; its own documents are the authority."""
    from agentws.core.hosts.loading import Host

    return Host(
        signs=(".pi",),
        loads=(("AGENTS.override.md", "AGENTS.md", "AGENTS.MD", "CLAUDE.md", "CLAUDE.MD"),),
        once=True,
        allows_all=True,
        project_files=(".pi/extensions/agentws.js",),
        user_files=("extensions/agentws.js",),
        homes=(("PI_CODING_AGENT_DIR", ""), ("HOME", "/.pi/agent")),
        runs=(".pi/settings.json", ".pi/mcp.json", ".pi/extensions/"),
        variables=(
            ("PI_SESSION_ID", "As `QWEN_CODE_SESSION_ID`, set by Pi."),
            ("PI_CODING_AGENT", "As `CLAUDECODE`, set by Pi."),
            ("PI_CODING_AGENT_DIR", "Folder of the user's Pi settings. Default: `~/.pi/agent`."),
        ),
    )
