"""What a line says, without what marks it: bullet, box, signs, time, emphasis, tags, origin, reference."""

from __future__ import annotations

from agentws.formats import markdown, notes
from agentws.planning.notes import reference

_BOXES = ("[ ]", "[x]", "[X]", "[~]", "[-]")
_STRONG = ("**", "__", "~~")
_DASHES = ("- ", "– ", "— ", ": ", "| ")


def said(text: str) -> str:
    """Return what `text` says in one line."""
    first, newline, rest = text.partition("\n")
    body = first[markdown.marker(first) :].strip()
    if body.startswith("#"):
        body = body.lstrip("#").strip() if markdown.heading_level(body) else body
    body = _begun(_plain(body))
    if body[-1:] in _ENDS or "^" in body or "(closes " in body or "#" in body or "!" in body:
        body = _ended(body)
    return f"{body} {' '.join(_plain(rest).split())}" if newline else body


_ENDS = tuple(")✅☑✔❌⏳🔴\ufe0f")


def _plain(text: str) -> str:
    """`text` without strong emphasis and strikes; what stands between backticks stays as it is."""
    if "**" not in text and "~~" not in text and "__" not in text:
        return text
    parts = text.split("`")
    for place in range(0, len(parts), 2):
        parts[place] = parts[place].replace("**", "").replace("~~", "")
    return "`".join(parts)


def _begun(body: str) -> str:
    """`body` without the marks that it begins with."""
    while body and not body[0].isalpha():
        before = body
        if body.startswith(_BOXES):
            body = body[3:]
        elif body[0] == "[":
            end = body.find("]")
            if notes.kind_in(body[: end + 1]) is None or body[end + 1 : end + 2] == "(":
                break
            body = body[end + 1 :]
        elif body[0].isdigit():
            width = _clock(body)
            if not width:
                break
            body = body[width:].lstrip()
            body = body[2:] if body.startswith(_DASHES) else body
        elif _is_sign(body[0]):
            body = body[1:]
        else:
            break
        body = body.lstrip()
        if body == before:
            break
    return body


def _ended(body: str) -> str:
    """`body` without the marks that it ends in."""
    while True:
        before = body
        body = body.rstrip()
        while body and _is_sign(body[-1]):
            body = body[:-1].rstrip()
        word = body.rpartition(" ")[2]
        if body.endswith(")"):
            at = max(body.rfind("(via "), body.rfind("(closes "))
            if at >= 0 and ")" not in body[at:-1] and body[at - 1 : at] != "\\":
                body = body[:at]
        elif (
            word
            and word != body
            and (
                (word[0] == "^" and reference.is_one(word[1:]))
                or (word[0] == "!" and word[1:].isdecimal())
                or (word[0] == "#" and not word[1:].isdecimal())
            )
        ):
            body = body[: -len(word)]
        if body == before:
            return body


def _clock(text: str) -> int:
    """The width of the time of day that `text` begins with, 0 without one."""
    for hours in (2, 1):
        end = hours + 3
        is_time = (
            text[hours : hours + 1] == ":" and (text[:hours] + text[hours + 1 : end]).isdecimal() and len(text) >= end
        )
        if is_time and not text[end : end + 1].isalnum() and text[end : end + 1] != ":":
            return end
    return 0


def _is_sign(char: str) -> bool:
    """Return whether a character is a sign or a picture, such as ✅ or an arrow, and no letter or bracket."""
    return "\u2190" <= char <= "\u2bff" or char >= "\U0001f000" or char in "\ufe0f\u200d"
