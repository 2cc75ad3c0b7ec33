"""Scrubbing `.agentws/` of text to be forgotten: undo records, quarantine, the record of changes, failure notes.

Old files are removed whole from undo records, whose changes can then no longer be undone, and so are file names with
the text. In quarantine and failure notes only lines are removed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from agentws.core.disk import content, local_dir, lock
from agentws.core.disk.change import undo_record
from agentws.core.disk.files import Files
from agentws.core.formats import digest, layout
from agentws.core.formats.json import plainjson
from agentws.core.installation import stale_copy
from agentws.errors import AgentwsError

IsWanted = Callable[[bytes], bool]
Strike = Callable[[bytes], bytes]


VERB = "forget"
"""The verb of a change whose old files are all removed: they contain the forgotten text."""
FORGOTTEN = "forgotten"
"""Replaces a change or a verb whose text was forgotten."""
_NOTES = (
    local_dir.HISTORY_FAILURE,
    local_dir.SEAL_FAILURE,
    local_dir.COMPACTION_FAILURES,
    local_dir.SYNC_HELD,
)
"""Notes of failures, whose texts may name files."""
_PENDING = ".pending"
LEFT = tuple(f"{local_dir.FOLDER}/.changes.jsonl.agentws-{end}" for end in ("old", "new"))
"""Files that a kill or a failing disk may leave of a record of changes that was being replaced."""


def undo_files(files: Files, is_wanted: IsWanted) -> list[str]:
    """Return the old files in undo records to scrub: those with the text, and all that `forget` itself left."""
    result = []
    for name, kind in files.names(local_dir.UNDO):
        folder = f"{local_dir.UNDO}/{name}"
        if kind == "file" and undo_record.is_left(name):
            result.append(folder)
        elif kind == "folder" and not name.endswith(_PENDING):
            every = _is_forgetting(_record(files, folder)[0])
            result += [path for path in _old_files(files, folder) if every or _holds(files, path, is_wanted)]
    return result


def unfinished(files: Files) -> list[dict[str, Any]]:
    """Return the changes (`path`, `before`, `after`) of `forget` runs that were killed before they had scrubbed."""
    result = []
    for name in _records(files):
        record, old = _record(files, name)
        if _is_forgetting(record) and (old or list(_old_files(files, name))):
            result += record["changes"]
    return result


def undo_records(files: Files, is_wanted: IsWanted) -> list[str]:
    """Return the undo records to scrub: the text is in file names, arguments of a verb, or old files."""
    result = []
    for name in _records(files):
        path, (record, old) = undo_record.path(files, name), _record(files, name)
        if (old and _is_forgetting(record)) or _holds(files, path, is_wanted):
            result.append(path)
    return result


def _records(files: Files) -> list[str]:
    names = (name for name, _ in files.names(local_dir.UNDO))
    return [f"{local_dir.UNDO}/{name}" for name in names if not name.endswith(_PENDING) and name[0] != "."]


def _is_forgetting(record: dict[str, Any]) -> bool:
    return record.get("verb") == VERB


def quarantined(files: Files, is_wanted: IsWanted) -> list[str]:
    """Return the files in quarantine, and failure notes, to scrub of the text."""
    paths = [f"{local_dir.QUARANTINE}/{name}" for name, kind in files.names(local_dir.QUARANTINE) if kind == "file"]
    # The copy of MEMORY.md follows that file, unless another program took facts out of it.
    copies = () if _holds(files, files.real(layout.MEMORY), is_wanted) else (local_dir.MEMORY,)
    return [path for path in [*paths, *_NOTES, *copies] if _holds(files, path, is_wanted)]


def changes(files: Files, is_wanted: IsWanted) -> list[str]:
    """Return the files of the record of changes to scrub: the text is in a logged line, or in a verb."""
    return [path for path in (local_dir.CHANGES, *LEFT) if _holds(files, path, is_wanted)]


def scrub(files: Files, is_wanted: IsWanted, strike: Strike) -> None:
    """Scrub undo records, quarantine and the record of changes: remove the text. After a kill, the next run goes on."""
    local_dir.prepare(files)
    with lock.Lock(files, lock.TRANSACTION, note=VERB):
        for path in undo_files(files, is_wanted):
            files.remove(path, expects=files.digest(path))
        for path in undo_records(files, is_wanted):
            _replace(files, path, lambda data: _unnamed(data, is_wanted))
        for path in quarantined(files, is_wanted):
            _replace(files, path, strike)
        with lock.Lock(files, lock.APPEND):
            for path in filter(files.exists, LEFT):
                files.remove(path, expects=files.digest(path))
            if files.exists(local_dir.CHANGES):
                _replace(files, local_dir.CHANGES, lambda data: _scrubbed(data, is_wanted))


def _replace(files: Files, path: str, change: Strike) -> None:
    data = files.read(path)
    after = change(data)
    if after != data:
        files.replace(path, after, expects=digest.of(data))


def _unnamed(data: bytes, is_wanted: IsWanted) -> bytes:
    """Return an undo record without the file names to be forgotten; the steps themselves stay."""

    def is_named(text: object) -> bool:
        return isinstance(text, str) and is_wanted(text.encode("utf-8", "surrogateescape"))

    record, old = _parted(data)
    if not isinstance(record.get("changes"), list):
        return b""  # torn, or of nobody that is known: it is of no use
    every = _is_forgetting(record)
    old = {index: data for index, data in old.items() if not every and not is_wanted(data)}
    steps = [_nameless(each) if is_named(each["path"]) or is_named(each["to"]) else each for each in record["changes"]]
    folders = [each for each in record["folders"] if not is_named(each)]
    verb = stale_copy.plain_verb(str(record["verb"]), is_wanted)
    output = undo_record.joined({**record, "verb": verb, "changes": steps, "folders": folders}, old)
    return output if not is_wanted(output) else b""


def _nameless(step: dict[str, Any]) -> dict[str, Any]:
    return {**step, "path": "", "to": "", FORGOTTEN: True}


def _scrubbed(data: bytes, is_wanted: IsWanted) -> bytes:
    return b"\n".join(_numbered(line, is_wanted) if is_wanted(line) else line for line in data.split(b"\n"))


def _numbered(line: bytes, is_wanted: IsWanted) -> bytes:
    """Return a recorded change reduced to its number and ids: a number must never come back. A transaction stays
    undoable.
    """
    fields = plainjson.fields_of(line)
    named: dict[str, Any] = {name: fields[name] for name in ("number", "id", "of", "undoes") if name in fields}
    if fields.get("change") == "transaction":
        verb = stale_copy.plain_verb(str(fields.get("verb")), is_wanted)
        return plainjson.dumps({**named, "change": "transaction", "verb": verb}, separators=(",", ":")).encode()
    return plainjson.dumps({**named, "change": FORGOTTEN}, separators=(",", ":")).encode() if named else b""


def _old_files(files: Files, folder: str) -> Iterator[str]:
    """Yield the old files of an undo record, and leftovers of one that was being removed."""
    for name, kind in files.names(folder):
        if name != undo_record.FILE and kind == "file":
            yield f"{folder}/{name}"


def _holds(files: Files, path: str, is_wanted: IsWanted) -> bool:
    try:
        return any(map(is_wanted, content.pieces(files, path)))
    except AgentwsError:
        return False  # not there, or gone meanwhile


def _record(files: Files, name: str) -> tuple[dict[str, Any], dict[int, bytes]]:
    """Return an undo record and the old files behind it; empty if unreadable."""
    try:
        return _parted(files.read(undo_record.path(files, name)))
    except AgentwsError:
        return {}, {}


def _parted(data: bytes) -> tuple[dict[str, Any], dict[int, bytes]]:
    try:
        return undo_record.parted(data)
    except (ValueError, TypeError):
        return {}, {}
