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

_LENGTH = 5
_COUNT = len(WORDS) // _LENGTH


def chosen(protected: str, *, besides: str = "") -> str:
    """Return the mark word for `protected`: chosen by its digest, and in neither it nor `besides` in any case.

    A text that contains all words gets the first one: then that word has to be `escaped` in the text.
    """
    first = int(digest.quick(protected.encode("utf-8", "surrogatepass"))[:8], 16)
    held = f"{protected}\n{besides}".casefold()
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
    """Return `text` with each occurrence of the word `mark` broken, in any case: `maple` becomes `m_aple`."""
    if mark == BLANK or mark not in text.casefold():
        return text
    return _word_alone(mark).compiled.sub(lambda match: f"{match[0][0]}_{match[0][1:]}", text)


def heading(says: str, *, level: int = 2) -> str:
    """Return a heading of agentws's frame, with BLANK for its mark."""
    return f"{'#' * level} {says} [{BLANK}]\n"


def says(heading: str) -> str:
    """Return the words of a frame heading, without its mark."""
    return heading.lstrip("#").strip()[: -_LENGTH - 2].rstrip()


def _word_alone(mark: str) -> Pattern:
    return Pattern(rf"\b{mark}\b", "IGNORECASE")


def _word(place: int) -> str:
    return WORDS[place * _LENGTH : (place + 1) * _LENGTH]
