"""The ancestry of a synced state, also across earlier epochs and other remotes."""

from __future__ import annotations

import heapq
from collections.abc import Iterable

from agentws.core.formats.travel.sync_state import MOST_BEFORE
from agentws.core.installation.remotes import Known
from agentws.features.sync.store.repo import Repo

_MOST_BASES = 8
_MOST_NEEDED = 64
"""The number of newest states kept for a remote that was not renewed yet."""


def states(repo: Repo, commit: str) -> list[str]:
    """Return the commits that a state contains: itself first, then its ancestors, the newest first.

    Commits of earlier epochs or other remotes come last, and may be missing here. Cached in `repo`.
    """
    if commit not in repo.lines:
        repo.lines[commit] = _states(repo, commit)
    return [*repo.lines[commit]]


def _states(repo: Repo, commit: str) -> list[str]:
    names: dict[str, None] = {}
    before: dict[str, None] = {}
    queue = [(-repo.objects.links(commit)[2], commit)]
    while queue:
        _, each = heapq.heappop(queue)
        if each in names:
            continue
        names[each] = None
        status = repo.told(each)
        before |= dict.fromkeys((*([status.renews] if status.renews else []), *status.before))
        for parent in status.parents:
            heapq.heappush(queue, (-repo.objects.links(parent)[2], parent))
    return [*(names | before)]


def is_here(repo: Repo, commit: str) -> bool:
    """Return whether the sync head of this machine contains a state already."""
    head = repo.head()
    return head is not None and commit in states(repo, head)


def contains(repo: Repo, tip: str, agreed: str) -> bool:
    """Return whether `tip` contains, or may contain, the state `agreed`: the list of a later epoch may be cut off."""
    if not repo.holds(agreed):
        return False
    there = states(repo, tip)
    is_cut = len(there) >= MOST_BEFORE and repo.has(agreed) and repo.told(agreed).epoch < repo.told(tip).epoch
    return agreed in there or is_cut


def bases(repo: Repo, head: str, tip: str, agreed: str) -> list[str]:
    """Return the newest common ancestors of `head` and `tip` that are available here.

    If `tip` contains `head`, that is the base, even where `agreed` is newer: after an older copy was restored, the
    files are those of `head`, and edits between the two are not undone by us. Else `agreed`, the last state in common,
    counts if `tip` may contain it. A remote restored to an older state does not contain it: nobody has removed the
    files that it lacks.
    """
    direct = repo.bases(head, tip)
    if direct in ([head], [tip]):
        return direct
    there = {*states(repo, tip)}
    if head in there:
        return [head]
    shared = [each for each in states(repo, head) if each in there and repo.holds(each)]
    shared += [agreed] if agreed and agreed not in shared and contains(repo, tip, agreed) else []
    newest: list[str] = []
    covered: set[str] = set()
    for number, each in enumerate(shared):
        if each not in covered:
            newest.append(each)
            # What a state contained whose commit was dropped is unknown: the newest one counts, and the last agreed.
            older = (other for other in shared[number + 1 :] if not repo.has(other) and other != agreed)
            covered.update(states(repo, each)[1:] if repo.has(each) else older)
    return [each for each in newest if each not in covered][:_MOST_BASES]


def has_base(repo: Repo, head: str, tip: str, agreed: str) -> bool:
    """Return whether the bases of both are here: no state in common is newer and missing."""
    if repo.bases(head, tip) in ([head], [tip]):
        return True
    names = bases(repo, head, tip, agreed)
    covered = {*names}.union(*(states(repo, each) for each in names if repo.has(each)))
    return not {*states(repo, head)}.intersection(states(repo, tip)) - covered


def needed(repo: Repo, commit: str, others: Iterable[Known]) -> set[str]:
    """Return the states that later merges with other remotes need as a base, if only `commit` and its ancestors stay.

    A remote that still holds what was forgotten may get any state of `commit`'s past from another machine. So may one
    with which nothing is in common, since an older copy was restored here.
    """
    result: set[str] = set()
    for other in others:
        result |= {other.commit} - {""}
        if other.renew or (other.epoch and not other.commit):
            before = states(repo, other.commit) if other.commit and repo.has(other.commit) else ()
            past = [each for each in states(repo, commit) if each not in before and repo.holds(each)]
            result.update(past[:_MOST_NEEDED])
    return result
