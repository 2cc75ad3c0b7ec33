"""The first lines of a task file: whether they plainly say that the task is over, without reading YAML."""

from __future__ import annotations

from agentws.formats.task import OVER

_FENCE = "---"
_MOST_LINES = 64
_QUOTES = "\"'"


def is_plainly_over(data: bytes) -> bool:
    """True where the front matter at the beginning of `data` says so in lines that can be read in one way only.

    False says nothing: the task is not over, or its front matter has to be read in full to know.
    """
    lines = [line.removesuffix("\r") for line in data.decode("utf-8", "surrogateescape").split("\n", _MOST_LINES)]
    if lines[0] != _FENCE or _FENCE not in lines[1:-1]:
        return False
    fields: dict[str, str] = {}
    for line in lines[1 : lines.index(_FENCE, 1)]:
        key, colon, value = line.partition(":")
        if not colon or not _is_key(key) or key in fields or value[:1] not in ("", " ") or not _is_plain(value.strip()):
            return False
        fields[key] = value.strip()
    return fields.get("status", "").lower() in OVER


def _is_key(text: str) -> bool:
    word = text.replace("_", "a").replace("-", "a")
    return word.isascii() and word.isalnum() and text[0].isalpha()


def _is_plain(text: str) -> bool:
    """True for a value that ends with its line and needs no unescaping to be told from what follows."""
    if not text.isprintable():
        return False
    if text[:1] in _QUOTES and text:
        return len(text) > 1 and text[-1] == text[0] and not any(mark in text[1:-1] for mark in f"{text[0]}\\")
    if text.startswith("["):
        return text.endswith("]") and all(_is_word(item.strip()) for item in text[1:-1].split(","))
    return not text or (text[0].isalnum() and ": " not in text and " #" not in text and not text.endswith(":"))


def _is_word(text: str) -> bool:
    return text[:1].isalnum() and all(char.isalnum() or char in " _-./" for char in text)
