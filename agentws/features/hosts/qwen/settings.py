"""Qwen Code's settings as `install` writes them: hooks in settings.json, and the skill. Pure.

Facts of Qwen Code 0.24: timeouts are in seconds (1,000 or more: in milliseconds); it takes a text of any size.
Its permission for one command also lets through what that command substitutes (`$(…)`): none is written.
"""

from __future__ import annotations

from agentws.core.hosts.plan import PROJECT, USER
from agentws.features.hosts.hook_settings import Nested
from agentws.features.hosts.obstacles import is_trusted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.features.hosts.obstacles import HostFiles, Obstacle

_FOLDERS = "trustedFolders.json"


class Qwen(Nested):
    """Qwen Code's settings."""

    name = "qwen"
    events = (
        "SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure", "PostToolBatch",
        "PreCompact", "PostCompact", "SubagentStop", "Stop", "StopFailure", "SessionEnd",
    )  # fmt: skip
    folder, file = ".qwen", "settings.json"
    project = "QWEN_PROJECT_DIR"
    switches = ((PROJECT, ".qwen/settings.json"), (USER, "settings.json"))
    user_steps = (
        "`/hooks` in Qwen Code shows the hooks. `qwen -p` reports no end of a session; the next boot recovers it.",
    )
    steps = (
        "If folder trust is switched on in Qwen Code, trust the folder when asked; otherwise no hook runs.",
        *user_steps,
        "The agent of `qwen -p` has no shell. To give it tools: agentws install mcp-json --allow",
    )

    def untrusted(self, files: HostFiles) -> list[Obstacle]:
        """Return the obstacle of a folder that Qwen Code does not trust: its hooks do not run if folder trust is on."""
        asks = files.value(USER, self.file, "security", "folderTrust", "enabled") is True
        if not files.asked or not asks or is_trusted(files.asked, files.value(USER, _FOLDERS)):
            return []
        says = f"the folder {files.asked} is not trusted, so none of its hooks run"
        return files.untrusted(says, _FOLDERS, "Start qwen there, and trust the folder: /permissions")


SETTINGS = Qwen()
