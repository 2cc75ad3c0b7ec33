"""The states of a merge: the common base, our files, the remote's files, and the merged result."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cache

from agentws import features
from agentws.core.disk import local_dir
from agentws.core.formats import layout
from agentws.core.formats.travel import sync_path
from agentws.core.formats.travel.sync_path import Merge
from agentws.core.installation import scope_changes
from agentws.core.stores.stores import Stores
from agentws.features.sync import lineage
from agentws.features.sync.plan import tree as _tree
from agentws.features.sync.plan.merged import Conflict
from agentws.features.sync.plan.plan import Plan, common
from agentws.features.sync.store import held_back, obstacles, snapshot
from agentws.features.sync.store.repo import Repo
from agentws.features.sync.store.snapshot import Snapshot

Tree = dict[str, str]
"""The id of the blob at each path of a state."""

Tell = Callable[[Iterable[Conflict]], dict[str, bytes]]
"""Returns the record files of conflicts."""


_WAITS = "{key} says {words}, which was not set on this machine. Nothing here follows that yet. {remedy}"


@dataclass(frozen=True, slots=True)
class State:
    """A merge of our files (`ours`) and the remote's (`theirs`), with the `plan` that merges them.

    `result` is the merged tree, as it is committed.
    """

    ours: Snapshot
    theirs: Tree
    plan: Plan
    result: Tree

    def put(self, repo: Repo, path: str, data: bytes | None) -> None:
        """Make this the content of a file in the merged state; None removes it."""
        if data is None:
            del self.result[path]
        else:
            (self.result[path],) = repo.store([data])
        if self.result.get(path) == self.ours.tree.get(path):
            self.plan.changes.pop(path, None)
        else:
            self.plan.changes[path] = data


def base_of(repo: Repo, head: str | None, tip: str, agreed: str) -> Tree | None:
    """Return the common base of our head and the remote's `tip`, or None, as at first contact.

    `agreed` is the newest state that this machine and the remote had in common: it counts where the remote has it yet.
    """
    if head is not None:
        bases = lineage.bases(repo, head, tip, agreed)
    else:
        bases = [agreed] if agreed and lineage.contains(repo, tip, agreed) else []
    if not bases:
        return None
    first, *rest = (repo.tree(each) for each in sorted(bases))
    for other in rest:  # several remotes: what they have in common is made of all
        made = _tree.merge(common(first, other), first, other, repo.blob, own="", rule=of)
        first = result(repo, first, made)
    return first


def look(stores: Stores, repo: Repo, base: Tree, theirs: Tree | None = None) -> Snapshot:
    """Return a snapshot of the workspace's files, and which paths of `base` and `theirs` do not travel from here."""
    include, allow = (scope_changes.agreed(stores.files, stores.manifest, key) for key in scope_changes.KEYS)
    taken = snapshot.take(repo, stores.files, base, include=include, allow=allow)
    _hold_losses(stores, taken, base)
    there = {*base, *(theirs or ())}
    there -= taken.tree.keys()
    taken.foreign = {path for path in there if not sync_path.travels(path, include)}
    missing = sorted(there - taken.apart)
    for path, (place, what) in obstacles.found(stores.files.root, missing, taken.tree).items():
        taken.blocked.add(path)
        taken.places[place] = what
        if path in base:
            taken.tree[path] = base[path]
    if taken.links:
        _keep_links(taken, base, base if theirs is None else theirs, held_back.read(stores.files))
    tell_waiting(stores)
    return taken


def _keep_links(taken: Snapshot, base: Tree, theirs: Tree, noted: Tree) -> None:
    """Leave alone a link that is another file elsewhere: that file would be written to the link's target.

    The base of a link that an earlier sync left alone is the one `noted` then: the head's tree has the other file.
    """
    for path in taken.links:
        if theirs.get(path) not in (taken.tree[path], noted.get(path, base.get(path))):
            taken.blocked.add(path)
            taken.places[path] = obstacles.LINK
            taken.tree.pop(path)
            taken.tree |= {path: base[path]} if path in base else {}


def _hold_losses(stores: Stores, taken: Snapshot, base: Tree) -> None:
    """Hold back the logs that lack acknowledged lines, and MEMORY.md that lacks facts: other machines have them yet."""
    if not local_dir.may_lack(stores.files):
        return
    from agentws.core.stores import lost_lines  # seldom

    for lost in lost_lines.losses(stores.files):
        taken.held[lost.path] = f"{lost.says} (to put them back or give them up: agentws doctor)"
        if blob := taken.tree.pop(lost.path, None):
            taken.lost[lost.path] = blob
        taken.tree |= {lost.path: base[lost.path]} if lost.path in base else {}


def tell_waiting(stores: Stores) -> None:
    """Add a notice for each setting that lets more go out and was not agreed to on this machine."""
    for key, words in scope_changes.waiting(stores.files, stores.manifest).items():
        value = ",".join(stores.manifest.setting(key))
        remedy = f"To agree to all that it says: agentws config {key} {shlex.quote(value)}"
        says = ", ".join(words)
        if not value.isprintable():
            says, remedy = "odd characters", f"Look at {layout.MANIFEST}."
        notice = _WAITS.format(words=says, key=key, remedy=remedy)
        stores.notices += [notice] if notice not in stores.notices else []


def merged(
    repo: Repo,
    ours: Snapshot,
    theirs: Tree,
    base: Tree | None,
    *,
    own: str,
    tell: Tell,
    forgets: bool,
    orders: Collection[str] | None,
) -> State:
    """Merge both states; `tell` makes the conflict records. Files that are held back here stay unchanged on both
    sides.
    """
    held_back = ours.apart
    own_tree = _without(ours.tree, held_back)
    their_tree = _without(theirs, held_back)
    start = common(own_tree, their_tree) if base is None else _without(base, held_back)
    plan = _tree.merge(start, own_tree, their_tree, repo.blob, own=own, rule=of, forgets=forgets, orders=orders)
    plan.changes.update(tell(plan.conflicts))
    made = result(repo, own_tree, plan)
    for path in (*held_back, *plan.apart):
        made.pop(path, None)
        value = theirs.get(path) if path in held_back else plan.apart[path]
        if value is not None:
            made[path] = repo.store([value])[0] if isinstance(value, bytes) else value
    return State(ours, theirs, plan, made)


def alone(ours: Snapshot) -> State:
    """Return the state of our files alone, for a remote that holds none yet."""
    return State(ours, {}, Plan(), dict(ours.tree))


def result(repo: Repo, ours: Tree, plan: Plan) -> Tree:
    """Return our tree with the plan's changes applied; new contents are stored as blobs."""
    made = dict(ours)
    new = {path: value for path, value in plan.changes.items() if isinstance(value, bytes)}
    made.update(zip(new, repo.store(new.values()), strict=True))
    for path, value in plan.changes.items():
        if value is None:
            made.pop(path, None)
        elif isinstance(value, str):
            made[path] = value
    return made


def _without(tree: Tree, paths: set[str]) -> Tree:
    return {path: oid for path, oid in tree.items() if path not in paths} if paths else dict(tree)


def of(path: str) -> Merge | None:
    """Return the merge rule for a file, None if no feature declares one."""
    return sync_path.rule(path, _rules())


@cache
def _rules() -> Mapping[str, Merge]:
    return {pattern: Merge(way) for adds in features.FEATURES.values() for pattern, way in adds.merges.items()}
