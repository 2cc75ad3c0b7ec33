"""Two readers of CommonMark that have nothing to do with agentws or with each other, and what they see of a text."""

from __future__ import annotations

import re

import commonmark
from markdown_it import MarkdownIt

_LARGEST = 2
"""The levels of agentws's own headings: 1 and 2."""
_HEADING_TAG = re.compile(r"<\s*/?\s*h[1-6]\b", re.IGNORECASE)
_FIRST = MarkdownIt("commonmark")
_SECOND = commonmark.Parser


def headings(text: str) -> tuple[list[str], list[str]]:
    """The headings of levels 1 and 2 that each of them sees, as the lines that they stand in; a tag is one too."""
    lines = text.split("\n")
    return _of_first(text, lines), _of_second(text, lines)


def _of_first(text: str, lines: list[str]) -> list[str]:
    found = []
    for token in _FIRST.parse(text):
        if token.type == "heading_open" and int(token.tag[1:]) <= _LARGEST and token.map:
            found.append("\n".join(lines[token.map[0] : token.map[1]]))
        found += [one.content for one in (token, *(token.children or ())) if _is_tag(one.type, one.content)]
    return found


def _of_second(text: str, lines: list[str]) -> list[str]:
    found = []
    for node, entering in _SECOND().parse(text).walker():
        if entering and node.t == "heading" and node.level <= _LARGEST:
            found.append("\n".join(lines[node.sourcepos[0][0] - 1 : node.sourcepos[1][0]]))
        elif entering and node.literal and _is_tag(node.t, node.literal):
            found.append(node.literal)
    return found


def _is_tag(kind: str, content: str) -> bool:
    return kind.startswith("html_") and _HEADING_TAG.search(content) is not None


def ends_in_the_open(text: str) -> bool:
    """Return whether both see the last line of `text` as a paragraph or a table's row, and no fence or HTML in it."""
    last = text.rstrip("\n").rpartition("\n")[2]
    first = _FIRST.parse(text)[-1].type
    second = _SECOND().parse(text).last_child.t
    return bool(last) and first == "paragraph_close" and second == "paragraph"
