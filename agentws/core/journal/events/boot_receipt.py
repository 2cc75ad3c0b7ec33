"""The receipt of the boot that a session was given: its tokens by section, kept with the recall marks."""

from __future__ import annotations

from agentws.core import Result
from agentws.core.journal import recall_marks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from agentws.core.disk.files import Files

PART = "boot-{}"


class BootReceipt(Result):
    """What a session's last boot contained: `at` (local day and minute), tokens, and (source, tokens) by section."""

    __slots__ = ("at", "budget", "sections", "tokens")

    def __init__(self, at: str, tokens: int, budget: int, sections: Sequence[tuple[str, int]]) -> None:
        self.at = at
        self.tokens = tokens
        self.budget = budget
        self.sections = sections


def name(session: str) -> str:
    """Return the name of a session's boot marks, which the end of the session leaves: a resume comes later."""
    return f"boot {session}"


def read(files: Files, session: str) -> BootReceipt | None:
    """Return the receipt of the boot that hooks gave to a session; None if it is unknown."""
    marks = recall_marks.read(files, name(session), PART.format(1))
    sections = marks.get("sections")
    try:
        pairs = [(str(source), int(tokens)) for source, tokens in sections or ()]
        return BootReceipt(str(marks["at"]), int(marks["tokens"]), int(marks["budget"]), pairs)
    except (KeyError, TypeError, ValueError):
        return None
