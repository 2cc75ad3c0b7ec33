"""Takes secrets out of the body of an event, before it is hashed: `‹redacted:kind:tag›` stands in their place.

The tag is random, so that two secrets cannot be told to be the same, and a placeholder is never taken for content.
"""

from __future__ import annotations

from agentws.errors import UsageError
from agentws.formats import secrets

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any

MOST_DEPTH = 64
_APART = "\n" * 300
"""Between texts that are looked through together: further than any rule looks around."""


def is_clean(values: Iterable[object]) -> bool:
    """True where nothing in these bodies looks like a secret: one look at many of them together."""
    return not secrets.find(_APART.join(text for value in values for text in _texts(value, "", 0)))


def redact(value: Any, tag: Callable[[], str]) -> tuple[Any, list[str]]:
    """The value with a placeholder for each secret, and the kinds of what was taken out. UsageError: too deep."""
    kinds: list[str] = []
    return _redacted(value, "", tag, kinds), kinds


def _texts(value: Any, key: str, depth: int) -> Iterator[str]:
    _check(depth)
    if isinstance(value, str):
        yield _named(key) + value
    elif isinstance(value, dict):
        for name, item in value.items():
            yield str(name)
            yield from _texts(item, str(name), depth + 1)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _texts(item, key, depth + 1)


def _redacted(value: Any, key: str, tag: Callable[[], str], kinds: list[str], depth: int = 0) -> Any:
    _check(depth)
    if isinstance(value, str):
        return _hidden(value, key, tag, kinds)
    if isinstance(value, dict):
        return {
            _hidden(str(name), "", tag, kinds): _redacted(item, str(name), tag, kinds, depth + 1)
            for name, item in value.items()
        }
    if isinstance(value, list | tuple):
        return [_redacted(item, key, tag, kinds, depth + 1) for item in value]
    return value


def _hidden(text: str, key: str, tag: Callable[[], str], kinds: list[str]) -> str:
    before = _named(key)
    for found in reversed(secrets.find(before + text)):
        start, end = found.start - len(before), found.end - len(before)
        if end > 0:
            text = f"{text[: max(0, start)]}{secrets.PLACEHOLDER_OPEN}{found.kind}:{tag()}›{text[end:]}"
            kinds.append(found.kind)
    return text


def _named(key: str) -> str:
    """What a text is called goes before it: many a secret is one only by its name."""
    return f"{key}=" if key else ""


def _check(depth: int) -> None:
    if depth > MOST_DEPTH:
        raise UsageError(f"The body of the event is nested more than {MOST_DEPTH} deep.")
