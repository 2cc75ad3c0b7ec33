"""Settings of mcp-json: .mcp.json, and the settings by which its readers allow the server. Pure.

Facts of Claude Code 2.1, GitHub Copilot CLI 1.0 and Qwen Code 0.24: they start servers in the project's folder.
"""

from __future__ import annotations

from agentws.features.hosts.family.mcp_file import SERVER, McpFile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.core.hosts.plan import Wiring

EVENTS: tuple[str, ...] = ()
READERS = ("claude-code", "copilot", "qwen")
"""The hosts that read .mcp.json; if hooks of one of them bring the boot, the server has no tool for it."""

_ROW = McpFile(
    project=".mcp.json",
    fields={"type": "stdio"},
    # Qwen Code's.
    trusted={"trust": True},
    # Claude Code's.
    permissions={
        ".claude/settings.local.json": {
            ("enabledMcpjsonServers",): SERVER,
            ("permissions", "allow"): f"mcp__{SERVER}",
        }
    },
)
home, signs, places = _ROW.home, _ROW.signs, _ROW.places
install, uninstall, wired, allowed, rules = _ROW.install, _ROW.uninstall, _ROW.wired, _ROW.allowed, _ROW.rules


def next_steps(wiring: Wiring) -> tuple[str, ...]:
    """Return what a person still has to do in the programs that read .mcp.json."""
    return (
        f"Qwen Code: `qwen mcp approve {SERVER}` in that folder.",
        f"GitHub Copilot CLI: `copilot -p … --allow-tool {SERVER}`.",
        *(() if wiring.allows else ("Claude Code asks before it starts the server.",)),
    )
