"""The local folder `.agentws/`: data of this machine alone, never versioned or copied by agentws.

`lock` files, `changes.jsonl` (recent changes by agentws, for repair and undo), `undo/` (old files), `quarantine/` (torn
lines that were removed), `state/` if `init` made it.
"""

from __future__ import annotations

import errno
import os
import sys

from agentws.core.disk import files as _files
from agentws.core.formats import digest, layout
from agentws.core.formats.json import plainjson
from agentws.errors import AgentwsError, MissingFileError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

FOLDER = ".agentws"
CHANGES = ".agentws/changes.jsonl"
UNDO = ".agentws/undo"
POISON = ".poison"
"""The suffix of the mark of a failed sync of a journal."""
QUARANTINE = ".agentws/quarantine"
STATE = ".agentws/state"
SEAL_FAILURE = ".agentws/seal-failure"
SEAL_ASIDE = ".agentws/seal-aside"
FORGETTING = ".agentws/forgetting"
"""The mark of a `forget` that is under way: the next one finishes what a killed one began."""
MADE_REPOSITORY = ".agentws/made-repository"
"""The inode of the `.git` that `init` made here, so that after a kill or an undo the next `init` recognizes it."""
ACCEPTED_LOSS = f"{FOLDER}/accepted-loss"
"""The ids of the changes whose lines a person gave up, as a JSON list."""
UNSYNCED = f"{FOLDER}/unsynced"
"""The mark that the person was warned of a disk that cannot sync folders."""
MEMORY = f"{FOLDER}/memory"
"""MEMORY.md as agentws last wrote it, behind a line with the number of the change and the digest."""
MEMORY_HEAD_BYTES = 78
HISTORY_FAILURE = f"{FOLDER}/history-failure"
"""When and why history was last not recorded, until it is."""
HELD_BACK = f"{FOLDER}/history-held-back"
"""The documents that history did not record since lines in them look like secrets."""
COMPACTION_FAILURES = f"{FOLDER}/compaction-failures"
SYNC_HELD = f"{FOLDER}/sync-held"
"""The file of syncs that a state of an unknown writer stops: the message of `agentws sync` for each, a line each."""
CURATION = f"{FOLDER}/curation"
SHARED = f"{FOLDER}/shared"
RECALL = f"{FOLDER}/recall"
TRANSCRIPTS_READ = f"{FOLDER}/transcripts-read"
"""The starts of crashed sessions whose transcripts were read."""
RECEIVED_TASKS = f"{FOLDER}/sync/tasks.json"
GIVEN_UP = "given_up"
"""The key of a run with the place of its last attempt's output. It stays until the task moves on or wakes again."""

_OTHERS = 0o077
_ROTATE_AT_BYTES = 1 << 20
_KEEP_BYTES = 1 << 17
_TAIL_BYTES = 1 << 19
_LAST_BYTES = 1 << 13
_LINE_BYTES = 1 << 16
"""The end of the record of changes in which the newest line of a log is looked for."""
_ID_BYTES = 4


def shared_mark(session: str) -> str:
    """Return the path in `.agentws/` of the mark of a session for a shared audience."""
    return f"{SHARED}/{digest.quick(session.encode())}"


def prepare(files: _files.Files) -> None:
    """Make the local folder `.agentws/` with its `.gitignore` if missing; close it to other users."""
    ignore = f"{FOLDER}/.gitignore"
    try:
        known = files.status(ignore)
        if known.st_size:
            if known.st_mode & _OTHERS and known.st_uid == os.geteuid():
                from agentws.core.disk import permissions  # as earlier versions made it: once

                permissions.close_own(files.root)
            return
    except MissingFileError:
        pass
    files.make_folder(FOLDER)
    sync_above(files.root)
    try:
        # Whoever else does this at the same moment writes the same bytes to the same place.
        fd = files.open(ignore, os.O_WRONLY | os.O_CREAT, 0o600)
        try:
            files.sync_folder(FOLDER)
            _files.write_all(fd, b"*\n")
            _files.sync(fd)
        finally:
            os.close(fd)
    except OSError as error:
        raise files.failure(error, ignore) from error


def sync_above(path: str) -> None:
    """Make the name of a new workspace folder (absolute path) durable, and those of its parents."""
    folder = path
    while folder != os.path.dirname(folder):
        folder = os.path.dirname(folder)
        try:
            fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except OSError as error:
            if error.errno in (errno.EACCES, errno.EPERM):
                return  # a folder that may not even be read was not made by us
            raise _files.failure(error, folder) from error
        try:
            _files.sync(fd)
        except OSError as error:
            if error.errno not in (errno.EINVAL, errno.EROFS):
                raise _files.failure(error, folder) from error
        finally:
            os.close(fd)


def last(files: _files.Files) -> dict[str, object] | None:
    """Return the newest change in `.agentws/changes.jsonl`, None for none; its key `done` says if it was made."""
    limit_bytes, whole = _LAST_BYTES, False
    while not whole:
        lines, whole = _lines(files, limit_bytes)
        done: object = None
        for record in map(plainjson.fields_of, reversed(lines)):
            if _number(record):
                return {**record, "done": done == _number(record)}
            done = record.get("done", done)
        limit_bytes *= 4
    return None


def changes(files: _files.Files) -> list[dict[str, object]]:
    """Return the changes in `.agentws/changes.jsonl`, oldest first, each with its key `done`; the last hundreds.

    A torn last line is skipped.
    """
    limit_bytes, whole = _TAIL_BYTES, False
    result: list[dict[str, object]] = []
    while not whole and not result:
        lines, whole = _lines(files, limit_bytes)
        read = [*map(plainjson.fields_of, lines)]
        done = {record["done"] for record in read if "done" in record}
        result = [{**record, "done": _number(record) in done} for record in read if _number(record)]
        limit_bytes *= 4
    return result


def since(files: _files.Files, number: int) -> list[dict[str, Any]]:
    """Return the changes in `.agentws/changes.jsonl` from this number on, oldest first, perhaps with older ones."""
    limit_bytes, whole = _LAST_BYTES, False
    result: list[dict[str, Any]] = []
    while not whole and (not result or result[0]["number"] > number):
        lines, whole = _lines(files, limit_bytes)
        result = [record for record in map(plainjson.fields_of, lines) if _number(record)]
        limit_bytes *= 4
    return result


def newest(files: _files.Files) -> int:
    """Return the number of the newest change in `.agentws/changes.jsonl`, 0 for none."""
    records = since(files, sys.maxsize)
    return int(records[-1]["number"]) if records else 0


def began_with(files: _files.Files, verb: str) -> bool:
    """Return whether the first change in `.agentws/changes.jsonl` is of this verb, or is no longer kept."""
    records = since(files, 1)
    return bool(records) and (records[0]["number"] > 1 or records[0].get("verb") == verb)


def add(files: _files.Files, record: dict[str, object], *, previous: dict[str, object] | None) -> int:
    """Append a change to `.agentws/changes.jsonl`, durably; returns its number. The caller holds the append lock.

    The change gets an `id`, and continues the record of `previous` (`of`), else begins a new one.
    """
    number = (_number(previous or {}) or _newest_kept(files)) + 1
    id = new_id()
    named = {"number": number, "id": id, "of": (previous or {}).get("of") or id}
    line = plainjson.dumps({**named, **record}, separators=(",", ":")).encode() + b"\n"
    with _files.Failing(CHANGES):
        fd = files.open_in_place(CHANGES, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            size = os.fstat(fd).st_size
            if not size:
                files.sync_folder(FOLDER)  # first, so that a file with content always has a durable name
            _files.write_all(fd, _glue(fd, size) + line)
            _files.sync(fd)
        finally:
            os.close(fd)
    if size > _ROTATE_AT_BYTES:
        _shorten(files)
    return number


def new_id() -> str:
    """Return an id for a change in `.agentws/changes.jsonl`, or for all changes of one call."""
    return os.urandom(_ID_BYTES).hex()


def done(files: _files.Files, number: int) -> None:
    """Mark change `number` in `.agentws/changes.jsonl` as made: its file is not torn then, whatever it contains.

    Not synced: after a power cut the file itself shows it.
    """
    try:
        fd = files.open_in_place(CHANGES, os.O_RDWR | os.O_APPEND)
        try:
            os.write(fd, _glue(fd, os.fstat(fd).st_size) + b'{"done":%d}\n' % number)
        finally:
            os.close(fd)
    except (OSError, AgentwsError):
        return


def _glue(fd: int, size: int) -> bytes:
    """Return a newline if the last line is torn, so that the next one starts on a separate line."""
    return b"\n" if size and os.pread(fd, 1, size - 1) != b"\n" else b""


def _newest_kept(files: _files.Files) -> int:
    """Return the highest number in `undo/`: if the record of changes is lost, numbers must not be used again."""
    names = (name.partition(".")[0] for name, _ in files.names(UNDO))
    return max((int(name) for name in names if name.isdigit()), default=0)


def may_lack_lines(files: _files.Files) -> bool:
    """Return whether a recent log line is not where it was written: core/stores/lost_lines.py finds out why."""
    texts: dict[str, bytes | None] = {}
    for path, offset, line in _recent_lines(files):
        if path not in texts:
            try:
                texts[path] = files.read(path)
            except MissingFileError:
                return True
            except AgentwsError:
                texts[path] = None  # a file that cannot be read is reported by others
        text = texts[path]
        if text is not None and text[offset : offset + len(line)] != line:
            return True
    return False


def may_lack_facts(files: _files.Files) -> bool:
    """Return whether MEMORY.md is not as agentws left it: core/stores/lost_facts.py finds out why."""
    if files.is_missing(MEMORY):
        return False
    try:
        return files.read(MEMORY)[MEMORY_HEAD_BYTES:] != files.read(files.real(layout.MEMORY))
    except MissingFileError:
        return True
    except AgentwsError:
        return False


def may_lack(files: _files.Files) -> bool:
    """Return whether lines or facts may be missing: core/stores/lost_lines.py finds out which."""
    return may_lack_lines(files) or may_lack_facts(files)


def is_overwritten(files: _files.Files) -> bool:
    """Return whether the newest log line was overwritten, or MEMORY.md was edited and may lack facts, for `log`.

    Reads that line alone, and MEMORY.md only if it was written since.
    """
    return _is_newest_gone(files) or (_is_memory_written(files) and may_lack_facts(files))


def _is_memory_written(files: _files.Files) -> bool:
    try:
        kept = os.stat(f"{files.root}/{MEMORY}")
        now = os.stat(f"{files.root}/{files.real(layout.MEMORY)}", follow_symlinks=False)
    except FileNotFoundError:
        return True  # `may_lack_facts` finds out which of them is gone
    except OSError:
        return False
    return now.st_mtime_ns > kept.st_mtime_ns or now.st_size != kept.st_size - MEMORY_HEAD_BYTES


def _is_newest_gone(files: _files.Files) -> bool:
    for path, offset, line in _recent_lines(files):
        try:
            return files.piece(path, offset, len(line)) != line
        except MissingFileError:
            return True
        except AgentwsError:
            return False
    return False


def _recent_lines(files: _files.Files) -> Iterator[tuple[str, int, bytes]]:
    """Yield (log, offset, bytes) of the log lines at the end of the record that are marked as done, newest first.

    Those that sync brought are runs of lines.
    """
    limit_bytes, whole, has_yielded = _LINE_BYTES, False, False
    while not whole and not has_yielded:
        lines, whole = _lines(files, limit_bytes)
        done: set[object] = set()
        for record in filter(None, map(plainjson.fields_of, reversed(lines))):
            is_done = _number(record) in done
            for path, offset, text in lines_of(record) if is_done else ():
                has_yielded = True
                yield path, offset, text.encode("utf-8", "surrogateescape")
            done.add(record.get("done"))
        limit_bytes *= 4


def rewritten(record: dict[str, Any]) -> list[str]:
    """Return the daily logs that a sync in the record has not only added lines to."""
    return [str(log["path"]) for log in record.get("logs") or () if log.get("anew")]


def lines_of(record: dict[str, Any]) -> Iterator[tuple[str, int, str]]:
    """Yield (log, offset, text) of the lines of daily logs that a change in the record has written."""
    rows = [[record.get("path"), record.get("offset"), record.get("text")]]
    for log in record.get("logs") or ():
        rows += [[log.get("path"), *run] for run in log.get("runs") or ()]
    for path, offset, text in rows:
        if isinstance(path, str) and isinstance(offset, int) and isinstance(text, str):
            yield path, offset, text


def interrupted(files: _files.Files) -> bool:
    """Return whether `.agentws/undo/` has a killed transaction that waits for recovery."""
    return any(name.endswith(".pending") for name, _ in files.names(UNDO))


def seal_failure(files: _files.Files) -> str:
    """Return when and why sealing the journal last failed, as the local folder `.agentws/` notes; or empty."""
    try:
        return files.part(SEAL_FAILURE, 1 << 16)[0].decode("utf-8", "replace").strip()
    except AgentwsError:
        return ""


def quarantine(files: _files.Files, name: str, data: bytes) -> str:
    """Save bytes that are about to be removed from a file in `.agentws/quarantine/`; returns their path."""
    files.make_folder(QUARANTINE)
    taken = {entry for entry, _ in files.names(QUARANTINE)}
    number = 1
    while f"{name}.{number}" in taken:
        number += 1
    path = f"{QUARANTINE}/{name}.{number}"
    files.replace(path, data, expects="")
    return path


def clear_quarantine(files: _files.Files) -> None:
    """Remove what killed processes left beside the files in quarantine. The caller holds the append lock."""
    for entry, _ in files.names(QUARANTINE):
        if entry.startswith(".") and entry.endswith((".agentws-new", ".agentws-old")):
            files.clear_beside(f"{QUARANTINE}/{entry[1:].rpartition('.agentws-')[0]}")


def _number(record: dict[str, object]) -> int:
    number = record.get("number")
    return number if isinstance(number, int) else 0


def _lines(files: _files.Files, limit_bytes: int) -> tuple[list[bytes], bool]:
    """Return the complete lines in the last `limit_bytes`, and whether these are all."""
    try:
        data, size = files.part(CHANGES, limit_bytes, from_end=True)
    except MissingFileError:
        return [], True
    lines = data.split(b"\n")[:-1]
    # If the read does not start at the beginning, the first line is incomplete.
    return (lines[1:], False) if size > len(data) else (lines, True)


def _shorten(files: _files.Files) -> None:
    try:
        whole = files.read(CHANGES)
        # Cut before a line, and never into the newest one, however long it is.
        cut = whole.rfind(b"\n", 0, max(0, len(whole) - _KEEP_BYTES)) + 1
        files.replace(CHANGES, whole[cut:], expects=digest.of(whole))
    except AgentwsError:
        return  # only a courtesy to the disk: the next change tries again
