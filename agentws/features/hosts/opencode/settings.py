"""OpenCode's settings as `install` writes them: the plugin, one file that is all agentws's, and the skill. Pure.

Paths and the plugin's form are those of OpenCode 1.18, which reads `plugin/` and `plugins/` alike; older versions read
the first only.
"""

from __future__ import annotations

from agentws.core.hosts.plan import Wiring, no_rules
from agentws.features.hosts.opencode import plugin
from agentws.features.hosts.plugin_file import PluginFile

HOST = "opencode"
EVENTS = (
    "chat.message",
    "event",
    "experimental.chat.system.transform",
    "experimental.session.compacting",
    "tool.execute.before",
    "tool.execute.after",
    "dispose",
)

_ROW = PluginFile(
    HOST,
    folder=".opencode",
    file="plugin/agentws.js",
    homes=(("XDG_CONFIG_HOME", "opencode"), ("HOME", ".config/opencode")),
    signs=("opencode.json", ".opencode"),
    source=plugin.text,
    mark=plugin.MARK,
    allows=plugin.allowed,
)
home, signs, places = _ROW.home, _ROW.signs, _ROW.places
install, uninstall, wired, allowed = _ROW.install, _ROW.uninstall, _ROW.wired, _ROW.allowed
rules = no_rules


def next_steps(wiring: Wiring) -> tuple[str, ...]:
    """Return what a person still has to do in OpenCode after install: restart it, so that it loads the plugin."""
    return ("Restart OpenCode, which loads plugins only at its start.",)
