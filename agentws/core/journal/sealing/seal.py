"""Seals: signatures of a writer's key over its newest event. Made outside of the append lock, appended as events.

By its hash a seal covers the event that it names and, through the chain, every one of that writer before it. Specified
in docs/format/journal.md and docs/format/identity.md.
"""

from __future__ import annotations

from agentws.core import Record, Result
from agentws.core.disk import files as _files, lock
from agentws.core.formats import layout
from agentws.core.formats.identity import sshsig, writer
from agentws.core.formats.journal import chain, event, segment
from agentws.core.installation import keys
from agentws.core.journal import head as _head, read, stamp
from agentws.core.journal.entry import PendingEvent
from agentws.core.journal.sealing import writer_join
from agentws.errors import DamagedError, MissingFileError, OutsideProgramError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.core.formats.journal.chain import Stretch
    from agentws.core.formats.journal.event import Body, Event
    from agentws.core.installation.installation import Installation
    from agentws.core.journal.append import Appender


MOST_UNSEALED = 1_000
"""The number of events after a seal from which the next verb with enough time seals the journal."""
UNCHECKED = f"the signature of the seal cannot be checked here: {keys.MISSING}"
"""The result of `judge` for a seal that is sound, but whose signature no program here can check."""


class Signers:
    """The keys with which each writer may seal, from `identity/allowed_signers`, which a person may edit."""

    def __init__(self, keys: dict[str, set[str]]) -> None:
        self._keys = keys

    @classmethod
    def read(cls, files: _files.Files) -> Signers:
        """Return the signers of a workspace; none where nobody has sealed yet."""
        try:
            return cls(writer.signers(files.read(layout.SIGNERS).decode("utf-8", "replace")))
        except MissingFileError:
            return cls({})

    def all(self) -> dict[str, set[str]]:
        """Return the keys by writer."""
        return self._keys

    def allow(self, name: str, key: str) -> bool:
        """Return whether the writer `name` may seal with this public key."""
        return key in self._keys.get(name, ())


class Sealed(Result):
    """The result of sealing.

    `seq` is the newest event that the seal covers, `cursor` the seal's own place, `key` the public half of the signing
    key; all None if nothing was sealed, and `reason` then says why. `joined` says that `identity/` was added to.
    """

    def __init__(self, writer: str, *, reason: str = "") -> None:
        self.writer = writer
        self.seq: int | None = None
        self.cursor: str | None = None
        self.key: str | None = None
        self.reason = reason
        self.joined = False
        self.notices: list[str] = []


def judge(agent: str, seal: Event, hash_of_sealed: str | None, signers: Signers) -> str:
    """Return what is wrong with a seal, empty for nothing; `hash_of_sealed` is the hash of the event that it names.

    UNCHECKED if only the signature could not be checked.
    """
    try:
        decoded = decode_seal(seal.body)
        key = sshsig.parse(decoded.signature).key
    except ValueError as error:
        return f"not a seal: {error}"
    if decoded.seq >= seal.seq:
        return "the seal names a later event"
    if hash_of_sealed is None:
        return f"the sealed event {decoded.seq} is missing"
    if decoded.hash != hash_of_sealed:
        return f"the sealed event {decoded.seq} was changed"
    if not signers.allow(seal.writer, key):
        return f"{layout.SIGNERS} does not list the key of the seal for this writer: {key}"
    if not keys.is_possible():
        return UNCHECKED
    message = signed_message(agent, seal.writer, decoded.seq, decoded.hash)
    return "" if keys.verify(decoded.signature, message, public=key) else "the signature of the seal does not match"


def seal(files: _files.Files, own: Installation, appender: Appender, *, moment_us: int | None = None) -> Sealed:
    """Sign the newest event of this installation's journal, and append the seal; it is durable on return.

    OutsideProgramError if signing fails, DamagedError if the journal is damaged, DiskError. Without a key, or without a
    new event since the last seal, nothing is written, and the result says so.
    """
    from agentws.core.installation import own_records

    done = Sealed(own.writer)
    at = stamp.now() if moment_us is None else moment_us
    newest = _newest(files, own, appender)
    is_told = writer_join.is_told(files, own.writer)
    if newest is None:
        done.reason = "no new event since the last seal"
        if is_told:
            return done
    key = keys.ensure(own.folder, comment=own.writer, socket=own.socket)
    done.joined = writer_join.join(files, own.writer, key.public if key else "", at=stamp.text(at))
    if not is_told:  # a merge may lose a line
        done.notices.append(f"{layout.WRITERS} lists this installation again.")
    if newest is None or key is None:
        done.reason = done.reason or keys.MISSING
        return done
    seq, hash_ = newest
    given = _given(files, own, seq)
    entry = _entry(own, key, seq, hash_, at)
    appender.append([entry])
    done.notices += appender.notices
    appender.notices.clear()
    with lock.Lock(files, lock.APPEND):
        _head.keep_seal(own, entry.seq, entry.hash)
        own_records.note_proved_orders(own, seq, given)
    done.seq, done.cursor, done.key = seq, f"{own.writer}:{entry.seq}", key.public
    return done


def _given(files: _files.Files, own: Installation, newest: int) -> list[str]:
    """Return the digests of the unsealed orders up to `newest`; DamagedError if one was not given here: a seal over it
    would make every machine that knows this writer carry it out.
    """
    from agentws.core.installation import own_records
    from agentws.core.journal.sealing import purge

    given = own_records.known_orders(own)
    after = given.through.get(own.writer, 0)
    digests = []
    for entry in purge.given(files, own.writer, after):
        if entry.seq > newest:
            break
        if not given.is_ours(own.writer, entry.seq, entry.digest):
            raise DamagedError(
                f"{entry.cursor}: this installation has not given this order (`{entry.kind}`); nothing was sealed.",
                hint="If this machine was restored from a snapshot: agentws journal renew. "
                "Else somebody else wrote it: check first who may write to the folder.",
            )
        digests.append(entry.digest)
    return digests


def check_orders(files: _files.Files, own: Installation) -> None:
    """Raise DamagedError if sealing would fail at an order that this installation has not given.

    Only the events since the last seal are read; if there are too many, the next seal finds the order.
    """
    from agentws.core.installation import own_records

    newest = read.last_seq(files, own.writer)
    if 0 <= newest - own_records.known_orders(own).through.get(own.writer, 0) <= MOST_UNSEALED:
        _given(files, own, newest)


def _newest(files: _files.Files, own: Installation, appender: Appender) -> tuple[int, str] | None:
    """Return (number, hash) of the newest event, None if there is none or it is a seal.

    The segment is read without the lock, and verified: a broken chain is never signed.
    """
    numbers = read.newest(files, own.writer, 1)
    if not numbers:
        return None
    lines, kind = _checked(files, own, numbers[-1])
    if lines.wrong:
        appender.sessions()  # what a crash has left is taken out under the lock; damage is an error there, or here
        lines, kind = _checked(files, own, numbers[-1])
    if lines.wrong:
        raise DamagedError(
            f"{segment.path(own.writer, numbers[-1])}: damaged, so nothing was sealed: {lines.wrong}.",
            hint="List all damage: agentws journal verify",
        )
    return lines.last if lines.hashes and kind != event.SEAL else None


def _checked(files: _files.Files, own: Installation, number: int) -> tuple[Stretch, str]:
    """Return the lines of a segment as far as its chain is unbroken, and the kind of the last line."""
    data = b"".join(block for _, block in read.blocks(files, own.writer, number))
    before = (0, chain.genesis(own.agent, own.writer)) if number == 1 or not data else None
    return chain.unbroken(data, before), segment.kind_of(data[data.rfind(b"\n", 0, -1) + 1 :])


def _entry(own: Installation, key: keys.Key, seq: int, hash: str, at: int) -> PendingEvent:
    """Return the event of the seal; OutsideProgramError if the signature is invalid."""
    message = signed_message(own.agent, own.writer, seq, hash)
    signature = key.sign(message)
    if not keys.verify(signature, message, public=key.public, within=own.folder):
        raise OutsideProgramError(
            "The new signature is invalid; nothing was sealed.", hint="Check the key: agentws identity verify"
        )
    body = {"v": event.VERSION, "seq": seq, "hash": hash, "signature": signature}
    return PendingEvent(event.SEAL, body, id=stamp.identifier(at), at=stamp.text(at), salt=stamp.salt())


_HASH_DIGITS = 64
_HEX = "0123456789abcdef"


class Seal(Record):
    """A seal event's body: the number and hash of the event that it names, and its signature (armored)."""

    seq: int
    hash: str
    signature: str


def signed_message(agent: str, writer: str, seq: int, hash: str) -> bytes:
    """Return the statement that a seal's key signs."""
    return f"agentws-seal-1 {agent} {writer} {seq} {hash}\n".encode()


def decode_seal(body: Body | None) -> Seal:
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
