"""Merge the body of a Markdown document by entry under its headings. See docs/format/document.md.

A change of one side is taken. A bullet that both added is kept once. If both edited a bullet, both texts stay, one
after the other, as a conflict; a bullet that one side removed and the other edited stays, also as a conflict.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from agentws.core.formats.documents import managed
from agentws.core.formats.travel.sync_path import Merge
from agentws.core.markdown import markdown
from agentws.features.sync.plan.units import outline, text
from agentws.features.sync.plan.units.outline import Node
from agentws.features.sync.plan.units.rules import Rules, Where, everywhere

_Places = dict[str, list["Where"]]


def merge(base: str | None, ours: str, theirs: str, rules: Rules) -> str:
    """Return the merged document, without front matter."""
    rules.is_sure = is_rewritten
    if rules.kind != Merge.DIGEST:
        made = text.merge(base, ours, theirs, rules)
        return _with_facts_once(base, ours, theirs, made) if rules.kind == Merge.FACTS else made
    from agentws.features.memory.compact.plan import digest  # the feature that names a digest

    rules.is_sure = everywhere
    rules.is_count = _is_count
    made = text.merge(base, ours, theirs, rules)
    # The weeks of a digest are newest first: keep the order of its own writer if both sides have it.
    in_order = all(digest.is_ours(side) and digest.rewritten(side) == side for side in (ours, theirs))
    return digest.rewritten(made) if in_order and digest.is_ours(made) else made


def is_rewritten(where: Where) -> bool:
    """Return whether a place is in the managed section, where compaction swaps entries: none of these is an edit."""
    return managed.HEADING in where


def _is_count(where: Where, node: Node) -> bool:
    """Return whether a unit is the count of lines that the digest has no room for; the next run counts them again."""
    from agentws.features.memory.compact.plan import digest

    return digest.NOT_SHOWN in where and node.raw[len("- ") :].split(" ", 1)[0].isdigit()


def _with_facts_once(base: str | None, ours: str, theirs: str, made: str) -> str:
    """Return the merged text with each fact once that both sides added under different headings.

    It stays at the deeper place, else at the later one in the alphabet. `remember` writes no fact that is anywhere in
    the file already, so two machines together must not either.
    """
    known, own, other = (_places(outline.read(text).nodes) for text in (base or "", ours, theirs))
    twice = {fact: max(own[fact][0], other[fact][0], key=_weight) for fact in own if _is_twice(fact, known, own, other)}
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
    places: _Places = {}
    for where, fact in _facts(nodes, ()):
        places.setdefault(fact, []).append(where)
    return places


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
