"""The rounds of checks: findings of doctor itself and of each feature; quick ones for `status`, all for `doctor`."""

from __future__ import annotations

from agentws import features
from agentws.core import findings as finding
from agentws.core.disk import clock, local_dir
from agentws.core.formats import layout
from agentws.core.formats.journal import event
from agentws.core.installation import backups, remotes as synced
from agentws.core.journal import recovery, select, sync_failure
from agentws.core.states import plumbing, repository
from agentws.core.stores import writer_trust
from agentws.errors import AgentwsError, UsageError
from agentws.features.doctor import documents, location
from agentws.features.doctor.plan import durability

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import TypeAlias

    from agentws.core.findings import Finding
    from agentws.core.stores.seen import Seen
    from agentws.core.stores.stores import Stores

    Round: TypeAlias = Callable[[Seen], Iterable[Finding]]


def quick(seen: Seen) -> list[Finding]:
    """Run the quick checks, for which no document is read, and return their findings, the worst first."""
    return finding.worst_first(_asked(seen, (documents.standing, *_shallow(seen))))


def every(seen: Seen) -> list[Finding]:
    """Run all checks of doctor and of each feature, and return their findings in order."""
    from agentws.features.doctor import contents  # `status` does without

    deep = features.each("deep_findings", seen.stores.files)
    return _asked(seen, (documents.standing, contents.findings, *deep, *_shallow(seen)))


def _shallow(seen: Seen) -> Iterator[Round]:
    yield from (findings, location.findings)
    yield from features.each("findings", seen.stores.files)


def _asked(seen: Seen, rounds: Iterable[Round]) -> list[Finding]:
    faults: list[Finding] = []
    for each in rounds:
        try:
            faults += each(seen)
        except AgentwsError as error:
            remedy = error.hint or "Fix the cause and re-run: this check was not completed."
            faults.append(finding.of_error("unread", finding.WARNING, error.message, remedy=remedy))
    return faults


_BRANCH = "branch"


def findings(seen: Seen) -> list[Finding]:
    """Return doctor's own findings about history, journal, seals, interrupted changes and the clock."""
    journal = _journal(seen)
    failure = local_dir.seal_failure(seen.stores.files)
    if failure:
        journal.append(durability.unsealed(failure))
    if local_dir.interrupted(seen.stores.files):
        journal.append(durability.interrupted())
    if seen.stores.adopted:
        journal += _history(seen)
    return journal + _times(seen)


def _journal(seen: Seen) -> list[Finding]:
    files = seen.stores.files
    try:
        own = seen.stores.installation()
        if own is None:
            return []
        if sync_failure.stands(files, own.writer):
            return [durability.poisoned(sync_failure.path(own.writer))]
        recovery.check_end(files, own)
    except AgentwsError as error:
        return [durability.damaged(error.message, error.hint)]
    return []


def _history(seen: Seen) -> list[Finding]:
    stores = seen.stores
    git_dir = repository.find(stores.root)
    off = stores.manifest.setting("history.commits") == "off"
    why = "switched off" if off else "no git repository"
    failure = stores.history_failure()
    broken = "" if failure else _broken(seen, git_dir, off=off)
    history = durability.history(
        failure=failure,
        broken=broken,
        kept=not off and git_dir is not None,
        gone=not off and git_dir is None and stores.files.exists(local_dir.MADE_REPOSITORY),
        why_not=why,
        remotes=git_dir is not None
        and (
            repository.has_remote(git_dir)
            or bool(backups.read(*stores.machine))
            or any(remote.at for remote in synced.read(*stores.machine))
        ),
        ref=seen.history.line if seen.history else "",
    )
    if git_dir is None or off:
        return history
    if not failure and not broken and seen.history is not None and (ref := seen.history.emptied()):
        history.append(durability.emptied(ref))
    history += durability.not_kept(seen.others())
    for path, age_s in repository.locks(git_dir):
        history += durability.git_lock(path, age_s=age_s)
    own = stores.manifest.setting("history.commits") == _BRANCH and git_dir == f"{stores.root}/.git"
    there = seen.look.entries
    attributes = f"{layout.DAYS}/.gitattributes" in there or layout.DAYS not in there
    return history + durability.git_files(ignore=".gitignore" in there, attributes=attributes, own=own)


def _broken(seen: Seen, git_dir: str | None, *, off: bool) -> str:
    """Return why no state of history could be recorded now, empty if it could."""
    if git_dir is None or off:
        return ""
    if not seen.is_glance and not plumbing.available():
        return "git is not usable here: version 2.30 or later is needed"
    try:
        seen.newest_state()
    except AgentwsError as error:
        return error.message
    return ""


def _times(seen: Seen) -> list[Finding]:
    stores, now = seen.stores, seen.moment
    faults = durability.made_later(now, stores.manifest.created, layout.MANIFEST) + _zones(stores, seen)
    logs = ((path, layout.day_of(path.rpartition("/")[2])) for path in reversed(seen.look.files(layout.DAYS)))
    # The name of a log begins with its day, so the last one is the newest.
    faults += next((durability.future_days(now, path, day) for path, day in logs if day), [])
    wanted = select.Wanted(without=event.STRUCTURE)
    for writer in writer_trust.known(stores):
        try:
            newest_event = select.Reader(stores.files, wanted).newest(writer, 1)
        except AgentwsError:
            continue  # a damaged journal is another finding
        for entry in newest_event:
            faults += durability.future_events(now, entry.at, f"{writer}:{entry.seq}")
    return faults


def _zones(stores: Stores, seen: Seen) -> list[Finding]:
    zone = stores.manifest.timezone
    try:
        clock.zone(zone)
    except UsageError:
        return durability.unknown_zone(zone, layout.MANIFEST)
    local_zone_name = clock.local_zone_name(stores.environment.timezone)
    there = seen.moment.astimezone(clock.zone(local_zone_name))
    if not stores.adopted or not local_zone_name:  # a zone of this machine without a name is not compared
        return []
    return durability.zones(seen.moment, there, own_zone=local_zone_name, zone=zone, manifest=layout.MANIFEST)
