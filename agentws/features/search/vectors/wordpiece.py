"""WordPiece tokenizer of BERT's uncased models: folds text, splits it at signs, and words into known parts."""

from __future__ import annotations

import unicodedata

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_UNKNOWN, _FIRST, _LAST = "[UNK]", "[CLS]", "[SEP]"
_LONGEST_WORD = 100
_MOST_KNOWN = 50_000
_CHINESE = ((0x4E00, 0x9FFF), (0x3400, 0x4DBF), (0x20000, 0x2CEAF), (0xF900, 0xFAFF), (0x2F800, 0x2FA1F))


class WordPieces:
    """A WordPiece tokenizer with a vocabulary: piece to number."""

    def __init__(self, vocabulary: Mapping[str, int]) -> None:
        self._vocabulary = vocabulary
        self._known: dict[str, list[int]] = {}
        self._first, self._last = vocabulary[_FIRST], vocabulary[_LAST]

    def of(self, text: str, most: int) -> list[int]:
        """Return the numbers of the word pieces of a text between a begin and an end mark, `most` at most."""
        found = [self._first]
        for word in _words(text):
            found += self._pieces(word)
            if len(found) >= most:
                break
        return [*found[: most - 1], self._last]

    def _pieces(self, word: str) -> list[int]:
        known = self._known.get(word)
        if known is None:
            if len(self._known) >= _MOST_KNOWN:
                self._known.clear()
            known = self._known[word] = self._split(word)
        return known

    def _split(self, word: str) -> list[int]:
        unknown = [self._vocabulary[_UNKNOWN]]
        if len(word) > _LONGEST_WORD:
            return unknown
        found = []
        begin = 0
        while begin < len(word):
            for end in range(len(word), begin, -1):
                number = self._vocabulary.get(("##" if begin else "") + word[begin:end])
                if number is not None:
                    break
            else:
                return unknown
            found.append(number)
            begin = end
        return found


def _words(text: str) -> Iterator[str]:
    """Yield words and single signs, without case and accents."""
    if not text.isascii():
        text = unicodedata.normalize("NFD", "".join(map(_spaced, text)).lower())
        text = "".join(char for char in text if unicodedata.category(char) != "Mn")
    for run in text.lower().split():
        begin = 0
        for at, char in enumerate(run):
            if char.isalnum():
                continue
            if _is_sign(char):
                if begin < at:
                    yield run[begin:at]
                yield char
                begin = at + 1
        if begin < len(run):
            yield "".join(filter(_is_shown, run[begin:])) or _UNKNOWN


def _is_sign(char: str) -> bool:
    return (
        "!" <= char <= "/"
        or ":" <= char <= "@"
        or "[" <= char <= "`"
        or "{" <= char <= "~"
        or (not char.isascii() and unicodedata.category(char).startswith("P"))
    )


def _is_shown(char: str) -> bool:
    return char.isalnum() or not unicodedata.category(char).startswith("C")


def _spaced(char: str) -> str:
    """Return a letter for splitting: Chinese signs between spaces, control characters as nothing."""
    if any(first <= ord(char) <= last for first, last in _CHINESE):
        return f" {char} "
    if char in "\t\n\r" or (not unicodedata.category(char).startswith("C") and char != "\ufffd"):
        return char
    return ""
