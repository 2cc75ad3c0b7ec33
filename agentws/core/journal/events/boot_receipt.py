"""The receipt of the boot that a session was given: its tokens by section, kept with the recall marks."""

from __future__ import annotations

from agentws.core import Result
from agentws.core.journal import recall_marks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from agentws.core.disk.files import Files

PART = "boot-{}"
_MOST_PARTS = 100


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
    """Return the receipt of the boot that hooks gave to a session, without parts that were not given; None if unknown.

    Each of its parts has marks of its own.
    """
    first = recall_marks.read(files, name(session), PART.format(1))
    rows = [first]
    try:
        for part in range(2, min(int(first.get("parts", 1)), _MOST_PARTS) + 1):
            marks = recall_marks.read(files, name(session), PART.format(part))
            rows += [marks] if marks.get("boot") == first["boot"] else []
        sections: dict[int, tuple[str, int]] = {}
        for row in rows:
            for number, (source, tokens) in enumerate(row["sections"]):
                sections[number] = str(source), int(tokens) + sections.get(number, ("", 0))[1]
        tokens = sum(int(row["tokens"]) for row in rows)
        given = [section for section in sections.values() if section[1]]
        return BootReceipt(str(first["at"]), tokens, int(first["budget"]), given)
    except (KeyError, TypeError, ValueError):
        return None
