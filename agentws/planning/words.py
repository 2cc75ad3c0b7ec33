"""The words of a line that can carry meaning: stemmed, names told from plain words. Pure counting, no model."""

from __future__ import annotations

import re
from functools import lru_cache

_WORD = re.compile(r"[A-Za-z0-9][A-Za-z0-9']*|[^\W\d_A-Za-z]{2,}")
_INNER_CAPITAL = re.compile(r"[a-z][A-Z]")
_STARTS_A_SENTENCE = re.compile(r"[\s*#>|:.\d\[\]()`\"'_-]*")
_STOP = frozenset(
    (
        *("the", "and", "for", "with", "are", "was", "were", "been", "its", "this", "that", "from", "not", "all"),
        *("now", "via", "per", "into", "out", "new", "but", "you", "your", "they", "their", "has", "have", "had"),
        *("will", "would", "can", "could", "should", "may", "more", "most", "one", "two", "also", "just", "than"),
        *("then", "when", "what", "which", "who", "how"),
    )
)
_SUFFIXES = ("ing", "ies", "ed", "es", "s")


def words(line: str) -> dict[str, bool]:
    """The words of `line`, stemmed, each with whether it looks like a name there (a proper noun, a part of a path)."""
    found: dict[str, bool] = {}
    for match in _WORD.finditer(line):
        stemmed, is_name, may_be_name = _known(match.group())
        if stemmed and not found.get(stemmed):
            found[stemmed] = is_name or _stands_as_name(line, match.start(), match.end(), may_be_name)
    return found


@lru_cache(maxsize=1 << 14)
def _known(word: str) -> tuple[str, bool, bool]:
    """(its stem, empty where it says nothing; whether it is a name wherever it stands; whether it may be one)."""
    plain = word.lower().strip("'")
    if (len(plain) < 3 and plain.isascii()) or plain in _STOP or _says_nothing(plain):
        return "", False, False
    is_name = any(char.isdigit() for char in word) or _INNER_CAPITAL.search(word) is not None
    return _stem(plain), is_name, word[0].isupper()


def _says_nothing(word: str) -> bool:
    return word.isdigit() and (len(word) <= 3 or (len(word) == 4 and word.startswith("20")))


def _stem(word: str) -> str:
    for suffix in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= 3:
            return word[: -len(suffix)]
    return word


def _stands_as_name(line: str, start: int, end: int, may_be_name: bool) -> bool:
    if start and line[start - 1] in "./_@#`":
        return True
    behind = line[end : end + 2]
    if behind and (behind[0] in "/_@`" or (len(behind) == 2 and behind[0] == "." and behind[1].isalnum())):
        return True
    return may_be_name and not _STARTS_A_SENTENCE.fullmatch(line, 0, start)
