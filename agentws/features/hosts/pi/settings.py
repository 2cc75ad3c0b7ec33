"""Pi's settings as `install` writes them: the extension, one file that is all agentws's, and the skill. Pure.

Facts of Pi 1.6: it asks nobody before it runs a tool; the extensions of a project run once the project is trusted.
"""

from __future__ import annotations

from agentws.core.hosts.plan import USER
from agentws.features.hosts import obstacles
from agentws.features.hosts.hook_settings import PluginFile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.features.hosts.obstacles import HostFiles, Obstacle

_DECISIONS, _SETTINGS = "trust.json", "settings.json"


class Pi(PluginFile):
    """Pi's settings."""

    name = "pi"
    events = (
        "session_start", "before_agent_start", "tool_call", "tool_execution_end", "agent_end", "agent_before_settle",
        "session_before_compact", "session_compact", "session_shutdown",
    )  # fmt: skip
    folder, file = ".pi", "extensions/agentws.js"
    source = "pi/plugin.js"
    mark = "// agentws extension for Pi"
    steps = ("Start `pi` in that folder, and trust the folder when asked. `pi -p` runs the extension only then.",)
    user_steps = ("Running sessions do not use agentws yet: start a new session, or /reload.",)

    def obstacles(self, files: HostFiles) -> list[Obstacle]:
        """Return the obstacles: events that the extension does not listen to, or a folder that Pi does not trust.

        The nearest decision counts, that of a parent too.
        """
        place = self.place(files.level)
        text = files.text(files.level, place)
        missing = [event for event in self.events if f'on("{event}"' not in text] if text else []
        found = obstacles.lacking(files, place, missing, self.events)
        value = files.value(USER, _DECISIONS)
        usual = files.value(USER, _SETTINGS, "defaultProjectTrust") == "always"
        if not files.asked or _is_trusted(files.asked, value if isinstance(value, dict) else {}, usual=usual):
            return found
        says = f"the folder {files.asked} is not trusted, so its extension does not run"
        return [*found, *files.untrusted(says, _DECISIONS, "Start pi there, and trust the folder: /trust")]


SETTINGS = Pi()


def _is_trusted(folder: str, decisions: dict[str, object], *, usual: bool) -> bool:
    """Return whether Pi trusts the folder by `decisions` (path → decision), or by its `usual` answer."""
    while True:
        decision = decisions.get(folder or "/")
        if isinstance(decision, bool):
            return decision
        if not folder:
            return usual
        folder = folder.rpartition("/")[0]
