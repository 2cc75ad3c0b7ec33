"""Purges: the order to forget the body of one event, and the line that remains.

The header of the line stays, and with it the chain: an event's existence, time and kind. Specified in
docs/format/journal.md.
"""

from __future__ import annotations

from agentws.core.formats.journal import chain, event, segment
from agentws.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.core.formats.journal.event import Body, Event

_HEX = "0123456789abcdef"
_WRITER_DIGITS, _DIGEST_DIGITS, _ID_CHARS = 16, 64, 36
_BLOB = b'"blob":"'


class Order:
    """A purge order: the event `seq` of `writer` with this `digest`.

    `id` is that of the `purged` event, which the purged line will name.
    """

    __slots__ = ("digest", "id", "seq", "writer")

    def __init__(self, writer: str, seq: int, digest: str, id: str) -> None:
        self.writer = writer
        self.seq = seq
        self.digest = digest
        self.id = id

    @property
    def cursor(self) -> str:
        """The cursor of the event whose body the purge forgets."""
        return f"{self.writer}:{self.seq}"


def body(*, writer: str, seq: int, digest: str, reason: str) -> Body:
    """Return the body of the `purged` event that orders an event to be forgotten."""
    return {"v": event.VERSION, "writer": writer, "seq": seq, "digest": digest, "reason": reason}


def order(entry: Event) -> Order:
    """Return the purge order in a `purged` event; ValueError without one."""
    fields = entry.body or {}
    made = Order(fields.get("writer", ""), fields.get("seq", 0), fields.get("digest", ""), entry.id)
    check(made)
    return made


def check(made: Order) -> None:
    """Raise ValueError for a purge order with a malformed field, since fields are used as file names and content."""
    for text, length, alphabet in (
        (made.writer, _WRITER_DIGITS, _HEX),
        (made.digest, _DIGEST_DIGITS, _HEX),
        (made.id, _ID_CHARS, _HEX + "-"),
    ):
        if not isinstance(text, str) or len(text) != length or text.strip(alphabet):
            raise ValueError("its order is unreadable")
    if not isinstance(made.seq, int) or isinstance(made.seq, bool) or made.seq < 1:
        raise ValueError("no event named")


def check_kind(kind: str, *, where: str) -> None:
    """Raise UsageError for an event kind that may not be purged, since verifying the journal needs it."""
    if kind in event.LASTING:
        raise UsageError(
            f"{where} is a `{kind}` event. The journal needs such events, which contain nothing private.",
            hint="Name only events of other kinds: agentws journal list",
        )


def is_purged(stored: bytes) -> bool:
    """Return whether the body of a stored line has been purged already."""
    return stored[len(chain.header(stored)) + 1 :].startswith(chain.PURGED)


def is_meant(made: Order, stored: bytes) -> bool:
    """Return whether a stored line is the one that a purge order names."""
    starts = stored.startswith(b'{"agentws":1,"seq":%d,' % made.seq)
    return starts and chain.header(stored).endswith(b',"digest":"%s"' % made.digest.encode())


def line(stored: bytes, made: Order) -> bytes:
    """Return the purged form of a stored line: its header, byte for byte, and the id of the order."""
    return b'%s,%s"body":null,"purged":"%s"}' % (chain.header(stored), chain.PURGED, made.id.encode())


def is_structure(stored: bytes) -> bool:
    """Return whether a stored line is part of the journal's own structure, which is never purged."""
    return segment.kind_of(stored) in event.STRUCTURE


def blob(stored: bytes) -> str | None:
    """Return the name of the blob to purge with a stored line's body, None if the line holds the body."""
    if _BLOB not in stored:
        return None
    value = (event.decode(stored, writer="").body or {}).get("blob")
    return value if isinstance(value, str) and len(value) == _DIGEST_DIGITS and not value.strip(_HEX) else None
