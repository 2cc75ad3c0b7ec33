"""The agent's name, read from its identity file or made from the folder's name."""

from __future__ import annotations

from agentws.core.text.lazy import Pattern

_NAME = Pattern(r"^[ \t*-]*name[ \t*]*:[ \t*]*(?P<name>[^\n(—–|*_<]{1,60})", "IGNORECASE", "MULTILINE")


def from_identity(text: str) -> str:
    """Return the name in an identity file (`- **Name:** Robin`), empty without one."""
    match = _NAME.search(text)
    name = match.group("name").strip(" \t\r*_`\"'.") if match else ""
    return name if name and not name.startswith(("{", "[", "<")) else ""


def from_folder(path: str) -> str:
    """Return a name for the agent made from its folder's name."""
    return path.rstrip("/").rpartition("/")[2] or "agent"
