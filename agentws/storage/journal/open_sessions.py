"""What this machine knows of sessions that have not ended: the hint in `.agentws/WRITER.sessions`.

It spares those who ask whose an event is the newest segment, of which then only what came since is read. Nothing is
taken from it on trust: it names the event it was made at, and the journal must go on behind that one.
"""

from __future__ import annotations

from agentws.formats.journal import process_fate, segment
from agentws.storage.disk import local_dir
from agentws.storage.journal import head

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from agentws.formats.journal.event import Body
    from agentws.storage.disk.files import Files
    from agentws.storage.journal.head import Head

    Known = dict[str, tuple[Body, bool]]
    """What the newest beginning of a session says, and whether the session was taken over since."""

ENOUGH_BYTES = 1 << 15
"""So much of a journal is read each time; what would be more is worth a hint."""
_MOST_BYTES = 1 << 13
_MOST_SESSIONS = 16
_VALUES = 6


def read(files: Files, end: Head) -> tuple[Known, int, bytes]:
    """What is known of sessions, and of the segment in which the journal ends, what came since: its offset, its lines.

    Where nothing is known, the whole segment.
    """
    sessions, start, seq, hash_ = _hint(files, end)
    since = _lines(files, end, start)
    if start and not _goes_on(since, end, start, seq, hash_):
        return whole(files, end)
    return sessions, start, since


def whole(files: Files, end: Head) -> tuple[Known, int, bytes]:
    """As `read`, where nothing is known."""
    return {}, 0, _lines(files, end, 0)


def write(files: Files, end: Head, sessions: Mapping[str, tuple[Body, bool]]) -> None:
    """Remember the newest of these sessions, as they are at this end. The caller holds the append lock."""
    newest = list(sessions.items())[-_MOST_SESSIONS:]
    told = {name: [process_fate.facts(body), is_taken] for name, (body, is_taken) in newest}
    head.put(files, _path(end.writer), [end.writer, end.segment, end.offset, end.seq, end.hash, told], _MOST_BYTES)


def _hint(files: Files, end: Head) -> tuple[Known, int, int, str]:
    values = head.get(files, _path(end.writer), _MOST_BYTES)
    if values is None or len(values) != _VALUES:
        return {}, 0, 0, ""
    writer, number, start, seq, hash_, told = values
    try:
        sessions: Known = {name: (dict(body), bool(is_taken)) for name, (body, is_taken) in told.items()}
        if (writer, number) == (end.writer, end.segment) and start > 0 and type(seq) is int:
            return sessions, start, seq, str(hash_)
    except (AttributeError, TypeError, ValueError):
        pass  # none of ours
    return {}, 0, 0, ""


def _lines(files: Files, end: Head, start: int) -> bytes:
    if start > end.offset:
        return b""
    return files.piece(segment.path(end.writer, end.segment), start, end.offset - start)


def _goes_on(since: bytes, end: Head, start: int, seq: int, hash_: str) -> bool:
    """Return whether these lines follow the event with this number and hash."""
    if not since:
        return (end.offset, end.seq, end.hash) == (start, seq, hash_)
    # The header of a line stands first, and names the hash of the one before it.
    first = since.partition(b"\n")[0]
    is_next = first.startswith(b'{"agentws":1,"seq":%d,' % (seq + 1))
    return is_next and first.partition(b'"prev":"')[2].startswith(hash_.encode() + b'"')


def _path(writer: str) -> str:
    return f"{local_dir.FOLDER}/{writer}.sessions"
