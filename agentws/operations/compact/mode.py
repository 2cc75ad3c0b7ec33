"""compaction.mode: what enters MEMORY.md, as the manifest says or as it follows from the workspace."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentws.changes import ChangeSet, Write
from agentws.errors import UsageError
from agentws.formats import digest, layout, manifest
from agentws.operations.compact import inputs
from agentws.planning.compact import decision
from agentws.planning.init import adoption

if TYPE_CHECKING:
    from agentws.storage.workspace.stores import Stores

KEY = "compaction.mode"


def compaction_mode(stores: Stores, mode: str | None = None) -> str:
    """Set what enters MEMORY.md: `marked`, `propose` or `auto`; without one, return the present mode.

    UsageError for any other word.
    """
    if mode is None:
        return of(stores, inputs.read(stores, before=""))
    if mode not in decision.MODES:
        raise UsageError(f"Unknown --mode: {mode!r}.", hint=f"Choose one of: {', '.join(decision.MODES)}.")
    stores.check_writable()
    if stores.manifest.setting(KEY) != mode:
        before = stores.manifest.text
        after = manifest.with_setting(before, KEY, mode, where=layout.MANIFEST)
        write = Write(layout.MANIFEST, after.encode(), expects=digest.of(before.encode()))
        stores.apply(ChangeSet(f"compaction mode {mode}", (write,)))
        stores.load()
    return mode


def of(stores: Stores, found: inputs.Found) -> str:
    """Return the mode: the manifest's; else proposals alone where MEMORY.md is somebody's own, adopted file."""
    if mode := str(stores.manifest.setting(KEY)):
        return mode
    is_adopted = not stores.manifest.setting("compaction.archive")
    is_own = adoption.is_own_memory(found.folder.memory.text)
    return decision.PROPOSE if is_adopted and is_own and not found.has_written else decision.MARKED
