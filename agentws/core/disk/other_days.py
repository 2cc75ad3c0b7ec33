"""The daily logs that other programs write, in the folders that `log.folders` of the manifest names."""

from __future__ import annotations

from agentws.core.formats import layout, other_days
from agentws.errors import AgentwsError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from agentws.core.disk.files import Files
    from agentws.core.formats.layout import RelPath

_DEEPEST = 2
"""A year and a month below the folder."""


def paths(files: Files, folders: Sequence[RelPath]) -> list[tuple[str, RelPath]]:
    """Return (day, path) of the files of these folders that are named by a day, sorted; agentws's own logs are not.

    A view for a shared audience has none: no program says for whom it wrote them.
    """
    if files.is_view:
        return []
    below = ("" if folder == other_days.ROOT else folder.strip("/") for folder in folders)
    listed = {path for folder in below for path in _below(files, folder, 0)}
    read = layout.markdown_files(sorted(listed))
    return sorted((day, path) for path in read if (day := other_days.day_at(path)) and not _is_own(path))


def _is_own(path: RelPath) -> bool:
    folder, _, name = path.rpartition("/")
    return folder == layout.DAYS and layout.day_of(name) is not None


def _below(files: Files, folder: RelPath, depth: int) -> Iterator[RelPath]:
    try:
        entries = files.names(folder)
    except AgentwsError:
        return
    for name, kind in entries:
        path = f"{folder}/{name}" if folder else name
        if kind == "file":
            yield path
        elif kind == "folder" and depth < _DEEPEST and name[:1].isdigit():
            yield from _below(files, path, depth + 1)
