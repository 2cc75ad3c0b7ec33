"""Which unit that is gone became which new one at the same place: the same words for the most part."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentws.core.markdown import markdown
from agentws.core.notes import similarity
from agentws.features.sync.plan.units.outline import FIELD

if TYPE_CHECKING:
    from collections.abc import Container, Sequence

    from agentws.features.sync.plan.units.alignment import Pairs
    from agentws.features.sync.plan.units.interleave import Moment
    from agentws.features.sync.plan.units.outline import Node

_MOST_COMPARED = 400
"""So many pairs of one place are compared; where there are more, each is compared with the one at its own place."""
_LONGEST_CHARS = 4000
"""So much of a text is compared."""
_LEAST = 0.5
"""The share of words that both have, of those of both."""


def add(
    base: Sequence[Node], side: Sequence[Node], pairs: Pairs, moment: Moment, *, is_sure: bool, apart: Container[str]
) -> None:
    """Add to `pairs` each unit of `base` that was edited, but to no unit whose key is in `apart`. Where `is_sure`,
    likeness alone decides.

    Otherwise the only one that went and the only one that came at a place are one, too; so are the titles of a page.
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
    """A page has one name, whatever stands below it."""
    title, other = ([at for at, node in enumerate(nodes) if node.level == 1] for nodes in (base, side))
    is_one = len(title) == len(other) == 1 and title[0] not in pairs and other[0] not in pairs.values()
    if is_one and side[other[0]].key not in apart:
        pairs[title[0]] = other[0]


def _places(
    base: Sequence[Node], side: Sequence[Node], pairs: Pairs, known: set[int], apart: Container[str]
) -> list[tuple[list[int], list[int]]]:
    """(what went, what came) behind each unit that stayed."""
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
    """What is compared: of a heading what stands below it, since days and weeks differ in a word alone."""
    if node.kind == markdown.HEADING:
        return frozenset(child.key for child in node.children)
    return frozenset(similarity.words(node.raw[:_LONGEST_CHARS]))


def _likeness(one: frozenset[str], other: frozenset[str]) -> float:
    return 2 * len(one & other) / (len(one) + len(other)) if one and other else 0.0
