"""Merge settings, the manifest and other TOML, by key within tables; comments are kept. See docs/format/manifest.md."""

from __future__ import annotations

from typing import Any

from agentws.core.formats import toml_edit
from agentws.core.markdown import markdown
from agentws.features.sync.plan import fields
from agentws.features.sync.plan.merged import FIELD as FIELD_CONFLICT
from agentws.features.sync.plan.units import outline, text, unit
from agentws.features.sync.plan.units.outline import COMMENT, FIELD, Node, Outline
from agentws.features.sync.plan.units.rules import Rules, Where

_BOM = "\ufeff"
_NOTHING = object()
_MOST_LINES = 1000
"""A value with more lines is not parsed, and the file is taken whole."""


def merge(base: str | None, ours: str, theirs: str, rules: Rules) -> str | None:
    """Return the merged settings; None if the TOML cannot be read, or the result lacks what both sides agree on."""
    rules.value = value
    try:
        record, other = toml_edit.table(ours), toml_edit.table(theirs)
        made = text.merge(base, ours, theirs, rules, read)
        return made if _agrees(record, other, toml_edit.table(made)) else None
    except (ValueError, RecursionError):
        return None


def read(content: str) -> Outline:
    """Return the settings of a TOML file as units, each below its table."""
    bom = _BOM if content.startswith(_BOM) else ""
    lines = markdown.lines_of(content[len(bom) :])
    root: list[Node] = []
    flat: list[Node] = []
    into, lead, at = root, "", 0
    while at < len(lines):
        if not lines[at].strip():
            lead += lines[at]
            at += 1
            continue
        node, at = _node(lines, at, lead)
        lead = ""
        flat.append(node)
        if node.kind == markdown.HEADING:
            root.append(node)
            into = node.children
        else:
            into.append(node)
    tail = outline.closed(flat[-1:], lead, content[len(bom) :])
    return Outline(bom, root, tail)


def _node(lines: list[str], at: int, lead: str) -> tuple[Node, int]:
    """Return the unit that begins at a line, and the index of the line behind it."""
    line = lines[at]
    body = line.strip()
    raw, eol = outline.ended(line)
    if body.startswith("["):
        title = body.partition("#")[0].strip()
        return Node(markdown.HEADING, raw, key=title, eol=eol, lead=lead, level=1, title=title.strip("[] ")), at + 1
    name, equals, rest = line.partition("=")
    if body.startswith("#") or not equals:
        return Node(COMMENT, raw, eol=eol, lead=lead), at + 1
    count, _ = toml_edit.extent([rest, *_behind(lines, at + 1, rest)])
    raw, eol = outline.ended("".join(lines[at : at + count]))
    return Node(FIELD, raw, key=name.strip(), eol=eol, lead=lead, title=name.strip().strip("\"'")), at + count


def _behind(lines: list[str], at: int, rest: str) -> list[str]:
    """Return the further lines that a value may take: none if it ends with its line, as most do."""
    has_more = rest.count("[") + rest.count("{") > rest.count("]") + rest.count("}") or '"""' in rest or "'''" in rest
    return lines[at : at + _MOST_LINES] if has_more else []


def value(base: Node | None, ours: Node, theirs: Node, rules: Rules, where: Where) -> Node:
    """Return the merged setting; if both sides set it, one stays and the other is a conflict."""
    old, own, other = (_value(node) if node else _NOTHING for node in (base, ours, theirs))
    if own == other:
        return ours if unit.chosen(base.raw if base else None, ours.raw, theirs.raw) == ours.raw else theirs
    if base and other == old:
        return ours
    if base and own == old:
        return theirs
    if (made := _listed(old, own, other, ours)) is not None:
        return made
    name = ".".join((*where, ours.title))
    rules.flag(FIELD_CONFLICT, (name,), base.raw if base else None, ours.raw, theirs.raw)
    return max(ours, theirs, key=lambda node: unit.length(node.raw))


def _value(node: Node) -> Any:
    table = toml_edit.table(outline.plain(node.raw))
    return next(iter(table.values()), _NOTHING)


def _comment(message: str) -> str:
    """Return the comment behind a value, with the space before it."""
    return toml_edit.extent(markdown.lines_of(message))[1]


def _listed(old: Any, own: Any, other: Any, ours: Node) -> Node | None:
    """Return the setting as the merged list of both sides, None unless it is a list of texts."""
    before = [] if old is _NOTHING else old
    if not all(isinstance(some, list) and all(isinstance(item, str) for item in some) for some in (before, own, other)):
        return None
    name, _, message = ours.raw.partition("=")
    raw = f"{name}= {toml_edit.literal(fields.items(before, own, other))}{_comment(message)}"
    return ours.like(raw, ours.eol, ours.lead, ())


def _agrees(record: dict[str, Any], other: dict[str, Any], made: dict[str, Any]) -> bool:
    """Return whether merged settings have every value that both sides agree on."""
    for key in record.keys() & other.keys():
        if isinstance(record[key], dict) and isinstance(other[key], dict):
            if not isinstance(made.get(key), dict) or not _agrees(record[key], other[key], made[key]):
                return False
        elif record[key] == other[key] != made.get(key, _NOTHING):
            return False
    return True
