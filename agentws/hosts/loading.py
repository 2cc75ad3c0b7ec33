"""Which files of a workspace each agent program loads by itself, and how one is recognised. Pure.

Facts of late 2026; each host's own documents are the authority.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection


class Host:
    """An agent program: its name for people, the files that show it is in use here, and the files it loads itself."""

    __slots__ = ("loads", "name", "signs", "title")

    def __init__(self, name: str, title: str, *, signs: tuple[str, ...], loads: tuple[str, ...]) -> None:
        self.name = name
        self.title = title
        self.signs = signs
        self.loads = loads


HOSTS = (
    Host("claude-code", "Claude Code", signs=("CLAUDE.md", ".claude"), loads=("CLAUDE.md",)),
    Host("codex", "Codex", signs=(".codex",), loads=("AGENTS.md",)),
    Host("gemini", "Gemini CLI", signs=("GEMINI.md", ".gemini"), loads=("GEMINI.md",)),
    Host("opencode", "OpenCode", signs=("opencode.json", ".opencode"), loads=("AGENTS.md",)),
    Host(
        "openclaw",
        "OpenClaw",
        signs=("IDENTITY.md", "HEARTBEAT.md", "TOOLS.md", "BOOTSTRAP.md"),
        loads=("AGENTS.md", "SOUL.md", "TOOLS.md", "IDENTITY.md", "USER.md", "HEARTBEAT.md", "MEMORY.md"),
    ),
)


def recognised(names: Collection[str]) -> list[tuple[Host, tuple[str, ...]]]:
    """The hosts whose signs are among the `names` of the root folder, each with the files there that it loads."""
    found = []
    for host in HOSTS:
        if any(sign in names for sign in host.signs):
            found.append((host, tuple(name for name in host.loads if name in names)))
    return found
