"""Detection of a stale copy: a workspace put back to an older state, by its newest change of documents.

The change is remembered as `changed` in the installation's state, outside of the workspace, for workspaces without
events too; specified in docs/format/local.md.
"""

from __future__ import annotations

import os

from agentws.core import Record
from agentws.core.disk import files as _files, local_dir
from agentws.core.formats import digest
from agentws.core.formats.digest import ABSENT
from agentws.core.installation import installation
from agentws.errors import AgentwsError, MissingFileError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from agentws.core.installation.installation import Installation

    IsWanted = Callable[[bytes], bool]

_NAME = "changed"
_MOST_VERB = 80
_MOST_FILES = 8
_WORDS = 3
_AT_ONCE_NS = 50_000_000
_SECOND_NS = 1_000_000_000
_IN_ARCHIVES_NS = 2 * _SECOND_NS


class Leftover(Record):
    """A file as a change left it, to detect a stale copy: its `path`, modification time (ns since 1970), and a digest.

    The digest is BLAKE2b of the logged line, or SHA-256 of the whole file.
    """

    path: str
    modified_ns: int
    digest: str

    def stands(self, files: _files.Files) -> bool:
        """Return whether the file has the written content, or was edited since; False if a stale one replaced it.

        Editing or removing a file makes it, or its folder, newer, as far as the clock is right.
        """
        try:
            status = files.status(self.path)
        except MissingFileError:
            status = _above(files, self.path)
        # A clock that was put back makes files older too, but not older than the moment in which they came.
        came_older = status.st_ctime_ns - status.st_mtime_ns > _AT_ONCE_NS
        # Archives keep whole seconds, or two of them.
        lost_ns = _IN_ARCHIVES_NS if status.st_mtime_ns % _SECOND_NS == 0 else 0
        return status.st_mtime_ns + lost_ns >= self.modified_ns or not came_older or self.is_whole(files)

    def is_whole(self, files: _files.Files) -> bool:
        """Return whether the file has the content that the last change wrote, so it is not stale."""
        try:
            data = files.read(self.path)
        except MissingFileError:
            return False
        if len(self.digest) == len(digest.quick(b"")):
            return any(digest.quick(line) == self.digest for line in data.split(b"\n"))
        return digest.of(data) == self.digest


class RecordedChange(Record):
    """A recorded change that a stale copy may lack: its `number` and `id`, and the id `of` the record.

    `verb` made it, and `at` is the time, as in the journal. `left` are files as this change, and earlier ones, left
    them; some of them, if there are many.
    """

    of: str
    number: int
    id: str
    verb: str
    at: str
    left: tuple[Leftover, ...] = ()

    def plain(self) -> dict[str, object]:
        """Return the recorded change as the state of an installation holds it."""
        left = [[leftover.path, leftover.modified_ns, leftover.digest] for leftover in self.left]
        return {"of": self.of, "change": self.number, "id": self.id, "verb": self.verb, "at": self.at, "left": left}


def of(fields: Mapping[str, object]) -> RecordedChange | None:
    """Return the recorded change in a JSON dictionary, None if it is invalid."""
    number, left = fields.get("change"), fields.get("left")
    words = [fields.get(name) for name in ("of", "id", "verb", "at")]
    if type(number) is not int or not all(isinstance(word, str) and word for word in words):
        return None
    began, id, verb, at = map(str, words)
    rows = [item for item in left if isinstance(item, list) and len(item) == _WORDS] if isinstance(left, list) else []
    sound = tuple(Leftover(str(path), ns, str(value)) for path, ns, value in rows if type(ns) is int)
    return RecordedChange(began, number, id, verb=verb, at=at, left=sound)


def keep(files: _files.Files, folder: str, now: Callable[[], str]) -> None:
    """Save the workspace's newest change to this state, to detect a stale copy later. Errors are ignored.

    The record is synced before, this never: it may lag behind, and is never ahead of the disk.
    """
    try:
        fields = local_dir.last(files) or {}
        left = [] if fields.get("number") is None else _left(files, fields, read(folder))
    except (AgentwsError, OSError):
        return
    verb = str(fields.get("verb") or fields.get("change"))[:_MOST_VERB]
    plain = [[leftover.path, leftover.modified_ns, leftover.digest] for leftover in left]
    known = of({**fields, "change": fields.get("number"), "verb": verb, "at": now(), "left": plain})
    if known is not None:  # else a version that does not name them has made it
        installation.leave(folder, _NAME, known.plain())


def names(folder: str, is_wanted: IsWanted) -> bool:
    """Return whether the saved change, by which stale copies are detected, names text to be forgotten."""
    try:
        return is_wanted(_files.Files(folder).read(_NAME))
    except AgentwsError:
        return False


def forget(folder: str, is_wanted: IsWanted) -> None:
    """Remove text to be forgotten from the change saved for stale copies, in a new file.

    A file that is only rewritten may keep old text after its newline.
    """
    known = read(folder)
    _files.Files(folder).remove(_NAME, expects=_files.Files(folder).digest(_NAME))
    if known is not None:
        known.left = tuple(
            leftover for leftover in known.left if not is_wanted(leftover.path.encode("utf-8", "surrogateescape"))
        )
        known.verb = plain_verb(known.verb, is_wanted)
        installation.leave(folder, _NAME, known.plain())


def plain_verb(verb: str, is_wanted: IsWanted) -> str:
    """Return the verb of a saved change with as many of its arguments as hold no text to be forgotten."""
    shortened = (verb, " ".join(verb.split(" ")[:2]), verb.partition(" ")[0])
    return next((each for each in shortened if not is_wanted(each.encode("utf-8", "surrogateescape"))), "change")


def _left(files: _files.Files, fields: Mapping[str, object], before: RecordedChange | None) -> list[Leftover]:
    """Return the files of this change as they are now, and files of earlier changes that are unmodified."""
    leftovers = [
        leftover for path, what in _changed(files, fields) if (leftover := _now(files, path, what)) is not None
    ]
    known = {leftover.path for leftover in leftovers}
    earlier = before.left if before is not None else ()
    kept = [leftover for leftover in earlier if leftover.path not in known and _is_kept(files, leftover)]
    return (leftovers + kept)[:_MOST_FILES]


def _changed(files: _files.Files, fields: Mapping[str, object]) -> list[tuple[str, str]]:
    """Return the paths that a change has written, each with the digest of the written content."""
    path, text, number = fields.get("path"), fields.get("text"), fields.get("number")
    if isinstance(path, str) and isinstance(text, str):
        line = text.encode("utf-8", "surrogateescape").rstrip(b"\n").rpartition(b"\n")[2]
        return [(path, digest.quick(line))]
    from agentws.core.disk.change import undo_record

    try:
        record = undo_record.read(files, f"{local_dir.UNDO}/{number:06d}")
        written = [
            (str(item["path"]), str(item["after"]))
            for item in record["changes"]
            if item["path"] and item["after"] != ABSENT
        ]
        written = [pair for pair in written if not pair[0].startswith(f"{local_dir.FOLDER}/")]  # no backup holds these
    except (AgentwsError, ValueError, KeyError, TypeError):
        return []
    return written[:_MOST_FILES]


def _now(files: _files.Files, path: str, what: str) -> Leftover | None:
    try:
        return Leftover(path, files.status(path).st_mtime_ns, what)
    except AgentwsError:
        return None


def _is_kept(files: _files.Files, leftover: Leftover) -> bool:
    try:
        return files.status(leftover.path).st_mtime_ns == leftover.modified_ns
    except AgentwsError:
        return False


def _above(files: _files.Files, path: str) -> os.stat_result:
    """Return the status of the lowest present folder above a missing file, which shows when it was removed."""
    folder = path.rpartition("/")[0]
    try:
        return os.lstat(os.path.join(files.root, folder))
    except FileNotFoundError:
        return _above(files, folder)


def read(folder: str) -> RecordedChange | None:
    """Return the change saved in this state, to detect a stale copy; None if there is no readable one."""
    try:
        value = installation.left(folder, _NAME)
    except (AgentwsError, ValueError):
        return None  # not there, or torn
    return of(value) if isinstance(value, dict) else None


def missing_change(files: _files.Files, folder: str) -> RecordedChange | None:
    """Return the saved change if the workspace is stale and lacks it, with the files that lack its content."""
    newest = read(folder)
    if newest is None or holds(files, newest):
        return None
    missing = tuple(leftover for leftover in newest.left if not _is_there(files, leftover))
    return RecordedChange(newest.of, newest.number, newest.id, verb=newest.verb, at=newest.at, left=missing)


def holds(files: _files.Files, change: RecordedChange) -> bool:
    """Return whether this copy is not stale: it has the change, and no older file has replaced a written one.

    True if unknown.
    """
    try:
        if not _is_recorded(files, change):
            return _is_whole(files, change)
        return all(leftover.stands(files) for leftover in change.left)
    except (AgentwsError, OSError):
        return True


def has_come_along(files: _files.Files, folder: str) -> bool:
    """Return whether `.agentws/` is as old as the files: its record lacks the change saved in this state."""
    newest = read(folder)
    try:
        return newest is not None and _is_unrecorded(files, newest)
    except (AgentwsError, OSError):
        return False


def _is_unrecorded(files: _files.Files, change: RecordedChange) -> bool:
    """Return whether the change is not in the record: the record has no such line, is gone, or is a new one."""
    records = local_dir.since(files, change.number)
    return not records or records[-1].get("of") != change.of or not _is_recorded(files, change)


def is_back(files: _files.Files, change: RecordedChange) -> bool:
    """Return whether a change that a stale copy lacked is present again, by its files, else by the record."""
    try:
        return _is_whole(files, change) if change.left else _is_recorded(files, change)
    except (AgentwsError, OSError):
        return False


def missing(files: _files.Files, own: Installation) -> list[dict[str, Any]]:
    """Return the lost changes in the record of this installation that this copy, still stale, lacks."""
    pairs = [(fields, of(fields)) for fields in installation.told_lost(own)]
    return [fields for fields, change in pairs if change is not None and not is_back(files, change)]


def _is_whole(files: _files.Files, change: RecordedChange) -> bool:
    return bool(change.left) and all(leftover.is_whole(files) for leftover in change.left)


def _is_there(files: _files.Files, leftover: Leftover) -> bool:
    try:
        return leftover.is_whole(files)
    except AgentwsError:
        return True


def _is_recorded(files: _files.Files, change: RecordedChange) -> bool:
    """Return whether the record has the change; True also if the record is gone or was begun again."""
    records = local_dir.since(files, change.number)
    if not records or records[-1].get("of") != change.of:
        return True
    there = [record.get("id") for record in records if record["number"] == change.number]
    # If its line was dropped with the oldest ones, all remaining ones are newer.
    return change.id in there if there else records[0]["number"] > change.number
