"""Seals of a journal: the event that a seal names, and its signed statement. Specified in docs/format/journal.md.

By its hash a seal covers the event that it names and, through the chain, every one of that writer before it.
"""

from __future__ import annotations

from agentws.core.formats.identity import sshsig
from agentws.core.formats.journal import event

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.core.formats.journal.event import Body

_HASH_DIGITS = 64
_HEX = "0123456789abcdef"


class Seal:
    """A seal event's body: the number and hash of the event that it names, and its signature (armored)."""

    __slots__ = ("hash", "seq", "signature")

    def __init__(self, seq: int, hash: str, signature: str) -> None:
        self.seq = seq
        self.hash = hash
        self.signature = signature


def message(agent: str, writer: str, seq: int, hash: str) -> bytes:
    """Return the statement that a seal's key signs."""
    return f"agentws-seal-1 {agent} {writer} {seq} {hash}\n".encode()


def body(seal: Seal) -> Body:
    """Return the body of a seal's event."""
    return {"v": event.VERSION, "seq": seal.seq, "hash": seal.hash, "signature": seal.signature}


def decode(body: Body | None) -> Seal:
    """Return the seal in a journal event's body; ValueError says what is wrong."""
    if body is None:
        raise ValueError("it was purged")
    seq, hash_, signature = body.get("seq"), body.get("hash"), body.get("signature")
    if not isinstance(seq, int) or isinstance(seq, bool) or seq < 1:
        raise ValueError("no event named")
    if not isinstance(hash_, str) or len(hash_) != _HASH_DIGITS or hash_.strip(_HEX):
        raise ValueError("no hash named")
    if not isinstance(signature, str):
        raise ValueError("no signature")
    sshsig.parse(signature)
    return Seal(seq, hash_, signature)
