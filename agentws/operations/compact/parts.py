"""A long history in parts, the oldest first: each is a run of its own, so memory does not grow with what is due."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from agentws.changes import ChangeSet
from agentws.errors import AgentwsError
from agentws.formats import layout
from agentws.formats.documents import managed
from agentws.operations.compact import inputs
from agentws.planning.compact.choice import Page

if TYPE_CHECKING:
    from collections.abc import Sequence

    from agentws.planning.compact.choice import Choice, Gone, Kept
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
    found: list[str] = []
    total = 0
    for day, _, size in due:
        if total and total + size > MOST_BYTES and day not in found:
            found.append(day)
            total = 0
        total += size
    return [*found, before]


def told(count: int, first: str, *, is_done: bool) -> str:
    """Return the notice of so many runs; `first` is where the oldest one ends."""
    if is_done:
        return f"The logs were compacted in {count} runs. To take back the newest: agentws compact --undo (repeatable)."
    return f"The logs are compacted in {count} runs, the oldest first. Shown here: the first, logs before {first}."


def changed(first: ChangeSet, then: ChangeSet) -> ChangeSet:
    """Return what two runs changed; of a document that both wrote, what the second made of it."""
    late = {one.path for one in then.changes}
    return ChangeSet(then.verb, (*(one for one in first.changes if one.path not in late), *then.changes))


def chosen(first: Choice, then: Choice) -> Choice:
    """Return what two runs decided, one after the other."""
    new, gone = _net((first.new, first.gone), (then.new, then.gone))
    page_new, page_gone = _net((first.page.new, first.page.gone), (then.page.new, then.page.gone))
    weighty = (first.weighty[0] + then.weighty[0], first.weighty[1] + then.weighty[1])
    proposed = [*first.proposed, *then.proposed]
    return replace(then, new=new, gone=gone, page=Page(page_new, page_gone), proposed=proposed, weighty=weighty)


def _size(stores: Stores, path: str) -> int:
    try:
        return stores.files.size(path)
    except AgentwsError:  # no file: the run says so
        return 0


def _net(
    first: tuple[Sequence[Kept], Sequence[Gone]], then: tuple[Sequence[Kept], Sequence[Gone]]
) -> tuple[list[Kept], list[Gone]]:
    """What came and what left in two runs, without what came in the one and left in the other."""
    came = {managed.of_text(one.text) for one in first[0]}
    left = {one.digest for one in then[1]}
    new = [*(one for one in first[0] if managed.of_text(one.text) not in left), *then[0]]
    return new, [*first[1], *(one for one in then[1] if one.digest not in came)]
