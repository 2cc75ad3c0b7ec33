"""A long history in parts, the oldest first: each is a run of its own, so memory does not grow with what is due."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentws.changes import ChangeSet
from agentws.errors import AgentwsError
from agentws.formats import layout
from agentws.operations.compact import inputs

if TYPE_CHECKING:
    from agentws.storage.workspace.stores import Stores

MOST_BYTES = 6 << 20
"""So much text of logs enters one run: a year of 16 KB a day."""


def ends(stores: Stores, before: str) -> list[str]:
    """Return the first day (ISO) that each run leaves to the next one; the last is `before`, mostly the only one."""
    names = sorted((day, name) for name in stores.files.listing(layout.DAYS) if (day := layout.day_of(name)))
    paths = [(day, f"{layout.DAYS}/{name}") for day, name in names if day < before]
    due = [(day, path, _size(stores, path)) for day, path in paths]
    if sum(size for _, _, size in due) <= MOST_BYTES:
        return [before]
    if not stores.manifest.setting("compaction.archive"):  # days that were folded lie there too
        known = inputs.everything(stores).sidecar
        due = [one for one in due if not known.places(one[1])]
    first_days: list[str] = []
    total = 0
    for day, _, size in due:
        if total and total + size > MOST_BYTES and day not in first_days:
            first_days.append(day)
            total = 0
        total += size
    return [*first_days, before]


def told(count: int, first: str, *, is_done: bool) -> str:
    """Return the notice of so many runs; `first` is where the oldest one ends."""
    if is_done:
        return f"The logs were compacted in {count} runs. To take back the newest: agentws compact --undo (repeatable)."
    return f"The logs are compacted in {count} runs, the oldest first. Shown here: the first, logs before {first}."


def changed(first: ChangeSet, then: ChangeSet) -> ChangeSet:
    """Return what two runs changed; of a document that both wrote, what the second made of it."""
    late = {one.path for one in then.changes}
    return ChangeSet(then.verb, (*(one for one in first.changes if one.path not in late), *then.changes))


def _size(stores: Stores, path: str) -> int:
    try:
        return stores.files.size(path)
    except AgentwsError:  # no file: the run says so
        return 0
