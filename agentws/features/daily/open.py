"""open: finds the file of the workspace that a name means. Reads only."""

from __future__ import annotations

from agentws.core.disk import named
from agentws.core.formats import layout
from agentws.core.stores.stores import Stores
from agentws.errors import AmbiguousError, MissingFileError

_TODAY = ("", "log", "today")
_FOLDERS = (layout.DAYS, layout.TASKS, layout.CONTEXTS, layout.HANDOFFS)


def locate(stores: Stores, name: str = "") -> str:
    """Return the RelPath of the file to open for a name; without a name, of today's log.

    A name is a path, a document of the root in any case, a day, or a unique beginning of a task, context or handoff.
    MissingFileError, AmbiguousError.
    """
    files = stores.files
    is_today = name in _TODAY
    if is_today:
        name = f"{layout.DAYS}/{stores.here().day}.md"
    if files.exists(path := named.path(files, name)):
        return path
    at_root = [text for text, _ in files.names() if text.casefold() in (name.casefold(), f"{name.casefold()}.md")]
    parts = at_root or [
        f"{folder}/{candidate}.md"
        for folder in _FOLDERS
        for candidate in ([] if "/" in name else named.candidates(files, folder, name))
    ]
    if len(parts) > 1:
        hint = f"Type more of the name: {', '.join(parts[:5])}."
        raise AmbiguousError(f"{len(parts)} files match {name!r}.", hint=hint)
    if not parts and is_today:
        raise MissingFileError("There is no log of today yet.", hint="To begin it: agentws log TEXT")
    if not parts:
        raise MissingFileError(f"{name}: the workspace has no such file.", hint="For example: agentws open MEMORY.md")
    return parts[0]
