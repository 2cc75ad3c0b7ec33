"""The brief for the author of MEMORY.md."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from agentws.operations.curate import material
from agentws.planning.curate import brief as _brief
from agentws.planning.curate import doubts
from agentws.planning.curate.brief import Row
from agentws.planning.notes import reading
from agentws.storage.workspace import curation, freshness

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from agentws.formats.documents.entry_rows import Made
    from agentws.formats.documents.managed import ManagedEntry as Line
    from agentws.operations.curate.material import Material
    from agentws.planning.curate.brief import Brief
    from agentws.storage.workspace.freshness import Tie
    from agentws.storage.workspace.stores import Stores

__all__ = ["Briefed", "brief"]


@dataclass(frozen=True, slots=True)
class Briefed:
    """The `brief`, and what was odd on the way."""

    brief: Brief
    notices: Sequence[str]


def brief(stores: Stores) -> Briefed:
    """Return the brief for the author of MEMORY.md: doubtful entries, candidates, and how to answer.

    The numbers of entries are remembered here, so that an answer means what was shown.
    """
    stores.check_writable()
    stores.manifest.check("compaction", "retention")
    with material.alone(stores, "curate"):
        found = material.Material(stores)
        return Briefed(made(stores, found), stores.notices)


def made(stores: Stores, found: Material) -> Brief:
    """The brief of what stands there; its numbers are kept for the answer."""
    today = stores.here().day
    logs = doubts.Logs(found.shown())
    numbers = curation.read(stores.files)
    ties, known = freshness.of(stores), found.rows
    told = [one for one in found.section.entries if not found.says_withheld(one.text, one.kind)]
    rows = [_row(one, known, logs, numbers, today, ties) for one in told]
    shown = _brief.brief(
        rows,
        found.candidates(numbers.day),
        size=found.size,
        counter=found.counter,
        today=today,
        places=found.places,
        own=found.theirs(),
        logs=logs,
        answered=numbers.day,
        withheld=len(found.section.entries) - len(told),
        unknown=[one for one in found.unknown() if one.day >= numbers.day],
    )
    numbers.offer([sorted(one.digests) for one in shown.candidates], shown.name)
    curation.keep(stores.files, numbers)
    return shown


def _row(
    line: Line,
    known: Mapping[str, Made],
    logs: doubts.Logs,
    numbers: curation.Numbers,
    today: str,
    ties: Mapping[str, Tie],
) -> Row:
    made_of = known.get(line.digest)
    read = reading.read(f"- {line.text}\n", path="")
    doubt = doubts.of(read[0], made_of, logs, today=today) if read and made_of else None
    tie = ties.get(line.digest)
    if tie and tie.is_doubtful and (doubt is None or doubt.line is None):
        doubt = doubts.Doubt(tie.state, path=tie.path)
    day = made_of.day if made_of else ""
    return Row(number=numbers.number(line.digest), entry=line, is_theirs=made_of is None, doubt=doubt, day=day)
