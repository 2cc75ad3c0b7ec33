"""identity verify: checks vouches, signing keys, tombstone and private key, and all seals of the journals."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from agentws.core import Result
from agentws.core.disk import tombstone
from agentws.core.formats import layout
from agentws.core.formats.identity import tombstone as _tombstone, writer
from agentws.core.formats.identity.writer import WriterLine
from agentws.core.identity import pinned_writers, vouch, writers
from agentws.core.installation import keys
from agentws.core.installation.installation import Installation
from agentws.core.journal.sealing import verify as _verify
from agentws.core.journal.sealing.seal import Signers
from agentws.core.stores import writer_trust
from agentws.core.stores.stores import Stores
from agentws.errors import AgentwsError
from agentws.features.identity import write_access

_PRIVATE = 0o077


class IdentityFinding(Result):
    """A finding of `identity verify`: `where`, `what`, and whether it is `damage` or only needs a person."""

    __slots__ = ("damage", "what", "where")

    def __init__(self, where: str, what: str, *, damage: bool) -> None:
        self.where = where
        self.what = what
        self.damage = damage


class VerifiedIdentity(Result):
    """The result of `identity verify`: the numbers of writers, vouches and sealed events, and the findings."""

    __slots__ = ("findings", "notices", "sealed", "vouches", "writers")

    def __init__(self) -> None:
        self.findings: list[IdentityFinding] = []
        self.writers = 0
        self.vouches = 0
        self.sealed = 0
        self.notices: list[str] = []

    @property
    def damaged(self) -> bool:
        """Return whether verification found protected data that was changed."""
        return any(finding.damage for finding in self.findings)


def verify(stores: Stores) -> VerifiedIdentity:
    """Check the signatures of vouches, the keys that may sign, the tombstone, this installation's key, and all seals.

    Nothing is written. DamagedError and DiskError if a file cannot be read at all.
    """
    stores.check_adopted()
    done = VerifiedIdentity()
    own = stores.installation()
    lines = writers.lines(stores.files)
    done.writers = len({line.writer for line in lines} | {other.writer for other in writers.all_of(stores.files)})
    done.vouches = sum(line.vouched_by is not None for line in lines)
    done.findings += _of_lines(stores, lines)
    done.findings += _of_signers(stores, lines)
    done.findings += _of_tombstone(stores)
    done.findings += _of_key(own)
    done.findings += _of_writers(stores, writer_trust.meeting(stores))
    done.findings += _of_standing(stores)
    memory = writer_trust.remembered(stores)
    verified_journal = _verify.verify(stores.files, stores.manifest.agent_id, own, memory=memory)
    done.sealed = sum(checked.sealed for checked in verified_journal.writers)
    done.findings += [
        IdentityFinding(f"{finding.path}:{finding.line}", finding.what, damage=True)
        for finding in verified_journal.findings
    ]
    notes = [note for note in verified_journal.notes if note.what != _verify.UNVOUCHED]  # `_of_writers` reports these
    done.notices += [*stores.notices, *(f"{note.path}:{note.line}: {note.what}." for note in notes)]
    return done


def _of_lines(stores: Stores, lines: Sequence[WriterLine]) -> Iterator[IdentityFinding]:
    signers, void = Signers.read(stores.files), writers.void(stores.files)
    for number, line in enumerate(lines, 1):
        where = f"{layout.WRITERS}, writer {line.writer} ({number})"
        try:
            wrong = vouch.judge(stores.manifest.agent_id, line, signers) or vouch.misuse(lines, line, void)
        except AgentwsError as error:
            yield IdentityFinding(where, error.message, damage=False)
            continue
        if wrong:
            yield IdentityFinding(where, wrong, damage=True)
        if line.key and not signers.allow(line.writer, line.key):
            yield IdentityFinding(where, f"{layout.SIGNERS} does not list the key of this line", damage=False)


def _of_signers(stores: Stores, lines: Sequence[WriterLine]) -> Iterator[IdentityFinding]:
    """Yield findings for keys that may sign and are in no line of writers: they were added by hand."""
    pairs = {(line.writer, line.key) for line in lines}
    for name, allowed in Signers.read(stores.files).all().items():
        for key in sorted(allowed):
            if name != writer.RECOVERY and (name, key) not in pairs:
                what = f"a key of {name} that {layout.WRITERS} does not list: {writer.fingerprint(key)}"
                yield IdentityFinding(layout.SIGNERS, what, damage=False)


def _of_tombstone(stores: Stores) -> Iterator[IdentityFinding]:
    stone = tombstone.read(stores.files)
    if stone is None:
        return
    if not stone.to:
        yield IdentityFinding(layout.MOVED, "unreadable tombstone", damage=True)
    elif stone.signature:
        message = _tombstone.message(stores.manifest.agent_id, stone)
        allowed = Signers.read(stores.files).all().get(stone.by, set())
        try:
            good = any(keys.verify(stone.signature, message, public=key) for key in allowed)
        except AgentwsError as error:
            yield IdentityFinding(layout.MOVED, error.message, damage=False)
            return
        if not good:
            yield IdentityFinding(layout.MOVED, f"the signature of {stone.by} is invalid", damage=True)


def _of_writers(stores: Stores, own: Installation | None) -> Iterator[IdentityFinding]:
    """Yield findings for writers that this machine does not know, and for strange keys in this installation's name."""
    if own is None:
        return
    others = writers.all_of(stores.files, but={own.writer})
    names = {other.writer: other for other in others}
    for stranger in writer_trust.among(stores.files, own, names, at=stores.now_text()):
        met = names[stranger.writer]
        parts = [f"on machine {met.host}" if met.host else "", f"{met.seq:,} events" if met.seq else ""]
        parts += [f"key {fingerprint}" for fingerprint in _fingerprints(stranger.keys)]
        why = (
            "signs with a key unknown to this machine"
            if stranger.why == pinned_writers.REKEYED
            else "is unknown on this machine"
        )
        yield IdentityFinding(
            f"writer {stranger.writer}",
            f"{why}, and not vouched for ({', '.join(filter(None, parts)) or 'no key'}). "
            f"If it is yours: agentws identity vouch {stranger.writer}",
            damage=False,
        )
    pins = pinned_writers.read(own.folder)
    if pins is None:
        return
    added = {line.key for line in writers.lines(stores.files) if line.writer == own.writer and line.key}
    for key in _fingerprints(added - writer_trust.own_keys(own, pins)):
        what = f"a key of someone else may sign as this installation: {key}"
        yield IdentityFinding(layout.WRITERS, what, damage=True)


def _fingerprints(names: set[str]) -> list[str]:
    fingerprints = []
    for key in sorted(names):
        try:
            fingerprints.append(writer.fingerprint(key))
        except ValueError:
            fingerprints.append("unreadable")
    return fingerprints


def _of_key(own: Installation | None) -> Iterator[IdentityFinding]:
    mode = keys.mode(own.folder) if own is not None else None
    if own is not None and mode is not None and mode & _PRIVATE:
        yield IdentityFinding(
            f"{own.folder}/{keys.PRIVATE}", f"other users may read this key (mode {mode:03o})", damage=False
        )


def _of_standing(stores: Stores) -> Iterator[IdentityFinding]:
    _, access = write_access.of(stores)
    if access.said:
        yield IdentityFinding("this installation", f"{access.said} {access.remedy}", damage=False)
