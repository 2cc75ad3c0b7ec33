"""Marks of what sessions were told, in `.agentws/recall/`: a file for each part of a boot, and one for recalls."""

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
"""The marks of a session that never ended are removed after so long."""


def of_session(files: Files, session: str) -> list[dict[str, Any]]:
    """Return what stands in the files of a session."""
    return [read(files, session, name.partition(".")[2]) for name in _names(files, session)]


def read(files: Files, session: str, part: str) -> dict[str, Any]:
    """Return what stands in one file of a session, empty where there is none."""
    try:
        found = plainjson.loads(files.read(_path(session, part)))
    except (AgentwsError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def write(files: Files, session: str, part: str, said: dict[str, Any]) -> None:
    """Write one file of a session."""
    local_dir.prepare(files)
    files.make_folder(local_dir.RECALL)
    path = _path(session, part)
    files.replace(path, plainjson.dumps(said).encode() + b"\n", expects=files.digest(path))


def forget(files: Files, session: str = "") -> None:
    """Remove the files of a session that is over; without one, those of all."""
    for name in _names(files, session):
        _remove(files, name)


def sweep(files: Files, now_s: int) -> None:
    """Remove what sessions left that never ended; `now_s` is the present second since 1970."""
    for name in _names(files, ""):
        try:
            is_old = now_s - files.status(f"{local_dir.RECALL}/{name}").st_mtime > _OLD_S
        except AgentwsError:
            continue  # it went away meanwhile
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
        return  # it went away meanwhile
