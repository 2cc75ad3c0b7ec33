"""The sub-headings of the managed section, and which of them an entry stands under."""

from __future__ import annotations

import re
from functools import lru_cache

DECISIONS, PREFERENCES, LESSONS, PLANS = "Decisions", "Preferences", "Lessons", "Plans"
OPEN, PROBLEMS, FACTS, EVENTS = "Open", "Problems", "Facts", "What happened"
HEARD = "Heard, not verified"
"""What comes from outside, whatever it says: each entry ends in its origin."""
ORDER = (DECISIONS, PREFERENCES, LESSONS, PLANS, OPEN, PROBLEMS, FACTS, EVENTS, HEARD)
"""All sub-headings, in the order in which they are shown."""
WEIGHTY = (DECISIONS, PREFERENCES, LESSONS)
"""Those that are kept before others."""

TODO, DONE = "todo", "done"
"""The kinds of what is still to be done, and of what is done or dropped."""
FROM_OUTSIDE = "(heard)"
"""The kind of what comes from outside: no line of a log can give it to itself."""

_OF_KIND = {
    "decision": DECISIONS,
    "preference": PREFERENCES,
    "lesson": LESSONS,
    "plan": PLANS,
    TODO: OPEN,
    "question": OPEN,
    "error": PROBLEMS,
    "incident": PROBLEMS,
    "fact": FACTS,
    DONE: EVENTS,
    FROM_OUTSIDE: HEARD,
}
_SAYS = (
    (
        DECISIONS,
        re.compile(
            r"\b(?:[Dd]ecided|[Dd]ecisions?|agreed (?:to|on|that)|[Cc]hose|settled on|"
            r"(?:[A-Z][a-z]+|I|[Ww]e) (?:has |have )?approved|[Ss]witched to|[Gg]oing with|entschieden|beschlossen)\b"
        ),
    ),
    (
        PREFERENCES,
        re.compile(
            r"\b(?:prefers?|preferred|favou?rites?|(?:[Ii]|[Ww]e) (?:\w+ )?(?:love|like|enjoy|hate|dislike)|allergic|"
            r"can't stand|NEVER|ALWAYS|DO NOT)\b|^(?:Never|Always|Do not|Don't) [a-z]"
        ),
    ),
    (
        LESSONS,
        re.compile(r"\b(?:lessons?|learn(?:ed|t) that|turns? out|root cause|never again|gotcha)\b", re.IGNORECASE),
    ),
    (
        PLANS,
        re.compile(
            r"\b(?:plan(?:s|ning|ned)? (?:to|on|for)|(?:I'm|[Ww]e're|am|are) going to|I'll|[Ww]e'll|"
            r"[Dd]eadline(?: is|:| for)|scheduled (?:for|to)|"
            r"looking forward|next (?:week|month|year) (?:we|I|to)|tomorrow (?:we|I|to))\b"
        ),
    ),
)
_FIRST = re.compile(r"(?<![-/.\w])(?:I|I'm|I've|[Mm]y|[Ww]e|[Oo]ur)\b(?![-/.])")
_STANDS = re.compile(
    r"\b(?:is|are|uses?|needs?|requires?|supports?|costs?|contains?|means|has|have|lives? (?:at|in)|"
    r"runs? (?:on|at|every)|works? (?:with|on|for)|ist|sind|hat)\b"
)
_HAPPENED = re.compile(
    r"✅|\b(?:was|were|sent|wrote|ran|made|got|went|found|built|did|had|said|came|gave|took|set up|now|\w{2,}ed|"
    r"written|complete)\b",
    re.IGNORECASE,
)
_NO_SENTENCE = re.compile(r"`[^`]*`|https?://\S+|(?:(?<!\S)|(?<=`))[^\s/\\`]*+[/\\]\S+")


def title(kind: str | None) -> str:
    """The sub-heading of what its log gives a kind; empty where that says nothing."""
    return _OF_KIND.get(kind or "", "")


@lru_cache(maxsize=65536)
def of(text: str, kind: str | None, *, is_spoken: bool = True) -> str:
    """The sub-heading of an entry: by the kind that its log gives it, else by what its words say.

    What somebody says of themselves is a fact; in notes, what stands and did not happen. The words of paths, addresses
    and commands say nothing.
    """
    if found := title(kind):
        return found
    plain = _NO_SENTENCE.sub(" ", text)
    said = next((title for title, pattern in _SAYS if pattern.search(plain)), "")
    if is_spoken:
        return said or (FACTS if _FIRST.search(plain) else EVENTS)
    return said or (FACTS if _STANDS.search(plain) and not _HAPPENED.search(plain) else EVENTS)
