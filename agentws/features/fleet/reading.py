"""Reads a workspace's journal as the rows that are shipped: every header, and the text that the team may read."""

from __future__ import annotations

import os
from dataclasses import dataclass
from enum import StrEnum

from agentws.core.formats.journal import chain, event, purge, segment
from agentws.core.formats.json import plainjson
from agentws.core.formats.secrets import secrets
from agentws.core.journal import read
from agentws.core.journal.shared import Shared
from agentws.core.journal.walk import FOLLOWS, Verdict, Walk
from agentws.errors import AgentwsError, DamagedError
from agentws.features.fleet import settings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentws.core.formats.journal.event import Event
    from agentws.core.stores.stores import Stores

_MOST_LINES, _MOST_BYTES = 2_000, 4 << 20
"""Of a batch; a single line has 64 KiB at most."""
_MOST_PLAIN = 200_000
_ALWAYS = (event.SEAL, event.RETIRED)
"""Kinds whose text is shipped always: it is made by agentws, and what is checked with it."""


class Absent(StrEnum):
    """Why the text of an event is not in the database."""

    PRIVATE = "private"
    PURGED = "purged"
    SECRET = "secret"  # noqa: S105
    UNREADABLE = "unreadable"


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the journal as it is shipped.

    `tail` is None where it stays at home; `absent` says why. `plain` is its text without JSON escapes, for search; None
    if that is the tail. `order` is the event (writer, number) that a purge names.
    """

    seq: int
    kind: str
    header: str
    tail: str | None
    absent: Absent | None
    plain: str | None
    order: tuple[str, int] | None


@dataclass(frozen=True, slots=True)
class Reader:
    """Reads what of a workspace's journal is shipped, by the rules of `text`: shared or all."""

    stores: Stores
    audience: Shared

    @classmethod
    def of(cls, stores: Stores, text: str) -> Reader:
        """Return the reader of a workspace that ships this text."""
        tags = stores.manifest.setting("boot.private_tags")
        return cls(stores, Shared(stores.files, tags, stores.unknown_writers(), all_sessions=text == settings.ALL))

    def batches(self, writer: str, after: int) -> Iterator[list[Line]]:
        """Yield the lines behind number `after` in batches of bounded size. Their chain is verified.

        What is not durable yet is synced first. DamagedError at a line that does not follow the one before.
        """
        files, batch, size = self.stores.files, list[Line](), 0
        numbers = read.segments(files, writer)
        if not numbers or after >= read.last_seq(files, writer):
            return
        if numbers[0] == 1 or after >= read.first_seq(files, writer, numbers[0]):
            first = read.holding(files, writer, after) if after else numbers[0]
            numbers = [number for number in numbers if number >= first]
        self._sync(segment.path(writer, numbers[-1]))
        for lines in Walk(files, self.stores.manifest.agent_id, writer, numbers):
            if lines.verdict is Verdict.TORN:
                continue  # what a crash left, or what is being written
            if lines.verdict not in FOLLOWS:
                raise DamagedError(
                    f"{lines.place.path}:{lines.place.line}: {lines.what or lines.verdict}.",
                    hint="agentws journal verify",
                )
            for index, stored in enumerate(lines.data.split(b"\n")[:-1]):
                if lines.first + index <= after:
                    continue
                line = self._line(writer, lines.first + index, stored)
                batch.append(line)
                size += len(stored) + len(line.plain or "")
                if len(batch) == _MOST_LINES or size > _MOST_BYTES:
                    yield batch
                    batch, size = [], 0
        if batch:
            yield batch

    def _sync(self, path: str) -> None:
        """Sync a segment: after a power cut, the database must not know more than the disk."""
        file = self.stores.files.open(path)
        try:
            os.fsync(file)
        finally:
            os.close(file)

    def _line(self, writer: str, seq: int, stored: bytes) -> Line:
        head, _, rest = stored.partition(chain.SPLIT)
        tail_bytes = chain.SPLIT[1:] + rest[:-1]
        kind = segment.kind_of(stored + b"\n")
        absent: Absent | None = None
        plain: str | None = None
        try:
            header, tail = head.decode("utf-8"), tail_bytes.decode("utf-8")
        except UnicodeDecodeError:
            header, tail, absent = head.decode("utf-8", "replace"), "", Absent.UNREADABLE
        if chain.was_purged(stored):
            absent = Absent.PURGED
        elif "\0" in tail:
            absent = Absent.UNREADABLE
        elif kind not in _ALWAYS and not self.audience.hears(writer, stored):
            absent = Absent.PRIVATE
        elif absent is None and kind not in _ALWAYS:
            text = _plain(tail)
            absent = Absent.SECRET if secrets.find(text) else None
            plain = text if absent is None and text != tail else None
        order = order_of(event.decode(stored, writer=writer)) if kind == event.PURGE else None
        return Line(seq, kind, header, None if absent else tail, absent, plain, order)


def order_of(entry: Event) -> tuple[str, int] | None:
    """Return the event (writer, number) that a purge names, or None if the order is not valid."""
    try:
        order = purge.order(entry)
    except AgentwsError:
        return None
    return order.writer, order.seq


def _plain(tail: str) -> str:
    """Return the texts of a body, one a line, without what PostgreSQL has no letter for."""
    try:
        body = plainjson.loads(f"{{{tail}}}")["body"]
    except (ValueError, KeyError, RecursionError):
        return tail
    parts: list[str] = []
    waiting = [body]
    while waiting:
        value = waiting.pop()
        if isinstance(value, str):
            parts.append(value)
        elif isinstance(value, dict):
            waiting += reversed(value.values())
        elif isinstance(value, list):
            waiting += reversed(value)
    text = "\n".join(parts)[:_MOST_PLAIN]
    return text.replace("\0", " ").encode("utf-8", "replace").decode()
