"""Any value as one that JSON knows: what an agent's tools take and give is recorded, whatever it is."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_MOST_DEPTH = 60
_MOST_BITS = 10_000
"""JSON knows longer numbers, and Python refuses to write them."""
_MOST_CHARS = 10_000
"""So much is kept of the words that stand for a value which JSON does not know."""


def plain(value: Any, depth: int = 0) -> Any:
    """The value itself where JSON knows it, else words for it: a recording never fails for what it is given."""
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, int):
        return int(value) if value.bit_length() < _MOST_BITS else f"a number of {value.bit_length():,} bits"
    if isinstance(value, float):
        return value if value - value == 0 else repr(value)  # JSON knows neither infinity nor NaN
    if depth >= _MOST_DEPTH:
        return _words(value)
    if isinstance(value, dict):
        return {key if isinstance(key, str) else _words(key): plain(item, depth + 1) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item, depth + 1) for item in value]
    return _words(value)


def _words(value: object) -> str:
    try:
        return repr(value)[:_MOST_CHARS]
    except Exception:
        return f"<{type(value).__name__}>"
