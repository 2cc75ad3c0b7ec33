"""Merge the values of front matter fields: which of two values stays, and lists of both. See docs/format/task.md."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from agentws.core.formats import audience
from agentws.core.text import origin

_STATES = (
    *("open", "paused", "waiting", "active", "cancelled", "canceled", "dropped"),
    *("archived", "closed", "complete", "completed", "done"),
)
"""The states of a task; of two states the later one in this list stays, and any other word loses to all of them."""
_STATE, _SOURCE, _AUDIENCE, _PRIVATE, _TAGS = "status", "src", "audience", "private", "tags"
QUIET = frozenset(("updated", "created", "at", "session", _SOURCE, _AUDIENCE, _PRIVATE))
"""Fields that verbs maintain, or that only get narrower: they never make a conflict."""


def weight(name: str, value: object) -> tuple[int, str]:
    """Return the weight of a value for the named field: of two values the heavier one stays."""
    return int(_RANKS[name](str(value).strip().lower()) if name in _RANKS else 0), str(value)


def items(base: Sequence[str], ours: Sequence[str], theirs: Sequence[str]) -> list[str]:
    """Return the merged list of a field: items that neither side removed, then those that either added, sorted."""
    own, other, known = set(ours), set(theirs), set(base)
    kept = [item for item in dict.fromkeys(base) if item in own and item in other]
    return kept + sorted((own | other) - known)


_RANKS: dict[str, Callable[[str], int]] = {
    _STATE: lambda value: _STATES.index(value) if value in _STATES else -1,
    _SOURCE: lambda value: -origin.trust(value),  # the least trusted source is the heaviest
    _AUDIENCE: lambda value: value != audience.SHARED,
    _PRIVATE: lambda value: value not in ("no", "false", "off", "0"),
    _TAGS: lambda value: _PRIVATE in value,
}
