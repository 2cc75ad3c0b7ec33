"""What a note weighs for what follows from it: losses, money, deadlines, warnings before lists and single numbers."""

from __future__ import annotations

import re
from functools import lru_cache

from agentws.planning.compaction.hinted import Hinted

_HIGH = Hinted(
    r"🔴|🚨|⚠|❗|‼|\b(?:TOP PRIORITY|READ THIS FIRST|CRITICAL|URGENT|IMPORTANT|HARD RULE|BREAKING)\b"
    r"|\b(?:[Ww]iped|[Dd]ata loss|[Ll]ost (?:all|the|our|every|data|money)|[Bb]reach(?:ed)?|[Cc]ompromised|[Ll]eaked|"
    r"[Oo]verdue|[Dd]eadline|[Dd]ue (?:by|on|date)|[Pp]enalt(?:y|ies)|[Ss]upply[- ]chain|[Bb]anned|[Oo]utage|"
    r"[Ii]rreversible|[Uu]nrecoverable|[Ff]orce[- ]?(?:push|reset)(?:ed)?)\b"
    r"|[$€£]\s?(?:\d{1,3}(?:[,.]\d{3})+|\d+(?:\.\d+)?[kKM])\b"
    r"|\b(?:complain(?:s|ed|t)|recurring (?:violation|problem|mistake|issue)|(?:again and|yet) again|"
    r"keeps? (?:happening|failing|breaking)|(?:second|third|fourth) time|repeatedly|frustrated|annoyed|angry|upset)\b",
    "🔴|🚨|⚠|❗|‼|top priority|read this|critical|urgent|important|hard rule|breaking|wiped|data loss|lost |breach|"
    "comprom|leaked|overdue|deadline|due |penalt|supply|banned|outage|irrevers|unrecov|force|$|€|£|complain|recurring|"
    "again|keep|time|repeatedly|frustr|annoyed|angry|upset",
)
_ID = Hinted(r"\b(?:cron|job|message|post|draft|order|commit|deployment)\s+(?:id|hash)s?\b", " id| hash", re.IGNORECASE)
_HASH = re.compile(r"\b(?=\w*[a-f])[0-9a-f]{7,40}\b")
_HIGHER, _LOWER = 1.3, 0.85
_NUMBERS_SHARE, _LISTED_SHARE = 0.3, 0.33
_LEAD = re.compile(r"^\d{4}-\d\d-\d\d ")


@lru_cache(maxsize=4096)
def _is_high(about: str) -> bool:
    return _HIGH.is_in(about)


def weight(text: str, about: str = "") -> float:
    """More than 1 for what has consequences, less for lists of names, ids and measurements."""
    text = _LEAD.sub("", text)
    if _HIGH.is_in(text) or (about and _is_high(about)):
        return _HIGHER
    words = text.split()
    numbers = sum(word.lstrip("(~$+-")[:1].isdigit() for word in words)
    listed = text.count(", ") + text.count(" · ") + text.count(" | ") + text.count(" / ")
    if numbers > _NUMBERS_SHARE * len(words) or listed > _LISTED_SHARE * len(words):
        return _LOWER
    return _LOWER if _ID.is_in(text) or (numbers and _HASH.search(text)) else 1.0
