"""Removal from a journal: the order to forget the body of one event, the line that remains, and retired segments.

The header of the line stays, and with it the chain: an event's existence, time and kind. A backup from which something
is forgotten lacks the events that order it; the later orders are a file beside it, each line with an order's id, the
writer and number of its event, and the purged event. Specified in docs/format/journal.md.
"""

from __future__ import annotations

from agentws.core import Record
from agentws.core.formats import layout
from agentws.core.formats.journal import chain, event
from agentws.core.formats.json import plainjson
from agentws.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from agentws.core.formats.journal.event import Body, Event


_HEX = "0123456789abcdef"
_WRITER_DIGITS, _DIGEST_DIGITS, _ID_CHARS = 16, 64, 36
_BLOB = b'"blob":"'


class Order(Record):
    """A purge order: the event `seq` of `writer` with this `digest`.

    `id` is that of the `purged` event, which the purged line will name.
    """

    writer: str
    seq: int
    digest: str
    id: str

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


def is_meant(made: Order, stored: bytes) -> bool:
    """Return whether a stored line is the one that a purge order names."""
    starts = stored.startswith(b'{"agentws":1,"seq":%d,' % made.seq)
    return starts and chain.header(stored).endswith(b',"digest":"%s"' % made.digest.encode())


def line(stored: bytes, made: Order) -> bytes:
    """Return the purged form of a stored line: its header, byte for byte, and the id of the order."""
    return b'%s,%s"body":null,"purged":"%s"}' % (chain.header(stored), chain.PURGED, made.id.encode())


def blob(stored: bytes) -> str | None:
    """Return the name of the blob to purge with a stored line's body, None if the line holds the body."""
    if _BLOB not in stored:
        return None
    value = (event.decode(stored, writer="").body or {}).get("blob")
    return value if isinstance(value, str) and len(value) == _DIGEST_DIGITS and not value.strip(_HEX) else None


LATER_PATH = f"{layout.JOURNAL}/purges.jsonl"
LIMIT_BYTES = 1 << 24


class LaterPurge(Record):
    """A purge `order` given by the writer `by` in its event `at`, which the copy lacks."""

    order: Order
    by: str
    at: int

    def plain(self) -> dict[str, object]:
        """Return the later purge order as a JSON value."""
        order = self.order
        named = {"writer": order.writer, "seq": order.seq, "digest": order.digest}
        return {"id": order.id, "by": self.by, "at": self.at, **named}


def decode_later(data: bytes) -> list[LaterPurge]:
    """Return the later purge orders in `data`; other lines are skipped."""
    purges = []
    for line in data.split(b"\n"):
        fields = plainjson.fields_of(line)
        try:
            order = Order(fields["writer"], fields["seq"], fields["digest"], fields["id"])
            check(order)
            if isinstance(fields["by"], str) and type(fields["at"]) is int:
                purges.append(LaterPurge(order, fields["by"], fields["at"]))
        except (ValueError, KeyError):
            continue
    return purges


def encode_later(orders: Iterable[LaterPurge]) -> bytes:
    """Return the file of these later purge orders, sorted by id, without duplicates."""
    unique = {(order.order.id, order.order.cursor): order for order in orders}
    lines = [plainjson.dumps(later_purge.plain()) for _, later_purge in sorted(unique.items())]
    return "".join(f"{line}\n" for line in lines).encode("ascii")


_HASH_DIGITS = 64


class Retirement(Record):
    """The retirement of a writer's oldest segments: the body of a `segments.retired` event.

    Fields:
        writer: the writer whose segments are dropped.
        through: the number of the last dropped segment; all earlier ones are dropped too.
        seq, hash: those of the last line of that segment.
        seal: the number that the writer's newest seal covered at that time.
    """

    writer: str
    through: int
    seq: int
    hash: str
    seal: int

    def body(self) -> Body:
        """Return the retirement as the body of the `segments.retired` event."""
        return {
            "v": event.VERSION,
            **{name: getattr(self, name) for name in ("writer", "through", "seq", "hash", "seal")},
        }


def decode_retirement(body: Mapping[str, Any] | None) -> Retirement:
    """Return the retirement in an event's body; ValueError without one."""
    fields = body or {}
    numbers = [fields.get(name) for name in ("through", "seq", "seal")]
    through, seq, seal = (number if type(number) is int and number > 0 else 0 for number in numbers)
    writer, hash_ = fields.get("writer"), fields.get("hash")
    is_hash = isinstance(hash_, str) and len(hash_) == _HASH_DIGITS and not hash_.strip(_HEX)
    if not (isinstance(writer, str) and isinstance(hash_, str) and is_hash and through and 0 < seq <= seal):
        raise ValueError("not a retirement")
    return Retirement(writer, through, seq=seq, hash=hash_, seal=seal)
