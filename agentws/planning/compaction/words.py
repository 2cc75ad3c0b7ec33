"""The words of a line that can carry meaning: stemmed, names told from plain words. Pure counting, no model.

It is on the path of every start, so nothing here is a regular expression.
"""

from __future__ import annotations

from itertools import pairwise

_STOP = frozenset(
    (
        *("the", "and", "for", "with", "are", "was", "were", "been", "its", "this", "that", "from", "not", "all"),
        *("now", "via", "per", "into", "out", "new", "but", "you", "your", "they", "their", "has", "have", "had"),
        *("will", "would", "can", "could", "should", "may", "more", "most", "one", "two", "also", "just", "than"),
        *("then", "when", "what", "which", "who", "how"),
    )
)
_SUFFIXES = ("ing", "ies", "ed", "es", "s")
_BEFORE_A_NAME = "./_@#`"
_BEHIND_A_NAME = "/_@`"
_BEFORE_A_SENTENCE = " \t*#>|:.0123456789[]()`\"'_-"
_MOST_REMEMBERED = 1 << 17


class _Mask(dict[int, str]):
    """For str.translate: what is neither letter nor digit nor apostrophe becomes a space, one for one."""

    def __missing__(self, code: int) -> str:
        char = chr(code)
        kept = self[code] = char if char.isalnum() or char == "'" else " "
        return kept


_MASK = _Mask()
_KNOWN: dict[str, tuple[str, bool, bool]] = {}


def words(line: str) -> dict[str, bool]:
    """The words of `line`, stemmed, each with whether it looks like a name there (a proper noun, a part of a path)."""
    found: dict[str, bool] = {}
    end = 0
    opening = len(line) - len(line.lstrip(_BEFORE_A_SENTENCE))
    masked = line.translate(_MASK)
    for word in masked.split():
        start = masked.index(word, end)
        end = start + len(word)
        stemmed, is_name, may_be_name = _KNOWN.get(word) or _look(word)
        if stemmed and not found.get(stemmed):
            found[stemmed] = is_name or (may_be_name and start > opening) or _is_part(line, start, end)
    return found


def stems(text: str) -> set[str]:
    """The words of all lines of `text`, stemmed, whether or not they look like names."""
    found = {(_KNOWN.get(word) or _look(word))[0] for word in set(text.translate(_MASK).split())}
    found.discard("")
    return found


def _look(word: str) -> tuple[str, bool, bool]:
    """(its stem, empty where it says nothing; whether it is a name wherever it stands; whether it may be one)."""
    if len(_KNOWN) >= _MOST_REMEMBERED:
        _KNOWN.clear()
    plain = word.lower().strip("'")
    if len(plain) < 2 or (len(plain) < 3 and plain.isascii()) or plain in _STOP or _says_nothing(plain):
        found = ("", False, False)
    else:
        is_name = any(map(str.isdigit, word)) or _has_inner_capital(word)
        found = (_stem(plain), is_name, word[0].isupper())
    _KNOWN[word] = found
    return found


def _has_inner_capital(word: str) -> bool:
    return any(char.isupper() and before.islower() for before, char in pairwise(word))


def _says_nothing(word: str) -> bool:
    return word.isdigit() and (len(word) <= 3 or (len(word) == 4 and word.startswith("20")))


def _stem(word: str) -> str:
    for suffix in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= 3:
            return word[: -len(suffix)]
    return word


def _is_part(line: str, start: int, end: int) -> bool:
    """True for a part of a path, an address or an identifier."""
    if start and line[start - 1] in _BEFORE_A_NAME:
        return True
    behind = line[end : end + 2]
    return bool(behind) and (behind[0] in _BEHIND_A_NAME or (behind[0] == "." and behind[1:].isalnum()))
