"""Three-way merge of one file: by its kind, or line by line. Never raises, and writes no conflict markers."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

from agentws.core.formats import layout, toml_edit
from agentws.core.formats.json import plainjson
from agentws.core.formats.travel.sync_path import Merge
from agentws.core.markdown import markdown, notes
from agentws.features.sync.plan import fields, header
from agentws.features.sync.plan.merged import FIELD as FIELD_CONFLICT, FILE, REMOVAL, Conflict, Merged, weight
from agentws.features.sync.plan.units import alignment, outline, unit
from agentws.features.sync.plan.units.outline import COMMENT, FIELD, LINE, Node, Outline
from agentws.features.sync.plan.units.rules import Rules, Where, everywhere

Rule = Callable[[str], Merge | None]


Content = bytes | None
"""A file's bytes, None if there is no file."""
MOST_BYTES = 4 * 1024 * 1024
"""A larger file is not merged by content: one side stays as it is."""
MOST_CONFLICTS = 100
"""A file with more conflicts becomes one conflict as a whole: nobody decides so many one by one."""
_PROSE = (".md", ".markdown", ".txt")
_LINES = (".jsonl", ".gitignore", ".gitattributes")
_SETTINGS = ".toml"
_ANSWERED = re.compile(rb"^status: (pending|approved|rejected|expired|used|disputed)$", re.MULTILINE)
_GRANTED, _REFUSED = (b"approved", b"used"), (b"rejected",)
_FURTHEST = (b"", b"pending", b"approved", b"rejected", b"expired", b"used", b"disputed")
"""States of an approval file, the least advanced first; the file follows the events of both journals."""


def merge(path: str, base: Content, ours: Content, theirs: Content, rule: Rule, *, forgets: bool = False) -> Merged:
    """Return the merged content of one file; it is the same whichever side is ours.

    `rule` returns how a path is merged, `forgets` is as in Rules.
    """
    if theirs in (ours, base):
        return Merged(ours)
    if ours == base:
        return Merged(theirs)
    kind = rule(path)
    if kind == Merge.ANSWER and ours is not None and theirs is not None:
        return _of_approvals(path, base, ours, theirs)
    if kind == Merge.RECORD:  # two machines found the same conflict, or one resolved it
        return Merged(None if base is not None and None in (ours, theirs) else max(ours, theirs, key=weight))
    if ours is None or theirs is None or kind == Merge.WHOLE or _is_link(path, ours) or _is_link(path, theirs):
        return whole(path, base, ours, theirs)
    has_lines = kind == Merge.LINES or path.endswith(_LINES)
    texts = _texts(base, ours, theirs, is_lenient=has_lines or kind == Merge.LOG)
    is_rows = kind == Merge.ROWS and path.endswith(".jsonl")
    if is_rows and texts:  # a row that begins with a space would wait for more of its batch
        texts = (_unbatched(texts[0]) if texts[0] is not None else None, _unbatched(texts[1]), _unbatched(texts[2]))
    units = Rules(path, kind, forgets=forgets)
    units.is_additive = is_rows
    made = (merge_lines if has_lines else _of(path, kind))(*texts, units) if texts else None
    if made is None:
        return whole(path, base, ours, theirs)
    conflicts = {conflict.id: conflict for conflict in units.conflicts}
    if len(conflicts) > MOST_CONFLICTS:  # the file has both sides, and so has the record
        conflicts = {"": Conflict(path, FILE, "", base, ours, theirs)}
    return Merged(made.encode("utf-8", "surrogateescape"), tuple(conflicts.values()))


def _unbatched(rows: str) -> str:
    """Return the rows of whole batches (features/data/row_log.py) as rows of their own."""
    whole = rows[: rows.rfind("\n") + 1]
    while whole.rpartition("\n")[0].rpartition("\n")[2].startswith(" "):
        whole = whole[: whole.rstrip("\n").rfind("\n") + 1]
    return whole.replace("\n ", "\n").removeprefix(" ")


def _is_link(path: str, data: bytes) -> bool:
    """Return whether an agent's file is a link, which is synced as a file that contains only a path."""
    named = data.removesuffix(b"\n")
    return layout.usual(path) in layout.AGENT_FILES and named.endswith(b".md") and b"\n" not in named


def _of_approvals(path: str, base: Content, ours: bytes, theirs: bytes) -> Merged:
    """Return the more advanced of two approval files; a granted and a refused one are a conflict."""
    matches = [_ANSWERED.search(side) for side in (ours, theirs)]
    words = [match[1] if match else b"" for match in matches]
    if any(word in _GRANTED and other in _REFUSED for word, other in (words, words[::-1])):
        return whole(path, base, ours, theirs)
    sides = zip(words, (ours, theirs), strict=True)
    return Merged(max(sides, key=lambda side: (_FURTHEST.index(side[0]), weight(side[1])))[1])


def whole(path: str, base: Content, ours: Content, theirs: Content) -> Merged:
    """Return one side unchanged and a conflict with the other; an edited file stays if the other side removed it."""
    stays = max(ours, theirs, key=weight)
    what = REMOVAL if ours is None or theirs is None else FILE
    return Merged(stays, (Conflict(path, what, "", base, ours, theirs),))


def _of(path: str, kind: Merge | None) -> Callable[[str | None, str, str, Rules], str | None]:
    """Return the function that merges files with this name."""
    if path.endswith(_SETTINGS):
        return merge_settings
    if path.endswith(_PROSE):
        return merge_log if kind == Merge.LOG else header.merge
    return merge_text


def _texts(base: Content, ours: bytes, theirs: bytes, *, is_lenient: bool) -> tuple[str | None, str, str] | None:
    """Return base, ours and theirs as texts, None if the file cannot be merged by content."""
    sides = [side for side in (base, ours, theirs) if side is not None]
    if any(len(side) > MOST_BYTES or b"\0" in side for side in sides):
        return None
    # A torn byte in a log is not a reason to leave out the other entries.
    errors = "surrogateescape" if is_lenient else "strict"
    try:
        texts = [side.decode("utf-8", errors) for side in sides]
    except UnicodeDecodeError:
        return None
    return (texts[0] if base is not None else None, texts[-2], texts[-1])


_TIMES = ("run", "at", "until", "day")
"""The keys of a row that may hold when it was written; the first one present counts."""
_MARKS = " \t-*+_[]xX~`#>"
"""Characters that may precede the time of an entry."""
_TIME_CHARS = len("00:00")
_SHORT_CHARS = 200


def merge_lines(base: str | None, ours: str, theirs: str, rules: Rules) -> str:
    """Return the merged lines of a file whose lines are independent: JSON lines beside documents, names, patterns.

    A line of both sides is kept once, a line that a side removed goes, and new JSON lines are in order of their time.
    See docs/format/sources.md.
    """
    rules.has_edits = False
    if rules.path.endswith(".jsonl"):
        rules.moment = _row_moment
    return header.merge_text(base, ours, theirs, rules, _rows)


def _rows(content: str) -> Outline:
    """Return the lines of a file as units; empty lines are the lead of the next one."""
    nodes: list[Node] = []
    lead = ""
    for line in markdown.lines_of(content):
        if not line.strip():
            lead += line
            continue
        raw, eol = outline.ended(line)
        nodes.append(Node(COMMENT if raw.startswith("#") else LINE, raw, eol=eol, lead=lead))
        lead = ""
    return Outline("", nodes, outline.closed(nodes, lead, content))


def _row_moment(node: Node) -> str:
    """Return the time at which a row of JSON lines was written; empty if it has none."""
    try:
        row = plainjson.loads(node.raw)
    except ValueError:
        return ""
    if not isinstance(row, dict):
        return ""
    return next((time for name in _TIMES if isinstance(time := row.get(name), str) and time), "")


def merge_log(base: str | None, ours: str, theirs: str, rules: Rules) -> str:
    """Return the merged daily log: the entries of both sides, ordered by time under their headings.

    Entries that both sides wrote stay two, even with the same words: the merged log has a line as often as the base,
    and as often again as each side added it. See docs/format/daily.md.
    """
    rules.is_additive = True
    rules.moment = _log_moment
    rules.is_sure = everywhere
    return header.merge_text(base, ours, theirs, rules)


def _log_moment(node: Node) -> str:
    """Return the time of day at the beginning of a log entry, or in a heading; empty without one."""
    if node.kind == markdown.HEADING:
        return notes.time_in(node.title[:_SHORT_CHARS]) or ""
    if node.kind not in (markdown.ITEM, markdown.PARAGRAPH):
        return ""
    return notes.time_in(node.raw[:_SHORT_CHARS].lstrip(_MARKS)[:_TIME_CHARS]) or ""


def merge_text(base: str | None, ours: str, theirs: str, _: Rules) -> str | None:
    """Return merged text that is not prose; None without a base, or if both sides changed the same place."""
    if base is None:
        return None
    before, row, other = (markdown.lines_of(side) for side in (base, ours, theirs))
    made: list[str] = []
    for places in pairwise(_stable(before, row, other)):
        known, mine, others = (
            side[first + 1 : last] for side, first, last in zip((before, row, other), *places, strict=True)
        )
        if known not in (mine, others) and mine != others:
            return None
        made += others if mine == known else mine
        made += before[places[1][0] : places[1][0] + 1]
    return "".join(made)


def _stable(base: Sequence[str], ours: Sequence[str], theirs: Sequence[str]) -> list[tuple[int, int, int]]:
    """Return the places of the lines that neither side changed, between one before all lines and one behind them."""
    own, other = _in_order(base, ours), _in_order(base, theirs)
    both = [(at, own[at], other[at]) for at in range(len(base)) if at in own and at in other]
    return [(-1, -1, -1), *both, (len(base), len(ours), len(theirs))]


def _in_order(base: Sequence[str], side: Sequence[str]) -> alignment.Pairs:
    pairs = sorted(alignment.align(base, side).items())
    return dict(alignment.longest([place for _, place in pairs], [at for at, _ in pairs]))


_BOM = "\ufeff"
_NOTHING = object()
_MOST_LINES = 1000
"""A value with more lines is not parsed, and the file is taken whole."""


def merge_settings(base: str | None, ours: str, theirs: str, rules: Rules) -> str | None:
    """Return the merged settings; None if the TOML cannot be read, or the result lacks what both sides agree on."""
    rules.value = value
    try:
        record, other = toml_edit.table(ours), toml_edit.table(theirs)
        made = header.merge_text(base, ours, theirs, rules, read)
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
    if taken := unit.taken(base, ours, theirs, (old, own, other)):
        return taken
    if (made := _listed(old, own, other, ours)) is not None:
        return made
    name = ".".join((*where, ours.title))
    rules.flag(FIELD_CONFLICT, (name,), base.raw if base else None, ours.raw, theirs.raw)
    return max(ours, theirs, key=lambda node: unit.length(node.raw))


def _value(node: Node) -> Any:
    table = toml_edit.table(outline.plain(node.raw))
    return next(iter(table.values()), _NOTHING)


def _listed(old: Any, own: Any, other: Any, ours: Node) -> Node | None:
    """Return the setting as the merged list of both sides, None unless it is a list of texts."""
    before = [] if old is _NOTHING else old
    if not all(isinstance(some, list) and all(isinstance(item, str) for item in some) for some in (before, own, other)):
        return None
    name, _, message = ours.raw.partition("=")
    comment = toml_edit.extent(markdown.lines_of(message))[1]  # with the space before it
    raw = f"{name}= {toml_edit.literal(fields.items(before, own, other))}{comment}"
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
