"""Standing rules that were said in the logs: never, always, only. Each in its newest wording, and how often it came."""

from __future__ import annotations

import re

from agentws.formats import markdown
from agentws.planning.alike import Alike
from agentws.planning.lines import bare

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from agentws.planning.lines import Line

_BEGINS = re.compile(
    r"^(?:(?:hard |new |critical |standing )*(?:rule|directive)s?\s*:|(?:never|always|do not|don['’]t|from now on)\b"
    r"|only (?:use|ever|spawn|post|send|write|run|push|commit)\b)",
    re.IGNORECASE,
)
_SAYS = re.compile(
    r"\b(?:NEVER|ALWAYS|DO NOT|DON['’]T|MUST NOT|NON-NEGOTIABLE|FROM NOW ON)\b|\bnon-negotiable\W*$|^non-negotiable:"
)
_HEADING = re.compile(
    r"\b(?:rules?|directives?|non-negotiables?|polic(?:y|ies)|preferences?|boundaries)\b", re.IGNORECASE
)
_NO_RULE = re.compile(
    r"✅|~~|\?|\b(?:has|have|had|was|were|did|does|is|are) (?:never|always)\b|don['’]t (?:know|have|see|think)"
    r"|^(?:always (?:shows?|has|had|returns?|was|is|fails?|works?|gets?)\b"
    r"|never (?:needs?|needed|had|got|saw|came|worked|ran|did|was|been|"
    r"mind|happened|heard|replied|answered|finished|marked)\b)|\bdo(?:es)? not (?:miss|forget) (?:this|it)\b",
    re.IGNORECASE,
)


class Rule:
    """A rule: the `index` of its newest wording, on how many `days` it was said."""

    __slots__ = ("days", "index")

    def __init__(self, index: int, days: int) -> None:
        self.index = index
        self.days = days


def is_rule(line: Line) -> bool:
    """True where the line tells what is always, never or only to be done."""
    text = bare(line.text)
    if line.form in (markdown.ROW, markdown.FENCE) or line.done or len(line.words) < 3 or _NO_RULE.search(text):
        return False
    if line.is_label and not _BEGINS.match(text):
        return False
    if _BEGINS.match(text) or _SAYS.search(text):
        return True
    heading = line.path[-1] if line.path else ""
    return line.kind == "preference" and line.parent is None and bool(_HEADING.search(heading)) and len(text) <= 200


def find(lines: Sequence[Line]) -> list[Rule]:
    """The rules in the logs, those said on most days first, then the newest."""
    alike = Alike(lines, either=True)
    found: dict[int, set[str]] = {}
    for index, line in enumerate(lines):  # shelves stand newest first
        if line.age is None or not is_rule(line):
            continue
        same = alike.nearest(index)
        if same is None:
            alike.add(index)
            found[index] = {line.day}
        else:
            found[same].add(line.day)
    rules = [Rule(index, len(days)) for index, days in found.items()]
    return sorted(rules, key=lambda rule: (-rule.days, lines[rule.index].age or 0, rule.index))
