"""Identity of units: which unit of the base is which unit of either side, edited ones included. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentws.features.sync.plan.units import alignment, edits

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from agentws.features.sync.plan.units.alignment import Pairs
    from agentws.features.sync.plan.units.outline import Node
    from agentws.features.sync.plan.units.rules import Rules, Where

    Nodes = Sequence[Node]


def found(
    base: Nodes, ours: Nodes, theirs: Nodes, rules: Rules, where: Where, is_once: Callable[[Node], bool]
) -> tuple[Pairs, Pairs]:
    """Return the pairs of base units with those of our side, and with those of their side.

    A unit that both sides added (`is_once`) is an edit only if both made it from the same base unit; otherwise it would
    be an edit on one side and an addition on the other, and appear twice.
    """
    keys = [node.key for node in base]
    alike = alignment.align(keys, [node.key for node in ours]), alignment.align(keys, [node.key for node in theirs])
    if not rules.has_edits:
        return alike
    shared = _new(ours, alike[0], is_once) & _new(theirs, alike[1], is_once)
    apart: set[str] = set()
    while True:
        pairs = dict(alike[0]), dict(alike[1])
        for side, own in zip((ours, theirs), pairs, strict=True):
            edits.add(base, side, own, rules.moment, is_sure=rules.is_sure(where), apart=apart)
        origins = _origins(ours, pairs[0], shared), _origins(theirs, pairs[1], shared)
        unlike = {key for key in shared if origins[0].get(key) != origins[1].get(key)}
        if not unlike:
            return pairs
        apart = shared if apart else unlike  # the third round is the last one: in it none of them is an edit


def _new(side: Nodes, alike: Pairs, is_once: Callable[[Node], bool]) -> set[str]:
    """Return the keys of the units that a side added."""
    known = set(alike.values())
    return {node.key for place, node in enumerate(side) if place not in known and is_once(node)}


def _origins(side: Nodes, pairs: Pairs, shared: set[str]) -> dict[str, set[int]]:
    """Return the base units that the units with these keys were made from."""
    made: dict[str, set[int]] = {}
    for at, place in pairs.items() if shared else ():
        if side[place].key in shared:
            made.setdefault(side[place].key, set()).add(at)
    return made
