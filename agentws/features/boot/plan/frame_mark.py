"""The frame mark: `[brown]`, the word at the end of agentws's own headings, which content cannot imitate. Pure.

It is chosen by the digest of the text that it protects, among words that this text does not contain. So the same text
has the same mark, and the author of a text cannot know it: a guessed word in the text is not chosen. All words have
five letters and are one token between brackets, so a heading can be counted with BLANK before its mark is known.
"""

from __future__ import annotations

from agentws.core.formats import digest
from agentws.core.text.lazy import Pattern
from agentws.features.boot.plan.frame_mark_words import WORDS

BLANK = "items"
"""Stands where the mark of a heading is not chosen yet; none of the words."""

_OPENERS, _CLOSERS = r"\[\uff3b\u27e6\u3010\u3014\u301a", r"\]\uff3d\u27e7\u3011\u3015\u301b"
_BRACKETED = Pattern(rf"[{_OPENERS}][^{_OPENERS}{_CLOSERS}\n]{{5,80}}[{_CLOSERS}]")
_ALIKE = str.maketrans(
    "\u0430\u0432\u0435\u043a\u043c\u043d\u043e\u0440\u0441\u0442\u0443\u0445\u0455\u0456\u0501\u04bb\u03b1\u03bd\u03bf\u03c1"
    "\u27e6\u3010\u3014\u301a",
    "abekmhopctyxsidhavop[[[[",
)
"""Cyrillic and Greek letters and white brackets, with the signs of ASCII that they look like."""
_LENGTH = 5
_COUNT = len(WORDS) // _LENGTH


def chosen(protected: str, *, besides: str = "") -> str:
    """Return the mark word for `protected`: chosen by its digest, and in neither it nor `besides` in any case.

    A text that contains all words gets the first one: then that one has to be `escaped` in the text.
    """
    first = int(digest.quick(protected.encode("utf-8", "surrogatepass"))[:8], 16)
    held = _plain(f"{protected}\n{besides}")
    words = (_word((first + step) % _COUNT) for step in range(_COUNT))
    return next((word for word in words if word not in held), _word(first % _COUNT))


def signed(section: str, mark: str) -> str:
    """Return a section whose heading (first line) ends in `mark` instead of BLANK; other text unchanged."""
    heading, end, rest = section.partition("\n")
    if not (heading.startswith("#") and heading.endswith(f"[{BLANK}]")):
        return section
    return f"{heading.removesuffix(f'{BLANK}]')}{mark}]{end}{rest}"


def of(section: str) -> str:
    """Return the frame mark in a section's heading."""
    return section.partition("\n")[0][-_LENGTH - 1 : -1]


def escaped(text: str, mark: str) -> str:
    """Return `text` with each `[maple]` broken, `[m_aple]`, if `mark` is that word: in any case, also in look-alikes.

    Only a word in brackets can end a heading as the frame's do; all other text stays byte for byte.
    """
    if mark == BLANK:
        return text
    return _BRACKETED.compiled.sub(lambda match: _broken(match[0]) if _is_mark(match[0], mark) else match[0], text)


def heading(says: str, *, level: int = 2) -> str:
    """Return a heading of agentws's frame, with BLANK for its mark."""
    return f"{'#' * level} {says} [{BLANK}]\n"


def says(heading: str) -> str:
    """Return the words of a frame heading, without its mark."""
    return heading.lstrip("#").strip()[: -_LENGTH - 2].rstrip()


def _broken(bracketed: str) -> str:
    first = next(at for at, sign in enumerate(bracketed) if _compatible(sign).isalnum())
    return f"{bracketed[: first + 1]}_{bracketed[first + 1 :]}"


def _is_mark(bracketed: str, mark: str) -> bool:
    """Return whether a text in brackets says `mark`, whatever blanks, emphasis or backslashes are around it."""
    if "&" in bracketed:
        from html import unescape

        bracketed = unescape(bracketed)
    before, word, behind = _plain(_compatible(bracketed)).partition(mark)
    return bool(word) and not any(map(str.isalnum, f"{before}{behind}")) and "[" in before


def _compatible(text: str) -> str:
    """Return `text` with wide, circled and mathematical letters as plain ones."""
    if max(text) < "\u2070":
        return text
    from unicodedata import normalize

    return normalize("NFKC", text)


def _plain(text: str) -> str:
    """Return `text` in small letters, with Cyrillic and Greek look-alikes of ASCII replaced."""
    text = text.casefold()
    return text if text.isascii() else text.translate(_ALIKE)


def _word(place: int) -> str:
    return WORDS[place * _LENGTH : (place + 1) * _LENGTH]
