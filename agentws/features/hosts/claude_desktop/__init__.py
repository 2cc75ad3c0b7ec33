"""Claude Desktop as a host: an MCP client with settings of the user only."""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.core.hosts.loading import Host

FILE = "claude_desktop_config.json"
FOLDER = "Library/Application Support/Claude" if sys.platform == "darwin" else ".config/Claude"
"""Below the user's home folder."""


def host() -> Host:
    """Return the description of Claude Desktop as of late 2026; its own documents are the authority."""
    from agentws.core.hosts.loading import Host

    return Host(recorded=None, user_files=(FILE,), homes=(("HOME", f"/{FOLDER}"),))
