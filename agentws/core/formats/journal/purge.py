"""A purge: the order to forget the body of one event, and the line that is left of it.

The header of the line stays, and with it the chain: that there was an event, when, and of what kind. Specified in
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
    """A purge order: the event `seq` of `writer` that has this `digest`.

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
        """The place of the event that is to be forgotten."""
        return f"{self.writer}:{self.seq}"


def body(*, writer: str, seq: int, digest: str, reason: str) -> Body:
    """The body of the event that orders another one to be forgotten."""
    return {"v": event.VERSION, "writer": writer, "seq": seq, "digest": digest, "reason": reason}


def order(found: Event) -> Order:
    """The order that a `purged` event gives; ValueError where it gives none."""
    told = found.body or {}
    made = Order(told.get("writer", ""), told.get("seq", 0), told.get("digest", ""), found.id)
    check(made)
    return made


def check(made: Order) -> None:
    """ValueError where something in an order is not of its kind: it names files, and is written into them."""
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
    """UsageError where an event of this kind may not be forgotten: without it the journal could not be verified."""
    if kind in event.LASTING:
        raise UsageError(
            f"{where} is a `{kind}` event. The journal needs such events, which contain nothing private.",
            hint="Name only events of other kinds: agentws journal list",
        )


def is_purged(stored: bytes) -> bool:
    """Return whether the body of a stored line was forgotten already."""
    return stored[len(chain.header(stored)) + 1 :].startswith(chain.PURGED)


def is_meant(made: Order, stored: bytes) -> bool:
    """Return whether a stored line of the writer is the one that an order names."""
    starts = stored.startswith(b'{"agentws":1,"seq":%d,' % made.seq)
    return starts and chain.header(stored).endswith(b',"digest":"%s"' % made.digest.encode())


def line(stored: bytes, made: Order) -> bytes:
    """Return what is left of a stored line: its header as it was, byte for byte, and the id of who says why."""
    return b'%s,%s"body":null,"purged":"%s"}' % (chain.header(stored), chain.PURGED, made.id.encode())


def is_structure(stored: bytes) -> bool:
    """Return whether a stored line holds the journal itself together, and is never forgotten."""
    return segment.kind_of(stored) in event.STRUCTURE


def blob(stored: bytes) -> str | None:
    """The name of the blob that holds a stored line's body, None where the body stands in the line."""
    if _BLOB not in stored:
        return None
    found = (event.decode(stored, writer="").body or {}).get("blob")
    return found if isinstance(found, str) and len(found) == _DIGEST_DIGITS and not found.strip(_HEX) else None
