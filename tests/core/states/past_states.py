"""What the states of a history hold, read as every verb reads them."""

from __future__ import annotations

from datetime import datetime

from agentws.core.states.git_history import GitHistory
from agentws.core.states.past import Past


def past(history: GitHistory) -> Past:
    return Past(history._git_dir, history._scratch, history)


def content(history: GitHistory, path: str, *, at: str) -> bytes | None:
    states = past(history)
    oid = states.tree(at).get(path)
    return states.read([oid])[oid] if oid else None


def states(history: GitHistory, most: int | None = None) -> list[tuple[str, datetime, str]]:
    return past(history).states(most)
