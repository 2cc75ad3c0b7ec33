"""The digests of task files as a sync wrote them: a file that still matches was not edited on this machine."""

from __future__ import annotations

from agentws.core.disk import local_dir, lock
from agentws.core.formats import layout
from agentws.core.formats.json import plainjson
from agentws.core.states.private import FOLDER
from agentws.errors import MissingFileError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from agentws.core.disk.files import Files

FILE = local_dir.RECEIVED_TASKS
_TASKS = f"{layout.TASKS}/"
_LIMIT_BYTES = 1 << 24
_LOCK = "sync"
LOCK_TIMEOUT_S = 30.0


def is_task(path: str) -> bool:
    """Return whether a path is a task's."""
    return path.startswith(_TASKS)


def holds(files: Files, path: str, digest: str) -> bool:
    """Return whether a sync wrote this content to this path."""
    return _read(files).get(path) == digest


def note(files: Files, digests: Mapping[str, str]) -> None:
    """Save the digests of tasks that are about to be written; an empty digest removes an entry."""
    present = _read(files)
    _keep(files, present, {**present, **digests})


def sweep(files: Files) -> None:
    """Remove the entries of tasks that no longer exist: their names may be text to be forgotten.

    LockHeldError if a sync takes too long: the files it is about to write do not exist yet.
    """
    if all(files.exists(path) for path in _read(files)):
        return
    with lock.Lock(files, _LOCK, timeout_s=LOCK_TIMEOUT_S, note="forget", idle=True):
        present = _read(files)
        _keep(files, present, {path: text for path, text in present.items() if files.exists(path)})


def _keep(files: Files, present: Mapping[str, str], wanted: Mapping[str, str]) -> None:
    noted = {path: text for path, text in wanted.items() if text}
    if noted != present:
        files.make_folder(FOLDER)
        data = plainjson.dumps({"agentws": 1, "tasks": dict(sorted(noted.items()))}).encode() + b"\n"
        files.replace(FILE, data, expects=files.digest(FILE))
    else:
        files.settle(FILE, expects=files.digest(FILE))  # what a killed sync left beside it


def _read(files: Files) -> dict[str, str]:
    try:
        decoded = plainjson.loads(files.read(FILE, limit_bytes=_LIMIT_BYTES))
    except (MissingFileError, ValueError):
        return {}
    tasks = decoded.get("tasks") if isinstance(decoded, dict) else None
    return {path: str(digest) for path, digest in tasks.items()} if isinstance(tasks, dict) else {}
