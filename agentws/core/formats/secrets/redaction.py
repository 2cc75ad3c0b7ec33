"""Replaces secrets in an event's body, before it is hashed, by `‹redacted:kind:tag›`.

The tag is random: equal secrets get different tags, and no placeholder can be mistaken for content.
"""

from __future__ import annotations

from agentws.core.formats.secrets import password_words
from agentws.core.formats.secrets.password_words import MASKED, PLACEHOLDER_OPEN
from agentws.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any

MOST_DEPTH = 64
SHORTEST = 16
"""No secret is shorter, and none holds white space: most events need no further look, nor the rules to be loaded.

But for what stands under a name that promises one, and for a password behind a word for it.
"""
_SHORTEST_TOLD = 8
"""No word for a password and the password together are shorter: `pin:4821`."""
HINTS = ("secret", "token", "key", "credential", "authoriz", "cookie", *password_words.HINTS)
"""A name that promises a secret has one of these in it, or a word for a password in letters beyond ASCII."""
_SPLIT = 256
"""In a text that is shorter the words are sooner made than looked for."""
_BLANKS = bytes(32 if chr(code).isspace() else 120 for code in range(256))
_RUN = b"x" * SHORTEST
_BY_NAME = "secret-assignment"
_known: dict[str, bool] = {}
"""Whether a name promises a secret: the same few come again and again."""
_plain: set[str] = set()
"""Names that promise none, and can hold none themselves."""
_MOST_KNOWN = 4096
VALUE, _NAMES = ("value", "Value"), ("name", "Name", "key", "Key", "variable")
"""How a pair is written as an object: `{"name": "DB_PASSWORD", "value": "…"}`."""
_ESCAPED, _CODED = '\\"', "\\u"
"""What JSON within a text has in place of its quotes, and of what is not ASCII: programs hand on what others print."""
_HEX = "0123456789abcdefABCDEF"
_LEVELS = 2
"""So often JSON may stand in a text of JSON, and its secrets are still found."""


def lines_without(lines: Sequence[str], whole: str = "") -> list[str]:
    """Return lines with every part of a secret masked, of several lines too: one in the lines, or in a `whole` text."""
    from agentws.core.formats.secrets import secrets

    known: dict[str, str] = {}
    for text in ("\n".join(lines), whole):
        masked = text
        for secret in reversed(secrets.find(text)):
            marks = [f"{PLACEHOLDER_OPEN}{secret.kind}›"] * (text.count("\n", secret.start, secret.end) + 1)
            masked = masked[: secret.start] + "\n".join(marks) + masked[secret.end :]
        pairs = zip(text.split("\n"), masked.split("\n"), strict=True)
        known |= {line: hidden for line, hidden in pairs if line and line != hidden}
    return [known.get(line, line) for line in lines]


def is_clean(values: Iterable[object]) -> bool:
    """Return whether none of these bodies contains anything like a secret; checks them all at once."""
    parts: list[str] = []
    short: list[str] = []
    if any(_gather(value, "", 0, parts, short) for value in values):
        return False
    if short and password_words.kinds("\n".join(short).lower()):
        parts += short
    if not parts:
        return True
    from agentws.core.formats.secrets import secrets

    # No rule looks beyond the end of a line for what would excuse a finding, but for a placeholder.
    together = "\n".join(parts)
    if secrets.has_placeholder(together):
        return not any(map(secrets.find, parts))
    return not secrets.find(together)


def redact(value: Any, tag: Callable[[], str]) -> tuple[Any, list[str]]:
    """Return the value with a placeholder for each secret, and the kinds of the secrets. UsageError: too deep."""
    kinds: list[str] = []
    return _redacted(value, "", tag, kinds), kinds


def without_named(value: Any, key: str = "", depth: int = 0) -> Any:
    """Return the value with a placeholder for each secret that only its name reveals: a summary leaves names out.

    Other programs write such events. `secrets.hide` counts the placeholders.
    """
    if _is_given_away(key, value):
        return f"{PLACEHOLDER_OPEN}{_BY_NAME}{MASKED}"
    if depth < MOST_DEPTH and isinstance(value, dict):
        return {
            name: without_named(item, _called(value, name) if name in VALUE else str(name), depth + 1)
            for name, item in value.items()
        }
    if depth < MOST_DEPTH and isinstance(value, list | tuple):
        return [without_named(item, key, depth + 1) for item in value]
    return value


def _gather(value: Any, key: str, depth: int, into: list[str], short: list[str]) -> bool:
    """Collect all texts of a body that could hold a secret, each with its name; True if a name alone reveals one.

    Texts that can hold a password at most are added to `short`.
    """
    if _is_given_away(key, value):
        return True
    if isinstance(value, str):
        if len(value) >= _SHORTEST_TOLD:
            _gather_text(value, key, into, short)
    elif isinstance(value, dict):
        _check(depth)
        for name, item in value.items():
            # Most are texts under a plain name, and most events are looked through many at a time.
            if name in _plain and type(item) is str:
                if len(item) >= _SHORTEST_TOLD:
                    _gather_text(item, name, into, short)
                continue
            # With a colon, a blank or the like in it a name may itself tell a password.
            if len(name) >= SHORTEST or not name.isidentifier():
                (into if _is_long(name) else short).append(name)
            elif name not in VALUE and not _promises(name) and len(_plain) < _MOST_KNOWN:
                _plain.add(name)
            called = _called(value, name) if name in VALUE else name
            if _gather(item, called, depth + 1, into, short):
                return True
    elif isinstance(value, list | tuple):
        _check(depth)
        if _is_in_parts(value):
            _gather_text(" ".join(value), key, into, short)
        return any(_gather(item, key, depth + 1, into, short) for item in value)
    return False


def _is_in_parts(value: Sequence[Any]) -> bool:
    """Return whether a list may be a text in parts, such as a command: some secrets show only when these are joined."""
    return len(value) > 1 and all(type(item) is str for item in value)


def _gather_text(text: str, key: str, into: list[str], short: list[str]) -> None:
    (into if _is_long(text) else short).append(f"{key}={text}" if key else text)
    if "\\" in text and _is_escaped(text):
        for plain in _unfolded(text):
            (into if _is_long(plain) else short).append(_named(key) + plain)


def _unfolded(text: str) -> list[str]:
    """The text with the JSON in it read once, and once more."""
    result = []
    for _ in range(_LEVELS):
        first, *rest = text.replace("\\\\", "\\").replace(_ESCAPED, '"').split(_CODED)
        text = first + "".join(_decoded(part[:4]) + part[4:] for part in rest)
        result.append(text)
    return result


def _decoded(code: str) -> str:
    """Return the character of a `\\uXXXX` escape, or a substitute."""
    return chr(int(code, 16)) if len(code) == 4 and not code.strip(_HEX) else _CODED + code


def _is_escaped(text: str) -> bool:
    return _ESCAPED in text or _CODED in text


def _is_long(text: str) -> bool:
    """Return whether the text may contain a token: long, without blanks."""
    if len(text) >= _SPLIT and text.isascii():  # a large state has a thousand of these: no word of them is made
        return _RUN in text.encode("ascii").translate(_BLANKS)
    return len(text) >= SHORTEST and max(map(len, text.split()), default=0) >= SHORTEST


def _is_given_away(key: str, value: object) -> bool:
    """Return whether the value is a secret by its name alone."""
    if not _promises(key):
        return False
    from agentws.core.formats.secrets import key_names

    return key_names.gives_away(key, value)


def _promises(name: str) -> bool:
    result = _known.get(name)
    if result is None:
        result = _looked_up(name)
        if len(_known) < _MOST_KNOWN:
            _known[name] = result
    return result


def _looked_up(name: str) -> bool:
    lowered = name.lower()
    hints = HINTS if lowered.isascii() else (*HINTS, *password_words.HINTS_BESIDES)
    if not (any(hint in lowered for hint in hints) or lowered.endswith(password_words.PIN)):
        return False
    from agentws.core.formats.secrets import key_names

    return key_names.promises(name)


def _called(pair: dict[str, Any], name: str) -> str:
    """Return the name of the value in a name-value pair, or `name` if it is no such pair."""
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
                item, _called(value, name) if name in VALUE else str(name), tag, kinds, depth + 1
            )
            for name, item in value.items()
        }
    if isinstance(value, list | tuple):
        parts = _hidden_across(value, key, tag, kinds) if _is_in_parts(value) else value
        return [_redacted(item, key, tag, kinds, depth + 1) for item in parts]
    return value


def _hidden_across(parts: Sequence[str], key: str, tag: Callable[[], str], kinds: list[str]) -> list[str]:
    """Return the parts of a text with a placeholder in each that holds some of a secret of the whole."""
    spans = _spans(" ".join(parts), _named(key))
    hidden, begin = [], 0
    for part in parts:
        shown = part
        for start, end, kind in reversed(spans):
            if start < begin + len(part) and end > begin:
                shown = f"{shown[: max(0, start - begin)]}{_placeholder(kind, tag)}{shown[end - begin :]}"
                kinds.append(kind)
        hidden.append(shown)
        begin += len(part) + 1
    return hidden


def _hidden(text: str, key: str, tag: Callable[[], str], kinds: list[str]) -> str:
    for start, end, kind in reversed(_spans(text, _named(key))):
        text = f"{text[:start]}{_placeholder(kind, tag)}{text[end:]}"
        kinds.append(kind)
    return text


def _placeholder(kind: str, tag: Callable[[], str]) -> str:
    from agentws.core.formats.secrets import secrets

    return f"{secrets.PLACEHOLDER_OPEN}{kind}:{tag()}›"


def _spans(text: str, before: str) -> list[tuple[int, int, str]]:
    """(start, end, kind) of the secrets in a text, as it is and as it reads without the escapes of JSON within it."""
    from agentws.core.formats.secrets import secrets

    plain, at, ends = (
        text,
        *((list(range(len(text))), list(range(1, len(text) + 1))) if _is_escaped(text) else ([], [])),
    )
    spans: list[tuple[int, int, str]] = []
    for _ in range(1 + _LEVELS):
        for secret in secrets.find(before + plain):
            start, end = max(0, secret.start - len(before)), secret.end - len(before)
            if end > 0:
                spans.append((at[start], ends[end - 1], secret.kind) if at else (start, end, secret.kind))
        if not at or not _is_escaped(plain):
            break
        plain, at, ends = _unescaped(plain, at, ends)
    return _apart(spans)


def _unescaped(text: str, at: list[int], ends: list[int]) -> tuple[str, list[int], list[int]]:
    """The text with what is escaped in it escaped once less, and where each character began and ended at first."""
    chars, begins, stops = [], [], []
    index = 0
    while index < len(text):
        char, taken, behind = text[index], 1, text[index + 1 : index + 2]
        if char == "\\" and behind in ('"', "\\"):
            index, char = index + 1, behind
        elif char == "\\" and behind == "u" and len(value := _decoded(text[index + 2 : index + 6])) == 1:
            char, taken = value, 6
        chars.append(char)
        begins.append(at[index])
        stops.append(ends[index + taken - 1])
        index += taken
    return "".join(chars), begins, stops


def _apart(spans: list[tuple[int, int, str]]) -> list[tuple[int, int, str]]:
    """The spans in order; those that overlap are one."""
    result: list[tuple[int, int, str]] = []
    for start, end, kind in sorted(spans):
        if result and start < result[-1][1]:
            result[-1] = (result[-1][0], max(end, result[-1][1]), result[-1][2])
        else:
            result.append((start, end, kind))
    return result


def _named(key: str) -> str:
    """Return the prefix `name=` of a text, since many secrets are recognised by their name only."""
    return f"{key}=" if key else ""


def _check(depth: int) -> None:
    if depth > MOST_DEPTH:
        raise UsageError(f"The event body is nested more than {MOST_DEPTH} deep.")
