"""What earlier versions kept of voices from outside in MEMORY.md, with the mark of its origin. Pure."""

from __future__ import annotations

from agentws.formats import origin

_PIN = " !10"


def with_mark(text: str, src: str) -> str:
    """Return the text of an entry that ends in the mark of its origin."""
    return text.rstrip().removesuffix(_PIN).rstrip() + origin.ending(src)
