"""What others did to the documents between two looks, and what was lost by it."""

from __future__ import annotations

from agentws.errors import AgentwsError
from agentws.features.automation.watch.plan import loss, ownership

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from agentws.features.automation.watch.own_changes import OwnChanges
    from agentws.features.automation.watch.plan.loss import Loss
    from agentws.features.automation.watch.plan.ownership import Content
    from agentws.features.automation.watch.versions import Document, Versions

ADDED, REMOVED, CHANGED, MOVED = "added", "removed", "changed", "moved"
_IDENTITY = "identity/"
"""What is added there by agentws is not in its record of changes; what others do there, `identity verify` tells."""
_AT_ONCE = 50
_MOST_READ = 500


class Edit:
    """One document that others changed.

    Fields:
        path: where it is now, or was; was: where it was, of one that was moved.
        status: ADDED, REMOVED, CHANGED or MOVED.
        loss: what it has lost (features/automation/watch/plan/loss.py).
    """

    __slots__ = ("loss", "path", "status", "was")

    def __init__(self, path: str, status: str, loss: Loss, *, was: str = "") -> None:
        self.path = path
        self.status = status
        self.loss = loss
        self.was = was


def between(before: Versions, now: Versions, own: OwnChanges) -> list[Edit]:
    """Return what others changed, by path."""
    then, there = before.documents, now.documents
    paths = sorted(path for path in {*then, *there} if then.get(path) != there.get(path))
    paths = [path for path in paths if not path.startswith(_IDENTITY)]
    moved = _moved({path: then[path] for path in paths if path in then and path not in there}, there, then)
    found: list[Edit] = []
    doubted: list[tuple[Edit, Content, Content]] = []
    for start in range(0, len(paths), _AT_ONCE):
        some = paths[start : start + _AT_ONCE]
        old, new = before.contents(some), now.contents(path for path in some if path in then or path in own.steps)
        for path in some:
            if path in moved.values():
                continue
            for edit, was, is_now in _edits(path, before, now, old, new, own, moved):
                found.append(edit)
                if edit.loss.lost:
                    doubted.append((edit, was, is_now))
    if doubted:
        elsewhere = _entries(now, [path for path in paths if path in there][:_MOST_READ], then, before)
        for edit, was, is_now in doubted:
            others = {entry for path, entries in elsewhere.items() if path != edit.path for entry in entries}
            edit.loss = loss.of(edit.path, was, is_now, elsewhere=others)
    return found


def _edits(
    path: str,
    before: Versions,
    now: Versions,
    old: Mapping[str, bytes],
    new: Mapping[str, bytes],
    own: OwnChanges,
    moved: Mapping[str, str],
) -> Iterator[tuple[Edit, Content, Content]]:
    """(edit, content before, content after) of each change of one document by others: one, or none."""
    then, there = before.documents.get(path), now.documents.get(path)
    status = ADDED if then is None else CHANGED if there is not None else REMOVED
    steps = own.steps.get(path, ())
    if path in moved:
        if not steps:
            yield Edit(moved[path], MOVED, loss.of_size(0, 0), was=path), None, None
        return
    if (then is not None and path not in old) or (there is not None and path not in new):
        # What it holds is not known: no state of history has it, or nobody needs to read what is new.
        if not steps and not own.forgotten:
            size = 0 if then is None else then.size
            yield Edit(path, status, loss.of_size(size, there.size if there is not None else None)), None, None
        return
    pairs = ownership.foreign(old.get(path), new.get(path), steps, {})
    if pairs and steps:
        pairs = ownership.foreign(old.get(path), new.get(path), steps, now.earlier(path))
    if pairs and not own.forgotten:
        was, is_now = max(pairs, key=lambda pair: loss.of(path, *pair).lost)
        status = ADDED if was is None else CHANGED if is_now is not None else REMOVED
        yield Edit(path, status, loss.of(path, was, is_now)), was, is_now


def _moved(gone: Mapping[str, Document], there: Mapping[str, Document], then: Mapping[str, Document]) -> dict[str, str]:
    """(path then → path now) of the documents that lie elsewhere, byte for byte."""
    new = {version.id: path for path, version in there.items() if path not in then}
    found: dict[str, str] = {}
    for path, version in gone.items():
        if version.id in new:
            found[path] = new.pop(version.id)
    return found


def _entries(
    now: Versions, paths: Iterable[str], then: Mapping[str, Document], before: Versions
) -> dict[str, set[str]]:
    """By path, the entries of these documents that they did not have before."""
    paths = list(paths)
    try:
        new, old = now.contents(paths), before.contents([path for path in paths if path in then])
    except AgentwsError:
        return {}
    return {path: {*loss.entries(path, data)} - {*loss.entries(path, old.get(path, b""))} for path, data in new.items()}
