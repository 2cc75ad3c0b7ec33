"""The writers of a workspace: their ids, hosts and newest events, as far as this copy knows."""

from __future__ import annotations

from agentws.core import Record
from agentws.core.formats import layout
from agentws.core.formats.identity import writer
from agentws.core.formats.journal import chain, segment
from agentws.core.formats.json import plainjson
from agentws.core.journal import read
from agentws.errors import AgentwsError, MissingFileError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

    from agentws.core.disk.files import Files

_MOST_BYTES = 2 * chain.LINE_LIMIT_BYTES
_STARTED = b'"kind":"session.started"'
_JOINED = b'"kind":"writer.joined"'
_OPENED = b'"kind":"segment.opened"'
_HOST = b'"host":"'
_BEGINNINGS = ("segment.opened", "writer.joined")
_FIRST_BYTES = 1 << 14
_SECOND_DIGITS = 10


class Other(Record):
    """A writer of the workspace: its `host` (empty if unknown), and its newest event in this copy (`seq` 0 for none).

    `wrote` says that this is more than the beginning of its journal. `at` is the time of that event, else the time at
    which the writer was registered.
    """

    writer: str
    host: str
    at: str
    seq: int = 0
    hash: str = ""
    wrote: bool = False


def all_of(files: Files, *, but: Collection[str] = ()) -> list[Other]:
    """Return every known writer `but` these; the one that wrote last is the last."""
    writer_lines = {line.writer: line for line in lines(files)}
    met = (_of_folder(files, name, writer_lines.get(name)) for name in read.writers(files) if name not in but)
    others = [other for other in met if other is not None]
    other_writers = {other.writer for other in others}
    elsewhere = (line for name, line in writer_lines.items() if name not in other_writers and name not in but)
    others += [Other(line.writer, host=line.host, at=line.at) for line in elsewhere]
    return sorted(others, key=lambda other: (other.at, other.writer))


def since(name: str) -> str:
    """Return when a writer was made, as a journal time: its id begins with that second."""
    from agentws.core.journal import stamp

    return stamp.text(int(name[:_SECOND_DIGITS], 16) * 1_000_000)


def heads(others: list[Other]) -> dict[str, dict[str, object]]:
    """Return the number and hash of the newest event of each writer that has one here."""
    return {other.writer: {"seq": other.seq, "hash": other.hash} for other in others if other.seq}


def lines(files: Files) -> list[writer.WriterLine]:
    """Return the writer lines of `identity/writers.jsonl`; none if the file is missing."""
    try:
        return writer.lines(files.read(layout.WRITERS).decode("utf-8", "replace"))
    except MissingFileError:
        return []


def void(files: Files) -> set[str]:
    """Return the cancelled migrations, whose one-time tokens for new writers are void."""
    try:
        return writer.void(files.read(layout.WRITERS).decode("utf-8", "replace"))
    except MissingFileError:
        return set()


def _of_folder(files: Files, name: str, writer_line: writer.WriterLine | None) -> Other | None:
    """Return the writer with this journal folder, None if it holds no event and is not registered."""
    try:
        line = read.newest_line(files, name)
        host = writer_line.host if writer_line else _host(files, name)
    except AgentwsError:
        line, host = b"", writer_line.host if writer_line else ""
    if not line:
        return Other(name, host=host, at=writer_line.at) if writer_line else None
    header, hash_ = plainjson.fields_of(chain.header(line) + b"}"), chain.hash_of(line)
    wrote = header.get("kind") not in _BEGINNINGS
    at = str(header.get("at", "")) if wrote or writer_line is None else writer_line.at
    return Other(name, host=host, at=at, seq=segment.seq_of(line), hash=hash_, wrote=wrote)


def _host(files: Files, name: str) -> str:
    """Return the host of a writer as its newest session start, its joining or its first segment gives it."""
    for number in dict.fromkeys([*read.newest(files, name, 1), *read.segments(files, name)[:1]]):
        data = read.part(files, segment.path(name, number), _FIRST_BYTES if number == 1 else _MOST_BYTES)[0]
        for kind in (_STARTED, _JOINED, _OPENED):
            at = data.rfind(kind)
            host = data.find(_HOST, at, data.find(b"\n", at)) if at >= 0 else -1
            if host >= 0:
                start = host + len(_HOST)
                return data[start : data.find(b'"', start)].decode("ascii", "replace")[:64]
    return ""
