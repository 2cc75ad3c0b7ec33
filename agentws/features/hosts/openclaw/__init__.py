"""OpenClaw as a host: connected by a plugin that handles its events. Pure."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.core.hosts.loading import Host


def host() -> Host:
    """Return the description of OpenClaw as of late 2026; its own documents are the authority."""
    from agentws.core.hosts.loading import CHARACTERS, Cap, Host, Reach
    from agentws.core.text import sizes

    names = ("AGENTS", "SOUL", "TOOLS", "IDENTITY", "USER", "HEARTBEAT", "BOOTSTRAP", "MEMORY")
    return Host(
        signs=("IDENTITY.md", "HEARTBEAT.md", "TOOLS.md", "BOOTSTRAP.md"),
        loads=tuple((f"{name}.md",) for name in names),
        main_only=("MEMORY.md",),
        reach=Reach(each=20_000, in_all=60_000, size=sizes.utf16_units, special={"USER.md": 4_000}),
        cap=Cap(20_000, CHARACTERS, in_all=60_000),
        once=True,
        project_files=(".openclaw/extensions/agentws/index.js", "hooks/agentws/handler.ts"),
        user_files=("extensions/agentws/index.js", "hooks/agentws/handler.ts"),
        homes=(("OPENCLAW_STATE_DIR", ""), ("OPENCLAW_HOME", "/.openclaw"), ("HOME", "/.openclaw")),
        runs=(".openclaw/openclaw.json", ".openclaw/extensions/"),
        variables=(
            (
                "OPENCLAW_SHELL",
                "Set by OpenClaw for its agent's commands. Without `AGENTWS_SESSION`, others read the output while a "
                "shared session has not ended.",
            ),
            (
                "OPENCLAW_CHANNEL_CONTEXT",
                "Sender and chat, set by OpenClaw. In a chat of two, nobody else reads the output: `OPENCLAW_SHELL` "
                "then does not narrow the audience.",
            ),
            ("OPENCLAW_STATE_DIR", "Folder of the user's OpenClaw settings. Default: `.openclaw` in the next one."),
            ("OPENCLAW_HOME", "The home folder of OpenClaw. Default: `~`."),
        ),
    )
