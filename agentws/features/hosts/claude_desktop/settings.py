"""Claude Desktop's settings as `install` writes them: an entry in its configuration file. Pure."""

from __future__ import annotations

from agentws.features.hosts.claude_desktop import FILE, FOLDER
from agentws.features.hosts.family.mcp_file import McpFile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.core.hosts.plan import Wiring

EVENTS: tuple[str, ...] = ()

_ROW = McpFile(user=FILE, homes=(("HOME", FOLDER),))
home, signs, places = _ROW.home, _ROW.signs, _ROW.places
install, uninstall, wired, allowed, rules = _ROW.install, _ROW.uninstall, _ROW.wired, _ROW.allowed, _ROW.rules


def next_steps(wiring: Wiring) -> tuple[str, ...]:
    """Return what a person still has to do in Claude Desktop after install."""
    return ("Quit Claude Desktop and start it again. It asks before a tool is used for the first time.",)
