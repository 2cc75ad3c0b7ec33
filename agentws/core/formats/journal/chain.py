"""The hash chain of a journal, on the bytes of its stored lines. Specified in docs/format/journal.md.

No body is parsed: what a line says and whether it is the original line are two questions.
"""

from __future__ import annotations

from agentws.core.formats import digest
from agentws.core.formats.json import plainjson

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

LINE_LIMIT_BYTES = 65_536
"""The longest line of a journal, with its newline."""
SPLIT = b',"salt":'
"""Separator of a line's header and tail (the tail begins after the comma)."""
_SALT = SPLIT[1:]
INCOMPLETE = "the last line is incomplete"
_HASH_DIGITS = 64
_CLAIMS = ',"prev":"%s","digest":"%s"'
_CLAIMED = len(_CLAIMS % ("", "")) + 2 * _HASH_DIGITS
"""How the header of a line ends, and how many bytes that are."""
PURGED = b'"salt":null,'
"""How the tail of a purged line begins."""
_FEWER = 8
"""Around a line that does not follow, so many times fewer lines are checked together, down to that one."""


def genesis(agent: str, writer: str) -> str:
    """Return the `prev` of a writer's first line, which binds agent and writer to the chain."""
    return digest.of(f"agentws-genesis-1 {agent} {writer}\n".encode())


def line(header: bytes, tail: bytes) -> bytes:
    """Return a stored line of the chain, with its newline, from its header (without the last brace) and its tail."""
    return b"%s,%s}\n" % (header, tail)


def header(stored: bytes) -> bytes:
    """Return the header bytes of a stored line, which the chain hashes; ValueError without one."""
    end = stored.find(SPLIT)
    if end < 0:
        raise ValueError("not an event")
    return stored[:end]


def hash_of(stored: bytes) -> str:
    """Return the chain hash of a stored line, which the next line names."""
    return digest.of(header(stored))


def is_whole(stored: bytes) -> bool:
    """Return whether a chained line's tail has the digest in its header, or was purged."""
    head, _, tail = stored.partition(SPLIT)
    if tail.startswith(PURGED[len(_SALT) :]):
        return _is_purged(_SALT + tail[:-1])
    return head.endswith(b'"digest":"%s"' % digest.of(_SALT + tail[:-1]).encode())


def was_purged(stored: bytes) -> bool:
    """Return whether a line of the chain is marked as purged."""
    return stored.partition(SPLIT)[2].startswith(PURGED[len(_SALT) :])


def names(stored: bytes, before: bytes) -> bool:
    """Return whether a chained line, or its beginning, names the line `before` as its predecessor; True if unknown."""
    _, named, rest = stored.partition(SPLIT)[0].partition(b'"prev":"')
    if not named or len(rest) <= _HASH_DIGITS or rest.startswith(b'"'):
        return True
    return rest.startswith(hash_of(before).encode() + b'"')


def check(stored: bytes, *, seq: int, prev: str, sha256: Callable[..., Any] | None = None) -> str:
    """Check a line against the chain and return its hash (without newline); ValueError says what is wrong with it.

    The line must have this number, name `prev` as the hash of the line before, and have the digest in its header,
    unless it was purged: only its `purged` event can tell whether that was valid.
    """
    sha256 = sha256 or digest.sha256()
    end = stored.find(SPLIT)
    if end < 0 or stored[-1:] != b"}":
        raise ValueError("not an event")
    head = stored[:end]
    tail = stored[end + 1 : -1]
    if not tail.startswith(PURGED) and len(stored) < LINE_LIMIT_BYTES:
        claims = b'"prev":"%s","digest":"%s"' % (prev.encode(), sha256(tail).hexdigest().encode())
        if head.endswith(claims) and head.startswith(b'{"agentws":1,"seq":%d,' % seq):
            return str(sha256(head).hexdigest())
    _explain(head, tail, size=len(stored) + 1, seq=seq, prev=prev)
    return str(sha256(head).hexdigest())


def follow(
    stretch: bytes, *, seq: int, prev: str, sha256: Callable[..., Any]
) -> tuple[list[str], list[bytes], list[bytes]] | None:
    """Return the hashes, headers and tails of a chain of stored lines from `seq` on; None unless all are regular.

    Fast path: all lines are checked together, since steps for each line would cost more than its digests. Each line
    ends in a newline; tails come without their first key. After None, `check` finds what is wrong.
    """
    first, *others = stretch.split(SPLIT)
    count = len(others)
    parts = [other.partition(b"}\n") for other in others]  # a tail, and the header of the line after it
    heads = [first, *[head for _, _, head in parts]]
    opening = b'{"agentws":1,"seq":%d,'
    width = len(opening % seq)
    if len(stretch) >= LINE_LIMIT_BYTES or heads.pop() or stretch[-2:] != b"}\n":
        return None
    if stretch.count(b"\n") != count:
        return None  # half a line in front of a whole one
    if b"".join([head[:width] for head in heads]) != (opening * count) % tuple(range(seq, seq + count)):
        return None  # also where one number has a digit more than another
    hashes = [sha256(head).hexdigest() for head in heads]
    tails = [tail for tail, _, _ in parts]
    claims = [prev] * (2 * count)
    claims[2::2] = hashes[:-1]
    claims[1::2] = [sha256(_SALT + tail).hexdigest() for tail in tails]
    data = b"".join([head[-_CLAIMED:] for head in heads])
    return (hashes, heads, tails) if data == ((_CLAIMS * count) % tuple(claims)).encode() else None


class Stretch:
    """An unbroken stretch of the chain: lines that follow each other, from offset `start` to `end` of some bytes.

    `hashes` are those of the lines, `before` is (number, hash) of the line before them; `heads` and `tails` are known
    of lines that were checked together. `wrong` says what is wrong with the line at `end`, empty for nothing.
    """

    __slots__ = ("before", "end", "hashes", "heads", "start", "tails", "wrong")

    def __init__(self, start: int, end: int, before: tuple[int, str], hashes: list[str], wrong: str = "") -> None:
        self.start = start
        self.end = end
        self.before = before
        self.hashes = hashes
        self.wrong = wrong
        self.heads: list[bytes] = []
        self.tails: list[bytes] = []

    @property
    def last(self) -> tuple[int, str]:
        """(number, hash) of the stretch's last line; of the line before, if there is none."""
        return (self.before[0] + len(self.hashes), self.hashes[-1]) if self.hashes else self.before


def before(stored: bytes) -> tuple[int, str]:
    """Return the number and hash of the chain's previous line, as a line names them; ValueError without."""
    try:
        fields = plainjson.loads(header(stored) + b"}")
        seq, prev = fields["seq"], str(fields["prev"])
    except (ValueError, KeyError, TypeError):
        raise ValueError("not an event") from None
    if type(seq) is not int:
        raise ValueError("not an event")
    return seq - 1, prev


def stretches(
    data: bytes,
    last: tuple[int, str],
    *,
    start: int = 0,
    together: int = LINE_LIMIT_BYTES - 1,
    sha256: Callable[..., Any] | None = None,
) -> Iterator[Stretch]:
    """Yield the unbroken stretches of the chain in `data` from offset `start` on, after the line `last`.

    Many lines are checked together, at first up to `together` bytes; purged ones alone. If a line does not follow, the
    last stretch says why.
    """
    sha256 = sha256 or digest.sha256()
    while start < len(data):
        line_end = data.find(b"\n", start) + 1
        if not line_end:
            yield Stretch(start, start, last, [], INCOMPLETE)
            return
        end = max(data.rfind(b"\n", start, start + together) + 1, line_end)
        followed = follow(data[start:end], seq=last[0] + 1, prev=last[1], sha256=sha256)
        if followed is None and end > line_end:
            together = (end - start) // _FEWER
            continue
        try:
            hashes = (
                followed[0]
                if followed
                else [check(data[start : end - 1], seq=last[0] + 1, prev=last[1], sha256=sha256)]
            )
        except ValueError as error:
            yield Stretch(start, start, last, [], str(error))
            return
        stretch = Stretch(start, end, last, hashes)
        if followed is not None:
            _, stretch.heads, stretch.tails = followed
            together = min(together * _FEWER, LINE_LIMIT_BYTES - 1)
        yield stretch
        start, last = end, stretch.last


def unbroken(data: bytes, last: tuple[int, str] | None = None, *, sha256: Callable[..., Any] | None = None) -> Stretch:
    """Return the lines of `data` up to the first break of the chain: after the line `last` (number, hash), or without
    it, after the line that the first one names.
    """
    try:
        last = last or before(data.partition(b"\n")[0])
    except ValueError as error:
        return Stretch(0, 0, (0, ""), [], str(error))
    whole = Stretch(0, 0, last, [])
    for part in stretches(data, last, sha256=sha256):
        whole.hashes += part.hashes
        whole.end, whole.wrong = part.end, part.wrong
    return whole


def _explain(head: bytes, tail: bytes, *, size: int, seq: int, prev: str) -> None:
    """Check an irregular line key by key; ValueError says what is wrong."""
    if size > LINE_LIMIT_BYTES:
        raise ValueError(f"the event has {size:,} bytes, {LINE_LIMIT_BYTES:,} at most")
    try:
        fields = plainjson.loads(head + b"}")
        text = (head + tail).decode("ascii")
    except ValueError:
        raise ValueError("not an event") from None
    if not isinstance(fields, dict) or any(isinstance(value, dict | list) for value in fields.values()):
        raise ValueError("the header of this event contains nested values")
    if "\n" in text or next(reversed(fields), "") != "digest":
        raise ValueError("the header of this event does not end with a digest")
    if fields.get("agentws") != 1:
        raise ValueError(f"the format of this event is {fields.get('agentws')!r}, not 1")
    if fields.get("seq") != seq:
        raise ValueError(f"this event has the number {fields.get('seq')!r}, but {seq} is due")
    if fields.get("prev") != prev:
        raise ValueError("this event does not follow the line before: one of the two was changed")
    if tail.startswith(PURGED):
        _purge(tail)
    elif fields["digest"] != digest.of(tail):
        raise ValueError("the body of this event was changed")


def _is_purged(tail: bytes) -> bool:
    """Return whether the tail of a line says that it was purged, and nothing else."""
    name = tail.removeprefix(PURGED + b'"body":null,"purged":"').removesuffix(b'"')
    is_id = bool(name) and not name.strip(b"0123456789abcdef-")
    return is_id and tail == PURGED + b'"body":null,"purged":"%s"' % name


def _purge(tail: bytes) -> None:
    """Judge the tail of a purged line, which no digest vouches for; ValueError if more is left than an id."""
    if not _is_purged(tail):
        raise ValueError("this event is marked as purged, but has content")
