"""GitHub Copilot CLI's settings as `install` writes them: a file with hooks, and the skill. Pure.

Facts of Copilot CLI 1.0: timeouts are in seconds; it reads each file in `.github/hooks`, and those of Claude Code too.
"""

from __future__ import annotations

from agentws.core.hosts.plan import PROJECT, USER
from agentws.features.hosts.hook_settings import Nested
from agentws.features.hosts.obstacles import is_below

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.features.hosts.obstacles import HostFiles, Obstacle

_FOLDERS = "config.json"


class Copilot(Nested):
    """GitHub Copilot CLI's settings."""

    name = "copilot"
    events = (
        "SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure", "PreCompact",
        "SubagentStop", "Stop", "SessionEnd",
    )  # fmt: skip
    folder, file = ".github", "hooks/agentws.json"
    switches = ((USER, "settings.json"),)
    steps = (
        "Start `copilot` in that folder, and trust the folder when asked. Otherwise no hook runs, also with `-p`.",
        "The agent of `copilot -p` may run no command by default. To give it tools: agentws install mcp-json",
    )
    user_steps = ("Running sessions do not use agentws yet: start a new session.",)

    def untrusted(self, files: HostFiles) -> list[Obstacle]:
        """Return the obstacle of a folder that GitHub Copilot CLI does not trust."""
        if files.level != PROJECT or not files.text(USER, _FOLDERS):
            return []
        folder, value = files.folders[PROJECT], files.value(USER, _FOLDERS, "trustedFolders")
        if isinstance(value, list) and is_below(folder, value):
            return []
        says = f"the folder {folder} is not trusted, so none of its hooks run"
        return files.untrusted(says, _FOLDERS, "Start copilot there, and trust the folder")


SETTINGS = Copilot()
