"""sync: sync the workspace with one or all known remotes."""

from __future__ import annotations

import os

from agentws.core.disk import files as _files, local_dir, lock, tombstone
from agentws.core.formats import layout
from agentws.core.identity import pinned_writers
from agentws.core.installation import scope_changes
from agentws.core.states import plumbing, private
from agentws.errors import (
    AgentwsError,
    LockHeldError,
    MayNotWriteError,
    NeedsYouError,
    OutsideProgramError,
    RemoteAwayError,
    UsageError,
)
from agentws.features.sync import known as _known, outcome
from agentws.features.sync.outcome import Synced
from agentws.features.sync.store import contact
from agentws.features.sync.store.repo import Repo

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.core.installation.remotes import Known
    from agentws.core.installation.stale_copy import RecordedChange
    from agentws.core.stores.stores import Stores

LOCK = "sync"
_LOCK_TIMEOUT_S = 5.0
_LEAST_DIGITS = 8


def sync(
    stores: Stores,
    remote: str | None = None,
    *,
    dry_run: bool = False,
    accept_removals: bool = False,
    accept: str = "",
    timeout_s: float | None = None,
) -> list[Synced]:
    """Sync with a remote, which is remembered from then on, or with all known remotes.

    With several remotes, a failure is reported in the remote's `failed`; with one, its error is raised.
    NeedsYouError if most files of a folder are gone here, unless `accept_removals` says that they were removed; that is
    refused to an agent.
    `accept` is the id of a state, or its beginning, that a person accepts although its writer is unknown here; only a
    person may do that. MayNotWriteError if the writer of the newest state is unknown.
    MissingFileError if no remote is known, UsageError for an invalid one, LockHeldError if another sync runs.
    """
    stores.check_adopted()
    _check_accepted(stores, accept, removals=accept_removals)
    if stores.files.exists(layout.MOVED):
        tombstone.check(stores.files)
    wanted = _known.named(stores, remote)
    if not os.path.isdir(f"{stores.root}/{private.FOLDER}/{private.NAME}") and not plumbing.available():
        raise OutsideProgramError("Sync needs git, 2.30 or newer.", hint="Install git.")
    if not dry_run:
        stores.settle()
        local_dir.prepare(stores.files)
    with lock.Lock(stores.files, LOCK, timeout_s=_LOCK_TIMEOUT_S, note=LOCK, idle=True):
        if not dry_run:
            scope_changes.drop_gone(stores.files, stores.manifest)
        older = stores.missing_change()  # before this copy becomes its own writer
        pushes = _signs_in(stores, older, dry_run=dry_run)
        ordered: set[str] = set()

        def met(place: Known) -> Synced:
            nonlocal older
            known = _known.fresh(stores, place)  # another remote may have let this one be renewed since
            repo = Repo(stores.files)
            try:
                contact.begin(repo.connection, known.url)
                from agentws.features.sync.exchange import Exchange  # the most of what is loaded: while it connects

                exchange = Exchange(
                    stores,
                    repo,
                    known,
                    timeout_s=timeout_s,
                    dry_run=dry_run,
                    pushes=pushes,
                    is_older=older is not None,
                    accepts=accept,
                    accepts_removals=accept_removals,
                )
                if remote is None and known.at:  # a killed first sync may not have made its repository yet
                    exchange.check_present()
                result = exchange.run()
                ordered.update({known.url} if exchange.is_ordered else ())
            except (AgentwsError, OSError) as error:
                failure = error if isinstance(error, AgentwsError) else _files.failure(error, known.url)
                _failed(stores, known, failure)
                if len(wanted) == 1 or isinstance(failure, NeedsYouError):
                    raise failure from error
                return outcome.Synced(
                    known.url, failed=failure.message, hint=failure.hint or "", notices=list(stores.notices)
                )
            finally:
                repo.close()
            older = None  # the files hold what they lacked
            if not dry_run:
                _known.note_held(stores)
            result.notices[:0] = stores.notices
            return result

        done = [met(place) for place in wanted]
        newest = max((number for number, each in enumerate(done) if each.inward.paths), default=0)
        for number in range(0 if dry_run else newest):  # what a later remote brought goes to the earlier ones too
            done[number] = done[number] if done[number].failed else _both(done[number], met(wanted[number]))
        if ordered and pushes and not dry_run:
            from agentws.core.stores import seals  # seldom

            done[0].notices.extend(seals.quietly(stores))  # which carries out what was ordered
            done = [each if each.failed else _both(each, met(place)) for place, each in zip(wanted, done, strict=True)]
        return done


def _check_accepted(stores: Stores, state: str, *, removals: bool) -> None:
    if removals:
        stores.environment.check_person("agentws sync --accept-removals", "remove most files of a folder everywhere")
    if state:
        stores.environment.check_person(f"agentws sync --accept {state}")
        if len(state) < _LEAST_DIGITS:
            raise UsageError(f"--accept needs at least {_LEAST_DIGITS} digits of the state's id.")


def _both(first: Synced, again: Synced) -> Synced:
    """Return the combined result of two sync runs with one remote."""
    from dataclasses import replace

    return replace(
        again,
        inward=outcome.more(first.inward, again.inward),
        outward=outcome.more(first.outward, again.outward),
        conflicts=tuple(dict.fromkeys([*first.conflicts, *again.conflicts])),
        notices=list(dict.fromkeys([*first.notices, *again.notices])),
        renewed=first.renewed or again.renewed,
        made=first.made or again.made,
        parted=first.parted or again.parted,
    )


def _signs_in(stores: Stores, older: RecordedChange | None, *, dry_run: bool) -> bool:
    """Return whether this installation may push; signs it in as a writer before its files are read."""
    try:
        stores.check_writable()
    except MayNotWriteError as error:
        stores.notices.append(f"Nothing goes out from here: {error.message} {error.hint or ''}".rstrip())
        if not dry_run:
            pinned_writers.meet(*stores.machine, at=stores.now_text())
        return False
    if not dry_run:
        stores.sign_in(older=older)
    return True


def _failed(stores: Stores, remote: Known, error: AgentwsError) -> None:
    """Record the failed sync of a remote that was reached before."""
    if remote.since and not isinstance(error, LockHeldError):
        remote.failed = f"{stores.now_text()} {error.message}\n{error.hint or ''}".rstrip()
        remote.away = "away" if isinstance(error, RemoteAwayError) else ""
        try:
            _known.keep(stores, remote)
            _known.note_held(stores)
        except AgentwsError:
            return  # the error itself is reported
