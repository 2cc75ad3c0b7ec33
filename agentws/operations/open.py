"""open: which file of the workspace is meant. Reads only."""

from __future__ import annotations

from agentws.errors import AmbiguousError, MissingFileError
from agentws.formats import layout
from agentws.storage.disk import named

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.storage.workspace.stores import Stores

_TODAY = ("", "log", "today")
_FOLDERS = (layout.DAYS, layout.TASKS, layout.CONTEXTS, layout.HANDOFFS)


def locate(stores: Stores, name: str = "") -> str:
    """The path (RelPath) of the file that a name means: a path, a document of the root in any case, a day, a task, a
    context or a handoff by a beginning that only one has; without a name today's log. MissingFileError, AmbiguousError.
    """
    files = stores.files
    is_today = name in _TODAY
    if is_today:
        name = f"{layout.DAYS}/{stores.here().day}.md"
    if files.exists(name):
        return name
    at_root = [one for one, _ in files.names() if one.casefold() in (name.casefold(), f"{name.casefold()}.md")]
    found = at_root or [
        f"{folder}/{one}.md"
        for folder in _FOLDERS
        for one in ([] if "/" in name else named.candidates(files, folder, name))
    ]
    if len(found) > 1:
        hint = f"Write more of it: {', '.join(found[:5])}."
        raise AmbiguousError(f"{len(found)} files are called so or begin with {name!r}.", hint=hint)
    if not found and is_today:
        raise MissingFileError("Nothing was logged today yet.", hint="Begin the day's log: agentws log TEXT")
    if not found:
        raise MissingFileError(f"{name}: there is no such file here.", hint="For example: agentws open MEMORY.md")
    return found[0]
