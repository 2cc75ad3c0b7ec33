"""The brief for the author of MEMORY.md."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from agentws.formats import layout
from agentws.operations.curate import material
from agentws.planning.curate import brief as _brief
from agentws.planning.curate.brief import Row
from agentws.planning.curate.pairs import Line
from agentws.storage.workspace import curation, freshness

if TYPE_CHECKING:
    from collections.abc import Sequence

    from agentws.operations.curate.material import Material
    from agentws.planning.curate.brief import Brief
    from agentws.storage.workspace.stores import Stores

__all__ = ["Briefed", "brief"]


@dataclass(frozen=True, slots=True)
class Briefed:
    """The `brief`, and what was odd on the way."""

    brief: Brief
    notices: Sequence[str]


def brief(stores: Stores) -> Briefed:
    """Return the brief for the author of MEMORY.md: its entries, candidates, and how to answer.

    The numbers of entries are remembered here, so that an answer means what was shown.
    """
    stores.check_writable()
    stores.manifest.check("compaction", "retention")
    with material.alone(stores, "curate"):
        found = material.Material(stores)
        return Briefed(made(stores, found), stores.notices)


def made(stores: Stores, found: Material) -> Brief:
    """The brief of what stands there; its numbers are kept for the answer."""
    numbers = curation.read(stores.files)
    ties = freshness.of(stores)
    entries = [one for one in found.entries if not found.says_private(one.text, one.kind)]
    rows = []
    for entry in entries:
        row = found.rows.get(entry.digest)
        tie = ties.get(entry.digest)
        day = max((row.first, *row.confirmed), default="") if row else ""
        changed = tie.path if tie and tie.is_doubtful else ""
        number = numbers.number(entry.digest)
        rows.append(Row(number=number, entry=entry, is_theirs=row is None, day=day, tie=changed))
    known = {entry.digest for entry in found.entries}
    shown = _brief.brief(
        rows,
        found.candidates(),
        size=found.size,
        today=stores.here().day,
        own=[Line(f"{layout.MEMORY}:{one.line}", one.said) for one in found.own_lines(known)],
        places=found.places,
        withheld=len(found.entries) - len(entries),
    )
    numbers.offer([sorted(one.digests) for one in shown.candidates], shown.name)
    curation.keep(stores.files, numbers)
    return shown
