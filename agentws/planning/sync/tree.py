"""Two whole states of a workspace, and what both came from, made one. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentws.planning.sync import file, journal, names, plan
from agentws.planning.sync.plan import Blobs, Plan

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from agentws.planning.sync.plan import Tree, Value


def merge(base: Tree, ours: Tree, theirs: Tree, read: Callable[[str], bytes], *, own: str) -> Plan:
    """Return what has to change in our files, so that they are those of both sides.

    `read` gives the content of a blob, `own` is the writer that this installation is. Which side is ours makes no
    difference to the files that come out.
    """
    blobs = Blobs(read)
    made = Plan()
    result = _merged(_documents(base), _documents(ours), _documents(theirs), blobs, made)
    result |= journal.merge(ours, theirs, blobs, made, own=own)
    for old, new in names.settled(result, base).items():
        result[new] = result.pop(old)
        made.notices.append(f"{old} is {new} now: some file systems cannot tell its name from that of another file.")
    made.changes = plan.changes(ours, result, blobs)
    return made


def _documents(tree: Tree) -> dict[str, Value]:
    """The files that are no journal's."""
    return {path: oid for path, oid in tree.items() if not journal.is_ours(path)}


def _merged(
    base: Mapping[str, Value], ours: Mapping[str, Value], theirs: Mapping[str, Value], blobs: Blobs, made: Plan
) -> dict[str, Value]:
    """The files of both sides, path by path."""
    result: dict[str, Value] = {}
    for path in sorted({*ours, *theirs}):
        value = _one(path, base.get(path), ours.get(path), theirs.get(path), blobs, made)
        if value is not None:
            result[path] = value
    return result


def _one(path: str, base: Value, ours: Value, theirs: Value, blobs: Blobs, made: Plan) -> Value:
    if blobs.same(theirs, ours) or blobs.same(theirs, base):
        return ours
    if blobs.same(ours, base):
        return theirs
    found = file.merge(path, blobs.content(base), blobs.content(ours), blobs.content(theirs))
    made.conflicts += found.conflicts
    return found.content
