"""Keep a fact once that both sides added to MEMORY.md under different headings.

`remember` writes no fact that is anywhere in the file already, so two machines together must not either.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentws.core.formats.documents import managed
from agentws.core.markdown import markdown
from agentws.features.sync.plan.units import outline

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from agentws.features.sync.plan.units.outline import Node
    from agentws.features.sync.plan.units.rules import Where

_Places = dict[str, list["Where"]]


def merged(base: str | None, ours: str, theirs: str, made: str) -> str:
    """Return the merged text with each such fact once: at the deeper place, else at the later one in the alphabet."""
    known, one, other = (_places(outline.read(text).nodes) for text in (base or "", ours, theirs))
    twice = {fact: max(one[fact][0], other[fact][0], key=_weight) for fact in one if _is_twice(fact, known, one, other)}
    if not twice:
        return made
    page = outline.read(made)
    places = _places(page.nodes)
    stays = {fact: where for fact, where in twice.items() if where in places.get(fact, ())}
    _strike(page.nodes, (), stays)
    return page.text


def _is_twice(fact: str, base: _Places, ours: _Places, theirs: _Places) -> bool:
    both = ours[fact], theirs.get(fact, [])
    return fact not in base and [len(places) for places in both] == [1, 1] and both[0] != both[1]


def _weight(where: Where) -> tuple[int, Where]:
    return len(where), where


def _places(nodes: Sequence[Node]) -> _Places:
    """Return the headings above each fact, for every place where it is."""
    found: _Places = {}
    for where, fact in _facts(nodes, ()):
        found.setdefault(fact, []).append(where)
    return found


def _facts(nodes: Sequence[Node], where: Where) -> Iterator[tuple[Where, str]]:
    for node in nodes:
        if node.kind == markdown.HEADING and node.title != managed.HEADING:
            yield from _facts(node.children, (*where, node.title))
        elif node.kind == markdown.ITEM:
            yield where, node.whole


def _strike(nodes: list[Node], where: Where, stays: dict[str, Where]) -> None:
    """Remove each fact in `stays` from every place but its own."""
    kept: list[Node] = []
    lead: str | None = None
    for node in nodes:
        if node.kind == markdown.ITEM and stays.get(node.whole, where) != where:
            lead = node.lead if lead is None else lead
            continue
        if node.kind == markdown.HEADING and node.title != managed.HEADING:
            _strike(node.children, (*where, node.title), stays)
        is_next = lead is not None and node.kind == markdown.ITEM
        kept.append(node.like(node.raw, node.eol, lead or "", node.children) if is_next else node)
        lead = None
    nodes[:] = kept
