"""The survey of a folder that `init` adopts: the daily logs of other programs, and the Markdown files left unread."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from agentws.core.disk.files import Files
from agentws.core.formats import adoption, layout
from agentws.core.formats.json import plainjson
from agentws.core.formats.layout import RelPath
from agentws.errors import AgentwsError

_NOT_ENTERED = (layout.LOCAL, ".git", ".hg", ".svn", ".obsidian", ".trash", ".venv", "venv", "node_modules", "vendor")
_MOST_ENTRIES, _DEEPEST = 20_000, 12
_VAULT = ".obsidian"
_OBSIDIAN = f"{_VAULT}/daily-notes.json"
_SEARCHED = (layout.DAYS, layout.TASKS, layout.HANDOFFS, layout.CONTEXTS)


class Survey:
    """The Markdown files of a folder: `log_folders` hold daily logs of other programs, `maybe` (folder → number of
    files) may hold some, and `unread` are the files that no verb reads or searches.
    """

    __slots__ = ("log_folders", "maybe", "unread")

    def __init__(self, log_folders: list[RelPath], maybe: dict[RelPath, int], unread: list[RelPath]) -> None:
        self.log_folders = log_folders
        self.maybe = maybe
        self.unread = unread


def of(files: Files, pinned: Collection[RelPath]) -> Survey:
    """Return the survey of a folder in which boot will load the `pinned` files."""
    paths = list(_markdown(files))
    folders, maybe = adoption.folders(paths, named=_obsidian(files))
    known = {files.real(path) for path in layout.AGENT_FILES} | {*pinned, *layout.HOST_FILES}
    known |= {name for name, _ in layout.misspelt([path for path in paths if "/" not in path])}
    unread = [
        path
        for path in paths
        if path not in known
        and path.partition("/")[0] not in _SEARCHED
        and not ((adoption.folder_of(path) or adoption.ROOT) in folders and adoption.day_at(path))
    ]
    return Survey(folders, maybe, unread)


def _markdown(files: Files) -> Iterator[RelPath]:
    left, folders = _MOST_ENTRIES, [""]
    while folders:
        folder = folders.pop()
        within = f"{folder}/" if folder else ""
        try:
            entries = files.names(folder)
        except AgentwsError:
            continue  # boot and status report what cannot be read
        for name, kind in entries:
            left -= 1
            if kind == "file" and name.casefold().endswith((".md", ".mdc")):
                yield within + name
            elif kind == "folder" and name not in _NOT_ENTERED and within.count("/") < _DEEPEST:
                folders.append(within + name)
        if left < 0:
            return


def _obsidian(files: Files) -> list[RelPath]:
    """Return the folder that a vault of Obsidian keeps its daily notes in: the root, unless its settings name one."""
    if not files.exists(_VAULT):
        return []
    try:
        settings = plainjson.loads(files.read(_OBSIDIAN).decode())
        folder = settings.get("folder", "")
    except (AgentwsError, ValueError, AttributeError):
        folder = ""
    return [folder.strip("/") or adoption.ROOT] if isinstance(folder, str) else []
