"""Standing rules that were said in the logs: never, always, only. Each in its newest wording, and how often it came."""

from __future__ import annotations

from agentws.formats import markdown
from agentws.formats.lazy import Pattern
from agentws.planning.alike import Alike
from agentws.planning.lines import bare

HINTS = (
    *("never", "always", "not", "don", "non-negotiable", "from now on", "rule", "directive", "polic", "only", "prefer"),
    "boundar",
)
"""Where none of these stands in a text (in lower case), there is no rule in it."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from agentws.planning.lines import Line

_CALLED = Pattern(r"^(?:hard |new |critical |standing )*(?:rule|directive)s?\s*:", "IGNORECASE")
_BEGINS = Pattern(
    r"^(?:(?:never|always|do not|don['’]t|from now on)\b|only (?:use|ever|spawn|post|send|write|run|push|commit)\b)",
    "IGNORECASE",
)
_SAYS = Pattern(
    r"\b(?:NEVER|ALWAYS|DO NOT|DON['’]T|MUST NOT|NON-NEGOTIABLE|FROM NOW ON)\b|\bnon-negotiable\W*$|^non-negotiable:"
)
_HEADING = Pattern(r"\b(?:rules?|directives?|non-negotiables?|polic(?:y|ies)|preferences?|boundaries)\b", "IGNORECASE")
_NO_RULE = Pattern(
    r"✅|~~|\?|\b(?:has|have|had|was|were|did|does|is|are) (?:never|always)\b|don['’]t (?:know|have|see|think)"
    r"|^(?:always (?:shows?|has|had|returns?|was|is|fails?|works?|gets?)\b"
    r"|never (?:needs?|needed|had|got|saw|came|worked|ran|did|was|been|"
    r"mind|happened|heard|replied|answered|finished|marked)\b)|\bdo(?:es)? not (?:miss|forget) (?:this|it)\b",
    "IGNORECASE",
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
    if line.is_foreign or line.form in (markdown.ROW, markdown.FENCE) or line.done or len(line.words) < 3:
        return False
    if _CALLED.match(text):
        return True
    begins = _BEGINS.match(text) is not None
    if _NO_RULE.search(text) or (line.is_label and not begins):
        return False
    if begins or _SAYS.search(text):
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
