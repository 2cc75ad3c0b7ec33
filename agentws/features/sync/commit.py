"""Make the commit of a merged state; an existing commit is reused if nothing would change."""

from __future__ import annotations

from dataclasses import replace

from agentws.core.formats.travel.sync_state import FIRST, Told
from agentws.core.installation import host_info, keys
from agentws.features.sync import known, lineage, renewal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.core.installation.installation import Installation
    from agentws.core.stores.stores import Stores
    from agentws.features.sync.state import State
    from agentws.features.sync.store.remote import Tip
    from agentws.features.sync.store.repo import Repo


def made(stores: Stores, repo: Repo, own: Installation | None, tip: Tip | None, state: State) -> str:
    """Return the id of the commit that brings the remote from its newest state `tip` to the merged state."""
    epoch, head = tip.epoch if tip is not None else FIRST, repo.head()
    before: dict[str, None] = {}
    if head is not None and not _may_follow(stores, repo, head, tip):
        there = {*lineage.states(repo, tip.commit)} if tip is not None else set()
        before = {each: None for each in lineage.states(repo, head) if each not in there}
        head = None
    elif head is not None and tip is not None and repo.contains(tip.commit, head):
        head = None  # what it tells of stands there already
    if tip is not None and state.result == state.theirs and (head is None or len(known.known(stores)) < 2):
        return tip.commit
    follows = head is not None and (tip is None or tip.commit in repo.told(head).parents)
    if head is not None and follows and repo.tree(head) == state.result:
        return head
    parents = [*([tip.commit] if tip is not None else []), *([head] if head is not None else [])]
    return _signed(repo, own, state, parents, replace(_status(stores, own, epoch), before=tuple(before)))


def _may_follow(stores: Stores, repo: Repo, head: str, tip: Tip | None) -> bool:
    """Return whether `head` may be a parent of the remote's next state: it brings along all that it follows.

    Not in another epoch, nor where its own began before something that the remote's epoch has forgotten. A new remote
    would get all that ever stood here: it gets the first state of all, unless something was forgotten since.
    """
    if tip is None:
        is_first = repo.told(head).epoch == FIRST and not repo.objects.links(head)[1]
        return is_first and not known.forgotten_calls(stores)
    is_clean = {*renewal.carried_out(repo, tip.commit)} <= {*renewal.carried_out(repo, head)}
    return repo.told(head).epoch == tip.epoch and is_clean


def renewed(
    stores: Stores, repo: Repo, own: Installation | None, tip: Tip, state: State, forgets: tuple[str, ...]
) -> str:
    """Return the id of the commit that begins the next epoch: without parents, and without the forgotten text.

    `forgets` names the calls of `forget` whose text is gone.
    """
    before = dict.fromkeys(lineage.states(repo, tip.commit)[1:])
    if (head := repo.head()) is not None:  # what the files contain, and the remote does not yet
        before |= dict.fromkeys(lineage.states(repo, head))
    status = replace(_status(stores, own, tip.epoch + 1, renews=tip.commit), before=tuple(before), forgets=forgets)
    return _signed(repo, own, state, [], status)


def brought(stores: Stores, repo: Repo, own: Installation | None, old: Tip) -> str:
    """Return the id of a local head that also contains the rest of an old epoch, so that it is merged once.

    Empty if there is no head yet.
    """
    head = repo.head()
    if head is None:
        return ""
    known_here = {*lineage.states(repo, head)}
    before = tuple(each for each in lineage.states(repo, old.commit) if each not in known_here)
    status = replace(_status(stores, own, repo.told(head).epoch), before=before)
    return repo.commit(repo.tree(head), [head], status, None)


def _status(stores: Stores, own: Installation | None, epoch: int, *, renews: str = "") -> Told:
    by = own.writer if own is not None else ""
    return Told(
        agent=stores.manifest.agent_id,
        by=by,
        key="",
        host=host_info.name(),
        at=stores.now_text(),
        epoch=epoch,
        renews=renews,
        forgotten=bool(renews),
    )


def _signed(repo: Repo, own: Installation | None, state: State, parents: list[str], status: Told) -> str:
    key = keys.find(own.folder, socket=own.socket) if own is not None else None
    if key is not None:
        status = replace(status, key=key.public)
    return repo.commit(state.result, parents, status, key)
