"""The sub-headings of the managed section, and which of them each kind stands under. Pure."""

from __future__ import annotations

from agentws.formats import managed

RULES, DECISIONS, PREFERENCES, LESSONS, FACTS = "Rules", "Decisions", "Preferences", "Lessons", "Facts"
HEARD = managed.HEARD
"""What comes from outside, as earlier versions kept it: each entry ends in its origin."""
ORDER = managed.ORDER
"""All sub-headings, in the order in which they are shown."""
OPEN = "Open"
MOVED = (OPEN, "Problems", "Plans", "What happened")
"""Sub-headings of earlier versions: their entries move to memory/digest.md."""
EVERY = (RULES, DECISIONS, PREFERENCES, LESSONS, "Plans", OPEN, "Problems", FACTS, "What happened", HEARD)
"""All that ever were, in the order in which they stood: for what comes back."""
TITLES = {"rule": RULES, "decision": DECISIONS, "preference": PREFERENCES, "lesson": LESSONS, "fact": FACTS}
"""The sub-heading of each kind that may stand in MEMORY.md."""


def of_title(title: str) -> str:
    """Return the kind of what stands under a sub-heading, `fact` for any other."""
    return next((kind for kind, its in TITLES.items() if its.casefold() == title.casefold()), "fact")
