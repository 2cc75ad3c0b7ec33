"""Invisible characters: Unicode's Default_Ignorable_Code_Point, and removing them from a text."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

RANGES = (
    (0x00AD, 0x00AD),  # soft hyphen
    (0x034F, 0x034F),  # combining grapheme joiner
    (0x061C, 0x061C),  # Arabic letter mark
    (0x115F, 0x1160),  # Hangul fillers
    (0x17B4, 0x17B5),  # Khmer inherent vowels
    (0x180B, 0x180F),  # Mongolian variation selectors and vowel separator
    (0x200B, 0x200F),  # zero-width space and joiners, direction marks
    (0x202A, 0x202E),  # embeddings and overrides
    (0x2060, 0x206F),  # word joiner, invisible operators, isolates, deprecated format characters
    (0x3164, 0x3164),
    (0xFE00, 0xFE0F),  # variation selectors
    (0xFEFF, 0xFEFF),  # byte order mark
    (0xFFA0, 0xFFA0),
    (0xFFF0, 0xFFF8),
    (0x1BCA0, 0x1BCA3),  # shorthand format controls
    (0x1D173, 0x1D17A),  # musical beams and slurs
    (0xE0000, 0xE0FFF),  # tags, variation selectors 17 to 256, and what is reserved
)
CODE = "\\u{"
"""How a character that was made visible begins: `\\u{200b}`."""
_ASCII = bytes(range(128))


def is_ignorable(char: str) -> bool:
    """Return whether the character is invisible in programs that follow Unicode."""
    code = ord(char)
    for low, high in RANGES:
        if code <= high:
            return low <= code
    return False


def among(text: str) -> set[str]:
    """Return the invisible characters in `text`."""
    # The ASCII goes first, as bytes: that is most of most texts, and costs nothing.
    beyond = text.encode("utf-8", "surrogatepass").translate(None, _ASCII).decode("utf-8", "surrogatepass")
    return {char for char in set(beyond) if is_ignorable(char)}


def without(text: str) -> tuple[str, list[int]] | None:
    """Return `text` without invisible characters and their codes, and the old place of each character.

    None if none of them stands between characters of ASCII.
    """
    names = among(text)
    codes = set(_codes(text)) if CODE in text else set()
    if not codes and not any(_breaks(text, char, names) for char in names):
        return None
    kept = [at for at, char in enumerate(text) if char not in names and at not in codes]
    return "".join([text[at] for at in kept]), kept


def _codes(text: str) -> Iterator[int]:
    """Return the positions of each code that represents a character made visible."""
    at = text.find(CODE)
    while at >= 0:
        end = text.find("}", at, at + 10)
        if end > 0 and not text[at + 3 : end].strip("0123456789abcdef"):
            yield from range(at, end + 1)
        at = text.find(CODE, at + 3)


def _breaks(text: str, char: str, ignorable: set[str]) -> bool:
    """Return whether `char` is somewhere between ASCII characters, or between other invisible ones."""
    at = text.find(char)
    while at >= 0:
        before, after = text[at - 1 : at], text[at + 1 : at + 2]
        # An emoji before it is the usual case, and asked for first.
        if (" " <= before <= "~" or before in ignorable) and (" " <= after <= "~" or after in ignorable):
            return True
        at = text.find(char, at + 1)
    return False
