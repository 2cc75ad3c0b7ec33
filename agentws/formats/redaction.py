"""Takes secrets out of the body of an event, before it is hashed: `‹redacted:kind:tag›` stands in their place.

The tag is random, so that two secrets cannot be told to be the same, and a placeholder is never taken for content.
"""

from __future__ import annotations

from agentws.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

MOST_DEPTH = 64
SHORTEST = 16
"""No secret is shorter, and none holds white space: most events need no further look, nor the rules to be loaded.

But for what stands under a name that promises one.
"""
HINTS = ("pass", "pwd", "secret", "token", "key", "credential", "authoriz", "cookie")
"""A name that promises a secret has one of these in it."""
_BY_NAME = "secret-assignment"
_known: dict[str, bool] = {}
"""Whether a name promises a secret: the same few come again and again."""
_MOST_KNOWN = 4096
_VALUE, _NAMES = ("value", "Value"), ("name", "Name", "key", "Key", "variable")
"""How a pair is written as an object: `{"name": "DB_PASSWORD", "value": "…"}`."""
_ESCAPED = '\\"'
"""What JSON within a text has in place of its quotes: programs hand on the JSON that other programs have printed."""
_LEVELS = 2
"""So often JSON may stand in a text of JSON, and its secrets are still found."""


def is_clean(values: Iterable[object]) -> bool:
    """True where nothing in these bodies looks like a secret: one look at many of them together."""
    found: list[str] = []
    if any(_gather(value, "", 0, found) for value in values):
        return False
    if not found:
        return True
    from agentws.formats import secrets

    # No rule looks beyond the end of a line for what would excuse a finding, but for a placeholder.
    together = "\n".join(found)
    if secrets.has_placeholder(together):
        return not any(map(secrets.find, found))
    return not secrets.find(together)


def redact(value: Any, tag: Callable[[], str]) -> tuple[Any, list[str]]:
    """The value with a placeholder for each secret, and the kinds of what was taken out. UsageError: too deep."""
    kinds: list[str] = []
    return _redacted(value, "", tag, kinds), kinds


def _gather(value: Any, key: str, depth: int, into: list[str]) -> bool:
    """Add every text of a body that is long enough to hold a secret, under the name by which it may be one.

    True where there is one by its name alone: then there is no need to look further.
    """
    if _is_given_away(key, value):
        return True
    if isinstance(value, str):
        if len(value) >= SHORTEST and max(map(len, value.split()), default=0) >= SHORTEST:
            into.append(f"{key}={value}" if key else value)
            for _ in range(_LEVELS if _ESCAPED in value else 0):
                value = value.replace("\\\\", "\\").replace(_ESCAPED, '"')
                into.append(f"{key}={value}" if key else value)
    elif isinstance(value, dict):
        _check(depth)
        for name, item in value.items():
            if len(name) >= SHORTEST:
                into.append(name)
            called = _called(value, name) if name in _VALUE else name
            # Most are short texts, and most events are looked through many at a time.
            is_short = isinstance(item, str) and len(item) < SHORTEST and not _promises(called)
            if not is_short and _gather(item, called, depth + 1, into):
                return True
    elif isinstance(value, list | tuple):
        _check(depth)
        return any(_gather(item, key, depth + 1, into) for item in value)
    return False


def _is_given_away(key: str, value: object) -> bool:
    """True where the value is a secret by its name alone."""
    if not _promises(key):
        return False
    from agentws.formats import secret_names

    return secret_names.gives_away(key, value)


def _promises(name: str) -> bool:
    found = _known.get(name)
    if found is None:
        found = _looked_up(name)
        if len(_known) < _MOST_KNOWN:
            _known[name] = found
    return found


def _looked_up(name: str) -> bool:
    lowered = name.lower()
    if not any(hint in lowered for hint in HINTS):
        return False
    from agentws.formats import secret_names

    return secret_names.promises(name)


def _called(pair: dict[str, Any], name: str) -> str:
    """What the value of a pair is called: as the pair says, if it is one."""
    return next((pair[word] for word in _NAMES if isinstance(pair.get(word), str)), name)


def _redacted(value: Any, key: str, tag: Callable[[], str], kinds: list[str], depth: int = 0) -> Any:
    _check(depth)
    if _is_given_away(key, value):
        kinds.append(_BY_NAME)
        return _placeholder(_BY_NAME, tag)
    if isinstance(value, str):
        return _hidden(value, key, tag, kinds)
    if isinstance(value, dict):
        return {
            _hidden(str(name), "", tag, kinds): _redacted(
                item, _called(value, name) if name in _VALUE else str(name), tag, kinds, depth + 1
            )
            for name, item in value.items()
        }
    if isinstance(value, list | tuple):
        return [_redacted(item, key, tag, kinds, depth + 1) for item in value]
    return value


def _hidden(text: str, key: str, tag: Callable[[], str], kinds: list[str]) -> str:
    for start, end, kind in reversed(_spans(text, _named(key))):
        text = f"{text[:start]}{_placeholder(kind, tag)}{text[end:]}"
        kinds.append(kind)
    return text


def _placeholder(kind: str, tag: Callable[[], str]) -> str:
    from agentws.formats import secrets

    return f"{secrets.PLACEHOLDER_OPEN}{kind}:{tag()}›"


def _spans(text: str, before: str) -> list[tuple[int, int, str]]:
    """(start, end, kind) of the secrets in a text, as it is and as it reads without the escapes of JSON within it."""
    from agentws.formats import secrets

    plain, at = text, list(range(len(text) + 1)) if _ESCAPED in text else None
    spans: list[tuple[int, int, str]] = []
    for _ in range(1 + _LEVELS):
        for found in secrets.find(before + plain):
            start, end = max(0, found.start - len(before)), found.end - len(before)
            if end > 0:
                spans.append((start, end, found.kind) if at is None else (at[start], at[end - 1] + 1, found.kind))
        if at is None or _ESCAPED not in plain:
            break
        plain, at = _unescaped(plain, at)
    return _apart(spans)


def _unescaped(text: str, at: list[int]) -> tuple[str, list[int]]:
    """The text with its quotes and backslashes escaped once less, and where each character stood at first."""
    chars, places = [], []
    escaped = False
    for index, char in enumerate(text):
        escaped = not escaped and char == "\\" and text[index + 1 : index + 2] in ('"', "\\")
        if not escaped:
            chars.append(char)
            places.append(at[index])
    return "".join(chars), [*places, at[len(text)]]


def _apart(spans: list[tuple[int, int, str]]) -> list[tuple[int, int, str]]:
    """The spans in order; those that overlap are one."""
    found: list[tuple[int, int, str]] = []
    for start, end, kind in sorted(spans):
        if found and start < found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]), found[-1][2])
        else:
            found.append((start, end, kind))
    return found


def _named(key: str) -> str:
    """What a text is called goes before it: many a secret is one only by its name."""
    return f"{key}=" if key else ""


def _check(depth: int) -> None:
    if depth > MOST_DEPTH:
        raise UsageError(f"The body of the event is nested more than {MOST_DEPTH} deep.")
