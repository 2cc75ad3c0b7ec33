"""The tombstone files in `identity/`: the agent has moved or was retired, so nothing may be written.

Specified in docs/format/identity.md. Keys that are not understood are kept.
"""

from __future__ import annotations

from agentws.core import Record
from agentws.core.formats.json import plainjson

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    Heads = Mapping[str, Mapping[str, object]]

_OURS = ("agentws", "to", "at", "head", "by", "signature")


class Tombstone(Record):
    """The tombstone of a move: the agent's new place `to`, the moment `at`, and the `head` of each writer that moved.

    `by` is the id of the last writer at the old place, `signature` its signature over `message`, empty if it has no
    key.
    """

    to: str
    at: str
    head: Heads
    by: str
    signature: str = ""
    rest: Mapping[str, Any] = {}


class Retirement(Record):
    """The tombstone of a retired agent: `at` a moment, `by` a writer on a `host`, for a `reason` (may be empty)."""

    at: str
    by: str
    host: str
    reason: str = ""


def message(agent: str, stone: Tombstone) -> bytes:
    """Return the statement that a tombstone signs: the agent, its new place, and the head of each writer."""
    heads = " ".join(f"{name}:{fields.get('seq')}:{fields.get('hash')}" for name, fields in sorted(stone.head.items()))
    to = plainjson.dumps(stone.to)
    return f"agentws-moved-1 {agent} {stone.by} {stone.at} {to} {heads}\n".encode()


def encode(stone: Tombstone) -> bytes:
    """Return the tombstone file of a move."""
    ours = {"agentws": 1, "to": stone.to, "at": stone.at, "head": stone.head, "by": stone.by}
    fields = {**ours, "signature": stone.signature or None, **stone.rest}
    return plainjson.dumps(fields, indent=1).encode() + b"\n"


def decode(data: bytes) -> Tombstone:
    """Return the move in a tombstone file; ValueError for any other file."""
    fields = _object(data)
    words = [fields.get(name) for name in ("to", "at", "by")]
    head, signature = fields.get("head"), fields.get("signature") or ""
    sound = isinstance(head, dict) and all(isinstance(each, dict) for each in head.values())
    if not sound or not all(isinstance(word, str) for word in (*words, signature)):
        raise ValueError("not a tombstone")
    rest = {key: value for key, value in fields.items() if key not in _OURS}
    to, at, by = words
    return Tombstone(to=to, at=at, head=head, by=by, signature=signature, rest=rest)  # type: ignore[arg-type]


def retired_line(retirement: Retirement) -> bytes:
    """Return the one-line tombstone file that records the agent's retirement."""
    words = {
        "agentws": 1,
        "at": retirement.at,
        "by": retirement.by,
        "host": retirement.host,
        "reason": retirement.reason,
    }
    return plainjson.dumps(words, separators=(",", ":")).encode() + b"\n"


def retired(data: bytes) -> Retirement:
    """Return the agent's retirement in the last line of its tombstone file; ValueError without one."""
    fields = _object(data.strip().rpartition(b"\n")[2])
    at, by, host, reason = (fields.get(name, "") for name in ("at", "by", "host", "reason"))
    if not (isinstance(at, str) and isinstance(by, str) and isinstance(host, str) and isinstance(reason, str)):
        raise ValueError("not a retirement")
    return Retirement(at=at, by=by, host=host, reason=reason)


def _object(data: bytes) -> dict[str, Any]:
    result = plainjson.loads(data)
    if not isinstance(result, dict):
        raise ValueError("not an object")
    return result
