"""A state without its secrets. Long texts that this process has looked through before are not looked through again."""

from __future__ import annotations

import os

from agentws.core.formats.secrets import redaction
from agentws.features.checkpoints.plan import difference

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_TAG_BYTES = 4
_MOST_NAMED = 5
_LONG_CHARS = 256
_MOST_KNOWN = 1 << 16
_known: set[int] = set()
"""The hashes of (name, text) of long texts that hold no secret: from one state to the next most stay as they are."""


def clean(state: Any, notices: list[str]) -> tuple[Any, int]:
    """Return the state without secrets, and how many were taken out; where they stood is a notice."""
    texts: set[int] = set()
    if redaction.is_clean([_unknown(state, "", texts)]):
        if len(_known) + len(texts) > _MOST_KNOWN:
            _known.clear()
        _known.update(texts)
        return state, 0
    found, kinds = redaction.redact(state, lambda: os.urandom(_TAG_BYTES).hex())
    if kinds:
        places = [one.place for one in difference.between(state, found)]
        more = f" and {len(places) - _MOST_NAMED} more" if len(places) > _MOST_NAMED else ""
        told = f"{', '.join(sorted(set(kinds)))} at {', '.join(places[:_MOST_NAMED])}{more}"
        notices.append(f"Possible secrets were removed before saving: {told}.")
    return found, len(kinds)


def _unknown(value: Any, name: str, texts: set[int]) -> Any:
    """The value with empty texts in place of those that are known; the hashes of the other long ones are put there."""
    if isinstance(value, str):
        # Of a pair (name, value) another text says what it is called.
        if len(value) < _LONG_CHARS or name in redaction.VALUE:
            return value
        one = hash((name, value))
        if one in _known:
            return ""
        texts.add(one)
        return value
    if isinstance(value, dict):
        return {key: _unknown(item, key, texts) for key, item in value.items()}
    if isinstance(value, list):
        return [_unknown(item, name, texts) for item in value]
    return value
