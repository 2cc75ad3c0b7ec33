"""What a tool was given and gave back, made to fit an event: cut, marked as cut, and free of secrets before it is cut.

A secret of which half was cut off would no longer be known as one.
"""

from __future__ import annotations

import os

from agentws.formats.json import plainjson
from agentws.formats.json.plainjson import plain
from agentws.formats.secrets import redaction
from agentws.formats.text import sizes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Cut = Callable[[str, str], str]

MARK = "… [cut]"
"""What ends a text that was longer."""
_MARGIN = 4096
"""Of a text that is cut, so much more is looked through for secrets: no part of one is kept that is no longer."""
_LEAST = 64
_TAG_BYTES = 4


def fit(value: Any, most: int) -> tuple[Any, int]:
    """The value in about `most` bytes, and the size in bytes that it had; 0 where it is whole.

    Long texts within it are cut, so that the names and paths beside them stay.
    """
    value = plain(value)
    size = _size(value)
    if size <= most:
        return value, 0
    if isinstance(value, str):
        return text(value, most), size
    least = _size(_each(value, lambda words, _: words[:_LEAST]))
    if least > most:
        return text(plainjson.dumps(value), most), size
    longest = _LEAST + (most - least) // max(1, _count(value))
    return _each(value, lambda words, key: text(words, longest, key)), size


def text(words: str, most: int, key: str = "") -> str:
    """The words in at most `most` bytes of UTF-8 and the mark; where they are cut, without secrets.

    `key` is what they are called: many a secret is one only by its name.
    """
    if sizes.utf8_bytes(words) <= most:
        return words
    # Characters are bytes or more. The last word of what was looked through may be half a secret: it goes.
    (clean,), _ = redaction.redact([{key: words[: most + _MARGIN]}], lambda: os.urandom(_TAG_BYTES).hex())
    kept: str = next(iter(clean.values()))
    if len(words) > most + _MARGIN:
        kept = kept[: max(kept.rfind(" "), kept.rfind("\n"), len(kept) - _MARGIN, 0)]
    return kept.encode("utf-8", "replace")[:most].decode("utf-8", "ignore") + MARK


def _size(value: Any) -> int:
    return sizes.utf8_bytes(value) if isinstance(value, str) else len(plainjson.dumps(value))


def _each(value: Any, cut: Cut, key: str = "") -> Any:
    """The value with every text in it cut."""
    if isinstance(value, str):
        return cut(value, key)
    if isinstance(value, dict):
        return {cut(name, ""): _each(item, cut, name) for name, item in value.items()}
    return [_each(item, cut, key) for item in value] if isinstance(value, list) else value


def _count(value: Any) -> int:
    """How many texts in it are longer than the least that is kept of each."""
    if isinstance(value, dict):
        return sum(map(_count, value.values())) + sum(map(_count, value))
    if isinstance(value, list):
        return sum(map(_count, value))
    return isinstance(value, str) and len(value) > _LEAST
