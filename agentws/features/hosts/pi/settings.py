"""Pi's settings as `install` writes them: the extension, one file that is all agentws's, and the skill. Pure.

Facts of Pi 1.6: it asks nobody before it runs a tool; the extensions of a project run once the project is trusted.
"""

from __future__ import annotations

from agentws.core.hosts.plan import USER, Wiring, no_rules
from agentws.features.hosts import javascript
from agentws.features.hosts.plugin_file import PluginFile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

HOST = "pi"
EVENTS = (
    "session_start",
    "before_agent_start",
    "tool_call",
    "tool_execution_end",
    "agent_end",
    "agent_before_settle",
    "session_before_compact",
    "session_compact",
    "session_shutdown",
)
MARK = "// agentws extension for Pi"
"""The beginning of the extension's first line, which shows that the file is agentws's."""


def _source(command: Sequence[str], launcher: Sequence[str], _allowed: Sequence[str]) -> str:
    return javascript.wired_to(command, launcher, javascript.shipped("pi/plugin.js").replace("@MARK@", MARK))


_ROW = PluginFile(
    HOST,
    folder=".pi",
    file="extensions/agentws.js",
    homes=(("PI_CODING_AGENT_DIR", ""), ("HOME", ".pi/agent")),
    signs=(".pi",),
    source=_source,
    mark=MARK,
)
home, signs, places = _ROW.home, _ROW.signs, _ROW.places
install, uninstall, wired, allowed = _ROW.install, _ROW.uninstall, _ROW.wired, _ROW.allowed
rules = no_rules


def next_steps(wiring: Wiring) -> tuple[str, ...]:
    """Return what a person still has to do in Pi after install."""
    if wiring.level == USER:
        return ("Running sessions do not use agentws yet: start a new session, or /reload.",)
    return ("Start `pi` in that folder, and trust the folder when asked. `pi -p` runs the extension only then.",)
