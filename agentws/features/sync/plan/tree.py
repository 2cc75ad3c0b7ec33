"""Three-way merge of whole workspace trees, file by file and journal by journal. Pure."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from agentws.core.formats import layout
from agentws.core.formats.travel import sync_path
from agentws.core.formats.travel.merge import Merge
from agentws.features.sync.plan import disputes, file, plan
from agentws.features.sync.plan.merged import REMOVAL
from agentws.features.sync.plan.plan import Blobs, Plan
from agentws.features.sync.plan.state import archive, derived, journal, late, moves, names

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from agentws.features.sync.plan.file import Rule
    from agentws.features.sync.plan.merged import Conflict
    from agentws.features.sync.plan.plan import Tree, Value

    Files = dict[str, Value]
    Decided = dict[str, list[disputes.Dispute]]

_MADE = (Merge.DIGEST, Merge.MADE)
"""Files that compaction makes: they never become a conflict."""


def merge(
    base: Tree,
    ours: Tree,
    theirs: Tree,
    read: Callable[[str], bytes],
    *,
    own: str,
    rule: Rule,
    forgets: bool = False,
    orders: Collection[str] | None = None,
) -> Plan:
    """Return the plan that turns our tree into the merged tree of both sides.

    `read` returns the content of a blob, `own` is the writer of this installation, `rule` returns how a path is merged.
    If a side `forgets`, nothing that one side removed comes back. `orders` are the writers that may retire what others
    wrote (None: all). The merged files are the same whichever side is ours.
    """
    blobs = Blobs(read)
    made = Plan()
    result = _documents(base, ours, theirs, blobs, made, rule, forgets=forgets)
    for old, new in names.settled(result, base).items():
        result[new] = result.pop(old)
        made.notices.append(f"{old} is {new} now: some file systems cannot tell its name from that of another file.")
    result |= journal.merge(ours, theirs, blobs, made, own=own, orders=orders)
    made.changes = plan.changes(ours, result, blobs)
    return made


def _documents(base: Tree, ours: Tree, theirs: Tree, blobs: Blobs, made: Plan, rule: Rule, *, forgets: bool) -> Files:
    """Return the merged files that belong to no journal."""
    common, mine, others = (_without_journal(each) for each in (base, ours, theirs))
    if mine == common or others in (mine, common):  # one side alone changed anything
        return others if mine == common else mine
    before = dict(mine), dict(others)
    decided = disputes.by_path(base, ours, theirs, blobs, forgets=forgets)
    moves.align(common, mine, others, blobs)
    result: Files = {}
    for path in sorted({*mine, *others}):
        if not forgets and (path not in mine or path not in others) and rule(path) == Merge.KEPT:
            # Another machine may need for a new checkpoint what this one no longer needs: each prunes its own.
            result[path] = mine.get(path) or others.get(path)
            continue
        sides = common.get(path), mine.get(path), others.get(path)
        value = _one(path, *sides, blobs, made, decided, rule, forgets=forgets)
        if value is not None and not (isinstance(value, bytes) and late.is_bare(path, value)):
            result[path] = value
    gone = archive.settle(result, _without_journal(base), *before, blobs)
    title = derived.heading(result, blobs) if made.conflicts else ""
    made.conflicts = [
        one for one in made.conflicts if layout.usual(one.path) != layout.MEMORY or derived.asks(one, gone, title)
    ]
    return result


def _without_journal(tree: Mapping[str, Value]) -> Files:
    return {path: oid for path, oid in tree.items() if not journal.is_ours(path)}


def _one(
    path: str,
    base: Value,
    ours: Value,
    theirs: Value,
    blobs: Blobs,
    made: Plan,
    decided: Decided,
    rule: Rule,
    *,
    forgets: bool,
) -> Value:
    """Return the merged content of a path."""
    if blobs.same(theirs, ours):
        return ours
    kind = rule(path)
    disputed = decided.get(path) or decided.get(_logical(path))
    if disputed and kind not in _MADE:
        return _disputed(path, disputed, base, ours, theirs, blobs, made, rule, forgets=forgets)
    if kind == Merge.RECORD and (ours is None or theirs is None) and _is_open(path, decided):
        return theirs if ours is None else ours
    if blobs.same(theirs, base):
        return ours
    if blobs.same(ours, base):
        return theirs
    if kind == Merge.RECORD:
        return _record(ours, theirs, blobs)
    if kind in _MADE:
        return _lines(path, base, ours, theirs, blobs, rule)
    if late.is_second(path) and base is not None:  # a missing second file counts as one without lines
        ours, theirs = (late.added_to(path, b"", ()) if one is None else one for one in (ours, theirs))
    contents = blobs.content(base), blobs.content(ours), blobs.content(theirs)
    found = file.merge(_logical(path), *contents, rule, forgets=forgets)
    made.conflicts += [_shown(path, one) for one in found.conflicts if not _is_title(one)]
    return found.content


def _disputed(
    path: str,
    disputed: list[disputes.Dispute],
    base: Value,
    ours: Value,
    theirs: Value,
    blobs: Blobs,
    made: Plan,
    rule: Rule,
    *,
    forgets: bool,
) -> Value:
    """Merge a file with conflicts that both sides resolved: what either side kept stays."""
    mine, others = blobs.content(ours), blobs.content(theirs)
    before, again, words = disputes.split(disputed, blobs.content(base), mine, others)
    found = file.merge(_logical(path), before, mine, others, rule, forgets=forgets)
    opened = {one.id: one for one in (replace(each, path=path) for each in again)}
    new = {one.id: one for one in (_shown(path, each) for each in found.conflicts if not _is_title(each))}
    made.conflicts += list({**new, **opened}.values())
    made.notices += [f"{path}: {each}" for each in words]
    return found.content


def _is_open(path: str, decided: Decided) -> bool:
    """Return whether a file in `conflicts/` belongs to a conflict that one side has opened again."""
    id = path.removeprefix(f"{sync_path.CONFLICTS}/").partition("/")[0].removesuffix(".json")
    return any(one.again.id == id and one.is_open for found in decided.values() for one in found)


def _lines(path: str, base: Value, ours: Value, theirs: Value, blobs: Blobs, rule: Rule) -> Value:
    """Merge a file that compaction makes by lines; a side that removed the file removed its lines."""
    before = blobs.content(base)
    sides = [derived.emptied(before or b"") if one is None else blobs.content(one) for one in (ours, theirs)]
    found = file.merge(path, before, sides[0], sides[1], rule).content
    return found if found is None or None not in (ours, theirs) else derived.settled(path, found)


def _record(ours: Value, theirs: Value, blobs: Blobs) -> Value:
    """Merge a conflict record: removed if a side resolved the conflict, one of two if both sides changed it."""
    if ours is None or theirs is None:
        return None
    return min(ours, theirs, key=blobs.bytes_of)


def _logical(path: str) -> str:
    """Return the path that a file had before it was archived."""
    folder, _, rest = path.partition("/archive/")
    name = rest.rpartition("/")[2]
    is_archived = folder in (layout.DAYS, layout.HANDOFFS, layout.TASKS) and "/" in rest and not moves.is_month(path)
    return f"{folder}/{name}" if is_archived else path


def _is_title(conflict: Conflict) -> bool:
    """Return whether a conflict is only a heading that one side removed: it stays for the text below, undecided."""
    sides = [one for one in (conflict.ours, conflict.theirs) if one]
    return conflict.what == REMOVAL and all(isinstance(one, str) and _is_heading(one) for one in sides)


def _is_heading(text: str) -> bool:
    return text.startswith("#") and "\n" not in text.strip()


def _shown(path: str, conflict: Conflict) -> Conflict:
    """Return the conflict at its path, without its base if one side removed the text: it may have been forgotten."""
    is_gone = not conflict.ours or not conflict.theirs
    return replace(conflict, path=path, base=None) if is_gone else replace(conflict, path=path)
