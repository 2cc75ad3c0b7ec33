"""Checks a text that becomes a heading or a name: one line that reads back as it was given."""

from __future__ import annotations

from agentws.core.text.sanitize import inert
from agentws.errors import UsageError

LONGEST_CHARS = 200


def check(text: str, *, what: str) -> None:
    """Raise UsageError if `what` (as the caller calls it) is no heading: empty, of several lines, or too long."""
    title = text.strip()
    if not title.strip("# \t"):
        raise UsageError(f"{what} is empty.", hint="Write at least one word.")
    if "\n" in title or "\t" in title or inert(title) != title:
        raise UsageError(f"{what} contains a line break or a control character.", hint=f"Give {what} on one line.")
    if len(title) > LONGEST_CHARS:
        raise UsageError(f"{what} has {len(title):,} characters, {LONGEST_CHARS} at most.", hint="Shorten the text.")
