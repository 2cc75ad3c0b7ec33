"""The account of a section of boot's text. Pure."""

from __future__ import annotations

from agentws.core import Record, Result

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

WHOLE = "whole"


class Shown(Record, Result):
    """What the assembled text shows of a file: its cost in tokens, how many of its blocks; `reason` for people.

    `span` is where (start, end) in the text it is, with its heading.
    """

    source: str
    role: str
    span: Sequence[int]
    title: str
    tokens: int
    tokens_in: int
    shown: int
    of: int
    reason: str
