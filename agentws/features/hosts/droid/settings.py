"""Droid's settings as `install` writes them: hooks in settings.json, and the skill. Pure.

Facts of Droid 0.215: timeouts are in seconds; it takes a text of any size. Its variable for the project names the
folder in which it was started, which may be below the project. Its permission for a command also lets through a
redirection into any file, and replaces Droid's own list: none is written.
"""

from __future__ import annotations

from agentws.core.hosts.plan import PROJECT, USER
from agentws.features.hosts.hook_settings import Nested
from agentws.features.hosts.obstacles import Obstacle, is_below, is_set

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.features.hosts.obstacles import HostFiles

_INSTEAD = ("hooks.json", "hooks/hooks.json")
"""The files whose hooks replace those of settings.json at the same event; the first that exists counts."""
_OFF = "hooksDisabled"


class Droid(Nested):
    """Droid's settings."""

    name = "droid"
    events = ("SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PreCompact", "Stop", "SessionEnd")
    folder, file = ".factory", "settings.json"
    steps = (
        "Start `droid` in that folder, and trust the folder when asked. `droid exec` runs the hooks without that.",
    )
    user_steps = ("Running sessions do not use agentws yet: start a new session.",)

    def obstacles(self, files: HostFiles) -> list[Obstacle]:
        """Return the obstacles: hooks switched off, replaced by those in hooks.json, or a folder not trusted."""
        return [*self.gaps(files), *self._switched_off(files), *self._replaced(files), *self.untrusted(files)]

    def _switched_off(self, files: HostFiles) -> list[Obstacle]:
        for level in (PROJECT, USER):
            for name, path in ((self.file, ("hooks", _OFF)), *((name, (_OFF,)) for name in _INSTEAD)):
                if files.value(level, self.at(level, name), *path) is True:
                    return [is_set(_OFF, files.path(level, self.at(level, name)))]
        return []

    def _replaced(self, files: HostFiles) -> list[Obstacle]:
        places = [self.at(files.level, name) for name in _INSTEAD]
        place = next((place for place in places if files.text(files.level, place)), places[0])
        there = files.value(files.level, place)
        events = [event for event in self.events if isinstance(there, dict) and event in there]
        if not events:
            return []
        where = files.path(files.level, place)
        says = f"{where} has hooks for {', '.join(events)}, which Droid runs instead of those of {self.file}"
        return [Obstacle(says, place=where, remedy=f"Move these hooks into the object `hooks` of {self.file}.")]

    def untrusted(self, files: HostFiles) -> list[Obstacle]:
        """Return the obstacle of a folder that Droid does not trust."""
        value = files.value(USER, self.file, "trustedFolders")
        if not files.asked or (isinstance(value, dict) and is_below(files.asked, value)):
            return []
        says = f"the folder {files.asked} is not trusted; Droid asks when it starts there"
        return files.untrusted(says, self.file, "Start droid there, and trust the folder", asks=True)


SETTINGS = Droid()
