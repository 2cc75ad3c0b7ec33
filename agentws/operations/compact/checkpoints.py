"""Checkpoints that the manifest's rules keep no longer, removed by a run of compact as `checkpoint prune` does."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentws.formats.documents import checkpoint

if TYPE_CHECKING:
    from agentws.ports import Verbs
    from agentws.storage.workspace.stores import Stores


def prune(stores: Stores, *, dry_run: bool) -> list[str]:
    """Remove them, or list those that would go: their paths, the oldest of each task first."""
    verbs: Verbs = stores  # type: ignore[assignment]
    said = stores.notices
    done = verbs.prune_checkpoints(None, dry_run=dry_run)
    stores.notices = list(dict.fromkeys([*said, *done.notices]))  # another verb begins with none
    return [checkpoint.path(head.task, head.id) for _, head in done.gone]
