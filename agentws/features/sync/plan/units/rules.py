"""What differs from one kind of file to another where two sides are merged, and the conflicts found on the way."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from agentws.features.sync.plan.merged import Conflict

if TYPE_CHECKING:
    from collections.abc import Callable

    from agentws.core.formats.travel.merge import Merge
    from agentws.features.sync.plan.units.interleave import Moment
    from agentws.features.sync.plan.units.outline import Node

Where = tuple[str, ...]
"""The headings above a place."""


def never(_: Node) -> str:
    """Return no time: units that do not say when they were written."""
    return ""


def everywhere(_: Where) -> bool:
    """Return that every place is meant."""
    return True


def nowhere(_: Where) -> bool:
    """Return that no place is meant."""
    return False


def nothing(_: Where, __: Node) -> bool:
    """Return that no unit is meant."""
    return False


@dataclass(slots=True)
class Rules:
    """How the units of a file are merged.

    Fields:
        path: the file.
        kind: what its feature says of it.
        is_additive: whether an entry that both sides added stands twice.
        forgets: whether a side has forgotten something: then what it took away goes, whoever may hear it by now, and
            whatever the state of its box.
        has_edits: whether a unit that went and one that came may be one that was edited.
        is_sure: the places at which likeness alone says so: where entries are exchanged by the dozen.
        moment: when a unit was written.
        is_count: the units of which the greater stands alone, and nobody is asked.
        value: the field that three fields lead to, in files that have fields.
        conflicts: those found.
    """

    path: str
    kind: Merge | None = None
    is_additive: bool = False
    forgets: bool = False
    has_edits: bool = True
    is_sure: Callable[[Where], bool] = nowhere
    moment: Moment = never
    is_count: Callable[[Where, Node], bool] = nothing
    value: Callable[[Node | None, Node, Node, Rules, Where], Node] | None = None
    conflicts: list[Conflict] = field(default_factory=list)

    def flag(self, what: str, where: Where, base: str | None, ours: str | None, theirs: str | None) -> None:
        """Note that two sides say different things."""
        self.conflicts.append(Conflict(self.path, what, " › ".join(where), base, ours, theirs))
