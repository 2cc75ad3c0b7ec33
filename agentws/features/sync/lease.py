"""sync lease: show, take or release the lease of the one writing machine, by compare-and-swap on the remote."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from agentws.core.disk import local_dir, lock
from agentws.core.formats.travel.sync_state import Lease
from agentws.core.identity import lease as _lease, writers
from agentws.core.installation.remotes import Known
from agentws.core.stores.stores import Stores
from agentws.errors import NeedsYouError, OutsideProgramError, UsageError
from agentws.features.sync import known as _known
from agentws.features.sync.store.remote import Held, Remote
from agentws.features.sync.store.repo import Repo

_Place = tuple[str, Remote, Held | None]
"""The URL of a remote, the remote, and the lease it holds."""


SHOW, TAKE, RELEASE = "show", "take", "release"


@dataclass(frozen=True, slots=True)
class Leased:
    """The lease as it is enforced here: its `remote`, `holder` (a writer, empty for nobody) and the holder's `host`.

    `is_ours` if this installation holds it. `mode` is the manifest's setting `sync.lease`.
    """

    remote: str
    holder: str
    host: str
    is_ours: bool
    mode: str
    notices: list[str] = field(default_factory=list)


def lease(stores: Stores, action: str = SHOW, remote: str | None = None, *, from_holder: bool = False) -> Leased:
    """Show, take or release the lease at one or all known remotes; `from_holder` takes it from a machine that is gone.

    The lease shown is the one enforced here, of all remotes: no other machine may hold it at any of them.

    UsageError for an unknown action, NeedsYouError if another installation holds it, ChangedUnderneathError if another
    machine was faster, OutsideProgramError if a remote to change is away, MissingFileError for an unknown remote.
    """
    if action not in (SHOW, TAKE, RELEASE):
        raise UsageError(f"Unknown action: {action!r}.", hint=f"Choose one of: {SHOW}, {TAKE}, {RELEASE}.")
    stores.check_adopted()
    wanted = _known.listed(stores, remote)
    local_dir.prepare(stores.files)
    with lock.Lock(stores.files, "sync", note="sync lease", idle=True):
        repo = Repo(stores.files)
        try:
            places = _asked(stores, repo, wanted, action)
            if action != SHOW:
                _change(stores, repo, places, action, from_holder=from_holder)
        finally:
            repo.close()
    return _shown(stores, wanted[0].url)


def _asked(stores: Stores, repo: Repo, wanted: Sequence[Known], action: str) -> list[_Place]:
    """Return each remote with its lease; when leases are only shown, an unreachable remote becomes a notice."""
    agent, result = stores.manifest.agent_id, []
    for remote in wanted:
        source = Remote(remote.url)
        try:
            source.check_present(agent)
            source.fetch(repo, agent)
        except OutsideProgramError as error:
            if len(wanted) == 1:
                raise
            if action != SHOW:
                hint = f"{error.hint or ''} To leave it out, on every machine: --remote REMOTE".strip()
                raise OutsideProgramError(error.message, hint=hint) from error
            stores.notices.append(f"{remote.url} was not asked: {error.message}")
            continue
        held = source.lease(repo, agent)
        _lease.keep(*stores.machine, remote.url, held.lease.holder if held is not None else "")
        result.append((remote.url, source, held))
    return result


def _change(stores: Stores, repo: Repo, places: Sequence[_Place], action: str, *, from_holder: bool) -> None:
    """Take or release the lease at each remote; changes none if another machine holds one."""
    stores.sign_in(older=stores.missing_change())
    own = _own(stores)
    holders = [held.lease.holder for _, _, held in places if held is not None and held.lease.holder]
    others = [holder for holder in holders if holder != own]
    if others and not (from_holder and action == TAKE) and (action == TAKE or own not in holders):
        raise NeedsYouError(
            f"The lease is held by {_host(stores, others[0]) or others[0]}.",
            hint="There: agentws sync lease release. If that machine is gone: agentws sync lease take --from-holder",
        )
    for url, source, held in places:
        holder, count = (held.lease.holder, held.lease.count) if held is not None else ("", 0)
        if holder != own if action == TAKE else holder == own:
            new = Lease(own if action == TAKE else "", count + 1)
            _lease.keep(*stores.machine, url, source.swap(repo, stores.manifest.agent_id, held, new).lease.holder)


def _shown(stores: Stores, first: str) -> Leased:
    """Return the lease as it is enforced here, from the last known holders at all remotes."""
    holders = _lease.held(*stores.machine)
    own = _own(stores)
    holder = _lease.deciding(holders, own)
    url = next((name for name, each in holders.items() if holder and each == holder), first)
    mode = stores.manifest.setting(_lease.SETTING)
    return Leased(url, holder, _host(stores, holder), bool(holder) and holder == own, mode, list(stores.notices))


def _own(stores: Stores) -> str:
    own = stores.installation()
    return own.writer if own is not None else ""


def _host(stores: Stores, holder: str) -> str:
    return next((line.host for line in writers.lines(stores.files) if line.writer == holder), "")
