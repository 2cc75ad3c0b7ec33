"""Undo records: the steps of a change and the old files, as one file in `.agentws/undo/`, or a folder if large.

Specified in docs/format/local.md. A record is known by its `name`, the path of that file or folder. From the records
that are kept comes the list of the recent changes of a file.
"""

from __future__ import annotations

from agentws.core import Record
from agentws.core.disk import local_dir
from agentws.core.formats import digest
from agentws.core.formats.digest import ABSENT
from agentws.core.formats.json import plainjson
from agentws.errors import AgentwsError, MissingFileError, UnsafeFileError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from agentws.core.disk.files import Files


FILE = "record.json"
"""The record in a folder, beside the old files."""
_OLD = "old"
"""The key of a step with the place of its old file behind the record: offset and length."""
_END = b"\n}\n"
"""The end of the record: no line within it begins so."""
_ASIDE = (".agentws-new", ".agentws-old")
"""The suffixes of temporary files of Files.replace."""
_LARGEST_WHOLE_BYTES = 1 << 20


def put(files: Files, name: str, record: dict[str, Any], old: dict[int, bytes]) -> None:
    """Save an undo record durably with the old files of its steps, by step number."""
    if not files.listing(local_dir.UNDO):
        files.make_folder(local_dir.UNDO)  # what holds something was made durable before
    if sum(map(len, old.values())) > _LARGEST_WHOLE_BYTES:
        files.make_folder(name)
        later: set[str] = set()
        for index, data in old.items():
            files.replace(f"{name}/{index}", data, expects=digest.ABSENT, later=later)
        for folder in later:
            files.sync_folder(folder)  # a record means that all old files are present
        files.replace(f"{name}/{FILE}", joined(record, {}), expects=digest.ABSENT)
        return
    files.replace(name, joined(record, old), expects=digest.ABSENT)


def joined(record: dict[str, Any], old: dict[int, bytes]) -> bytes:
    """Return the bytes of an undo record followed by these old files."""
    steps = [{key: value for key, value in step.items() if key != _OLD} for step in record["changes"]]
    at = 0
    for index, data in old.items():
        steps[index][_OLD] = [at, len(data)]
        at += len(data)
    return plainjson.dumps({**record, "changes": steps}, indent=1).encode() + b"\n" + b"".join(old.values())


def parted(data: bytes) -> tuple[dict[str, Any], dict[int, bytes]]:
    """Return the undo record in these bytes, and the old files behind it; ValueError if it is torn."""
    text, end, behind = data.partition(_END)
    record = plainjson.loads(text + end)
    if not isinstance(record, dict):
        raise ValueError("no record")
    old = {}
    for index, step in enumerate(record.get("changes", ())):
        if _OLD in step:
            at, length = step[_OLD]
            old[index] = behind[at : at + length]
    return record, old


def path(files: Files, name: str) -> str:
    """Return the path of the file that holds the undo record."""
    return f"{name}/{FILE}" if is_folder(files, name) else name


def is_folder(files: Files, name: str) -> bool:
    """Return whether the undo record is a folder: a large one, or one of an earlier version."""
    try:
        files.status(name)
    except UnsafeFileError:
        return True
    except MissingFileError:
        return False
    return False


def read(files: Files, name: str) -> dict[str, Any]:
    """Return the undo record; MissingFileError if it is missing, ValueError if it is torn."""
    return parted(files.read(path(files, name)))[0]


def old(files: Files, name: str, index: int) -> bytes:
    """Return the old content of a step's file from its undo record; MissingFileError if it was forgotten."""
    if is_folder(files, name):
        return files.read(f"{name}/{index}")
    kept = parted(files.read(name))[1]
    if index not in kept:
        raise MissingFileError(f"{name}: the old file of step {index} is not kept.")
    return kept[index]


def settle(files: Files, name: str) -> None:
    """Remove temporary files that a kill left beside a complete undo record."""
    place = path(files, name)
    files.settle(place, expects=files.digest(place))


def is_left(name: str) -> bool:
    """Return whether this is a leftover of an undo record whose writing or removal was killed."""
    # Files of other programs, such as `.DS_Store` or `.nfs0001`, are kept.
    return name.endswith(_ASIDE) and name[:1] == "." and name[1:].partition(".")[0].isdigit()


def clear(files: Files, left: str) -> None:
    """Remove a leftover file of a killed undo record."""
    above, _, last = left.rpartition("/")
    files.settle(f"{above}/{last[1:].rpartition('.')[0]}", expects=files.digest(left))


def drop(files: Files, name: str, *, durably: bool = True) -> None:
    """Remove an undo record; if not `durably`, it may be back after a power cut."""
    if not is_folder(files, name):
        files.remove(name, expects=files.digest(name), later=None if durably else set())
        return
    # The record is removed first: half a folder must not look complete.
    for each in sorted(files.listing(name), key=lambda each: each != FILE):
        files.remove(f"{name}/{each}", expects=files.digest(f"{name}/{each}"))
    files.remove_folder(name)


_FORGET = "forget"


class LoggedChange(Record):
    """A change of one file: its `number`, the `verb`, digests before and after, and the `old` content.

    `old` is None if `forget` removed it.
    """

    number: int
    verb: str
    before: str
    after: str
    old: bytes | None


def changes_of(files: Files, path: str) -> Iterator[LoggedChange]:
    """Yield the kept changes of the file at `path` from the undo records, newest first."""
    path = files.real(path)
    numbers = sorted((name for name, _ in files.names(local_dir.UNDO) if name.isdigit()), key=int, reverse=True)
    for name in numbers:
        folder = f"{local_dir.UNDO}/{name}"
        record = _record(files, folder)
        for index, step in enumerate(record.get("changes", ())):
            if step["path"] == path and not step["to"]:
                old = _old(files, folder, index, step)
                yield LoggedChange(int(name), str(record["verb"]), step["before"], step["after"], old)


class Writer(Record):
    """The agentws change that added a line: its `verb` and `number`; not `is_sure` if another edit came between.

    `others` are later changes that may have added it instead: `forget` removed the old files that would show that.
    """

    verb: str
    number: int
    is_sure: bool
    others: Sequence[LoggedChange] = ()


def writer_of(files: Files, path: str, line: str, data: bytes) -> Writer | None:
    """Return the change that added a line of `data`, the present file: the file had the line after it and not before.

    If old files were forgotten, the digests still show whether the file was edited between two changes.
    """
    wanted = line.encode("utf-8", "surrogateescape")
    after: bytes | None = data
    expected = digest.of(data)
    is_unbroken = True
    others: list[LoggedChange] = []
    for change in changes_of(files, path) if line.strip() else ():
        is_unbroken = expected == change.after and (is_unbroken or after is not None)
        expected = change.before
        if change.old is None:
            after = None
            if change.verb != _FORGET:  # that one adds no line
                others.append(change)
            continue
        if not _has(change.old, wanted) and not (is_unbroken and after is not None and not _has(after, wanted)):
            return Writer(change.verb, change.number, is_sure=is_unbroken and not others, others=others)
        after = change.old
        others = []
    return None


def _has(data: bytes, line: bytes) -> bool:
    return any(each.strip(b"\r") == line for each in data.split(b"\n"))


def logged(files: Files, path: str, line: str) -> int:
    """Return the number of the change by which the verb `log` wrote this line, 0 if the undo records do not show it."""
    for record in reversed(local_dir.changes(files)):
        if record.get("change") == "log" and record.get("path") == path and line in str(record["text"]).split("\n"):
            number = record["number"]
            return number if isinstance(number, int) else 0
    return 0


def session_of(files: Files, number: int) -> str:
    """Return the session that made a change, empty if the undo records do not show it."""
    made = (record for record in local_dir.changes(files) if record.get("number") == number)
    return next((str(record.get("session") or "") for record in made), "")


def _record(files: Files, folder: str) -> dict[str, Any]:
    try:
        return read(files, folder)
    except (AgentwsError, ValueError):
        return {}


def _old(files: Files, folder: str, index: int, step: dict[str, Any]) -> bytes | None:
    if step["before"] == ABSENT:
        return b""
    try:
        return old(files, folder, index)
    except AgentwsError:
        return None
