"""Retirement of a journal's oldest segments: which ones a writer drops. Specified in docs/format/journal.md."""

from __future__ import annotations

from agentws.core.formats.journal import event

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from agentws.core.formats.journal.event import Body

_HASH_DIGITS = 64
_HEX = "0123456789abcdef"


class Retirement:
    """The retirement of a writer's oldest segments: the body of a `segments.retired` event.

    Fields:
        writer: the writer whose segments are dropped.
        through: the number of the last dropped segment; all earlier ones are dropped too.
        seq, hash: those of the last line of that segment.
        seal: the number that the writer's newest seal covered at that time.
    """

    __slots__ = ("hash", "seal", "seq", "through", "writer")

    def __init__(self, writer: str, through: int, *, seq: int, hash: str, seal: int) -> None:
        self.writer = writer
        self.through = through
        self.seq = seq
        self.hash = hash
        self.seal = seal

    def body(self) -> Body:
        """Return the retirement as the body of the `segments.retired` event."""
        return {
            "v": event.VERSION,
            **{name: getattr(self, name) for name in ("writer", "through", "seq", "hash", "seal")},
        }


def decode(body: Mapping[str, Any] | None) -> Retirement:
    """Return the retirement in an event's body; ValueError without one."""
    fields = body or {}
    numbers = [fields.get(name) for name in ("through", "seq", "seal")]
    through, seq, seal = (number if type(number) is int and number > 0 else 0 for number in numbers)
    writer, hash_ = fields.get("writer"), fields.get("hash")
    is_hash = isinstance(hash_, str) and len(hash_) == _HASH_DIGITS and not hash_.strip(_HEX)
    if not (isinstance(writer, str) and isinstance(hash_, str) and is_hash and through and 0 < seq <= seal):
        raise ValueError("not a retirement")
    return Retirement(writer, through, seq=seq, hash=hash_, seal=seal)
