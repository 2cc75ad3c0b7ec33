"""The account of a section of boot's text. Pure."""

from __future__ import annotations

from agentws.core import Result

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

WHOLE = "whole"


class Shown(Result):
    """What the assembled text shows of a file: its cost in tokens, how many of its blocks; `reason` for people.

    `span` is where (start, end) in the text it is, with its heading.
    """

    __slots__ = ("of", "reason", "role", "shown", "source", "span", "title", "tokens", "tokens_in")

    def __init__(
        self,
        *,
        source: str,
        role: str,
        span: Sequence[int],
        title: str,
        tokens: int,
        tokens_in: int,
        shown: int,
        of: int,
        reason: str,
    ) -> None:
        self.source = source
        self.role = role
        self.span = span
        self.title = title
        self.tokens = tokens
        self.tokens_in = tokens_in
        self.shown = shown
        self.of = of
        self.reason = reason
