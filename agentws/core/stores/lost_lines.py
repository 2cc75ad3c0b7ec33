"""Lost lines: finds log lines that agentws acknowledged and another program removed, and puts them back.

A program that saves an old buffer over a newer log removes lines without knowing of them. agentws still has their text
in its record of changes (`.agentws/changes.jsonl`).
"""

from __future__ import annotations

from agentws.changes import ABSENT, ChangeSet, Write
from agentws.core.disk import local_dir
from agentws.core.formats import digest, layout
from agentws.core.notes import rewording
from agentws.errors import AgentwsError, MissingFileError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.core.disk.change.undo_log import LoggedChange
    from agentws.core.disk.files import Files

REMEDY = "To put them back: agentws doctor --fix. If they were removed on purpose: agentws doctor --accept-loss"
_REMOVING = ("compact", "forget", "journal", "redo", "restore", "sync", "undo")
"""The first words of verbs that may remove lines of a log; all others keep what they find."""


class LostLines:
    """The acknowledged lines that a log has lost.

    Fields:
        path: the log.
        entries: the entries, in the order in which they were written, without a newline at the end.
    """

    __slots__ = ("entries", "path")

    def __init__(self, path: str, entries: list[str]) -> None:
        self.path = path
        self.entries = entries

    @property
    def says(self) -> str:
        """The number of lost lines in words, without the log's path."""
        count = len(self.entries)
        lines = "1 acknowledged line is" if count == 1 else f"{count} acknowledged lines are"
        return f"{lines} missing, as if another program had overwritten the file"


def missing(files: Files) -> list[LostLines]:
    """Return the lost lines of each log: still in the record of changes, and not given up by anybody."""
    accepted = _accepted(files)
    written: dict[str, list[tuple[int, str]]] = {}
    for record in local_dir.changes(files):
        number, path, text = record["number"], record.get("path"), record.get("text")
        is_line = record.get("change") == "log" and record.get("done") and isinstance(path, str)
        if is_line and isinstance(number, int) and (entry := _entry(str(text))):
            written.setdefault(str(path), []).append((number, entry))
    found = ((path, _lost(files, path, entries, accepted)) for path, entries in written.items())
    return [LostLines(path, entries) for path, entries in found if entries]


def mark(files: Files) -> None:
    """Note that lines are lost, so that `boot` and `status` say so until they are put back or given up."""
    if not files.exists(local_dir.LOST_LINES):
        files.replace(local_dir.LOST_LINES, b"", expects=ABSENT)


def put_back(files: Files, path: str) -> ChangeSet:
    """Return the change that adds the lost lines to the log at `path`, at its end; empty if none are lost."""
    lost = next((one for one in missing(files) if one.path == path), None)
    if lost is None:
        return ChangeSet("doctor", ())
    try:
        data = files.read(path)
        expects = digest.of(data)
    except MissingFileError:
        data, expects = f"# {path.rpartition('/')[2][:10]}\n\n".encode(), ABSENT
    lines = "".join(f"{entry}\n" for entry in lost.entries).encode("utf-8", "surrogateescape")
    glue = b"" if not data or data.endswith(b"\n") else b"\n"
    return ChangeSet("doctor", (Write(path, data + glue + lines, expects=expects),))


def accept(files: Files) -> None:
    """Give up the lines that are lost now: nothing reports them again."""
    number = str(local_dir.newest(files)).encode()
    files.replace(local_dir.ACCEPTED_LOSS, number, expects=files.digest(local_dir.ACCEPTED_LOSS))
    settle(files)


def settle(files: Files) -> None:
    """Remove the mark of lost lines if no line is missing."""
    if files.exists(local_dir.LOST_LINES) and not missing(files):
        files.remove(local_dir.LOST_LINES, expects=files.digest(local_dir.LOST_LINES))


def _accepted(files: Files) -> int:
    try:
        return int(files.read(local_dir.ACCEPTED_LOSS))
    except (MissingFileError, ValueError):
        return 0


def _entry(addition: str) -> str:
    """Return the entry of what was appended: a new log's heading comes before it."""
    start = 0 if addition.startswith("- ") else addition.find("\n- ") + 1
    return addition[start:].rstrip("\n") if addition.startswith("- ", start) else ""


def _lost(files: Files, path: str, written: list[tuple[int, str]], accepted: int) -> list[str]:
    text = _text(files, path)
    if text is None:
        return []
    absent = [(number, entry) for number, entry in written if number > accepted and not _has(text, entry)]
    if absent:
        from agentws.core.disk.change import undo_log

        changes = list(undo_log.of(files, path))
        absent = [(number, entry) for number, entry in absent if not _was_ours(number, entry, changes)]
    own = {entry for _, entry in written}
    missing = {_said(entry): entry for _, entry in absent}
    others = (_said(entry) for entry in _entries(text) if entry not in own)
    return [missing[said] for said in rewording.unrepeated(list(missing), others)]


def _said(entry: str) -> str:
    """Return the words of an entry without its time: many entries have that in common."""
    words = entry.removeprefix("- ")
    return words[6:] if words[2:3] == ":" else words


def _text(files: Files, path: str) -> str | None:
    """Return the text of the log, also if it was archived; empty for one that is gone, None for an unreadable one."""
    name = path.rpartition("/")[2]
    for place in (path, f"{layout.ARCHIVE}/{name[:4]}/{name}"):
        try:
            return files.read(place).decode("utf-8", "surrogateescape")
        except MissingFileError:
            continue
        except AgentwsError:
            return None
    return ""


def _was_ours(number: int, entry: str, changes: list[LoggedChange]) -> bool:
    """Return whether a later verb of agentws may have removed the entry."""
    return any(
        change.number > number
        and (change.old is None or _has(change.old.decode("utf-8", "surrogateescape"), entry))
        and change.verb.partition(" ")[0] in _REMOVING
        for change in changes
    )


def _has(text: str, entry: str) -> bool:
    return f"\n{entry}\n" in f"\n{text}\n"


def _entries(text: str) -> list[str]:
    return [f"- {one}".rstrip("\n") for one in f"\n{text}".split("\n- ")[1:]]
