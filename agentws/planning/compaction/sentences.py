"""The sentences of a text: where one ends, and which marks of Markdown are no part of what it says."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from agentws.formats import markdown

if TYPE_CHECKING:
    from collections.abc import Iterator

_END = re.compile(r"(?<=[.!?…])[\"'”’)\]*_]*\s+(?=[\"'“‘(\[*_]*[^\W_a-z])|(?<=[。！？])")
_ABBREVIATED = re.compile(
    r"(?:\b(?:e\.g|i\.e|etc|vs|cf|approx|incl|no|nr|mr|mrs|ms|dr|prof|st|jr|sr|inc|ltd|fig|vol|a\.m|p\.m|z\.b|bzw|ca)|"
    r"(?:^|\s)[A-Z]|^\d{1,3})\.$",
    re.IGNORECASE,
)
_FENCES = ("```", "~~~")
_MOST_CHARS = 420
_CLAUSE = re.compile(r"(?<=[;:])\s+|(?<!\s)\s++(?=[–—-]\s)|(?<=,)\s++(?=(?:and|but|so|which|because|und|aber)\b)")


def of_lines(text: str, first_line: int) -> Iterator[tuple[str, int, int]]:
    """(sentence, its first line, its last line) for all that `text` says, fenced blocks left out.

    Lines that belong to one paragraph are read as one; so a sentence has the lines of its paragraph.
    """
    for paragraph, begin, end in _paragraphs(text, first_line):
        # What a row of a table says is told by all its cells.
        for sentence in [paragraph] if markdown.is_row(paragraph) else split(paragraph):
            yield sentence, begin, end


def _paragraphs(text: str, first_line: int) -> Iterator[tuple[str, int, int]]:
    paragraph: list[str] = []
    begin, fence = first_line, ""
    for number, line in enumerate(text.split("\n"), first_line):
        body = line.strip()
        mark = body[:3] if body[:3] in _FENCES else ""
        if mark or fence:
            fence = "" if fence and mark == fence else fence or mark
            body = ""
        is_heading = bool(markdown.heading_level(body))
        if paragraph and (not body or is_heading or markdown.marker(line) or markdown.is_row(line)):
            yield " ".join(paragraph), begin, number - 1
            paragraph = []
        if is_heading:
            yield body, number, number
        elif body and not markdown.is_rule(body):
            begin = begin if paragraph else number
            paragraph.append(body)
    if paragraph:
        yield " ".join(paragraph), begin, begin + len(paragraph) - 1


def split(text: str) -> list[str]:
    """The sentences of a paragraph, in order."""
    parts: list[str] = []
    begin = 0
    for found in _END.finditer(text):
        if _ABBREVIATED.search(text[begin : found.start()][-12:]):
            continue
        parts.append(text[begin : found.start()] + found.group().rstrip())
        begin = found.end()
    parts.append(text[begin:])
    return [piece for part in parts for piece in _cut(_spaced(part)) if piece]


def _spaced(text: str) -> str:
    """The text with one space for all that is blank."""
    return text.strip() if "  " not in text and text.isprintable() else " ".join(text.split())


def _cut(sentence: str) -> list[str]:
    """A sentence as it is, or a very long one in parts that end with a clause."""
    if len(sentence) <= _MOST_CHARS:
        return [sentence]
    parts: list[str] = []
    for clause in _CLAUSE.split(sentence):
        if parts and len(parts[-1]) + len(clause) < _MOST_CHARS // 2:
            parts[-1] = f"{parts[-1]} {clause}"
        else:
            parts.append(clause)
    return [piece for part in parts for piece in _chopped(part)]


def _chopped(text: str) -> list[str]:
    if len(text) <= _MOST_CHARS:
        return [text]
    at = text.rfind(" ", _MOST_CHARS // 2, _MOST_CHARS)
    at = at if at > 0 else _MOST_CHARS
    return [text[:at].rstrip() + " …", *_chopped(text[at:].lstrip())] if at < 4000 else [text[:at] + " …"]
