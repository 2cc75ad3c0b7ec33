"""The hosts that `install` knows, each found by its name and imported when it is asked for. Pure."""

from __future__ import annotations

from agentws.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.core.hosts.plan import Settings

TITLES = {
    "claude-code": "Claude Code",
    "codex": "Codex",
    "gemini": "Gemini CLI",
    "qwen": "Qwen Code",
    "copilot": "GitHub Copilot CLI",
    "opencode": "OpenCode",
    "openclaw": "OpenClaw",
    "agents-md": "AGENTS.md",
}
"""Each host's name on the command line, and the one for people."""
IN_PARTS = ("claude-code",)
"""The hosts that are given a larger boot in several texts, by a hook each."""
IN_ONE = ("codex",)
"""The hosts that by themselves take less in a text than a boot may have, and are told by their settings to take it."""
ONCE = ("opencode", "openclaw")
"""The hosts in which one hook of ours speaks, where there are two for the same workspace on two levels."""
_ALL = "Prompts and tool calls"
RECORDED = {
    "claude-code": _ALL, "codex": _ALL, "gemini": _ALL, "qwen": _ALL, "copilot": _ALL,
    "opencode": _ALL,     "openclaw": _ALL,
}  # fmt: skip
"""What each host with hooks records by itself."""
ALLOWING = ("opencode",)
"""The hosts that let an agent run any command, unless their settings say else."""
OWN_MEMORY = ("claude-code",)
"""The hosts whose own memory can be made to lie in the workspace."""


def settings(name: str) -> Settings:
    """Return the settings of the host called `name`; UsageError lists the known ones."""
    if name not in TITLES:
        raise UsageError(f"Unknown host: {name!r}.", hint=f"Choose one of: {', '.join(TITLES)}.")
    from importlib import import_module

    found: Settings = import_module(f"agentws.features.hosts.{name.replace('-', '_')}.settings")
    return found
