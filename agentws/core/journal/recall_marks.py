"""Recall marks: files in `.agentws/recall/` on what each session was given, one for each boot part, one for recalls.

The receipt of a session's boot, its tokens by section, is kept with them.
"""

from __future__ import annotations

from agentws.core import Record, Result
from agentws.core.disk import local_dir
from agentws.core.formats import digest
from agentws.core.formats.json import plainjson
from agentws.errors import AgentwsError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from agentws.core.disk.files import Files


SHOWN = "shown"
"""The file for all sessions: when a boot last showed each entry of MEMORY.md (features/boot/shown.py)."""
_OLD_S = 14 * 24 * 3600
"""Age after which the recall marks of a session that never ended are removed."""


def of_session(files: Files, session: str) -> list[dict[str, Any]]:
    """Return the contents of all recall marks of a session."""
    return [read(files, session, name.partition(".")[2]) for name in _names(files, session)]


def read(files: Files, session: str, part: str) -> dict[str, Any]:
    """Return the content of one file of recall marks, empty if it is missing or damaged."""
    return _read(files, _path(session, part))


def write(files: Files, session: str, part: str, fields: dict[str, Any]) -> None:
    """Write one file of a session's recall marks."""
    _write(files, _path(session, part), fields)


def read_shown(files: Files) -> dict[str, Any]:
    """Return the content of the file for all sessions, empty if it is missing or damaged."""
    return _read(files, f"{local_dir.RECALL}/{SHOWN}")


def write_shown(files: Files, shown: dict[str, Any]) -> None:
    """Write the file for all sessions."""
    _write(files, f"{local_dir.RECALL}/{SHOWN}", shown)


def forget(files: Files, session: str = "") -> None:
    """Remove the recall marks of a session that has ended; without `session` those of all sessions."""
    for name in _names(files, session):
        _remove(files, name)


def sweep(files: Files, now_s: int) -> None:
    """Remove old recall marks of sessions that never ended; `now_s` is the present second since 1970."""
    for name in _names(files, ""):
        if name == SHOWN:
            continue
        try:
            is_old = now_s - files.status(f"{local_dir.RECALL}/{name}").st_mtime > _OLD_S
        except AgentwsError:
            continue  # another process removed it
        if is_old:
            _remove(files, name)


def _read(files: Files, path: str) -> dict[str, Any]:
    try:
        return plainjson.fields_of(files.read(path))
    except AgentwsError:
        return {}


def _write(files: Files, path: str, content: dict[str, Any]) -> None:
    local_dir.prepare(files)
    files.make_folder(local_dir.RECALL)
    files.replace(path, plainjson.dumps(content).encode() + b"\n", expects=files.digest(path))


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


PART = "boot-{}"
_MOST_PARTS = 100


class BootReceipt(Record, Result):
    """Content of a session's last boot: `at` (local day and minute), tokens, and (source, tokens) by section."""

    at: str
    tokens: int
    budget: int
    sections: Sequence[tuple[str, int]]


def boot_name(session: str) -> str:
    """Return the name of a session's boot marks, which the end of the session leaves: a resume comes later."""
    return f"boot {session}"


def boot_receipt(files: Files, session: str) -> BootReceipt | None:
    """Return the receipt of the boot that hooks gave to a session, without parts that were not given; None if unknown.

    Each of its parts has its own marks.
    """
    first = read(files, boot_name(session), PART.format(1))
    rows = [first]
    try:
        for part in range(2, min(int(first.get("parts", 1)), _MOST_PARTS) + 1):
            marks = read(files, boot_name(session), PART.format(part))
            rows += [marks] if marks.get("boot") == first["boot"] else []
        sections: dict[int, tuple[str, int]] = {}
        for row in rows:
            for number, (source, tokens) in enumerate(row["sections"]):
                sections[number] = str(source), int(tokens) + sections.get(number, ("", 0))[1]
        tokens = sum(int(row["tokens"]) for row in rows)
        given = [section for section in sections.values() if section[1]]
        return BootReceipt(str(first["at"]), tokens, int(first["budget"]), given)
    except (KeyError, TypeError, ValueError):
        return None
