"""Which files are searched, and where each stands."""

from __future__ import annotations

from agentws.errors import AgentwsError
from agentws.formats import layout
from agentws.planning.search import unit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentws.storage.disk.files import Files
    from agentws.storage.workspace.stores import Stores

_NOT_SEARCHED = (layout.DIGEST, f"{layout.DAYS}/proposed.md")
"""What is made of lines that are searched where they stand."""
_FOLDERS = ((layout.TASKS, unit.TASKS), (layout.HANDOFFS, unit.HANDOFFS), (layout.CONTEXTS, unit.CONTEXTS))


def of(stores: Stores) -> dict[str, str]:
    """Return each file that is searched, with its room: by their days, the newest last."""
    files = stores.files
    found = {layout.MEMORY: unit.MEMORY} if files.exists(layout.MEMORY) else {}
    for path in _markdown(files, layout.DAYS):
        if path not in _NOT_SEARCHED:
            is_log = layout.day_of(path.rpartition("/")[2]) is not None
            found[path] = unit.LOGS if is_log else unit.MEMORY
    for folder, room in _FOLDERS:
        found |= dict.fromkeys(_markdown(files, folder), room)
    return dict(sorted(found.items(), key=lambda one: (layout.day_of(one[0].rpartition("/")[2]) or "", one[0])))


def _markdown(files: Files, folder: str) -> Iterator[str]:
    """The Markdown files in a folder and below it; none where it cannot be listed."""
    try:
        names = files.names(folder)
    except AgentwsError:
        return
    for name, kind in names:
        if kind == "folder" and not name.startswith("."):
            yield from _markdown(files, f"{folder}/{name}")
        elif kind == "file" and name.endswith(".md") and not name.startswith("."):
            yield f"{folder}/{name}"
