"""drill: restore a backup to a temporary folder, boot it, and compare it with the workspace."""

from __future__ import annotations

import os
import stat
import time
from contextlib import closing
from dataclasses import dataclass, replace

from agentws.core.disk.files import Files
from agentws.core.formats import layout
from agentws.core.formats.documents import document
from agentws.core.formats.travel.backup import Manifest
from agentws.core.formats.travel.inventory import FILE, FOLDER, Inventory, TreeEntry
from agentws.core.installation import backups
from agentws.core.installation.backups import Known
from agentws.core.stores import record
from agentws.core.stores.record import Happening
from agentws.core.stores.stores import Stores
from agentws.errors import AgentwsError, UsageError
from agentws.features.copies.backup import backup_lag, destinations, restore
from agentws.features.copies.backup.backup_lag import Lag
from agentws.features.copies.backup.plan import loss
from agentws.features.copies.backup.plan.loss import Differences
from agentws.features.copies.backup.snapshot import unchanged
from agentws.features.copies.backup.store import chain
from agentws.features.copies.backup.store.reach import which
from agentws.features.copies.backup.verify import chains, spoiled
from agentws.features.copies.migrate.plan import destination
from agentws.features.copies.migrate.plan.destination import Destination
from agentws.features.copies.transfer import disk, temporary, tree, verified_copy
from agentws.features.copies.transfer.transport import Transport
from agentws.features.copies.transfer.verified_copy import Progress

KIND = "backup.drilled"
_PLACE = "agent"
_MOST_BYTES = 1 << 25
_ID_BYTES = 4
_MODE = 0o700
_NO_PROGRAM = "agentws was not found there: install it, or put it on the PATH of ssh"


@dataclass(frozen=True, slots=True)
class Drilled:
    """The result of a drill with the backup `name` of the destination `to`.

    `findings` are (path, problem) of the restored files; `original` are problems noted when the backup was made.
    `booted`: the restored agent boots. `on` is the other machine of the drill (empty: none), `far` the problems there.
    A restore would lose `events`, the work of `lost_s` seconds, and the files that `differ`. `took_s` is the duration.
    `missing` events of the backup are not in the workspace: it is an older state, or a fork.
    """

    to: str
    name: str
    at: str
    files: int
    bytes: int
    chains: int
    documents: int
    booted: bool
    events: int
    lost_s: int
    differ: Differences
    took_s: float
    findings: tuple[tuple[str, str], ...] = ()
    original: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()
    on: str = ""
    far: tuple[tuple[str, str], ...] = ()
    missing: int = 0

    @property
    def well(self) -> bool:
        """Return whether the restored backup boots without findings, here and on the other machine."""
        return self.is_sound and not self.far

    @property
    def is_sound(self) -> bool:
        """Return whether the restored backup boots here without findings, whatever the other machine reports."""
        return self.booted and not self.findings


def drill(
    stores: Stores,
    to: str | None = None,
    *,
    at: str | None = None,
    on: str | None = None,
    progress: Progress | None = None,
) -> Drilled:
    """Restore the newest backup of `to` (default: the first known destination), or `at`, to a temporary folder.

    With `on` (`user@host`) it is also sent to a temporary folder of that machine, and verified and booted there. The
    result is recorded as an event, and the folders are removed. MissingFileError if there is no backup, DiskError if it
    cannot be restored here.
    """
    stores.check_adopted()
    machine = machine_of(on) if on is not None else None
    backup = destinations.named(stores, to)[0]
    with closing(destinations.opened(stores, backup, afresh=True)) as place:
        name = which(place, at)
        began = time.monotonic()
        manifest = place.manifest(name)
        if manifest.header.agent != stores.manifest.agent_id:
            raise UsageError(f"{place.place}/{name} belongs to another agent.", hint="agentws backup list")
        folder = temporary.folder(prefix=temporary.DRILL)
        path = f"{folder}/{_PLACE}"
        header = manifest.header
        findings: list[tuple[str, str]] = []
        far: list[tuple[str, str]] = []
        booted, documents, writers = False, 0, 0
        try:
            try:
                restore.restored(place, name, path, progress=progress)
            except AgentwsError as error:
                findings = [("", error.message)]
            else:
                damage = chains(path, header.agent)
                documents, unread = _documents(path, stores)
                findings = [*spoiled(manifest), *(() if header.damage else damage), *unread]
                writers = len(header.heads)
                booted, message = _boot(path)
                findings += [("boot", message)] if not booted else []
                if machine and not findings:
                    far = tried_on(path, machine, damaged=bool(header.damage))
            shared = chain.shared(stores.files, header.heads, Files(path))
        finally:
            temporary.remove(folder)
        lag = backup_lag.behind(stores.files, shared)
    differ = _differences(stores, manifest)
    done = Drilled(
        backup.to,
        name,
        header.at,
        header.files,
        header.bytes,
        writers,
        documents,
        booted,
        lag.events,
        _lost_s(stores, header.at, lag, differ),
        differ,
        round(time.monotonic() - began, 2),
        tuple(findings),
        header.damage,
        tuple(stores.notices),
        machine.login if machine else "",
        tuple(far),
        sum(seq - shared[writer] for writer, (seq, _) in header.heads.items()),
    )
    return _recorded(stores, backup, done)


def _lost_s(stores: Stores, at: str, lag: Lag, differ: Differences) -> int:
    """Return the seconds of work that a restore would lose: up to the newest event, or to now if only files differ."""
    lacks = differ.documents or differ.others
    until = lag.newest if lag.newest is not None else stores.clock.now() if lacks else None
    return max(0, int((until - backup_lag.moment(at)).total_seconds())) if until is not None else 0


def _documents(path: str, stores: Stores) -> tuple[int, list[tuple[str, str]]]:
    """Return the number of documents in a restored folder, and those readable in the workspace only."""
    files, count, unread = Files(path), 0, []
    for each, status in disk.walk(path, (layout.LOCAL, ".git")):
        if not stat.S_ISREG(status.st_mode) or not each.endswith(".md"):
            continue
        count += 1
        wrong = _wrong(files, each)
        if wrong and not _wrong(stores.files, each):
            unread.append((each, wrong))
    return count, unread


def _wrong(files: Files, path: str) -> str:
    try:
        document.decode(files.read(path, limit_bytes=_MOST_BYTES), where=path)
    except AgentwsError as error:
        return error.message
    return ""


def _boot(path: str) -> tuple[bool, str]:
    """Return whether the agent boots in a folder, and the error if not."""
    with verified_copy.reach() as local:
        local.inspect(path, "0" * 8)
        boot = local.boot()
    return boot["code"] == 0, boot["said"] or "it does not boot"


def _differences(stores: Stores, manifest: Manifest) -> Differences:
    """Return the differences between a backup and the workspace's files."""
    look = tree.of(stores).look()
    now: Inventory = {}
    for path, entry in look.entries.items():
        if entry.kind == FOLDER:
            continue
        old = manifest.entries.get(path)
        if old is not None and (unchanged(look, path, manifest) or _is_same(stores.files, old, entry)):
            now[path] = old
        else:
            now[path] = entry
    return loss.between(manifest.entries, now)


def _is_same(files: Files, old: TreeEntry, new: TreeEntry) -> bool:
    """Return whether a file's content equals the backup's, though its times differ."""
    if (old.kind, old.mode) != (new.kind, new.mode):
        return False
    if new.kind != FILE:
        return old.content == new.content
    status = disk.look_at(files.root, new.path) if old.size == new.size else None
    return status is not None and status[5] == old.content


def _recorded(stores: Stores, backup: Known, done: Drilled) -> Drilled:
    """Record the drill in the journal and in the destination's record; a failure becomes a notice."""
    words = "restored and booted" if done.is_sound else "failed"
    words += f" here, not on {done.on}" if done.is_sound and not done.well else ""
    body = {
        "v": 1,
        "text": f"Drill with backup {done.name}: {words}",
        "dest": backup.to,
        "backup": done.name,
        "well": done.well,
        "events": done.events,
        "lost_s": done.lost_s,
        "documents": done.differ.documents,
        "files": done.differ.count,
        **({"on": done.on} if done.on else {}),
    }
    notices: list[str] = []
    try:
        drilled = {"at": stores.now_text(), "name": done.name, "well": done.is_sound}
        backups.write(*stores.machine, backup.to, lambda now: setattr(now, "drilled", drilled))
        notices = record.record(stores, [Happening(KIND, body)])[1]
    except AgentwsError as error:
        notices = [f"The drill was not recorded: {error.message}"]
    return replace(done, notices=(*done.notices, *notices))


# On another machine


def machine_of(on: str) -> Destination:
    """Return the machine that `on` (`user@host`) names; UsageError if it names none."""
    result = destination.parse(f"{on}:agent") if ":" not in on.rpartition("]")[2] else None
    if result is None or not result.host:
        raise UsageError(f"--on {on!r} does not name a machine.", hint="Write user@host, as for ssh.")
    return result


def tried_on(path: str, on: Destination, *, damaged: bool) -> list[tuple[str, str]]:
    """Try the restored workspace at `path` on another machine; return its problems as (place, problem).

    The journal of a backup noted as `damaged` is not verified.
    """
    try:
        with verified_copy.reach(on.host, on.user) as far:
            wrong = _sent(path, far)
            for what, ask in () if wrong else (("boot", far.boot), ("journal", far.verify)):
                answer = ask() if what == "boot" or not damaged else {"code": 0}
                if answer["code"] != 0:
                    said = _NO_PROGRAM if answer["code"] is None else str(answer["said"]) or "it failed"
                    return [(f"{on.login}: {what}", said)]
            return [(f"{on.login}: {where}", what) for where, what in wrong]
    except AgentwsError as error:
        return [(on.login, error.message)]


def _sent(path: str, far: Transport) -> list[tuple[str, str]]:
    """Send a copy to the other machine; return the files that arrived different."""
    far.inspect(far.trial_folder(), os.urandom(_ID_BYTES).hex())
    far.prepare("1")
    copy = verified_copy.VerifiedCopy(tree.Tree(path), far, same=TreeEntry.is_content_of)
    copy.carry(copy.look())
    wrong = [(entry.path, "did not arrive as it was sent") for entry in copy.difference().send]
    if not wrong:
        copy.settle()
        far.activate(_MODE, "")
    return wrong
