"""Which files are searched, and where each stands."""

from __future__ import annotations

from agentws.errors import AgentwsError
from agentws.formats import layout
from agentws.formats.journal import segment
from agentws.planning.search import unit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentws.storage.disk.files import Files
    from agentws.storage.workspace.stores import Stores

_NOT_SEARCHED = (layout.DIGEST, f"{layout.DAYS}/proposed.md")
"""What is made of lines that are searched where they stand."""
_FOLDERS = ((layout.TASKS, unit.TASKS), (layout.HANDOFFS, unit.HANDOFFS), (layout.CONTEXTS, unit.CONTEXTS))
_MOST_INCLUDED = 20_000
_DEEPEST = 32


def of(stores: Stores) -> dict[str, str]:
    """Return each file that is searched, with its room: by their days, the newest last."""
    files = stores.files
    found = dict.fromkeys(_included(stores), unit.DOCUMENTS)
    found |= dict.fromkeys(_segments(files), unit.JOURNAL)
    if files.exists(layout.MEMORY):
        found[layout.MEMORY] = unit.MEMORY
    for path in _below(files, layout.DAYS):
        if path == layout.SOURCES:
            found[path] = unit.MEMORY
        elif path.endswith(".md") and path not in _NOT_SEARCHED:
            is_log = layout.day_of(path.rpartition("/")[2]) is not None
            found[path] = unit.LOGS if is_log else unit.MEMORY
    for folder, room in _FOLDERS:
        found |= dict.fromkeys((path for path in _below(files, folder) if path.endswith(".md")), room)
    return dict(sorted(found.items(), key=lambda one: (layout.day_of(one[0].rpartition("/")[2]) or "", one[0])))


def _included(stores: Stores) -> Iterator[str]:
    """The documents that the manifest names besides."""
    for pattern in stores.manifest.setting("search.include"):
        from fnmatch import fnmatchcase  # seldom asked for

        depth = pattern.count("/")
        left = _MOST_INCLUDED
        for path in _below(stores.files, _plain_folder(pattern)):
            is_deep = path.count("/") != depth and "**" not in pattern
            if (
                not is_deep
                and fnmatchcase(path, pattern)
                and path.partition("/")[0] not in (layout.LOCAL, layout.JOURNAL)
            ):
                yield path
                left -= 1
                if not left:
                    return


def _plain_folder(pattern: str) -> str:
    """The folder that a pattern names before anything in it stands for several."""
    names = pattern.split("/")[:-1]
    plain = next((at for at, name in enumerate(names) if any(sign in name for sign in "*?[")), len(names))
    return "/".join(name for name in names[:plain] if name not in ("", ".", ".."))


def _segments(files: Files) -> Iterator[str]:
    """The segments of all journals."""
    for writer, kind in _names(files, layout.JOURNAL):
        folder = f"{layout.JOURNAL}/{writer}"
        for name, of in _names(files, folder) if kind == "folder" else ():
            if of == "file" and segment.number_of(name) is not None:
                yield f"{folder}/{name}"


def _below(files: Files, folder: str, deep: int = 0) -> Iterator[str]:
    """The files in a folder and below it that are not hidden."""
    for name, kind in _names(files, folder):
        path = f"{folder}/{name}" if folder else name
        if name.startswith("."):
            continue
        if kind == "folder" and deep < _DEEPEST:
            yield from _below(files, path, deep + 1)
        elif kind == "file":
            yield path


def _names(files: Files, folder: str) -> list[tuple[str, str]]:
    """What lies in a folder; nothing where it cannot be listed."""
    try:
        return files.names(folder)
    except AgentwsError:
        return []
