"""Folders that agentws shares with other programs: their daily logs, and its own tasks and handoffs among their files.

The daily logs are in the folders that `log.folders` of the manifest names. Own documents are looked for only in a
folder that `adopted.documents` names.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from agentws.core.disk.files import Files
from agentws.core.formats import adoption, layout
from agentws.core.formats.layout import RelPath
from agentws.core.text import utf8
from agentws.errors import AgentwsError

_DEEPEST = 2
"""A year and a month below the folder."""


def daily_notes(files: Files, folders: Sequence[RelPath]) -> list[tuple[str, RelPath]]:
    """Return (day, path) of the files of these folders that are named by a day, sorted; agentws's own logs are not.

    A view for a shared audience has none: no program says for whom it wrote them.
    """
    if files.is_view:
        return []
    below = ("" if folder == adoption.ROOT else folder.strip("/") for folder in folders)
    listed = {path for folder in below for path in _below(files, folder, 0)}
    read = layout.markdown_files(sorted(listed))
    return sorted((day, path) for path in read if (day := adoption.day_at(path)) and not _is_own(path))


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


_HEAD_BYTES = 1 << 12
_FIELDS = (b"status:", b"step:", b"waiting_on:", b"session:", b"at:", b"follows:")


def own_documents(files: Files, paths: Iterable[str]) -> list[str]:
    """Return the paths of files that are a task or a handoff by their front matter, or that cannot be read."""
    return [path for path in paths if _may_be_own(files, path)]


def _may_be_own(files: Files, path: str) -> bool:
    try:
        data, size = files.part(path, _HEAD_BYTES)
        is_cut = size > len(data) and b"\n---" not in data
        return is_own(files.read(path) if is_cut and data.lstrip(b"\xef\xbb\xbf").startswith(b"---") else data)
    except AgentwsError:
        return True  # the verb reports why


def is_own(data: bytes) -> bool:
    """Return whether a document has front matter with a field of agentws's tasks or handoffs, or may have it.

    With a merge conflict around the front matter, or in UTF-16, nobody can tell: the verbs name such a file.
    """
    if data.startswith(b"<<<<<<<") or utf8.other_encoding(data):
        return True
    head, *lines = data.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    if head.rstrip() != b"---":
        return False
    for line in lines:
        if line.rstrip() == b"---":
            return False
        if line.startswith(_FIELDS):
            return True
    return False
