"""Who wrote a daily log, where that was another agent: a log of Heron's must not read as if it were Robin's. Pure."""

from __future__ import annotations

from agentws.formats.lazy import Pattern

_BY = Pattern(r"\b(?:written|logged|kept) by (?:the )?([A-Z][\w-]{1,30})")
_OF = Pattern(r"\b([A-Z][\w-]{1,30})['’]s (?i:(?:daily |session )?(?:log|notes|memory|journal))\b")
_LOG = Pattern(
    r"^\W*+(?:20\d\d-\d\d-\d\d\W*+)?([A-Z][A-Za-z0-9-]{1,30}) (?i:daily (?:log|notes|memory|journal))\b"
    r"|\b(?i:daily (?:log|notes|memory|journal))\W+([A-Z][A-Za-z0-9-]{1,30})\W*+$",
)
_HINTS = (" by ", "log", "notes", "memory", "journal")
_NOBODY = Pattern(
    r"^(?:daily|memory|the|my|our|today|yesterday|tomorrow|session|work|team|project|day|week|month|sprint|a|an"
    r"|morning|afternoon|evening|night|summary|update|updated|continued|part|draft|final|overview|recap|notes|log"
    r"|mon|tue|wed|thu|fri|sat|sun|(?:mon|tues|wednes|thurs|fri|satur|sun)day"
    r"|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec"
    r"|january|february|march|april|may|june|july|august|september|october|november|december)$",
    "IGNORECASE",
)


def other(title: str, declared: str, *, own: str) -> str:
    """The name of the other agent that wrote a log with this `title`, empty where it was `own` or nothing says so.

    `declared` is what the log's front matter says.
    """
    name = declared or (_named(title) if _may_tell(title) else "")
    if not name or _NOBODY.match(name):
        return ""
    ours, theirs = own.casefold(), name.casefold()
    return "" if theirs in ours or ours in theirs else name


def _may_tell(title: str) -> bool:
    lowered = title.lower()
    return any(hint in lowered for hint in _HINTS)


def _named(title: str) -> str:
    for pattern in (_BY, _OF, _LOG):
        match = pattern.search(title)
        if match:
            return next(name for name in match.groups() if name)
    return ""
