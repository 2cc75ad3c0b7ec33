"""Three-way merge of a whole text: its units, its byte-order mark and its end."""

from __future__ import annotations

from collections.abc import Callable

from agentws.features.sync.plan.units import outline, sequence, unit
from agentws.features.sync.plan.units.outline import Outline
from agentws.features.sync.plan.units.rules import Rules

Read = Callable[[str], Outline]


def merge(base: str | None, ours: str, theirs: str, rules: Rules, read: Read = outline.read) -> str:
    """Return the merged text; conflicts are added to `rules`."""
    own, other = read(ours), read(theirs)
    if base is None:
        bom, tail = unit.chosen(None, own.bom, other.bom), unit.chosen(None, *_tails(own, other, None))
        return Outline(bom, sequence.merge(None, own.nodes, other.nodes, rules), tail).text
    known = read(base)
    bom, tail = unit.chosen(known.bom, own.bom, other.bom), unit.chosen(known.tail, *_tails(own, other, known))
    return Outline(bom, sequence.merge(known.nodes, own.nodes, other.nodes, rules), tail).text


def _tails(own: Outline, other: Outline, base: Outline | None) -> tuple[str, str]:
    return _tail(own, other, base), _tail(other, own, base)


def _tail(own: Outline, other: Outline, base: Outline | None) -> str:
    """Return the end of a side; for a side without units that of the base or of the other side."""
    if own.nodes:
        return own.tail
    return base.tail if base and base.nodes else other.tail
