"""The other writers of a workspace: who they are, and when they wrote last, as far as this copy can tell."""

from __future__ import annotations

from agentws.core.formats import layout
from agentws.core.formats.identity import writer
from agentws.core.formats.journal import chain, segment
from agentws.core.formats.json import plainjson
from agentws.core.journal import read
from agentws.errors import AgentwsError, MissingFileError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection
    from typing import Any

    from agentws.core.disk.files import Files

_MOST_BYTES = 2 * chain.LINE_LIMIT_BYTES
_STARTED = b'"kind":"session.started"'
_JOINED = b'"kind":"writer.joined"'
_OPENED = b'"kind":"segment.opened"'
_HOST = b'"host":"'
_BEGINNINGS = ("segment.opened", "writer.joined")
_FIRST_BYTES = 1 << 14
_SECOND_DIGITS = 10


class Other:
    """A writer: its `host` (empty where nobody said), and the newest event of it that is here (`seq` 0 for none).

    `wrote` tells that it is more than the beginning of its journal. `at` is the moment of that event then, else the
    one in which the writer was made known.
    """

    __slots__ = ("at", "hash", "host", "seq", "writer", "wrote")

    def __init__(self, writer: str, *, host: str, at: str, seq: int = 0, hash: str = "", wrote: bool = False) -> None:
        self.writer = writer
        self.host = host
        self.at = at
        self.seq = seq
        self.hash = hash
        self.wrote = wrote


def all_of(files: Files, *, but: Collection[str] = ()) -> list[Other]:
    """Every writer that this copy knows of, but these; the one that wrote last stands last."""
    told = {line.writer: line for line in lines(files)}
    met = (_here(files, name, told.get(name)) for name in read.writers(files) if name not in but)
    found = [one for one in met if one is not None]
    here = {one.writer for one in found}
    elsewhere = (line for name, line in told.items() if name not in here and name not in but)
    found += [Other(line.writer, host=line.host, at=line.at) for line in elsewhere]
    return sorted(found, key=lambda one: (one.at, one.writer))


def since(name: str) -> str:
    """Return when a writer was made, in the journal's form of time: its id begins with that second."""
    from agentws.core.journal import stamp

    return stamp.text(int(name[:_SECOND_DIGITS], 16) * 1_000_000)


def heads(others: list[Other]) -> dict[str, dict[str, object]]:
    """The number and hash of the newest event of each that has one here."""
    return {other.writer: {"seq": other.seq, "hash": other.hash} for other in others if other.seq}


def lines(files: Files) -> list[writer.WriterLine]:
    """The lines of `identity/writers.jsonl` that tell of a writer; none where there is no such file to be read."""
    try:
        return writer.lines(files.read(layout.WRITERS).decode("utf-8", "replace"))
    except MissingFileError:
        return []


def void(files: Files) -> set[str]:
    """The migrations that were given up, and whose tokens count no more."""
    try:
        return writer.void(files.read(layout.WRITERS).decode("utf-8", "replace"))
    except MissingFileError:
        return set()


def _here(files: Files, name: str, told: writer.WriterLine | None) -> Other | None:
    """The writer of this folder, None where nothing in it is an event and nobody was told of it."""
    try:
        line = read.newest_line(files, name)
        host = told.host if told else _host(files, name)
    except AgentwsError:
        line, host = b"", told.host if told else ""
    if not line:
        return Other(name, host=host, at=told.at) if told else None
    header, hash_ = _header(line), chain.hash_of(line)
    wrote = header.get("kind") not in _BEGINNINGS
    at = str(header.get("at", "")) if wrote or told is None else told.at
    return Other(name, host=host, at=at, seq=segment.seq_of(line), hash=hash_, wrote=wrote)


def _host(files: Files, name: str) -> str:
    """What the machine of a writer called itself: as a session began, as it joined, as its journal was begun."""
    for number in dict.fromkeys([*read.newest(files, name, 1), *read.segments(files, name)[:1]]):
        data = read.part(files, segment.path(name, number), _FIRST_BYTES if number == 1 else _MOST_BYTES)[0]
        for kind in (_STARTED, _JOINED, _OPENED):
            at = data.rfind(kind)
            host = data.find(_HOST, at, data.find(b"\n", at)) if at >= 0 else -1
            if host >= 0:
                start = host + len(_HOST)
                return data[start : data.find(b'"', start)].decode("ascii", "replace")[:64]
    return ""


def _header(line: bytes) -> dict[str, Any]:
    try:
        told = plainjson.loads(chain.header(line) + b"}")
    except ValueError:
        return {}
    return told if isinstance(told, dict) else {}
