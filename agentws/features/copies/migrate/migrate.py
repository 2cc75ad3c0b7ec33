"""migrate: move the agent to another place, in steps that a re-run resumes after any interruption."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from typing import Any

from agentws import features
from agentws.core.disk import local_dir, lock, tombstone
from agentws.core.disk.tombstone import Underway
from agentws.core.formats.travel import inventory, parcel
from agentws.core.formats.travel.inventory import FILE, LINK, OTHER, Inventory
from agentws.core.installation import backups, host_info, remotes
from agentws.core.stores import lost_lines
from agentws.core.stores.stores import Stores
from agentws.core.text import sh
from agentws.core.text.names import some
from agentws.errors import AgentwsError, MayNotWriteError, NeedsYouError, UsageError
from agentws.features.copies.migrate import arrival, handover
from agentws.features.copies.migrate.arrival import Migrated
from agentws.features.copies.migrate.plan import destination, next_step
from agentws.features.copies.migrate.plan.destination import GIT, Destination
from agentws.features.copies.migrate.plan.next_step import There
from agentws.features.copies.transfer import tree, verified_copy
from agentws.features.copies.transfer.transport import Transport
from agentws.features.copies.transfer.verified_copy import Progress

_LOCK_TIMEOUT_S = 1.0
PLANNED, MOVED, WAITING, ALREADY, ABORTED = "planned", "moved", "waiting", "already", "aborted"


def migrate(
    stores: Stores, to: str, *, via: str | None = None, dry_run: bool = False, progress: Progress | None = None
) -> Migrated:
    """Move the agent to `to`: `user@host:path`, the path of a folder, or the URL of a git repository.

    This copy stays, read-only. After an interruption, the same call resumes. In a git repository the agent waits until
    it is taken: see take.py. NeedsYouError if acknowledged lines are missing, or if sync remotes hold forgotten text;
    OutsideProgramError if ssh, rsync or git fails, UsageError if the destination is unsuitable, DiskError,
    ChangedUnderneathError, MayNotWriteError.
    """
    goal = destination.parse(to, via, absolute=absolute)
    known = _begun_before(stores, goal)
    if known is None:
        _check_losses(stores)
        _check_forgotten(stores)
    if dry_run:
        with way(stores, goal) as transport:
            return _Moving(stores, goal, transport, known, progress).plan()
    stores.settle()
    with held(stores):
        known = _begun_before(stores, goal)  # whoever held it may have moved the agent meanwhile
        with way(stores, goal) as transport:
            return _Moving(stores, goal, transport, known, progress).run()


def _begun_before(stores: Stores, goal: Destination) -> Underway | None:
    """Return the running migration, as `_known`; if the agent is still here, check that it may write."""
    known = _known(stores, goal)
    if known is None or not handover.is_buried(stores, known.id):
        stores.check_writable()
    return known


def _check_losses(stores: Stores) -> None:
    """Raise NeedsYouError if a log or MEMORY.md lacks what was acknowledged: the record of that does not move along."""
    for lost in lost_lines.losses(stores.files):
        raise NeedsYouError(
            f"{lost.path}: {lost.says}. Nothing was moved: the record of what is missing would stay here.",
            hint=lost_lines.REMEDY,
        )


def _check_forgotten(stores: Stores) -> None:
    """Raise NeedsYouError if a sync remote holds forgotten text: only this installation knows that it has to go."""
    known = remotes.read(*stores.machine)
    due = [remote.url for remote in known if remote.renew]
    if due:
        calls, drops = (
            "; ".join(sh.join(["agentws", "sync", *words, url]) for url in due) for words in ([], ["detach"])
        )
        raise NeedsYouError(
            f"Forgotten text is still in {', '.join(due)}. Nothing was moved: only a sync from here removes it there.",
            hint=f"Remove it first: {calls}. If that is gone for good: {drops}",
        )


def _known(stores: Stores, goal: Destination) -> Underway | None:
    """Return the migration to this place that was begun or finished before; UsageError if it goes elsewhere."""
    known = tombstone.migration(stores.files)
    if known is not None and known.step == tombstone.DONE and not handover.is_buried(stores, known.id):
        return None  # the agent has come back since
    if known is None:
        return None
    if known.to != goal.shown or (known.via == GIT) != (goal.via == GIT):
        if known.step == tombstone.DONE:
            tombstone.check(stores.files)
        by = f" --via {known.via}" if known.via == GIT else ""
        raise UsageError(
            f"A migration to {known.to} is running.",
            hint=f"Finish it: agentws migrate {known.to}{by}. Or cancel: agentws migrate --abort",
        )
    if known.step == tombstone.ABORTING:
        raise UsageError(
            "This migration is being cancelled.", hint="To complete the cancellation: agentws migrate --abort"
        )
    return known


def absolute(path: str) -> str:
    """Return the absolute path of a local folder."""
    return os.path.abspath(os.path.expanduser(path))


@contextmanager
def held(stores: Stores) -> Iterator[None]:
    """Hold the migration lock of this workspace."""
    local_dir.prepare(stores.files)
    with lock.Lock(stores.files, tombstone.MIGRATION_LOCK, timeout_s=_LOCK_TIMEOUT_S, note="migrate"):
        yield


@contextmanager
def way(stores: Stores, goal: Destination) -> Iterator[Transport]:
    """Open the transport to the destination of a migration, and close it at the end."""
    if goal.via != GIT:
        with verified_copy.reach(goal.host, goal.user) as transport:
            yield transport
        return
    from agentws.features.copies.migrate.store.git import ByGit

    with closing(ByGit(goal.path, f"{stores.root}/{local_dir.FOLDER}")) as through:
        yield through


class _Moving:
    def __init__(
        self, stores: Stores, goal: Destination, transport: Transport, known: Underway | None, progress: Progress | None
    ) -> None:
        self._stores = stores
        self._goal = goal
        self._transport = transport
        self._known = known
        self._tree = tree.of(stores)
        self._copying = verified_copy.VerifiedCopy(self._tree, transport, progress)
        self._notices: list[str] = []
        self._there = next_step.There({})
        self._announced: dict[str, Any] = {}

    # What would be done

    def plan(self) -> Migrated:
        """Return what a migration would send, without changing anything."""
        delta = self._copying.look()  # while the connection is made
        self._notices += handover.conflicts(self._stores, self._copying.here)
        there, step = self._look()
        if there.waiting:
            delta = self._copying.compare()
        planned = self._migrated(there, PLANNED)
        return replace(planned, sent_files=delta.files, sent_bytes=delta.bytes, resumes=step != next_step.BEGIN)

    # What is done

    def run(self) -> Migrated:
        """Carry out the remaining steps of the migration."""
        self._copying.look()  # while the connection is made
        there, step = self._look()
        resumes = step != next_step.BEGIN
        if step == next_step.DONE:
            if self._known is not None and self._known.step != tombstone.DONE and self._goal.via != GIT:
                self._place(self._known)  # whoever put it there was killed before all of it was sure
            return replace(self._migrated(there, ALREADY), resumes=True)
        if step == next_step.READY:
            self._waits()
            return replace(self._migrated(there, WAITING), resumes=True)
        known = self._begun()
        if step != next_step.PLACE:
            self._notices += handover.damage(self._stores)
            self._notices += handover.conflicts(self._stores, self._copying.here)
        self._copy(known)
        self._stores.take_in()  # since the move began, hooks leave no calls as files
        handover.hand_over(self._stores, self._copying, known.id, self._goal.shown, self._sign)
        placed = self._place(known)
        if self._goal.via == GIT:
            return replace(self._sent(there, WAITING), resumes=resumes)
        booted = arrival.boot(self._transport, self._notices)
        vouched = arrival.sign_in(self._stores, self._transport, there.host, self._notices)
        done = replace(self._sent(there, MOVED), path=placed["path"], aside=placed["aside"], resumes=resumes)
        return replace(done, booted=booted, vouched=vouched)

    def _look(self) -> tuple[There, str]:
        known = self._known
        there = self._there = next_step.There(self._transport.inspect(self._goal.path, known.id if known else "0" * 8))
        buried = known is not None and handover.is_buried(self._stores, known.id)
        step = next_step.next_step(there, known.id if known else "", known=known is not None, buried=buried)
        if step == next_step.LOST and buried and known is not None and known.step == tombstone.READY:
            self._notices.append(f"Another machine took the agent from {self._goal.shown}, or somebody removed it.")
            return there, next_step.DONE
        if step in (next_step.DONE, next_step.READY):
            return there, step
        if step == next_step.COPY and known is not None and known.step == tombstone.READY:
            self._known, step = None, next_step.BEGIN  # that one is over, and a person has let this copy write again
        if step == next_step.LOST:
            raise _lost(there, self._goal.shown, known, buried=buried)
        wrong = next_step.refusal(there, self._stores.manifest.agent_id) or arrival.is_ahead(there, self._stores.files)
        wrong = wrong or self._room(there)
        if wrong is not None:
            raise wrong
        return there, step

    def _room(self, there: There) -> AgentwsError | None:
        entries = self._copying.here
        if there.waiting:
            return None  # a good part of it is there already; a disk that fills up says so
        return next_step.lacks_room(there, bytes=inventory.needed_bytes(entries), files=len(entries))

    def _begun(self) -> Underway:
        if self._known is None:
            self._known, notices = handover.begin(self._stores, self._goal.shown, self._goal.via)
            self._notices += notices
            self._transport.inspect(self._goal.path, self._known.id)
            self._copying.look()
        self._known.attempt += 1
        tombstone.keep_migration(self._stores.files, self._known)
        return self._known

    def _copy(self, known: Underway) -> None:
        self._transport.prepare(str(known.attempt))
        fields = {"agentws": 1, "migration": known.id, "from": host_info.name(), "at": known.at}
        if self._goal.via == GIT:
            fields |= {"agent": self._stores.manifest.agent_id, "mode": self._tree.mode()}
        else:
            fields |= {"root": self._stores.root}
        fields |= arrival.pinned(self._stores)
        place = "" if self._goal.via == GIT else self._there.path  # where it comes out of git, the receiver chooses it
        self._announced = fields | arrival.token(self._stores, known.id, place)
        self._transport.record(self._announced)
        self._copying.compare()
        self._copying.approach()
        self._copying.settle()
        if known.step == tombstone.BEGAN:
            self._reached(known, tombstone.COPIED)

    def _sign(self, entries: Inventory) -> None:
        """Sign the sent entries and announce the signature, which must precede taking or placing the copy."""
        sent = [entry for entry in entries.values() if entry.kind != OTHER]
        signed = arrival.signed(self._stores, self._announced, sent, self._notices)
        self._transport.record({**self._announced, parcel.FIELD: signed.plain()})
        assert self._known is not None
        self._known.code, self._known.signer = arrival.shown(signed, self._stores.manifest.agent_id, self._known.id)
        tombstone.keep_migration(self._stores.files, self._known)

    def _place(self, known: Underway) -> dict[str, str]:
        mode = self._tree.mode()
        stamp = "".join(char for char in self._stores.clock.now().isoformat(timespec="seconds") if char.isalnum())
        placed = self._transport.activate(mode, stamp)
        self._reached(known, tombstone.READY if self._goal.via == GIT else tombstone.DONE)
        return placed

    def _waits(self) -> None:
        if self._known is not None:
            # Whoever let it be taken may have been killed before all of that was put down, and cleared away.
            self._transport.prepare(str(self._known.attempt))
            self._reached(self._known, tombstone.READY)

    def _reached(self, known: Underway, step: str) -> None:
        known.step = step
        tombstone.keep_migration(self._stores.files, known)

    def _sent(self, there: There, state: str) -> Migrated:
        copied = self._copying
        return replace(self._migrated(there, state), sent_files=copied.sent_files, sent_bytes=copied.sent_bytes)

    def _migrated(self, there: There, state: str) -> Migrated:
        entries = self._copying.here
        return Migrated(
            to=self._goal.shown,
            via=self._goal.via,
            state=state,
            migration=self._known.id if self._known else "",
            path=there.path,
            host=there.host,
            files=sum(entry.kind in (FILE, LINK) for entry in entries.values()),
            bytes=sum(entry.size for entry in entries.values()),
            left=tuple(inventory.unsent(entries)),
            stripped=tuple(self._tree.stripped),
            runs=tuple(inventory.what_runs(entries, features.settings_that_run())),
            signer=self._known.signer if self._known else "",
            code=self._known.code if self._known else "",
            notices=(*self._stores.notices, *self._notices, *_left_behind(self._stores)),
        )


def _lost(there: There, to: str, known: Underway | None, *, buried: bool) -> AgentwsError:
    if there.ready:
        return MayNotWriteError(
            f"The agent waits at {to}, but this copy may write again.",
            hint="To prevent two copies that write, cancel the move: agentws migrate --abort",
        )
    if not buried:
        return MayNotWriteError(
            f"The agent is at {to}, but this copy may write too.",
            hint=f"Keep one copy. To retire this one: agentws identity retire. The other is at {there.path}.",
        )
    if known is not None and known.step == tombstone.DONE:
        return NeedsYouError(
            f"The agent was moved to {there.path} and is missing there. This copy is read-only.",
            hint="Look there for a renamed folder. Only if the agent is lost for good: agentws identity revive",
        )
    return NeedsYouError(
        f"The received copy at {there.path} is missing. No copy may write now.",
        hint=f"If somebody moved the copy, move it back to {there.path}. If it is lost: agentws migrate --abort --yes",
    )


def _left_behind(stores: Stores) -> list[str]:
    """Return a notice of what only this machine knows: destinations of backups, sync remotes, and what undo needs."""
    known = stores.machine
    calls = [sh.join(["agentws", "backup", "create", backup.to]) for backup in backups.read(*known)]
    calls += [sh.join(["agentws", "sync", remote.url]) for remote in remotes.read(*known)]
    if not calls:
        return []
    return [f"The destinations of backups, sync remotes and undo do not travel. To go on there: {some(calls)}"]
