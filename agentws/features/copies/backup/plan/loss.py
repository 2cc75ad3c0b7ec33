"""Compute what a backup lacks of the workspace: events, and files that differ. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from agentws.core.formats import layout
from agentws.core.formats.travel.inventory import FOLDER, Inventory

_WHOLE = (layout.JOURNAL, ".git")

Span = tuple[int, int]
"""The numbers of the first and the newest event of a writer in a copy."""


@dataclass(frozen=True, slots=True)
class Differences:
    """The paths that were `added`, `changed` or `removed` since a backup, without folders."""

    added: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()

    @property
    def count(self) -> int:
        """The number of paths that differ."""
        return len(self.added) + len(self.changed) + len(self.removed)

    @property
    def documents(self) -> int:
        """The number of added or changed documents."""
        return sum(map(layout.is_document, (*self.added, *self.changed)))

    @property
    def others(self) -> int:
        """The number of other added or changed files, without the journal and `.git`."""
        lacking = [path for path in (*self.added, *self.changed) if not layout.is_document(path)]
        return sum(path.partition("/")[0] not in _WHOLE for path in lacking)

    @property
    def told(self) -> dict[str, list[str]]:
        """The new, changed and removed paths for people: documents first, the journal and git as one name each."""
        return {"new": _named(self.added), "changed": _named(self.changed), "removed": _named(self.removed)}


def _named(paths: Iterable[str]) -> list[str]:
    folders = {path: path.partition("/")[0] for path in paths}
    documents = [path for path in folders if layout.is_document(path)]
    rest = [folder if folder in _WHOLE else path for path, folder in folders.items() if path not in documents]
    return [*documents, *sorted(dict.fromkeys(rest), key=_WHOLE.__contains__)]


def between(before: Inventory, after: Inventory) -> Differences:
    """Return the differences from the inventory `before` to `after`."""
    old = {path: entry for path, entry in before.items() if entry.kind != FOLDER}
    new = {path: entry for path, entry in after.items() if entry.kind != FOLDER}
    changed = [
        path
        for path in sorted(old.keys() & new.keys())
        if (old[path].kind, old[path].content, old[path].mode) != (new[path].kind, new[path].content, new[path].mode)
    ]
    return Differences(tuple(sorted(new.keys() - old.keys())), tuple(changed), tuple(sorted(old.keys() - new.keys())))


def alone(others: Iterable[Mapping[str, Span]], held: Mapping[str, Span]) -> int:
    """Return how many of the events that a copy has `held` are in none of the others."""
    spans = list(others)
    return sum(_beyond(span, [other[writer] for other in spans if writer in other]) for writer, span in held.items())


def _beyond(span: Span, covered: Iterable[Span]) -> int:
    """Return how many numbers of a span none of the other spans covers."""
    first, last = span
    count = 0
    for start, end in sorted(covered):
        count += max(0, min(start, last + 1) - first)
        first = max(first, end + 1)
    return count + max(0, last - first + 1)
