"""Journals of invented writers, with their chains, as files."""

from __future__ import annotations

from collections.abc import Sequence

from agentws.core.formats import digest
from agentws.core.formats.journal import chain, packed, segment
from agentws.core.formats.json import plainjson

ONE, OTHER = "006afff37486b241", "006b0070611a6f64"
ID = "01a1f7cf-0953-7981-9182-{:012d}"


class Journal:
    """A writer's journal: segments of lines that follow each other."""

    def __init__(self, writer: str = ONE) -> None:
        self.writer = writer
        self.segments: list[list[bytes]] = []
        self.seq = 0
        self.prev = chain.genesis("agent", writer)

    def add(self, *texts: str | dict[str, object], fresh: bool = False) -> Journal:
        """Add an event for each text, behind a first line where a segment begins."""
        if fresh or not self.segments:
            self.segments.append([])
            self._line("segment.opened", {"v": 1, "number": len(self.segments)})
        for one in texts:
            body = {"v": 1, "text": one} if isinstance(one, str) else one
            self._line(str(body.pop("kind", "note")), body)
        return self

    def _line(self, kind: str, body: dict[str, object]) -> None:
        self.seq += 1
        tail = b'"salt":"%s","body":%s' % (b"0" * 32, plainjson.dumps(body, separators=(",", ":")).encode())
        header = b'{"agentws":1,"seq":%d,"id":"%s","at":"2026-11-20T07:15:00.000000Z","kind":"%s","session":null,' % (
            self.seq, ID.format(self.seq).encode(), kind.encode(),
        )  # fmt: skip
        header += b'"src":"agent","prev":"%s","digest":"%s"' % (self.prev.encode(), digest.of(tail).encode())
        self.prev = digest.of(header)
        self.segments[-1].append(chain.line(header, tail))

    def files(self, *, pack: Sequence[int] = (), purge: Sequence[int] = (), gone: int = 0) -> dict[str, bytes]:
        """The files: `pack` are numbers of segments, `purge` of events, `gone` of the last segment that was retired."""
        found: dict[str, bytes] = {}
        for number, lines in enumerate(self.segments, 1):
            data = b"".join(purged(line) if segment.seq_of(line) in purge else line for line in lines)
            path = segment.path(self.writer, number)
            if number > gone:
                found |= {segment.packed_path(path): packed.pack(data)} if number in pack else {path: data}
        return found

    def retirement(self, through: int) -> dict[str, object]:
        """The body of an event that retires segments of this journal."""
        end = self.segments[through - 1][-1][:-1]
        told = {"v": 1, "writer": self.writer, "through": through, "seq": segment.seq_of(end)}
        return {"kind": "segments.retired", **told, "hash": chain.hash_of(end), "seal": self.seq}


def purged(line: bytes) -> bytes:
    """The line without its body."""
    return b'%s,%s"body":null,"purged":"%s"}\n' % (chain.header(line), chain.PURGED, ID.format(9).encode())


def blob(path_of: str, text: bytes) -> tuple[str, bytes]:
    """A blob of a writer: its path and content."""
    return segment.blob_path(path_of, digest.of(text)), text


def reference(text: bytes) -> dict[str, object]:
    """The body that stands in a line for a blob."""
    return {"v": 1, "blob": digest.of(text), "size": len(text)}
