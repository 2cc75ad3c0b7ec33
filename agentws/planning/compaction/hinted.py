"""Regular expressions that are tried only where a word stands that every match of theirs has: most texts have none."""

from __future__ import annotations

import re


class Hinted:
    """The pattern `source`, whose every match contains one of `hints` when it is written in lower case."""

    __slots__ = ("compiled", "hints")

    def __init__(self, source: str, hints: str, flags: int = 0) -> None:
        self.compiled = re.compile(source, flags)
        self.hints = tuple(hints.split("|"))

    def may_be_in(self, lowered: str) -> bool:
        """False where a text in lower case has none of the hints: then none of its parts matches either."""
        return any(map(lowered.__contains__, self.hints))

    def is_in(self, text: str, lowered: str = "") -> bool:
        """True where the pattern matches in `text`; `lowered` is that in lower case, for whoever has it already."""
        lowered = lowered or text.lower()
        return self.may_be_in(lowered) and self.compiled.search(text) is not None
