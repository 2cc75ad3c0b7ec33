"""The name of an agent, as far as its own files say."""

from __future__ import annotations

from agentws.core.text.lazy import Pattern

_NAME = Pattern(r"^[ \t*-]*name[ \t*]*:[ \t*]*(?P<name>[^\n(—–|*_<]{1,60})", "IGNORECASE", "MULTILINE")


def from_identity(text: str) -> str:
    """The name in an identity file (`- **Name:** Robin`), empty where none is said."""
    found = _NAME.search(text)
    name = found.group("name").strip(" \t\r*_`\"'.") if found else ""
    return name if name and not name.startswith(("{", "[", "<")) else ""


def from_folder(path: str) -> str:
    """A name made of a folder's name, for want of a better one."""
    return path.rstrip("/").rpartition("/")[2] or "agent"
