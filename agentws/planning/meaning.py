"""Under which heading of a handoff a line of a log belongs, by its heading and the way it begins. Pure.

Logs are written in whatever words; where it is not sure, a line is taken for none.
"""

from __future__ import annotations

from agentws.formats import handoff, markdown
from agentws.formats.lazy import Pattern
from agentws.planning.lines import bare
from agentws.planning.standing import unfinished

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.planning.lines import Line

_SHORT_HEADING = 3
_RISK = Pattern(
    r"\bnot (?:yet )?(?:been )?(?:pushed|committed|merged to|saved|backed up)\b"
    r"|\bun(?:pushed|committed|saved) (?:changes?|commits?|work|files?|edits?)\b"
    r"|\b(?:unpushed|uncommitted)\s*(?:[.,;:!)(–—-]|$)"
    r"|\bcommitted local(?:ly)?\b|\bwithout push(?:ing)?\b|\blocal(?:ly)? only\b|\bonly (?:on|in|inside) (?:this|the) "
    r"(?:machine|host|container|box|vm|laptop|sandbox)\b|\bstashed\b|\bgit stash\b",
    "IGNORECASE",
)
_NO_RISK = Pattern(
    r"\b(?:no|nothing|zero|0|any|none|detect|check(?: for)?|without) (?:\w+ )?(?:uncommitted|unpushed|unsaved)\b|\?\s*$"
    r"|^\W*(?:run|check|verify)\b",
    "IGNORECASE",
)
_WRONG = Pattern(
    r"\b(?:failed|fails|failing|broken|crashed|crashes with|timed out|refused|denied|rejected|still down)\b|❌|\berror:"
    r"|\b(?:does|did)(?:n['’]t| not) work\b",
    "IGNORECASE",
)
_NOT_WRONG = Pattern(r"\bnot (?:a )?(?:real )?errors?\b|\bnoise\b|\b(?:would|could|if|when|unless)\b", "IGNORECASE")
_OVER_HEADING = Pattern(
    r"^(?!.*\b(?:not|un\w+|to be|remaining|still|next|pending|open)\b)"
    r".*\b(?:solved|resolved|deployed|shipped|fixe[sd])\b",
    "IGNORECASE",
)
_UNDECIDED = Pattern(
    r"\bbefore deciding\b|\bawaiting\b|^\W*\**(?:status|context|recommendation|proposal|options?)\b", "IGNORECASE"
)
_WARNING = Pattern(r"^\W*⚠")
_FIX = Pattern(r"^\W*(?:fix|solution|workaround|resolution)\b", "IGNORECASE")
_STILL = Pattern(r"\bstill (?:down|broken|failing|missing|offline|stuck)\b", "IGNORECASE")
_PRIORITY = Pattern(r"P[0-3]\b\W*\S", "IGNORECASE")
_WAITS = Pattern(
    r"^\W*(?:still )?needs?\b|\bnot set yet\b"
    r"|\b[A-Z][a-z]+ to (?:provide|confirm|decide|send|review|approve|create|set)\b"
)
_NOTHING = Pattern(r"^\W*(?:none|nothing|n/a|no new)\b", "IGNORECASE")
_RIGHT = Pattern(
    r"✅|☑|✔|~~|\b(?:fixed|resolved|solved|recovered|works now|0 (?:errors|failed)|no errors)\b", "IGNORECASE"
)


def heading_of(line: Line, *, is_open: bool | None) -> str:
    """Under which heading of a handoff a line belongs, empty where nothing says so.

    `is_open`: it is an open item, or it is one that a later line closes or repeats; None where it is neither.
    """
    if line.is_label or line.form in (markdown.FENCE, markdown.ROW):
        return ""
    if line.parent is not None:  # told with the line that it stands under, but for what it warns of
        return handoff.PENDING if _WARNING.match(line.text) and not _is_over(line) else ""
    above = next((found for step in reversed(line.path[-2:]) if (found := _meant(step))), "")
    if _NOTHING.search(line.text):
        return ""
    if line.path and line.done is not False and _OVER_HEADING.search(line.path[-1]):
        return ""
    if (above == handoff.DECISIONS or line.kind == "decision") and not _UNDECIDED.search(line.text):
        return handoff.DECISIONS
    waits = above in (handoff.NEXT, handoff.PENDING) or _WAITS.search(bare(line.text)) is not None
    if is_open or (is_open is None and waits and not _is_over(line)):
        return above if above == handoff.NEXT else handoff.PENDING
    if _STILL.search(line.text) or _PRIORITY.match(bare(line.text)):
        return handoff.PENDING
    if line.done is not True and (above == handoff.FAILED or line.kind == "error" or _WRONG.search(line.text)):
        over = any(one.search(line.text) is not None for one in (_RIGHT, _NOT_WRONG, _FIX))
        return "" if over else handoff.FAILED
    return ""


def _meant(heading: str) -> str:
    """Which heading of a handoff one of a log means. A long one that speaks of what waits may be about anything."""
    found = handoff.heading_of(heading)
    if found != handoff.PENDING or len(heading.split()) <= _SHORT_HEADING or unfinished.is_open_heading(heading):
        return found
    return ""


def _is_over(line: Line) -> bool:
    return line.done is True or _RIGHT.search(line.text) is not None


def is_at_risk(text: str) -> bool:
    """True where the words say that something exists on one machine only."""
    return _RISK.search(text) is not None and _NO_RISK.search(text) is None
