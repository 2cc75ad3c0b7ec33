"""What this machine keeps of documents besides themselves, without what is to be forgotten: old files, torn lines.

Old files go whole from undo records, whose changes can then no longer be taken back. In quarantine only lines go.
"""

from __future__ import annotations

from agentws.errors import AgentwsError
from agentws.formats import digest, plainjson
from agentws.storage import local, lock

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from agentws.storage.files import Files

    IsWanted = Callable[[bytes], bool]
    Strike = Callable[[bytes], bytes]

VERB = "forget"
"""The verb of a change whose old files all go: they are what was forgotten."""
RECORD = "record.json"
_PENDING = ".pending"
_LEFT = f"{local.FOLDER}/.changes.jsonl.agentws-old"
"""What a kill may leave of a record of changes that was being replaced."""
_LOCK_TIMEOUT_S = 30.0


def undo_files(files: Files, is_wanted: IsWanted) -> list[str]:
    """The old files in undo records that hold what is to be forgotten, and all of those that forgettings left."""
    found = []
    for name, kind in files.names(local.UNDO):
        folder = f"{local.UNDO}/{name}"
        if kind == "folder" and not name.endswith(_PENDING):
            every = _record(files, folder).get("verb") == VERB
            found += [path for path in _old_files(files, folder) if every or _holds(files, path, is_wanted)]
    return found


def unfinished(files: Files) -> list[dict[str, Any]]:
    """The changes (`path`, `before`, `after`) of forgettings that were killed before they had cleared up."""
    folders = [f"{local.UNDO}/{name}" for name, _ in files.names(local.UNDO) if not name.endswith(_PENDING)]
    records = [_record(files, folder) for folder in folders if list(_old_files(files, folder))]
    return [change for record in records if record.get("verb") == VERB for change in record["changes"]]


def quarantined(files: Files, is_wanted: IsWanted) -> list[str]:
    """The files in quarantine that hold what is to be forgotten."""
    paths = [f"{local.QUARANTINE}/{name}" for name, kind in files.names(local.QUARANTINE) if kind == "file"]
    return [path for path in paths if _holds(files, path, is_wanted)]


def changes(files: Files, is_wanted: IsWanted) -> list[str]:
    """The record of changes where it holds what is to be forgotten (the text of a line that was logged)."""
    held = any(is_wanted(text) for _, text in _logged(_changes(files)))
    left = [_LEFT] if files.exists(_LEFT) and _holds(files, _LEFT, is_wanted) else []
    return [local.CHANGES] * held + left


def scrub(files: Files, is_wanted: IsWanted, strike: Strike) -> None:
    """Take all of it away. A kill leaves some of it, which the next time finds again."""
    local.prepare(files)
    with lock.Lock(files, lock.TRANSACTION, timeout_s=_LOCK_TIMEOUT_S, note=VERB):
        for path in undo_files(files, is_wanted):
            files.remove(path, expects=files.digest(path))
        for path in quarantined(files, is_wanted):
            data = files.read(path)
            files.replace(path, strike(data), expects=digest.of(data))
        with lock.Lock(files, lock.APPEND, timeout_s=_LOCK_TIMEOUT_S):
            _scrub_changes(files, is_wanted)


def _scrub_changes(files: Files, is_wanted: IsWanted) -> None:
    """Leave of the records of such lines what names them: a number must never come back."""
    if files.exists(_LEFT):
        files.remove(_LEFT, expects=files.digest(_LEFT))
    whole = _changes(files)
    gone = {number for number, text in _logged(whole) if is_wanted(text)}
    if gone:
        lines = [_numbered(line, gone) for line in whole.split(b"\n")]
        files.replace(local.CHANGES, b"\n".join(lines), expects=digest.of(whole))


def _numbered(line: bytes, gone: set[int]) -> bytes:
    told = _told(line)
    if told.get("number") not in gone:
        return line
    named: dict[str, Any] = {name: told[name] for name in ("number", "id", "of") if name in told}
    return plainjson.dumps({**named, "change": "forgotten"}, separators=(",", ":")).encode()


def _logged(changes: bytes) -> Iterator[tuple[int, bytes]]:
    for line in changes.split(b"\n"):
        told = _told(line)
        if isinstance(told.get("text"), str) and isinstance(told.get("number"), int):
            yield told["number"], told["text"].encode("utf-8", "surrogateescape")


def _changes(files: Files) -> bytes:
    return files.read(local.CHANGES) if files.exists(local.CHANGES) else b""


def _old_files(files: Files, folder: str) -> Iterator[str]:
    """The old files of an undo record, and what a kill has left of one that was being taken away."""
    for name, kind in files.names(folder):
        if name != RECORD and kind == "file":
            yield f"{folder}/{name}"


def _holds(files: Files, path: str, is_wanted: IsWanted) -> bool:
    try:
        return is_wanted(files.read(path))
    except AgentwsError:
        return False  # larger than any that agentws keeps, or gone meanwhile


def _record(files: Files, folder: str) -> dict[str, Any]:
    try:
        return _told(files.read(f"{folder}/{RECORD}"))
    except AgentwsError:
        return {}


def _told(line: bytes) -> dict[str, Any]:
    try:
        told = plainjson.loads(line)
    except (ValueError, RecursionError):
        return {}
    return told if isinstance(told, dict) else {}
