"""The checkpoint that was restored last on this machine: what is saved next follows it. A hint, in `.agentws/`."""

from __future__ import annotations

from agentws.errors import AgentwsError
from agentws.formats import digest
from agentws.storage.disk import local_dir
from agentws.storage.workspace import marks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.storage.disk.files import Files

_FOLDER = f"{local_dir.FOLDER}/restored"
_MOST_BYTES = 1_000


def read(files: Files, task: str) -> str:
    """The id of the checkpoint that was restored last and that nothing was saved after; empty for none."""
    try:
        return files.part(_path(task), _MOST_BYTES)[0].decode("utf-8", "replace").strip()
    except AgentwsError:
        return ""


def write(files: Files, task: str, id: str) -> None:
    """Note what was restored; with an empty `id` that something was saved since."""
    if id or files.exists(_path(task)):
        local_dir.prepare(files)
        if not files.exists(_FOLDER):
            files.make_folder(_FOLDER)
        marks.leave(files, _path(task), id)


def _path(task: str) -> str:
    return f"{_FOLDER}/{digest.quick(task.encode())[:16]}"
