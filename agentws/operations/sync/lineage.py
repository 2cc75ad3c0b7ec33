"""The states that a state contains, also those of epochs before its own: what two sides both came from."""

from __future__ import annotations

import heapq

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.storage.sync.repo import Repo


def states(repo: Repo, commit: str) -> list[str]:
    """The ids of the states that one contains, itself first, the newest before the older ones; those of epochs before
    its own come last, and need not be here.
    """
    found: dict[str, None] = {}
    before: dict[str, None] = {}
    queue = [(-repo.objects.links(commit)[2], commit)]
    while queue:
        _, each = heapq.heappop(queue)
        if each in found:
            continue
        found[each] = None
        parents = repo.objects.links(each)[1]
        for parent in parents:
            heapq.heappush(queue, (-repo.objects.links(parent)[2], parent))
        if not parents and (told := repo.told(each)).renews:
            before |= dict.fromkeys((told.renews, *told.before))
    return [*(found | before)]


def common(repo: Repo, one: str, other: str) -> str | None:
    """The newest state that both contain and that is here; None where there is none."""
    there = {*states(repo, other)}
    return next((each for each in states(repo, one) if each in there and repo.has(each)), None)


def newer(repo: Repo, one: str, other: str) -> str:
    """Of two states the one that contains the other; the first where neither does."""
    return other if one in states(repo, other) else one
