"""Trees of files as plain texts, merged as sync merges them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentws.core.formats import digest
from agentws.features.sync import state
from agentws.features.sync.plan import tree

if TYPE_CHECKING:
    from agentws.features.sync.plan.plan import Plan

Files = dict[str, bytes]


class Store:
    """The blobs of a test."""

    def __init__(self) -> None:
        self.blobs: dict[str, bytes] = {}
        self.read: list[str] = []

    def tree(self, files: Files) -> dict[str, str]:
        """The files as a tree."""
        made = {path: digest.of(data)[:40] for path, data in files.items()}
        self.blobs |= {made[path]: data for path, data in files.items()}
        return made

    def content(self, oid: str) -> bytes:
        """The content of a blob, and that it was read."""
        self.read.append(oid)
        return self.blobs[oid]


def merged(base: Files, ours: Files, theirs: Files, *, own: str = "") -> tuple[Files, Plan]:
    """The files that come out here, and the plan that leads to them."""
    store = Store()
    made = tree.merge(*(store.tree(each) for each in (base, ours, theirs)), store.content, own=own, rule=state.of)
    after = dict(ours)
    for path, value in made.changes.items():
        if value is None:
            del after[path]
        else:
            after[path] = store.blobs[value] if isinstance(value, str) else value
    return after, made
