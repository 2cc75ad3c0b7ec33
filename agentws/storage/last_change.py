"""The newest change of documents that this installation has made here, remembered outside of the workspace.

What holds no events shows by it that it was put back to an older state. Kept as `changed` in the installation's state;
specified in docs/format/local.md.
"""

from __future__ import annotations

import os

from agentws.errors import AgentwsError, MissingFileError
from agentws.formats import digest, layout, plainjson
from agentws.storage import files as _files
from agentws.storage import local

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_NAME = "changed"
_MOST_BYTES = 1 << 10
_MOST_VERB = 80
_WORDS = 2


class Change:
    """A change in the record of changes: its `number` there and its `id`, both of the record that began as `of`.

    `verb` made it, and `at` is the moment, as the journal tells one. `line` is the newest one that was logged up to
    then: the log that it stands in and the digest of what it says; None where none is known.
    """

    __slots__ = ("at", "id", "line", "number", "of", "verb")

    def __init__(
        self, of: str, number: int, id: str, *, verb: str, at: str, line: tuple[str, str] | None = None
    ) -> None:
        self.of = of
        self.number = number
        self.id = id
        self.verb = verb
        self.at = at
        self.line = line

    def plain(self) -> dict[str, object]:
        """As it stands in the state of an installation."""
        told: dict[str, object] = {
            "of": self.of,
            "change": self.number,
            "id": self.id,
            "verb": self.verb,
            "at": self.at,
        }
        return told | ({"line": list(self.line)} if self.line else {})


def of(told: Mapping[str, object]) -> Change | None:
    """The change that a plain one tells, None where it tells none."""
    number, line = told.get("change"), told.get("line")
    words = [told.get(name) for name in ("of", "id", "verb", "at")]
    if type(number) is not int or not all(isinstance(word, str) and word for word in words):
        return None
    began, id, verb, at = map(str, words)
    where = (str(line[0]), str(line[1])) if isinstance(line, list) and len(line) == _WORDS else None
    return Change(began, number, id, verb=verb, at=at, line=where)


def keep(files: _files.Files, folder: str, now: Callable[[], str]) -> None:
    """Remember, in this state, the newest change that the workspace's record tells. No error where that cannot be.

    The record is synced before, and this never: it may lag behind, and is never ahead of what the disk has taken.
    """
    try:
        told = local.last(files) or {}
        line = _logged(told) or _before(files, folder)
    except AgentwsError:
        return
    verb = str(told.get("verb") or told.get("change"))[:_MOST_VERB]
    known = of({**told, "change": told.get("number"), "verb": verb, "at": now(), "line": line})
    if known is None:
        return  # a version that does not name them has made it
    body = plainjson.dumps(known.plain(), separators=(",", ":")).encode()
    try:
        fd = os.open(f"{folder}/{_NAME}", os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        try:
            # In one step; what an earlier, longer one has left behind the newline does not count.
            os.pwrite(fd, digest.quick(body).encode() + b" " + body + b"\n", 0)
        finally:
            os.close(fd)
    except OSError:
        return


def _logged(told: Mapping[str, object]) -> list[str] | None:
    """Where the line that a change has logged stands, and its digest; None where it has logged none."""
    path, text = told.get("path"), told.get("text")
    if not isinstance(path, str) or not isinstance(text, str):
        return None
    return [path, digest.quick(text.encode("utf-8", "surrogateescape").rstrip(b"\n").rpartition(b"\n")[2])]


def _before(files: _files.Files, folder: str) -> list[str] | None:
    """The line that is remembered in this state, where it was not taken back since."""
    known = read(folder)
    return list(known.line) if known is not None and known.line and _stands(files, *known.line) else None


def read(folder: str) -> Change | None:
    """What is remembered in this state, None where nothing is that can be read."""
    try:
        whole = _files.Files(folder).part(_NAME, _MOST_BYTES)[0]
        seal, _, body = whole.partition(b"\n")[0].partition(b" ")
        told = plainjson.loads(body) if digest.quick(body).encode() == seal else None
    except (AgentwsError, ValueError):
        return None  # not there, or torn
    return of(told) if isinstance(told, dict) else None


def lacked(files: _files.Files, folder: str) -> Change | None:
    """The change that is remembered in this state, where the workspace is known to lack it."""
    newest = read(folder)
    return None if newest is None or holds(files, newest) else newest


def holds(files: _files.Files, change: Change) -> bool:
    """True where this copy's record of changes holds this one.

    Where the record is gone, or was begun anew, the newest line of the log tells it; and True where that cannot either.
    """
    try:
        records = local.since(files, change.number)
        if not records or records[-1].get("of") != change.of:
            return change.line is None or _stands(files, *change.line)
    except AgentwsError:
        return True
    there = [record.get("id") for record in records if record["number"] == change.number]
    # Where its line went with the oldest ones, all that are left are newer.
    return change.id in there if there else records[0]["number"] > change.number


def _stands(files: _files.Files, path: str, told: str) -> bool:
    """True where the line stands in its log, or nothing tells that this is gone: old days are archived or deleted."""
    try:
        data = files.read(path)
    except MissingFileError:
        folder, _, name = path.rpartition("/")
        days = [each for each, kind in files.names(folder) if kind == "file" and layout.day_of(each)]
        return not days or max(days) > name
    return any(digest.quick(line) == told for line in data.split(b"\n"))
