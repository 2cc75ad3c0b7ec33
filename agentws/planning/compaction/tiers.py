"""What the log itself sets above the rest, decisions and rules and lessons, and what it sets below: by heading, label
and first words.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from agentws.planning.compaction import wording
from agentws.planning.compaction.hinted import Hinted

if TYPE_CHECKING:
    from collections.abc import Sequence

WEIGHTY = ("decision", "lesson", "preference")
"""Kinds that are kept before others."""

_HEADINGS = (
    ("done", re.compile(r"\b(?:completed|solved|shipped|written|accomplished|done)\b", re.IGNORECASE)),
    ("todo", re.compile(r"\b(?:for|remember|to-?do) (?:tomorrow|next)\b", re.IGNORECASE)),
    ("preference", re.compile(r"^\W*(?:things to )?remember\b", re.IGNORECASE)),
    ("todo", re.compile(
        r"\b(?:remaining|pending|blocked|blockers?|action required|commitments?|to-?dos?|next steps?|what's next|"
        r"needs approval|carried (?:over|forward)|open (?:items?|questions?)|follow[- ]?ups?|offen)\b|^next\b",
        re.IGNORECASE)),
    ("lesson", re.compile(
        r"\b(?:root cause|lessons?|gotchas?|learned|learnings|learning$|pitfalls?|durable|never again|erkenntnis\w*)\b",
        re.IGNORECASE)),
    ("preference", re.compile(
        r"\b(?:rules?|regeln?|boundar(?:y|ies)|operating instructions?|preferences?|mandat\w*|standing (?:orders?|"
        r"instructions?)|directives?|critical (?:rule|note|reminder)\w*)\b", re.IGNORECASE)),
    ("decision", re.compile(r"\b(?:decisions?|decided|entscheidung\w*|beschlossen)\b", re.IGNORECASE)),
)  # fmt: skip
_LABELS = (
    ("decision", Hinted(
        r"^[^:]{0,30}\b(?:decisions?|decided|approved|directive)\b[^:]{0,25}:",
        "decision|decided|approved|directive", re.IGNORECASE)),
    ("lesson", Hinted(
        r"^(?:[^:]{0,25}\b)?(?:lessons?(?: learned)?|root cause|key (?:finding|lesson)|gotcha)\b[^:]{0,20}:",
        "lesson|root cause|key finding|gotcha", re.IGNORECASE)),
    ("preference", Hinted(
        r"^[^:]{0,25}\b(?:rules?(?: added)?|preference|remember|regel)\b[^:]{0,12}:",
        "rule|preference|remember|regel", re.IGNORECASE)),
)  # fmt: skip
_SAYS = (
    ("preference", Hinted(
        r"\b(?:NEVER|ALWAYS|DO NOT|DON'T|MUST NOT|MUST)\b|^(?:[Nn]ever|[Aa]lways|[Dd]o not|[Dd]on['’]t) [a-z]"
        r"|\b(?:top priority|TOP PRIORITY|standing instruction)\b",
        "never|always|do not|don't|don’t|must|top priority|standing instruction")),
    ("preference", Hinted(
        r"(?:^|[.;:—-] )[A-Z][a-z]+(?:'s|’s)? "
        r"(?:wants(?! to (?!be|have|see|keep|know|get)\w)|prefers|insists|directive|preference)\b",
        "wants|prefers|insists|directive|preference")),
    ("decision", Hinted(
        r"(?:^|[.;:—-] )(?:[A-Z][a-z]+|[Ww]e|I)(?:'s|’s)? (?:decided|chose|approved|agreed (?:to|on)|decision)\b"
        r"|\b[Dd]ecided (?:to|on|against|that)\b|^REVERT\b",
        "decided|chose|approved|agreed|decision|revert")),
    ("lesson", Hinted(
        r"\b(?:[Rr]oot cause (?:was|is)|[Ll]esson(?: learned)?\b|[Ll]earned that)", "root cause|lesson|learned that")),
)  # fmt: skip
_VAGUE = re.compile(r"\binsights?\b|\blearning (?=\w)", re.IGNORECASE)
_LOW = re.compile(
    r"\b(?:files? (?:created|changed|modified|updated)|audit log|bootstrap|session (?:start|stats)|external actions?|"
    r"screenshots?|test(?:ing|s)? results?|health (?:check|watchdog)|heartbeat|git (?:state|push|status)|milestones?|"
    r"sub-?agent activity|domain coverage|commits?|stats|metrics)\b",
    re.IGNORECASE,
)
_ENUMERATES = re.compile(r"[,/·|]\s?")
_WORDS = re.compile(r"[^\W\d_]+")
_THREE_WORDS = re.compile(r"(?<![^\W\d_])(?:[^\W\d_]++[\W\d_]++){2}[^\W\d_]")
_SPAN = re.compile(r"`[^`]*`|https?://\S+|(?:(?<!\S)|(?<=`))[^\s/\\`]*+[/\\]\S+")
_LISTED_SHARE = 0.45
_LONGEST_LABEL_CHARS = 80


def kind(said: str | None, path: Sequence[str], label: str, text: str) -> str | None:
    """The kind of a sentence: what its line says (`said`), else its label, its headings, its own first words."""
    if said is not None and said not in ("done", "error"):
        return said
    if label and (found := of_heading(label)):
        return found
    if said is None:
        # The first heading is the title of the log, which says nothing of a sentence far below.
        found = next((one for one in map(of_heading, (*path[-1:], *path[1:-1][-1:])) if one), None)
        if found:
            return found
    return _own(text) or said


def _own(text: str) -> str | None:
    """What a sentence says of itself."""
    plain = _without_spans(text)
    lowered = plain.lower()
    patterns = (*_LABELS, *_SAYS) if ":" in plain[:_LONGEST_LABEL_CHARS] else _SAYS
    return next((one for one, pattern in patterns if pattern.is_in(plain, lowered)), None)


def _without_spans(text: str) -> str:
    """`text` without code, addresses and paths: what stands there says nothing of the sentence."""
    return _SPAN.sub(" ", text) if "`" in text or "/" in text or "\\" in text else text


@lru_cache(maxsize=4096)
def of_heading(heading: str) -> str | None:
    """The kind that a heading gives to what stands right below it."""
    found = next((one for one, pattern in _HEADINGS if pattern.search(heading)), None)
    return found or (None if _VAGUE.search(heading) else wording.kind_of_heading(heading))


def is_vague(path: Sequence[str]) -> bool:
    """True under a heading that speaks of insights or of learning something: lessons are called so."""
    return bool(path) and _VAGUE.search(path[-1]) is not None and of_heading(path[-1]) is None


def says(text: str) -> bool:
    """True where a sentence says of itself that it is a decision, a lesson, a rule: not its heading alone."""
    return _own(text) is not None


@lru_cache(maxsize=4096)
def _is_low_heading(heading: str) -> bool:
    return _LOW.search(heading) is not None


def is_low(path: Sequence[str], text: str) -> bool:
    """True under a heading of mere records, and for what is a list of names more than a sentence."""
    if path and _is_low_heading(path[-1]):
        return True
    plain = _without_spans(text)
    if _ENUMERATES.search(text) is None:
        return _THREE_WORDS.search(plain) is None
    words = len(_WORDS.findall(plain))
    return words < 3 or len(_ENUMERATES.findall(text)) > _LISTED_SHARE * words
