"""Claude Code as a host: the files it loads, its limits, its settings files and its variables."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.core.hosts.loading import Host


def host() -> Host:
    """Return the description of Claude Code as of late 2026; its own documents are the authority."""
    from agentws.core.hosts.loading import CHARACTERS, Cap, Host, Reach

    return Host(
        signs=("CLAUDE.md", ".claude"),
        loads=(("CLAUDE.md", "AGENTS.md"),),
        reach=Reach(imports=5),
        cap=Cap(10_000, CHARACTERS),
        in_parts=True,
        own_memory=True,
        project_files=(".claude/settings.json", ".claude/settings.local.json"),
        user_files=("settings.json",),
        homes=(("CLAUDE_CONFIG_DIR", ""), ("HOME", "/.claude")),
        runs=(".claude/settings.json", ".claude/settings.local.json", ".claude/hooks/"),
        variables=(
            (
                "CLAUDE_CODE_SESSION_ID",
                "The session, set by Claude Code for its agent's commands. Ignored if Codex names one too, if OpenClaw "
                "calls, and by `session start` and `session end`.",
            ),
            (
                "CLAUDE_CODE_ENTRYPOINT",
                "Set by Claude Code for its hooks. If it begins with `sdk` (`claude -p`, Agent SDK), no hook asks the "
                "agent for a handoff.",
            ),
            (
                "CLAUDECODE",
                "Set by Claude Code for its agent's commands. Outside a workspace the agent is then not invited to "
                "create one.",
            ),
            ("CLAUDE_CONFIG_DIR", "Folder of the user's Claude Code settings. Default: `~/.claude`."),
        ),
    )
