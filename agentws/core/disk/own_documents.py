"""The tasks and handoffs of agentws in a folder where another program keeps files of its own.

Loaded only for a folder that `adopted.documents` of the manifest names.
"""

from __future__ import annotations

from agentws.core.text import utf8
from agentws.errors import AgentwsError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from agentws.core.disk.files import Files

_HEAD_BYTES = 1 << 12
_FIELDS = (b"status:", b"step:", b"waiting_on:", b"session:", b"at:", b"follows:")


def among(files: Files, paths: Iterable[str]) -> list[str]:
    """Return the paths of files that are a task or a handoff by their front matter, or that cannot be read."""
    return [path for path in paths if _is_own(files, path)]


def _is_own(files: Files, path: str) -> bool:
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
