"""sync lease: the sign which machine writes now, held by compare-and-swap on the remote."""

from __future__ import annotations

from dataclasses import dataclass, field

from agentws.errors import NeedsYouError, UsageError
from agentws.formats.travel.sync_state import Lease
from agentws.operations.sync import known as _known
from agentws.storage.disk import local_dir, lock
from agentws.storage.identity import lease as _lease
from agentws.storage.identity import writers
from agentws.storage.installation import installation
from agentws.storage.sync.remote import Remote
from agentws.storage.sync.repo import Repo

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.storage.installation.remotes import Known
    from agentws.storage.sync.remote import Held
    from agentws.storage.workspace.stores import Stores

SHOW, TAKE, RELEASE = "show", "take", "release"
_LOCK_TIMEOUT_S = 30.0


@dataclass(frozen=True, slots=True)
class Leased:
    """The lease as it stands at `remote`: its `holder` (a writer, empty for nobody) and the `host` of that.

    `is_ours` where this installation holds it. `mode` is what the manifest makes of it.
    """

    remote: str
    holder: str
    host: str
    is_ours: bool
    mode: str
    notices: list[str] = field(default_factory=list)


def lease(stores: Stores, action: str = SHOW, remote: str | None = None, *, from_holder: bool = False) -> Leased:
    """Show the lease, take it, or release it; `from_holder` takes it from another one, who is gone.

    UsageError for another action, NeedsYouError where another installation holds it, ChangedUnderneathError where
    somebody was faster, OutsideProgramError where the remote is away.
    """
    if action not in (SHOW, TAKE, RELEASE):
        raise UsageError(f"Unknown action: {action!r}.", hint=f"Choose one of: {SHOW}, {TAKE}, {RELEASE}.")
    stores.check_adopted()
    one = _known.named(stores, remote)[0]
    local_dir.prepare(stores.files)
    with lock.Lock(stores.files, "sync", timeout_s=_LOCK_TIMEOUT_S, note="sync lease", idle=True):
        repo = Repo(stores.files)
        try:
            return _done(stores, repo, one, action, from_holder=from_holder)
        finally:
            repo.close()


def _done(stores: Stores, repo: Repo, one: Known, action: str, *, from_holder: bool) -> Leased:
    agent, source = stores.manifest.agent_id, Remote(one.url)
    if one.since:
        source.check_present(agent)
    source.fetch(repo, agent)
    held = source.lease(repo, agent)
    if action != SHOW:
        stores.sign_in(older=stores.lacks())
        held = _swapped(stores, repo, source, held, action, from_holder=from_holder)
    holder = held.lease.holder if held is not None else ""
    _lease.keep(stores.files, holder)
    return Leased(
        one.url,
        holder,
        _host(stores, holder),
        bool(holder) and holder == _own(stores),
        stores.manifest.setting("sync.lease"),
        list(stores.notices),
    )


def _swapped(
    stores: Stores, repo: Repo, source: Remote, held: Held | None, action: str, *, from_holder: bool
) -> Held | None:
    own, agent = _own(stores), stores.manifest.agent_id
    holder, count = (held.lease.holder, held.lease.count) if held is not None else ("", 0)
    if action == TAKE and holder == own:
        return held
    if action == RELEASE and not holder:
        return held
    if holder not in ("", own) and not (from_holder and action == TAKE):
        raise NeedsYouError(
            f"The lease is held by {_host(stores, holder) or holder}.",
            hint="There: agentws sync lease release. If that machine is gone: agentws sync lease take --from-holder",
        )
    return source.swap(repo, agent, held, Lease(own if action == TAKE else "", count + 1))


def _own(stores: Stores) -> str:
    here = installation.find(stores.files, stores.manifest.agent_id, stores.environment.state)
    return here.writer if here is not None else ""


def _host(stores: Stores, holder: str) -> str:
    return next((line.host for line in writers.lines(stores.files) if line.writer == holder), "")
