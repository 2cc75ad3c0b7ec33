"""Merge documents with front matter: the header by field, the body by entry. See docs/format/document.md."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from agentws.core.formats.documents import document as documents, managed
from agentws.core.formats.travel.sync_path import Merge
from agentws.core.markdown import markdown
from agentws.errors import AgentwsError
from agentws.features.sync.plan import fields
from agentws.features.sync.plan.merged import FIELD as FIELD_CONFLICT
from agentws.features.sync.plan.units import outline, sequence, unit
from agentws.features.sync.plan.units.outline import COMMENT, FIELD, Node, Outline
from agentws.features.sync.plan.units.rules import Rules, Where, everywhere

if TYPE_CHECKING:
    from agentws.core.formats.documents.document import Document, Value
    from agentws.core.formats.documents.strict_yaml import Header
    from agentws.features.sync.plan.units.rules import Rules, Where


_FENCE = "---"
_AUDIENCE = "audience"


@dataclass(frozen=True, slots=True)
class _Head:
    """The front matter of a document: its two fences, and the fields between them as units."""

    opening: str
    inner: Outline
    closing: str


def merge(base: str | None, ours: str, theirs: str, rules: Rules) -> str | None:
    """Return the merged document with its header; None if both sides changed front matter that cannot be read."""
    try:
        return _merged(base, ours, theirs, rules)
    except AgentwsError:
        rules.conflicts.clear()
        rules.value = None
        return _unread(base, ours, theirs, rules)


def _unread(base: str | None, ours: str, theirs: str, rules: Rules) -> str | None:
    """Return the document if front matter cannot be read: it is taken whole from the side that changed it."""
    pair, other = _cut(ours), _cut(theirs)
    known = None if base is None else _cut(base)
    heads = [part[0] for part in (pair, other, known) if part is not None]
    if len(set(heads)) == len(heads):
        return None
    head = unit.chosen(known[0] if known else None, pair[0], other[0])
    return head + merge_document(known[1] if known else None, pair[1], other[1], rules)


def _cut(content: str) -> tuple[str, str]:
    """Return the front matter at the top with its two lines of dashes, and the rest of the content."""
    lines = markdown.lines_of(content)
    if not lines or lines[0].removeprefix("\ufeff").rstrip() != _FENCE:
        return "", content
    end = next((at for at, line in enumerate(lines) if at and line.rstrip() == _FENCE), -1)
    return "".join(lines[: end + 1]), "".join(lines[end + 1 :])


def _merged(base: str | None, ours: str, theirs: str, rules: Rules) -> str:
    page, other = _decoded(ours, rules), _decoded(theirs, rules)
    known = None if base is None else _decoded(base, rules)
    if not (page.has_header or other.has_header):
        return merge_document(base, ours, theirs, rules)
    rules.value = value
    bodies = (known.body if known else None, page.body, other.body)
    made = _joined(_head(known) if known else None, _head(page), _head(other), rules)
    bom = unit.chosen(_bom(known) if known else None, _bom(page), _bom(other))
    made = bom + made + merge_document(*bodies, rules)
    _check(made, (page, other), rules)
    return made


def _joined(base: _Head | None, ours: _Head, theirs: _Head, rules: Rules) -> str:
    known = base.inner.nodes if base else None
    own, other = ours.inner, theirs.inner
    if base is None:  # a second copy never widens the audience of a document
        own, other = _narrowed(own, other), _narrowed(other, own)
    nodes = sequence.merge(known, own.nodes, other.nodes, rules)
    tail = unit.chosen(base.inner.tail if base else None, own.tail or "\n", other.tail or "\n")
    opening = unit.chosen(base.opening if base else None, ours.opening, theirs.opening)
    closing = unit.chosen(base.closing if base else None, ours.closing, theirs.closing)
    if not nodes and not opening:
        return ""
    opening, closing = opening or max(ours.opening, theirs.opening), closing or max(ours.closing, theirs.closing)
    end = outline.ended(opening)[1] or "\n"
    return (
        opening
        + (outline.written(nodes, tail) if nodes else "")
        + (closing if outline.ended(closing)[1] else closing + end)
    )


def _narrowed(own: Outline, other: Outline) -> Outline:
    has_both = any(node.key == _AUDIENCE for node in other.nodes)
    return Outline("", [node for node in own.nodes if has_both or node.key != _AUDIENCE], own.tail)


def value(base: Node | None, ours: Node, theirs: Node, rules: Rules, where: Where) -> Node:
    """Return the merged field of a header; if both sides set it, one value stays and the other is a conflict."""
    old, own, other = (_alone(node).fields.get(node.title) if node else None for node in (base, ours, theirs))
    if taken := unit.taken(base, ours, theirs, (old, own, other)):
        return taken
    if isinstance(own, list) and isinstance(other, list) and (made := _listed(old, own, other, ours)):
        return made
    name = ours.title
    stays = max((own, ours), (other, theirs), key=lambda pair: (fields.weight(name, pair[0]), pair[1].raw))[1]
    if name not in fields.QUIET:
        rules.flag(FIELD_CONFLICT, (".".join((*where, name)),), base.raw if base else None, ours.raw, theirs.raw)
    return stays


def _alone(node: Node) -> Header:
    """Return front matter with this one field."""
    from agentws.core.formats.documents import strict_yaml

    raw = f"{outline.plain(node.raw)}\n"
    return strict_yaml.Header([f"{_FENCE}\n", *markdown.lines_of(raw), f"{_FENCE}\n"], "")


def _listed(old: Value | None, own: list[Value], other: list[Value], ours: Node) -> Node | None:
    from agentws.core.formats.documents import strict_yaml

    before = old if isinstance(old, list) else []
    texts = [[item for item in some if isinstance(item, str)] for some in (before, own, other)]
    if [len(some) for some in texts] != [len(before), len(own), len(other)]:
        return None
    items: list[Value] = [*fields.items(*texts)]
    entry = _alone(ours).entries()[0]
    lines = strict_yaml.entry_lines(entry.written, items, entry.indent, entry.comment)
    return ours.like((ours.eol or "\n").join(lines), ours.eol, ours.lead, ())


def _decoded(content: str, rules: Rules) -> Document:
    return documents.decode(content.encode("utf-8", "surrogateescape"), where=rules.path)


def _bom(side: Document) -> str:
    return side.text[:1] if side.text.startswith("\ufeff") else ""


def _head(side: Document) -> _Head:
    from agentws.core.formats.documents import strict_yaml

    if not side.has_header:
        return _Head("", Outline("", [], ""), "")
    lines = markdown.lines_of(side.text[len(_bom(side)) : len(side.text) - len(side.body)])
    entries = {entry.start: entry for entry in strict_yaml.Header(lines, "").entries()}
    nodes: list[Node] = []
    lead, at = "", 1
    while at < len(lines) - 1:
        entry = entries.get(at)
        end = entry.end if entry else at + 1
        raw, eol = outline.ended("".join(lines[at:end]))
        if entry or raw.strip():
            key = entry.key if entry else ""
            nodes.append(Node(FIELD if entry else COMMENT, raw, key=key, eol=eol, lead=lead, title=key))
        lead = "" if entry or raw.strip() else lead + lines[at]
        at = end
    return _Head(lines[0], Outline("", nodes, outline.closed(nodes, lead, lines[0])), lines[-1])


def _check(made: str, sides: tuple[Document, Document], rules: Rules) -> None:
    """Raise AgentwsError if the merged front matter lacks a field that both sides agree on."""
    result = _decoded(made, rules).fields
    own, other = (side.fields for side in sides)
    if any(own[key] == other[key] != result.get(key) for key in own.keys() & other.keys()):
        raise AgentwsError(f"{rules.path}: The front matter could not be merged.")


_Places = dict[str, list["Where"]]


def merge_document(base: str | None, ours: str, theirs: str, rules: Rules) -> str:
    """Return the merged document, without front matter."""
    rules.is_sure = is_rewritten
    if rules.kind != Merge.DIGEST:
        made = merge_text(base, ours, theirs, rules)
        return _with_facts_once(base, ours, theirs, made) if rules.kind == Merge.FACTS else made
    from agentws.features.memory.compact.plan import digest  # the feature that names a digest

    rules.is_sure = everywhere
    rules.is_count = _is_count
    made = merge_text(base, ours, theirs, rules)
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
    twice: dict[str, Where] = {}
    for fact, places in own.items():
        both = places, other.get(fact, [])
        if fact not in known and [len(each) for each in both] == [1, 1] and both[0] != both[1]:
            twice[fact] = max(both[0][0], both[1][0], key=lambda where: (len(where), where))
    if not twice:
        return made
    page = outline.read(made)
    merged = _places(page.nodes)
    stays = {fact: where for fact, where in twice.items() if where in merged.get(fact, ())}
    _strike(page.nodes, (), stays)
    return page.text


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


Read = Callable[[str], Outline]


def merge_text(base: str | None, ours: str, theirs: str, rules: Rules, read: Read = outline.read) -> str:
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
