"""The source files of search: which files of the workspace are searched, and the room of each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from agentws.core.disk.files import Files
from agentws.core.formats import layout
from agentws.core.formats.journal import segment
from agentws.core.stores.stores import Stores
from agentws.errors import AgentwsError, MissingFileError
from agentws.features.search.plan import unit

_NOT_SEARCHED = (layout.DIGEST, layout.OLD_DIGEST, f"{layout.DAYS}/proposed.md")
"""Generated files: their lines are searched in the files that they come from."""
_IDENTITY = (layout.SOUL, layout.IDENTITY, layout.USER, layout.AGENTS)
_FOLDERS = ((layout.TASKS, unit.TASKS), (layout.HANDOFFS, unit.HANDOFFS), (layout.CONTEXTS, unit.CONTEXTS))
_MOST_INCLUDED = 20_000
_DEEPEST = 32


def of(stores: Stores) -> dict[str, tuple[str, str]]:
    """Return (room, stamp) of each file that is searched, by path.

    The stamp is that of Files.stamps, empty if the files are a view.
    """
    files = stores.files
    sources = {path: (unit.DOCUMENTS, stamp) for path, stamp in _included(stores)}
    sources |= {path: (unit.JOURNAL, stamp) for path, stamp in _segments(files)}
    pinned = [path for path in stores.manifest.setting("boot.pinned") if not _is_own(path)]
    sources |= {path: (unit.IDENTITY, stamp) for path, stamp in _existing(files, (*pinned, *_IDENTITY))}
    sources |= {path: (unit.MEMORY, stamp) for path, stamp in _existing(files, [layout.MEMORY])}
    kept = [(path.rpartition("/")[2], path, stamp) for path, stamp in _below(files, layout.DAYS)]
    days = set(layout.daily_logs([name for name, _, _ in kept]))
    for name, path, stamp in kept:
        if name in days:
            sources[path] = (unit.LOGS, stamp)
        elif (name.endswith(".md") or path == layout.SOURCES) and path not in _NOT_SEARCHED:
            sources[path] = (unit.MEMORY, stamp)
    if folders := stores.manifest.setting("log.folders"):
        from agentws.core.disk import adopted_folders

        others = [path for _, path in adopted_folders.daily_notes(files, folders)]
        sources |= {path: (unit.LOGS, stamp) for path, stamp in _existing(files, others)}
    for folder, room in _FOLDERS:
        sources |= {path: (room, stamp) for path, stamp in _below(files, folder) if path.endswith(".md")}
    tables = [(path, stamp) for path, stamp in _below(files, layout.DATA, _DEEPEST) if path.endswith(".jsonl")]
    sources |= {path: (unit.DATA, stamp) for path, stamp in tables}
    read = set(layout.markdown_files(sources))
    return {path: value for path, value in sources.items() if path in read or not path.endswith(".md")}


def _existing(files: Files, paths: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield the paths that exist, with their stamps."""
    there = [path for path in paths if _exists(files, path)]
    real = [files.real(path) for path in there]
    yield from zip(real, [""] * len(there) if files.is_view else files.stamps(there), strict=True)


def _exists(files: Files, path: str) -> bool:
    try:
        return files.exists(path)
    except AgentwsError:
        return False  # boot reports a pinned path that leaves the workspace


def _included(stores: Stores) -> Iterator[tuple[str, str]]:
    """Yield the documents that `search.include` of the manifest adds."""
    for pattern in stores.manifest.setting("search.include"):
        from fnmatch import fnmatchcase  # seldom asked for

        depth = pattern.count("/")
        left = _MOST_INCLUDED
        for path, stamp in _below(stores.files, _plain_folder(pattern)):
            is_deep = path.count("/") != depth and "**" not in pattern
            if not is_deep and fnmatchcase(path, pattern) and not _is_own(path):
                yield path, stamp
                left -= 1
                if not left:
                    return


def _is_own(path: str) -> bool:
    """Return whether a path is local state, or belongs to the journal, which is read event by event."""
    return path.partition("/")[0] in (layout.LOCAL, layout.JOURNAL)


def _plain_folder(pattern: str) -> str:
    """Return the folder at the beginning of a pattern, up to the first part with a wildcard."""
    names = pattern.split("/")[:-1]
    plain = next((at for at, name in enumerate(names) if any(sign in name for sign in "*?[")), len(names))
    return "/".join(name for name in names[:plain] if name not in ("", ".", ".."))


def _segments(files: Files) -> Iterator[tuple[str, str]]:
    """Yield the segments of all journals, with their stamps."""
    for writer, kind, _ in _names(files, layout.JOURNAL):
        folder = f"{layout.JOURNAL}/{writer}"
        if kind != "folder":
            continue
        for name, of, stamp in _names(files, folder):
            if of == "file" and segment.number_of(name) is not None:
                yield f"{folder}/{name}", stamp
        for name, of, stamp in _names(files, segment.packed_folder(writer)):
            if of == "file" and (number := segment.packed_number_of(name)):
                yield segment.path(writer, number), stamp


def content(files: Files, path: str, room: str) -> bytes:
    """Return the bytes of the searched file at `path`; of a compressed journal segment the unpacked lines."""
    try:
        return files.read(path)
    except MissingFileError:
        if room != unit.JOURNAL:
            raise
        from agentws.core.journal import unpacked

        return unpacked.content(files, path)


def _below(files: Files, folder: str, deep: int = 0) -> Iterator[tuple[str, str]]:
    """Yield the files in and below a folder that are not hidden, with their stamps."""
    above = f"{folder}/" if folder else ""
    for name, kind, stamp in _names(files, folder):
        if name.startswith("."):
            continue
        if kind == "folder" and deep < _DEEPEST:
            yield from _below(files, above + name, deep + 1)
        elif kind == "file":
            yield above + name, stamp


def _names(files: Files, folder: str) -> list[tuple[str, str, str]]:
    """Return the names in a folder; nothing if it cannot be listed."""
    try:
        return files.stamped_names(folder)
    except AgentwsError:
        return []
