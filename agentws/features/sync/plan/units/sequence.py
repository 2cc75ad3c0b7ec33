"""Three-way merge of a sequence of units: those below one heading. Pure."""

from __future__ import annotations

import itertools
import operator
from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass

from agentws.core.markdown import markdown
from agentws.core.notes import similarity
from agentws.features.sync.plan.units import alignment, interleave, outline, unit
from agentws.features.sync.plan.units.alignment import Pairs
from agentws.features.sync.plan.units.interleave import Moment
from agentws.features.sync.plan.units.outline import FIELD, Node
from agentws.features.sync.plan.units.rules import Rules, Where

Nodes = Sequence[Node]
_Added = dict[int, list[Node]]
_FIRST = -1


@dataclass(frozen=True, slots=True)
class _Slot:
    """A slot of the merged sequence: the indices of one unit in the base and on both sides, None if it is missing."""

    base: int | None
    ours: int | None
    theirs: int | None


def merge(base: Nodes | None, ours: Nodes, theirs: Nodes, rules: Rules, where: tuple[str, ...] = ()) -> list[Node]:
    """Return the merged units of a sequence. Without a base, the units that both sides have are the base."""
    if base is not None and _same(base, theirs):
        return list(ours)
    if base is not None and _same(base, ours):
        return list(theirs)
    if (base is None or not rules.is_additive) and _same(ours, theirs):
        return list(ours)
    return _Merge(base, ours, theirs, rules, where).nodes()


def _same(nodes: Nodes, other: Nodes) -> bool:
    return len(nodes) == len(other) and all(unit.same(*pair) for pair in zip(nodes, other, strict=True))


class _Merge:
    def __init__(self, base: Nodes | None, ours: Nodes, theirs: Nodes, rules: Rules, where: tuple[str, ...]) -> None:
        self.has_base = base is not None
        self.base = base or ()
        self.ours, self.theirs = ours, theirs
        self.rules = rules
        self.where = where
        self.is_additive = rules.is_additive and self.has_base
        in_ours, in_theirs = found(self.base, ours, theirs, rules, where, self._is_once)
        self.slots = [_Slot(at, in_ours.get(at), in_theirs.get(at)) for at in range(len(self.base))]
        self.slots += self._shared(set(in_ours.values()), set(in_theirs.values()))
        self.added_again = self._added_again()

    def _shared(self, ours: set[int], theirs: set[int]) -> list[_Slot]:
        """Return slots for units that both sides added: they are kept once, except entries of a log, which stay two."""
        new = [at for at in range(len(self.ours)) if at not in ours and self._is_once(self.ours[at])]
        others = [at for at in range(len(self.theirs)) if at not in theirs and self._is_once(self.theirs[at])]
        row, other = [self.ours[at].key for at in new], [self.theirs[at].key for at in others]
        # The alignment of repeated keys depends on which list is first, so the order is always the same.
        if row <= other:
            pairs = sorted(alignment.align(row, other).items())
        else:
            pairs = sorted((at, place) for place, at in alignment.align(other, row).items())
        return [_Slot(None, new[at], others[place]) for at, place in pairs]

    def _is_once(self, node: Node) -> bool:
        return not self.is_additive or node.kind in (markdown.HEADING, markdown.TABLE_HEAD)

    def nodes(self) -> list[Node]:
        """Return the merged units in order: those of both sides, and behind each the units added there."""
        both = [slot for slot in self.slots if slot.ours is not None and slot.theirs is not None]
        ours = self._added(self.ours, both, is_ours=True)
        theirs = self._added(self.theirs, both, is_ours=False)
        made = self._run(ours, theirs, _FIRST)
        for number in self._order(both):
            made += self._merged(both[number])
            made += self._run(ours, theirs, number)
        # A unit behind a heading would be below it.
        return self._led(sorted(made, key=lambda node: node.kind == markdown.HEADING))

    def _led(self, made: list[Node]) -> list[Node]:
        """Return the units with the blank lines that both sides have before the first one, even if another is first."""
        sides = [side for side in (self.ours, self.theirs) if side]
        if not made or made[0].lead or not sides or not all(side[0].lead for side in sides):
            return made
        lead = min((side[0].lead for side in sides), key=unit.length)
        inner = {node.key for side in sides for node in side[1:] if not node.lead}
        former = inner & {side[0].key for side in sides}
        return [_with_lead(made[0], lead), *(_with_lead(node, "") if node.key in former else node for node in made[1:])]

    def _run(self, ours: _Added, theirs: _Added, number: int) -> list[Node]:
        return interleave.run(ours.get(number, ()), theirs.get(number, ()), self.rules.moment)

    def _added(self, side: Nodes, both: Sequence[_Slot], *, is_ours: bool) -> _Added:
        """Return the units that one side alone has, by the number of the common unit before them."""
        place = operator.attrgetter("ours" if is_ours else "theirs")
        anchors = {place(slot): number for number, slot in enumerate(both)}
        alone = {place(slot): slot for slot in self.slots if slot.base is not None}
        added: dict[int, list[Node]] = {}
        anchor = _FIRST
        for at, node in enumerate(side):
            if at in anchors:
                anchor = anchors[at]
                continue
            slot = alone.get(at)
            stays = node if slot is None else self._survivor(slot, node, is_ours=is_ours)
            if stays is not None:
                added.setdefault(anchor, []).append(stays)
        return added

    def _survivor(self, slot: _Slot, node: Node, *, is_ours: bool) -> Node | None:
        """Return what stays of a unit that the other side removed, None if nothing does."""
        base = self.base[slot.base or 0]
        if base.key in self.added_again:  # one of several lines with the same words, and it is unknown which
            return node
        ours, theirs = (node.children, []) if is_ours else ([], node.children)
        known = len(self.rules.conflicts)
        below = merge(base.children, ours, theirs, self.rules, self._below(node))
        stays = unit.survivor(base, node, below, self.rules)
        is_told = len(self.rules.conflicts) > known and outline.plain(node.raw) == outline.plain(base.raw)
        if stays and self.rules.has_edits and not is_told:
            unit.flag_removal(base, stays, self.rules, self.where, is_ours=is_ours)
        return stays

    def _added_again(self) -> set[str]:
        """Return the keys of the entries that a side added to a log."""
        if not self.is_additive:
            return set()
        ours, theirs = {slot.ours for slot in self.slots}, {slot.theirs for slot in self.slots}
        keys = {node.key for at, node in enumerate(self.ours) if at not in ours}
        return keys | {node.key for at, node in enumerate(self.theirs) if at not in theirs}

    def _merged(self, slot: _Slot) -> list[Node]:
        base = None if slot.base is None else self.base[slot.base]
        ours, theirs = self.ours[slot.ours or 0], self.theirs[slot.theirs or 0]
        if base and unit.same(base, theirs):
            return [ours]
        if base and unit.same(base, ours):
            return [theirs]
        nodes = unit.merged(base, ours, theirs, self.rules, self.where)
        last = nodes[-1]
        known = base.children if base else () if self.has_base else None
        below = merge(known, ours.children, theirs.children, self.rules, self._below(last))
        return [*nodes[:-1], last.like(last.raw, last.eol, last.lead, below)]

    def _below(self, node: Node) -> tuple[str, ...]:
        return (*self.where, node.title) if node.kind == markdown.HEADING else self.where

    def _order(self, both: Sequence[_Slot]) -> list[int]:
        """Return the order of the units that both sides have: that of the side that changed it."""
        numbers = range(len(both))
        ours = sorted(numbers, key=lambda number: both[number].ours or 0)
        theirs = sorted(numbers, key=lambda number: both[number].theirs or 0)
        if ours == theirs:
            return ours
        is_ours_as_before, is_theirs_as_before = (
            all(first < second for first, second in itertools.pairwise(at for at in order if both[at].base is not None))
            for order in (ours, theirs)
        )
        if is_ours_as_before != is_theirs_as_before:
            return theirs if is_ours_as_before else ours
        return max(ours, theirs, key=lambda order: [self._words(both[number]) for number in order])

    def _words(self, slot: _Slot) -> tuple[list[tuple[str, str]], int]:
        nodes = self.ours[slot.ours or 0], self.theirs[slot.theirs or 0]
        words = sorted((node.key, outline.written((node,), "")) for node in nodes)
        return words, -1 if slot.base is None else slot.base


def _with_lead(node: Node, lead: str) -> Node:
    return node.like(node.raw, node.eol, lead, node.children)


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
    scores = []
    for at, place in compared:
        if _may_be(base[at], side[place], is_sure=True) and moment(base[at]) == moment(side[place]):
            common, total = len(words[at] & others[place]), len(words[at]) + len(others[place])
            scores.append((-2 * common / total if words[at] and others[place] else 0.0, at, place))
    taken: set[int] = set()
    for score, at, place in sorted(scores):
        if -score >= _LEAST and at not in pairs and place not in taken:
            pairs[at] = place
            taken.add(place)
    return taken


def _may_be(node: Node, other: Node, *, is_sure: bool) -> bool:
    return node.kind == other.kind != FIELD and node.level == other.level and (is_sure or node.kind != markdown.HEADING)


def _words(node: Node) -> frozenset[str]:
    """Return the words to compare; for a heading the keys below it, since days and weeks differ in a single word."""
    if node.kind == markdown.HEADING:
        return frozenset(child.key for child in node.children)
    return frozenset(similarity.words(node.raw[:_LONGEST_CHARS]))
