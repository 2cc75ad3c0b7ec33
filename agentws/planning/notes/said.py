"""What a line says, without what marks it: box, signs, time, kind, emphasis, tags, origin, reference."""

from __future__ import annotations

from agentws.formats.markdown import notes
from agentws.planning.notes import reference

_DASHES = ("- ", "– ", "— ", ": ", "| ")
_LONGEST_KIND_CHARS = 26
_STRONG, _STRIKE = "**", "~~"
_ENDINGS = (")", "✅", "☑", "✔", "❌", "⏳", "⌛", "🔴", "\ufe0f")
_SIGNS_FROM, _SIGNS_TO, _PICTURES_FROM = "\u2190", "\u2bff", "\U0001f000"


def begun(body: str) -> tuple[str, str | None]:
    """Return `body`, a line behind its bullet, without the marks that it begins with, and the kind that it gives."""
    kind: str | None = None
    emphasis = ""
    while body and not body[0].isalpha():
        char = body[0]
        if char == "[":
            end = body.find("]", 0, _LONGEST_KIND_CHARS)
            if end == 2 and notes.is_box(body[:3]):
                body = body[3:].lstrip()
                continue
            found = notes.kind_in(body[: end + 2]) if end > 0 else None
            if found is None:
                break
            kind = kind or found
            body = body[end + 1 :].lstrip()
        elif char in "*_~":
            if body[:2] not in (_STRONG, "__", _STRIKE):
                break
            emphasis = body[:2] if body[0] == "*" else emphasis
            body = body[2:].lstrip()
        elif char.isdigit():
            width = clock(body)
            if not width:
                break
            body = body[width:].lstrip()
            body = body[2:].lstrip() if body.startswith(_DASHES) else body
        elif is_sign(char):
            body = body[1:].lstrip()
        else:
            break
    return f"{emphasis}{body}" if emphasis else body, kind


def plain(text: str) -> str:
    """Return `text` without strong emphasis and strikes; what stands between backticks stays as it is."""
    if _STRONG not in text and _STRIKE not in text:
        return text
    parts = text.split("`")
    for place in range(0, len(parts), 2):
        parts[place] = parts[place].replace(_STRONG, "").replace(_STRIKE, "")
    return "`".join(parts).strip()


def ended(body: str) -> str:
    """Return `body` without the marks that it ends in."""
    if not (body.endswith(_ENDINGS) or "^" in body or " #" in body or " !" in body):
        return body
    before = ""
    while body != before:
        before = body = body.rstrip()
        if body.endswith(")"):
            at = max(body.rfind("(via "), body.rfind("(closes "))
            if at >= 0 and ")" not in body[at:-1] and body[at - 1 : at] != "\\":
                body = body[:at]
            continue
        if body and is_sign(body[-1]):
            body = body[:-1]
            continue
        word = body.rpartition(" ")[2]
        if word != body and _is_mark(word):
            body = body[: -len(word)]
    return body


def clock(text: str) -> int:
    """Return the width of the time of day that `text` begins with, 0 where it begins with none."""
    for hours in (2, 1):
        end = hours + 3
        if text[hours : hours + 1] == ":" and len(text) >= end and (text[:hours] + text[hours + 1 : end]).isdecimal():
            return 0 if text[end : end + 1].isalnum() or text[end : end + 1] == ":" else end
    return 0


def is_sign(char: str) -> bool:
    """Return whether a character is a sign or a picture, such as ✅ or an arrow, and no letter, figure or bracket."""
    return _SIGNS_FROM <= char <= _SIGNS_TO or char >= _PICTURES_FROM or char in "\ufe0f\u200d"


def _is_mark(word: str) -> bool:
    sign, name = word[0], word[1:]
    if sign == "^":
        return reference.is_one(name)
    if sign == "!":
        return name.isdecimal()
    return sign == "#" and not name.isdecimal() and bool(name)
