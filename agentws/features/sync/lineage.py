"""The states that a state contains, also those of epochs before its own and of other remotes."""

from __future__ import annotations

import heapq

from agentws.core.formats.travel.sync_state import MOST_BEFORE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.features.sync.store.repo import Repo

_MOST_BASES = 8


def states(repo: Repo, commit: str) -> list[str]:
    """The ids of the states that one contains, itself first, the newest before the older ones; those that none of
    them follows come last, and need not be here. Each is looked up once by a repository: a state never changes.
    """
    if commit not in repo.lines:
        repo.lines[commit] = _states(repo, commit)
    return [*repo.lines[commit]]


def _states(repo: Repo, commit: str) -> list[str]:
    found: dict[str, None] = {}
    before: dict[str, None] = {}
    queue = [(-repo.objects.links(commit)[2], commit)]
    while queue:
        _, each = heapq.heappop(queue)
        if each in found:
            continue
        found[each] = None
        told = repo.told(each)
        before |= dict.fromkeys((*([told.renews] if told.renews else []), *told.before))
        for parent in told.parents:
            heapq.heappush(queue, (-repo.objects.links(parent)[2], parent))
    return [*(found | before)]


def is_here(repo: Repo, commit: str) -> bool:
    """Return whether the files of this machine contain a state already."""
    head = repo.head()
    return head is not None and commit in states(repo, head)


def contains(repo: Repo, tip: str, agreed: str) -> bool:
    """Return whether `tip` contains a state that is here, or may: it is of a later epoch, whose list was cut off."""
    if not repo.holds(agreed):
        return False
    there = states(repo, tip)
    is_cut = len(there) >= MOST_BEFORE and repo.has(agreed) and repo.told(agreed).epoch < repo.told(tip).epoch
    return agreed in there or is_cut


def bases(repo: Repo, head: str, tip: str, agreed: str) -> list[str]:
    """The newest states that both contain and that are here.

    `agreed` once stood there: it is one too where `tip` may contain it without saying so. A remote that was put back to
    an older state does not: what it lacks was removed by nobody.
    """
    direct = repo.bases(head, tip)
    if direct in ([head], [tip]):
        return direct
    there = {*states(repo, tip)}
    shared = [each for each in states(repo, head) if each in there and repo.holds(each)]
    shared += [agreed] if agreed and agreed not in shared and contains(repo, tip, agreed) else []
    newest: list[str] = []
    covered: set[str] = set()
    for each in shared:
        if each not in covered:
            newest.append(each)
            covered.update(states(repo, each)[1:] if repo.has(each) else [])
    return [each for each in newest if each not in covered][:_MOST_BASES]
