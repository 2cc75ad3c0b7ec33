"""Embedder that runs a command of the user: JSON texts in, one a line; JSON lists of numbers out, one a line.

It runs like a summarizer (core/disk/system/user_programs.py): without a shell, outside the workspace, with a timeout.
Specified in docs/format/config.md.
"""

from __future__ import annotations

from agentws.core.formats.json import plainjson
from agentws.errors import OutsideProgramError
from agentws.features.search.vectors import numbers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from agentws.core.ports import Answer

_HINT = "Check the command: agentws config --user vectors.embedder"


class Command:
    """An embedder: the user's command, which `ask` runs and which answers each line with a line."""

    def __init__(self, name: str, ask: Callable[[str], Answer]) -> None:
        self.name = name
        self._ask = ask

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Return a vector for each text. OutsideProgramError if the command fails or prints something else."""
        answer = self._ask("".join(f"{plainjson.dumps(text)}\n" for text in texts))
        if answer.failure:
            raise OutsideProgramError(f"The embedder failed: {answer.failure}.", hint=_HINT)
        try:
            rows = [plainjson.loads(line) for line in answer.text.splitlines() if line.strip()]
        except (ValueError, RecursionError):
            rows = []
        return numbers.checked(rows, len(texts), hint=_HINT)
