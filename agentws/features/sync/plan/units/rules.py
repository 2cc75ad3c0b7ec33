"""The rules by which the units of a kind of file are merged, and the conflicts that a merge finds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from agentws.core.formats.travel.sync_path import Merge
from agentws.features.sync.plan.merged import Conflict
from agentws.features.sync.plan.units.interleave import Moment
from agentws.features.sync.plan.units.outline import Node

Where = tuple[str, ...]
"""The headings above a place."""


def everywhere(_: Where) -> bool:
    """A merge rule for all places: return True."""
    return True


@dataclass(slots=True)
class Rules:
    """The rules for merging the units of a file.

    Fields:
        path: the file.
        kind: the merge rule that a feature gives the file.
        is_additive: whether an entry that both sides added is kept twice.
        forgets: whether a side has forgotten text: then a unit that it removed goes, even if its audience tags or the
        state of its box changed.
        has_edits: whether a removed and a new unit may be one that was edited.
        is_sure: the places at which only likeness makes an edit, since entries are exchanged by the dozen.
        moment: returns when a unit was written; empty: unknown.
        is_count: the units that are counts, of which the longer one stays, without a conflict.
        value: merges three versions of a field, in files that have fields.
        conflicts: the conflicts found so far.
    """

    path: str
    kind: Merge | None = None
    is_additive: bool = False
    forgets: bool = False
    has_edits: bool = True
    is_sure: Callable[[Where], bool] = lambda _: False
    moment: Moment = lambda _: ""
    is_count: Callable[[Where, Node], bool] = lambda _, __: False
    value: Callable[[Node | None, Node, Node, Rules, Where], Node] | None = None
    conflicts: list[Conflict] = field(default_factory=list)

    def flag(self, what: str, where: Where, base: str | None, ours: str | None, theirs: str | None) -> None:
        """Add a conflict between two sides to the rules' `conflicts`."""
        self.conflicts.append(Conflict(self.path, what, " › ".join(where), base, ours, theirs))
