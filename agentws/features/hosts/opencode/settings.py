"""OpenCode's settings as `install` writes them: the plugin, one file that is all agentws's, and the skill. Pure.

OpenCode (1.18) has no hooks that are commands, so JavaScript reports events to `hook opencode EVENT`, and passes the
replies to the model; `calls` reads the payloads. OpenCode reads `plugin/` and `plugins/` alike; older versions read the
first only.
"""

from __future__ import annotations

from agentws.features.hosts.hook_settings import PluginFile


class OpenCode(PluginFile):
    """OpenCode's settings."""

    name = "opencode"
    events = (
        "chat.message", "event", "experimental.chat.system.transform", "experimental.session.compacting",
        "tool.execute.before", "tool.execute.after", "dispose",
    )  # fmt: skip
    folder, file = ".opencode", "plugin/agentws.js"
    source = "opencode/plugin.js"
    mark = "// agentws plugin for OpenCode"
    allows = True
    steps = user_steps = ("Restart OpenCode, which loads plugins only at its start.",)


SETTINGS = OpenCode()
