"""Merge files line by line: rows of JSON and names, daily logs, and text that is no prose."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from agentws.core.formats.json import plainjson
from agentws.core.markdown import markdown, notes
from agentws.features.sync.plan.units import alignment, outline, text
from agentws.features.sync.plan.units.outline import COMMENT, LINE, Node, Outline
from agentws.features.sync.plan.units.rules import everywhere

if TYPE_CHECKING:
    from collections.abc import Sequence

    from agentws.features.sync.plan.units.rules import Rules

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
    return text.merge(base, ours, theirs, rules, _rows)


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
    except (ValueError, RecursionError):
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
    return text.merge(base, ours, theirs, rules)


def _log_moment(node: Node) -> str:
    """Return the time of day at the beginning of a log entry, or in a heading; empty without one."""
    if node.kind == markdown.HEADING:
        return notes.time_in(node.title[:_SHORT_CHARS]) or ""
    if node.kind not in (markdown.ITEM, markdown.PARAGRAPH):
        return ""
    return notes.time_in(node.raw[:_SHORT_CHARS].lstrip(_MARKS)[:_TIME_CHARS]) or ""


def merge_text(base: str | None, ours: str, theirs: str, _: Rules) -> str | None:
    """Return merged text that is no prose; None if there is no base, or both sides changed the same place."""
    if base is None:
        return None
    before, row, other = (markdown.lines_of(side) for side in (base, ours, theirs))
    made: list[str] = []
    for places in pairwise(_stable(before, row, other)):
        part = _part(
            *([*side[first + 1 : last]] for side, first, last in zip((before, row, other), *places, strict=True))
        )
        if part is None:
            return None
        made += part
        made += before[places[1][0] : places[1][0] + 1]
    return "".join(made)


def _part(base: list[str], ours: list[str], theirs: list[str]) -> list[str] | None:
    if theirs in (ours, base):
        return ours
    return theirs if ours == base else None


def _stable(base: Sequence[str], ours: Sequence[str], theirs: Sequence[str]) -> list[tuple[int, int, int]]:
    """Return the places of the lines that neither side changed, between one before all lines and one behind them."""
    own, other = _in_order(base, ours), _in_order(base, theirs)
    both = [(at, own[at], other[at]) for at in range(len(base)) if at in own and at in other]
    return [(-1, -1, -1), *both, (len(base), len(ours), len(theirs))]


def _in_order(base: Sequence[str], side: Sequence[str]) -> alignment.Pairs:
    pairs = sorted(alignment.align(base, side).items())
    return dict(alignment.longest([place for _, place in pairs], [at for at, _ in pairs]))
