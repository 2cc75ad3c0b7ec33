"""identity takeover: makes this installation the writer, whichever wrote before. Needs no proof, but records it."""

from __future__ import annotations

import os

from agentws.core import Result
from agentws.core.disk import local_dir, lock, tombstone
from agentws.core.formats.identity import writer
from agentws.core.formats.identity.writer import Vouch
from agentws.core.formats.journal import event
from agentws.core.identity import admission, join, pinned_writers, vouch, writers
from agentws.core.identity.write_access import WriteAccess
from agentws.core.installation import installation, keys
from agentws.core.installation.installation import Installation
from agentws.core.journal import head
from agentws.core.journal.sealing import writer_join
from agentws.core.stores import facts, record, seals, writer_trust
from agentws.core.stores.record import Happening
from agentws.core.stores.stores import Stores
from agentws.errors import AgentwsError
from agentws.features.identity import write_access

BY_VOUCH, BY_RECOVERY, BY_STATE, BY_NOTHING = "vouched", "recovery", "state", "none"
"""The proof of a takeover: a vouch by an earlier writer; a signature of a recovery key; this machine's state, which
shows that it wrote here before; none at all."""


class Takeover(Result):
    """The result of a takeover: the write access `before`, the `proof`, the `last` writer, the new `writer`.

    `needed` is False if this installation could write already. `writer` is None in a dry run if there is none yet.
    """

    __slots__ = ("before", "dry_run", "last", "needed", "notices", "proof", "writer")

    def __init__(self, before: WriteAccess, *, proof: str, last: str, needed: bool, dry_run: bool) -> None:
        self.before = before
        self.proof = proof
        self.last = last
        self.needed = needed
        self.dry_run = dry_run
        self.writer: str | None = None
        self.notices: list[str] = []


def take_over(stores: Stores, *, recovery_key: str | None = None, dry_run: bool = False) -> Takeover:
    """Make this installation the writer: remove what kept it from writing, and record the proof, even `none`.

    `recovery_key` is the path of a private key that `allowed_signers` lists as `recovery`. MissingFileError and
    DamagedError if it is not a key; NoWorkspaceError, FormatVersionError, DiskError as usual.
    """
    stores.check_adopted()
    own = stores.installation()
    known, before = write_access.of(stores)
    proof = BY_RECOVERY if recovery_key else _proof(stores, own)
    last = known.met[-1].writer if known.met else ""
    blocked = bool(known.moved or known.retired or known.lost or known.missing_changes)
    needed = bool(blocked or recovery_key or (not known.admitted and (known.met or known.required)))
    done = Takeover(before, proof=proof, last=last, needed=needed, dry_run=dry_run)
    done.writer = own.writer if own is not None else None
    if needed and not dry_run:
        if stores.environment.is_agent and writer_trust.of(stores).strangers:  # it would trust these too
            stores.environment.check_person("agentws identity takeover")
        _carry_out(stores, done, recovery_key)
    return done


def _proof(stores: Stores, own: Installation | None) -> str:
    if own is None:
        return BY_NOTHING
    if not join.is_one(own):
        return BY_STATE
    try:
        return BY_VOUCH if vouch.is_vouched(stores.files, own) else BY_NOTHING
    except AgentwsError:
        return BY_NOTHING  # no program here can check it


def _carry_out(stores: Stores, done: Takeover, recovery_key: str | None) -> None:
    signer = keys.at(os.path.abspath(recovery_key)) if recovery_key else None
    leaving = tombstone.leaving(stores.files)
    if leaving is not None:
        done.notices.append(f"A copy was sent to {leaving.to}. To keep that copy from writing: agentws migrate --abort")
    lifted = _lift(stores)
    own = stores.installation() or join.register(*stores.machine, stores.moment_us())
    missing = admission.missing_history(stores.files, own)
    if missing is not None:
        own = join.continue_as_new_writer(stores.files, own, missing, stores.moment_us())
    fields = {installation.ADMITTED: installation.TAKEOVER, installation.LOST: None}
    # A new journal records in its first event which events were lost; that happens before the loss is accepted.
    stores.close_journal()
    lost = {name for name, _ in facts.lost(stores, own)}
    own = installation.note(stores.files, own, **{installation.ADMITTED: installation.TAKEOVER})
    stores.appender()
    pinned_writers.add_all(stores.files, own, by=pinned_writers.TAKEOVER, at=stores.now_text())
    if lost:
        head.forget_seal(own)
    for name in lost:
        join.agreed(stores.files, own.agent, name, own.secret)
    own = installation.note(stores.files, own, **fields)
    done.writer = own.writer
    _tell(stores, own, done, signer, lifted)


def _lift(stores: Stores) -> list[str]:
    local_dir.prepare(stores.files)  # a clone lacks the folder
    with lock.Lock(stores.files, lock.APPEND):
        moved, retired = tombstone.take_back(stores.files), tombstone.revive(stores.files)
    return ["moved"] * moved + ["retired"] * retired


def _tell(stores: Stores, own: Installation, done: Takeover, signer: keys.Key | None, lifted: list[str]) -> None:
    """Record the takeover in `identity/` and in the journal, sealed if possible."""
    took = {"proof": done.proof, "from": done.last or None}
    key = _key(own, done)
    after = writer_join.news(stores.files, but=own.writer)
    vouched_by: Vouch | None = None
    if signer is not None and key:
        vouched_by = vouch.signature(own.agent, own.writer, key, after, by=writer.RECOVERY, signer=signer)
    vouch.add(stores.files, own.writer, key, at=stores.now_text(), after=after, vouched_by=vouched_by, took_over=took)
    text = f"took over writing, proof: {done.proof}"
    body: event.Body = {"text": text, **took, "lifted": lifted, "after": writers.heads(facts.others(stores, own))}
    _, notices = record.record(stores, [Happening(event.TOOK_OVER, body)])
    done.notices += [*notices, *seals.quietly(stores)]
    write_access.put_into_history(stores, "takeover")
    done.notices += stores.notices


def _key(own: Installation, done: Takeover) -> str:
    """Return the public key of this installation, empty if no program here can make one."""
    try:
        key = keys.ensure(own.folder, comment=own.writer, socket=own.socket)
    except AgentwsError as error:
        done.notices.append(f"This installation took over writing, but has no key: {error.message}")
        return ""
    return key.public if key is not None else ""
