"""What `install` writes for Heron: hooks in settings.json, and the skill."""

from __future__ import annotations

from agentws.core.hosts.plan import PROJECT, USER
from agentws.features.hosts.hook_settings import Nested


class Heron(Nested):
    """Heron's settings."""

    name = "heron"
    events = ("SessionStart", "UserPromptSubmit", "PreToolUse", "Stop", "SessionEnd")
    folder, file = ".heron", "settings.json"
    switches = ((PROJECT, ".heron/settings.json"), (USER, "settings.json"))
    steps = user_steps = ("Start `heron`.",)


SETTINGS = Heron()
