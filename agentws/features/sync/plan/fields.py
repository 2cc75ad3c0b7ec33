"""Merge the value of one front matter field. See docs/format/task.md."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentws.core.formats import audience
from agentws.core.text import origin

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_STATES = (
    *("open", "paused", "waiting", "active", "cancelled", "canceled", "dropped"),
    *("archived", "closed", "complete", "completed", "done"),
)
"""Of two states the later one here stays; a word of somebody's own comes before all of them."""
_STATE, _SOURCE, _AUDIENCE, _PRIVATE, _TAGS = "status", "src", "audience", "private", "tags"
QUIET = frozenset(("updated", "created", "at", "session", _SOURCE, _AUDIENCE, _PRIVATE))
"""Fields that verbs keep, or that only grow narrower: nobody is asked about them."""


def weight(name: str, value: object) -> tuple[int, str]:
    """Return what decides between two values of a field: the greater one stays."""
    return _RANKS.get(name, _none)(str(value).strip().lower()), str(value)


def items(base: Sequence[str], ours: Sequence[str], theirs: Sequence[str]) -> list[str]:
    """Return a list of both sides: what neither removed, then what either added, sorted."""
    one, other, known = set(ours), set(theirs), set(base)
    kept = [item for item in dict.fromkeys(base) if item in one and item in other]
    return kept + sorted((one | other) - known)


def _none(_: str) -> int:
    return 0


def _state(value: str) -> int:
    return _STATES.index(value) if value in _STATES else -1


def _source(value: str) -> int:
    return -origin.trust(value)  # what is trusted least


def _audience(value: str) -> int:
    return 0 if value == audience.SHARED else 1


def _private(value: str) -> int:
    return 0 if value in ("no", "false", "off", "0") else 1


def _tags(value: str) -> int:
    return 1 if _PRIVATE in value else 0


_RANKS: dict[str, Callable[[str], int]] = {
    _STATE: _state,
    _SOURCE: _source,
    _AUDIENCE: _audience,
    _PRIVATE: _private,
    _TAGS: _tags,
}
