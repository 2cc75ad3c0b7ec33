"""Three-way merge of one unit of a text; the units below it are merged separately."""

from __future__ import annotations

from collections.abc import Callable

from agentws.core.markdown import markdown
from agentws.features.sync.plan.merged import ENTRY, FIELD as FIELD_CONFLICT, REMOVAL
from agentws.features.sync.plan.units import box, interleave, outline, tags
from agentws.features.sync.plan.units.outline import FIELD, Node
from agentws.features.sync.plan.units.rules import Rules, Where


def same(node: Node, other: Node) -> bool:
    """Return whether two units and those below them are the same bytes."""
    return node is other or (
        node.raw == other.raw
        and node.lead == other.lead
        and node.eol == other.eol
        and len(node.children) == len(other.children)
        and all(same(*pair) for pair in zip(node.children, other.children, strict=True))
    )


def length(text: str) -> tuple[int, str]:
    """Return the weight of a part of a unit without its own meaning: the longer one stays."""
    return len(text), text


def chosen(base: str | None, ours: str, theirs: str, weight: Callable[[str], tuple[int, str]] = length) -> str:
    """Merge one text of a unit: return the side that changed it; if both did, the heavier one."""
    if theirs in (ours, base):
        return ours
    if ours == base:
        return theirs
    return max(ours, theirs, key=weight)


def taken(base: Node | None, ours: Node, theirs: Node, values: tuple[object, object, object]) -> Node | None:
    """Return the side whose value stays: of equal ones either, else the only one that changed; None if both did.

    `values` are those of the base, ours and theirs.
    """
    old, own, other = values
    if own == other:
        return ours if chosen(base.raw if base else None, ours.raw, theirs.raw) == ours.raw else theirs
    if base and old in (own, other):
        return ours if other == old else theirs
    return None


def merged(base: Node | None, ours: Node, theirs: Node, rules: Rules, where: Where) -> list[Node]:
    """Return the merged unit without the units below it; two units if both sides edited it.

    Each gets the narrowest audience of both sides.
    """
    before = base
    if ours.kind in outline.TAGGED:
        base, ours, theirs = _narrowed(base, ours, theirs)
    if ours.kind == FIELD and rules.value:
        made = [rules.value(base, ours, theirs, rules, where)]
    elif ours.key == theirs.key or outline.plain(ours.raw) == outline.plain(theirs.raw):
        made = [_merged_unit(base, ours, theirs, rules, where)]
    elif base and ours.key == base.key:
        made = [_ticked(base, theirs, ours)]
    elif base and theirs.key == base.key:
        made = [_ticked(base, ours, theirs)]
    else:
        made = _both(before, ours, theirs, rules, where)
    first = made[0]
    # If both sides added it, an earlier merge may have set the usual blank lines: the fewest count.
    lead = chosen(base.lead, ours.lead, theirs.lead) if base else min(ours.lead, theirs.lead, key=length)
    eol = chosen(base.eol if base else None, ours.eol, theirs.eol)
    return [first.like(first.raw, eol, lead, ()), *made[1:]]


def _narrowed(base: Node | None, ours: Node, theirs: Node) -> tuple[Node | None, Node, Node]:
    """Return base and sides with the tags of the narrowest audience of both sides."""
    name, other = tags.narrowed(base.raw if base else None, ours.raw, theirs.raw)
    if (name, other) == (ours.raw, theirs.raw):
        return base, ours, theirs
    known = tags.narrowed(None, base.raw, name, other)[0] if base else ""
    return base and _worded(base, known), _worded(ours, name), _worded(theirs, other)


def _worded(node: Node, raw: str) -> Node:
    return node.like(raw, node.eol, node.lead, node.children)


def _merged_unit(base: Node | None, ours: Node, theirs: Node, rules: Rules, where: Where) -> Node:
    """Merge a unit in which only line ends or the state of a check box differ."""
    before = base.raw if base else None
    raw = chosen(before, ours.raw, theirs.raw, box.weight)
    if ours.raw != theirs.raw and before not in (ours.raw, theirs.raw) and box.says_otherwise(ours.raw, theirs.raw):
        rules.flag(ENTRY, where, before, ours.raw, theirs.raw)
    return ours if raw == ours.raw else theirs


def _ticked(base: Node, edited: Node, other: Node) -> Node:
    """Return the edited unit, with the state of its check box from the other side if only that one changed it."""
    before, state, rest = box.split(edited.raw)
    old, new = box.split(base.raw)[1], box.split(other.raw)[1]
    if state == old != new and state and new:
        return edited.like(before + new + rest, edited.eol, edited.lead, edited.children)
    return edited


def _both(base: Node | None, ours: Node, theirs: Node, rules: Rules, where: Where) -> list[Node]:
    first, last = sorted((ours, theirs), key=lambda node: (node.raw, node.eol, node.lead))
    if rules.is_count(where, first) and rules.is_count(where, last):
        return [max(first, last, key=lambda node: length(node.raw))]
    is_name = first.kind == markdown.HEADING  # a section with two names would become two
    rules.flag(FIELD_CONFLICT if is_name else ENTRY, where, base.raw if base else None, ours.raw, theirs.raw)
    if tags.is_private(first.raw) != tags.is_private(
        last.raw
    ):  # it has no place for a tag: what is reported, the record keeps
        return [first if tags.is_private(first.raw) else last]
    if is_name:
        return [max(first, last, key=lambda node: (_names(node.title, rules.path), length(node.raw)))]
    return [first, interleave.spaced(first, last.like(last.raw, last.eol, "", ()))]


def _names(title: str, path: str) -> bool:
    """Return whether a title is the name of the file."""
    name = path.rpartition("/")[2].rpartition(".")[0]
    words, called = ("".join(filter(str.isalnum, text.casefold())) for text in (title, name))
    return words == called


def survivor(base: Node, node: Node, below: list[Node], rules: Rules) -> Node | None:
    """Return what stays of a unit that the other side removed: None unless this side edited it.

    `below` are the units that stay below it.
    """
    has_same_words = rules.forgets and node.kind in outline.TAGGED and node.key == base.key
    if not below and (has_same_words or outline.plain(node.raw) == outline.plain(base.raw)):
        return None
    return node.like(node.raw, node.eol, node.lead, below)


def flag_removal(base: Node, stays: Node, rules: Rules, where: Where, *, is_ours: bool) -> None:
    """Add a conflict: one side removed a unit, and the other edited it or units below it."""
    place = (".".join((*where, stays.title)),) if stays.kind == FIELD else where
    text = outline.written((stays.like(stays.raw, stays.eol, "", stays.children),), "")
    rules.flag(REMOVAL, place, base.raw, *((text, None) if is_ours else (None, text)))
