"""The recent changes that agentws made to a file, from the records kept for `undo`."""

from __future__ import annotations

from agentws.core.disk import local_dir
from agentws.core.disk.change import undo_record
from agentws.core.formats import digest
from agentws.core.formats.digest import ABSENT
from agentws.errors import AgentwsError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from agentws.core.disk.files import Files

_FORGET = "forget"


class LoggedChange:
    """A change of one file: its `number`, the `verb`, digests before and after, and the `old` content.

    `old` is None if `forget` removed it.
    """

    __slots__ = ("after", "before", "number", "old", "verb")

    def __init__(self, number: int, verb: str, before: str, after: str, old: bytes | None) -> None:
        self.number = number
        self.verb = verb
        self.before = before
        self.after = after
        self.old = old


def of(files: Files, path: str) -> Iterator[LoggedChange]:
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


class Writer:
    """The agentws change that added a line: its `verb` and `number`; not `is_sure` if another edit came between.

    `others` are later changes that may have added it instead: `forget` removed the old files that would show that.
    """

    __slots__ = ("is_sure", "number", "others", "verb")

    def __init__(self, verb: str, number: int, *, is_sure: bool, others: Sequence[LoggedChange] = ()) -> None:
        self.verb = verb
        self.number = number
        self.is_sure = is_sure
        self.others = others


def writer(files: Files, path: str, line: str, data: bytes) -> Writer | None:
    """Return the change that added a line of `data`, the present file: the file had the line after it and not before.

    If old files were forgotten, the digests still show whether the file was edited between two changes.
    """
    wanted = line.encode("utf-8", "surrogateescape")
    after: bytes | None = data
    expected = digest.of(data)
    is_unbroken = True
    others: list[LoggedChange] = []
    for change in of(files, path) if line.strip() else ():
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
        return undo_record.read(files, folder)
    except (AgentwsError, ValueError):
        return {}


def _old(files: Files, folder: str, index: int, step: dict[str, Any]) -> bytes | None:
    if step["before"] == ABSENT:
        return b""
    try:
        return undo_record.old(files, folder, index)
    except AgentwsError:
        return None
