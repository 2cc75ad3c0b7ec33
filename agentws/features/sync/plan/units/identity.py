"""Identity of units: which unit of the base is which unit of either side. Pure.

An edit is a unit that is gone and a new one at the same place with mostly the same words.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentws.core.markdown import markdown
from agentws.core.notes import similarity
from agentws.features.sync.plan.units import alignment
from agentws.features.sync.plan.units.outline import FIELD

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Sequence

    from agentws.features.sync.plan.units.alignment import Pairs
    from agentws.features.sync.plan.units.interleave import Moment
    from agentws.features.sync.plan.units.outline import Node
    from agentws.features.sync.plan.units.rules import Rules, Where

    Nodes = Sequence[Node]

_MOST_COMPARED = 400
"""At most so many pairs at one place are compared; if there are more, only those at the same position."""
_LONGEST_CHARS = 4000
"""Only this much of a text is compared."""
_LEAST = 0.5
"""The least share of common words that makes two units an edit."""


def found(
    base: Nodes, ours: Nodes, theirs: Nodes, rules: Rules, where: Where, is_once: Callable[[Node], bool]
) -> tuple[Pairs, Pairs]:
    """Find the identity of units: return the pairs of base units with those of our side, and with those of theirs.

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
            _add_edits(base, side, own, rules.moment, is_sure=rules.is_sure(where), apart=apart)
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


def _add_edits(
    base: Sequence[Node], side: Sequence[Node], pairs: Pairs, moment: Moment, *, is_sure: bool, apart: Container[str]
) -> None:
    """Add to `pairs` each unit of `base` that a side edited, except into units whose key is in `apart`.

    With `is_sure` likeness alone decides. Otherwise a single removed and a single new unit at a place are an edit too.
    The titles of a page always are.
    """
    known = set(pairs.values())
    if len(known) in (len(base), len(side)):
        return
    for gone, came in _places(base, side, pairs, known, apart):
        taken = _pair(base, side, gone, came, pairs, moment)
        left = [at for at in gone if at not in pairs]
        new = [place for place in came if place not in taken]
        if not is_sure and len(left) == len(new) == 1 and _may_be(base[left[0]], side[new[0]], is_sure=is_sure):
            pairs[left[0]] = new[0]
    _add_title(base, side, pairs, apart)


def _add_title(base: Sequence[Node], side: Sequence[Node], pairs: Pairs, apart: Container[str]) -> None:
    """Pair the level-1 headings if each list has only one: a page has one title."""
    title, other = ([at for at, node in enumerate(nodes) if node.level == 1] for nodes in (base, side))
    is_one = len(title) == len(other) == 1 and title[0] not in pairs and other[0] not in pairs.values()
    if is_one and side[other[0]].key not in apart:
        pairs[title[0]] = other[0]


def _places(
    base: Sequence[Node], side: Sequence[Node], pairs: Pairs, known: set[int], apart: Container[str]
) -> list[tuple[list[int], list[int]]]:
    """Return (indices of removed units, indices of new units) behind each unit that stayed."""
    back = {place: at for at, place in pairs.items()}
    came: dict[int, list[int]] = {}
    anchor = -1
    for place in range(len(side)):
        if place in known:
            anchor = back[place]
        elif side[place].key not in apart:
            came.setdefault(anchor, []).append(place)
    gone: dict[int, list[int]] = {}
    anchor = -1
    for at in range(len(base)):
        if at in pairs:
            anchor = at
        else:
            gone.setdefault(anchor, []).append(at)
    return [(gone[anchor], came[anchor]) for anchor in gone if anchor in came]


def _pair(
    base: Sequence[Node], side: Sequence[Node], gone: list[int], came: list[int], pairs: Pairs, moment: Moment
) -> set[int]:
    if len(gone) * len(came) <= _MOST_COMPARED:
        compared = [(at, place) for at in gone for place in came]
    else:
        compared = list(zip(gone, came, strict=False))
    words = {at: _words(base[at]) for at in gone}
    others = {place: _words(side[place]) for place in came}
    scores = [
        (-_likeness(words[at], others[place]), at, place)
        for at, place in compared
        if _may_be(base[at], side[place], is_sure=True) and moment(base[at]) == moment(side[place])
    ]
    taken: set[int] = set()
    for score, at, place in sorted(scores):
        if -score >= _LEAST and at not in pairs and place not in taken:
            pairs[at] = place
            taken.add(place)
    return taken


def _may_be(one: Node, other: Node, *, is_sure: bool) -> bool:
    return one.kind == other.kind != FIELD and one.level == other.level and (is_sure or one.kind != markdown.HEADING)


def _words(node: Node) -> frozenset[str]:
    """Return the words to compare; for a heading the keys below it, since days and weeks differ in a single word."""
    if node.kind == markdown.HEADING:
        return frozenset(child.key for child in node.children)
    return frozenset(similarity.words(node.raw[:_LONGEST_CHARS]))


def _likeness(one: frozenset[str], other: frozenset[str]) -> float:
    return 2 * len(one & other) / (len(one) + len(other)) if one and other else 0.0
