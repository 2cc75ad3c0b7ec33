"""Recall marks: files in `.agentws/recall/` on what each session was told, one for each boot part, one for recalls."""

from __future__ import annotations

from agentws.core.disk import local_dir
from agentws.core.formats import digest
from agentws.core.formats.json import plainjson
from agentws.errors import AgentwsError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from agentws.core.disk.files import Files

_OLD_S = 14 * 24 * 3600
"""Age after which the recall marks of a session that never ended are removed."""


def of_session(files: Files, session: str) -> list[dict[str, Any]]:
    """Return the contents of all recall marks of a session."""
    return [read(files, session, name.partition(".")[2]) for name in _names(files, session)]


def read(files: Files, session: str, part: str) -> dict[str, Any]:
    """Return the content of one file of recall marks, empty if it is missing or damaged."""
    try:
        decoded = plainjson.loads(files.read(_path(session, part)))
    except (AgentwsError, ValueError, RecursionError):
        return {}
    return decoded if isinstance(decoded, dict) else {}


def write(files: Files, session: str, part: str, fields: dict[str, Any]) -> None:
    """Write one file of a session's recall marks."""
    local_dir.prepare(files)
    files.make_folder(local_dir.RECALL)
    path = _path(session, part)
    files.replace(path, plainjson.dumps(fields).encode() + b"\n", expects=files.digest(path))


def forget(files: Files, session: str = "") -> None:
    """Remove the recall marks of a session that is over; without `session` those of all sessions."""
    for name in _names(files, session):
        _remove(files, name)


def sweep(files: Files, now_s: int) -> None:
    """Remove old recall marks of sessions that never ended; `now_s` is the present second since 1970."""
    for name in _names(files, ""):
        try:
            is_old = now_s - files.status(f"{local_dir.RECALL}/{name}").st_mtime > _OLD_S
        except AgentwsError:
            continue  # another process removed it
        if is_old:
            _remove(files, name)


def _names(files: Files, session: str) -> list[str]:
    begins = f"{digest.quick(session.encode())}." if session else ""
    return [name for name, kind in files.names(local_dir.RECALL) if kind == "file" and name.startswith(begins)]


def _path(session: str, part: str) -> str:
    return f"{local_dir.RECALL}/{digest.quick(session.encode())}.{part}"


def _remove(files: Files, name: str) -> None:
    path = f"{local_dir.RECALL}/{name}"
    try:
        files.remove(path, expects=files.digest(path))
    except AgentwsError:
        return  # another process removed it
