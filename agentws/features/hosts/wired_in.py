"""The files in which a host's hooks may stand, told without that host's own module: mostly none of them is there. Pure.

Each host's `settings.py` says the same, and much more; tests/features/hosts/test_wired_in.py holds them equal.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_FILES = {
    "claude-code": (".claude/settings.json", ".claude/settings.local.json"),
    "codex": (".codex/hooks.json",),
    "gemini": (".gemini/settings.json",),
    "qwen": (".qwen/settings.json",),
    "copilot": (".github/hooks/agentws.json",),
    "opencode": (".opencode/plugin/agentws.js",),
    "openclaw": (".openclaw/extensions/agentws/index.js", "hooks/agentws/handler.ts"),
    "agents-md": ("AGENTS.md",),
}
"""In a project."""
_USERS = {
    "claude-code": ("settings.json",),
    "codex": ("hooks.json",),
    "gemini": ("settings.json",),
    "qwen": ("settings.json",),
    "copilot": ("hooks/agentws.json",),
    "opencode": ("plugin/agentws.js",),
    "openclaw": ("extensions/agentws/index.js", "hooks/agentws/handler.ts"),
    "agents-md": (),
}
"""Below each folder of the user's settings."""
_HOMES = {
    "claude-code": (("CLAUDE_CONFIG_DIR", ""), ("HOME", "/.claude")),
    "codex": (("CODEX_HOME", ""), ("HOME", "/.codex")),
    "gemini": (("GEMINI_CLI_HOME", "/.gemini"), ("HOME", "/.gemini")),
    "qwen": (("QWEN_HOME", ""), ("HOME", "/.qwen")),
    "copilot": (("COPILOT_HOME", ""), ("HOME", "/.copilot")),
    "opencode": (("XDG_CONFIG_HOME", "/opencode"), ("HOME", "/.config/opencode")),
    "openclaw": (("OPENCLAW_STATE_DIR", ""), ("OPENCLAW_HOME", "/.openclaw"), ("HOME", "/.openclaw")),
    "agents-md": (),
}
"""Which folders these may be: a variable, and what follows below it. Which one counts, the host says."""


def paths(host: str, folder: str, variables: Mapping[str, str]) -> Iterator[str]:
    """Yield the absolute path of each file in which hooks of this host may stand, in `folder` or for the user."""
    yield from (f"{folder}/{place}" for place in _FILES[host])
    for variable, below in _HOMES[host]:
        if base := variables.get(variable, ""):
            yield from (f"{base.rstrip('/')}{below}/{place}" for place in _USERS[host])
