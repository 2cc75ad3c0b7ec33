"""The tasks that a sync put here, as it put them: such a file was edited by nobody on this machine."""

from __future__ import annotations

from agentws.errors import MissingFileError
from agentws.formats import layout
from agentws.formats.json import plainjson
from agentws.storage.sync.private import FOLDER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from agentws.storage.disk.files import Files

FILE = f"{FOLDER}/tasks.json"
_TASKS = f"{layout.TASKS}/"
_LIMIT_BYTES = 1 << 24


def is_task(path: str) -> bool:
    """Return whether a path is that of a task."""
    return path.startswith(_TASKS)


def holds(files: Files, path: str, digest: str) -> bool:
    """Return whether a sync put this content at this path."""
    return _read(files).get(path) == digest


def note(files: Files, digests: Mapping[str, str]) -> None:
    """Keep the digests of tasks that are about to be put here; of what goes (empty), none."""
    present = _read(files)
    noted = {**present, **digests}
    noted = {path: told for path, told in noted.items() if told}
    if noted != present:
        files.make_folder(FOLDER)
        data = plainjson.dumps({"agentws": 1, "tasks": dict(sorted(noted.items()))}).encode() + b"\n"
        files.replace(FILE, data, expects=files.digest(FILE))


def _read(files: Files) -> dict[str, str]:
    try:
        told = plainjson.loads(files.read(FILE, limit_bytes=_LIMIT_BYTES))
    except (MissingFileError, ValueError):
        return {}
    found = told.get("tasks") if isinstance(told, dict) else None
    return {path: str(digest) for path, digest in found.items()} if isinstance(found, dict) else {}
