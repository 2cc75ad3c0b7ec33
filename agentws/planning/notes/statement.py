"""What a line says of itself: its kind and its state, by its marks, its box and the marker that it begins with. Pure.

No heading and no word inside a sentence gives a kind or a state.
"""

from __future__ import annotations

from agentws.formats import layout
from agentws.formats.markdown import notes
from agentws.formats.markdown.markdown import ITEM
from agentws.planning.notes import reference
from agentws.planning.notes.entry import DONE, DROPPED, MARKED, OPEN, OVER, STRUCTURE, TEXT, WAITING

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.planning.notes.entry import Entry
    from agentws.planning.notes.vocabulary import Vocabulary


STATES = {"todo": OPEN, "waiting": WAITING, "done": DONE, "dropped": DROPPED}
"""The state that a kind gives."""
STANDING_KINDS = ("decision", "rule", "lesson", "preference", "fact")
"""Kinds of what holds and is not to be done."""
_OWN_KINDS = frozenset((*STATES, *STANDING_KINDS, "question", "error"))
"""The words between brackets that need no looking up."""
_BRACKETS = {"[": "]", "【": "】", "［": "］"}
_LONGEST_LABEL_CHARS = 80
_DASHES = ("- ", "– ", "— ", ": ", "| ")
_LONGEST_KIND_CHARS = 26
_STRONG, _STRIKE = "**", "~~"
_ENDINGS = (")", "✅", "☑", "✔", "❌", "⏳", "⌛", "🔴", "\ufe0f")
_SIGNS_FROM, _SIGNS_TO, _PICTURES_FROM = "\u2190", "\u2bff", "\U0001f000"


def of_line(entry: Entry, body: str, words: Vocabulary) -> None:
    """Give an entry what its first line says of it: `body`, without its bullet."""
    first, newline, rest = body.partition("\n")
    first = first.strip()
    start, kind = _begun(first, words)
    is_quote = first[:1] == ">"  # somebody else's words ask for nothing and end nothing
    marker = None if is_quote else words.marker(start)
    said = _ended(_plain(start))
    if marker:
        behind = _ended(_plain(start[marker[1] :].lstrip()))
        entry.core = len(said) - len(behind) if said.endswith(behind) else 0
    entry.said = f"{said} {' '.join(_plain(rest).split())}" if newline else said
    mark = None if is_quote else _mark(first, is_item=entry.form == ITEM)
    if mark == WAITING and kind and STATES.get(kind) in OVER:
        mark = None  # `[done]` says what has become of what was waited for
    entry.kind = kind or (marker[0] if marker else None)
    entry.state = mark or (STATES.get(entry.kind) if entry.kind else None)
    if mark == DONE and entry.kind in STANDING_KINDS:
        entry.state = None  # it is confirmed, and holds on
    if mark or kind:
        entry.sure = MARKED
    elif marker:
        entry.sure = STRUCTURE


def _mark(first: str, *, is_item: bool) -> str | None:
    """The state that the box and the signs of a line give. What has a reference is not closed by a strike."""
    if first[:1] != "[" and _STRIKE not in first and first.isascii():
        return None
    if _STRIKE in first and reference.written(first):
        first = first.replace(_STRIKE, "")
    return notes.state(f"- {first}" if first[:1] == "[" and is_item else first)


def of_row(entry: Entry) -> None:
    """Give a row of a table what its cells say; it has no kind and no state."""
    cells = entry.text.strip().strip("|").split("|")
    entry.said = " | ".join(filter(None, (_plain(cell.strip()) for cell in cells)))


def outside(entry: Entry, source: str) -> None:
    """Take from an entry what only the agent's own words have."""
    entry.src = source
    entry.kind = entry.state = None
    entry.sure = TEXT


def label(entry: Entry, body: str) -> str:
    """Return what a line names that is listed below it, empty where it is no label: `**Next:**`, `Next:`."""
    line = body.strip()
    bare = line.rstrip("*_ ")
    is_strong = line.startswith("**") and line.endswith("**") and line.count("**") == 2
    if len(line) > _LONGEST_LABEL_CHARS or "\n" in line or not (is_strong or bare.endswith((":", "："))):
        return ""
    entry.is_label = True
    return entry.said.rstrip("*_:： ")


def _begun(body: str, words: Vocabulary) -> tuple[str, str | None]:
    """Return `body`, a line behind its bullet, without the marks that it begins with, and the kind that they give."""
    kind: str | None = None
    emphasis = ""
    while body and not body[0].isalpha():
        char = body[0]
        if char in _BRACKETS:
            end = body.find(_BRACKETS[char], 0, _LONGEST_KIND_CHARS)
            if end == 2 and notes.is_box(body[:3]):
                body = body[3:].lstrip()
                continue
            named = _named(body, end, words) if end > 0 else None
            if named is None:
                break
            kind = kind or named
            body = body[end + 1 :].lstrip()
        elif char in "*_~":
            if body[:2] not in (_STRONG, "__", _STRIKE):
                break
            emphasis = body[:2] if body[0] == "*" else emphasis
            body = body[2:].lstrip()
        elif char.isdigit():
            width = _clock(body)
            if not width:
                break
            body = body[width:].lstrip()
            body = body[2:].lstrip() if body.startswith(_DASHES) else body
        elif _is_sign(char):
            body = body[1:].lstrip()
        else:
            break
    return f"{emphasis}{body}" if emphasis else body, kind


def _named(body: str, end: int, words: Vocabulary) -> str | None:
    """The kind that the word between the brackets at the beginning of `body` names: one of ours in any language, or
    another one as `log --kind` writes it. Else None, as for the text of a link.
    """
    if body[end + 1 : end + 2] == "(":
        return None
    word = body[1:end]
    if word in _OWN_KINDS:
        return word
    return words.kind(word) or notes.kind_in(body[: end + 2])


def _plain(text: str) -> str:
    """Return `text` without strong emphasis and strikes; what stands between backticks stays as it is."""
    if _STRONG not in text and _STRIKE not in text:
        return text
    parts = text.split("`")
    for place in range(0, len(parts), 2):
        parts[place] = parts[place].replace(_STRONG, "").replace(_STRIKE, "")
    return "`".join(parts).strip()


def _ended(body: str) -> str:
    """Return `body` without the marks that it ends in."""
    if not (body.endswith(_ENDINGS) or "^" in body or " #" in body or " !" in body or body[-1:].isdecimal()):
        return body
    before = ""
    while body != before:
        before = body = body.rstrip()
        if body.endswith(")"):
            at = max(body.rfind("(via "), body.rfind("(closes "))
            if at >= 0 and ")" not in body[at:-1] and body[at - 1 : at] != "\\":
                body = body[:at]
            continue
        if body and _is_sign(body[-1]):
            body = body[:-1]
            continue
        before_word, _, word = body.rpartition(" ")
        if before_word and (_is_mark(word) or (layout.is_day(word) and _is_sign(before_word[-1]))):  # `✅ 2026-11-24`
            body = before_word
    return body


def _clock(text: str) -> int:
    """Return the width of the time of day that `text` begins with, 0 where it begins with none."""
    for hours in (2, 1):
        end = hours + 3
        if text[hours : hours + 1] == ":" and len(text) >= end and (text[:hours] + text[hours + 1 : end]).isdecimal():
            return 0 if text[end : end + 1].isalnum() or text[end : end + 1] == ":" else end
    return 0


def _is_sign(char: str) -> bool:
    """Return whether a character is a sign or a picture, such as ✅ or an arrow, and no letter, figure or bracket."""
    return _SIGNS_FROM <= char <= _SIGNS_TO or char >= _PICTURES_FROM or char in "\ufe0f\u200d"


def _is_mark(word: str) -> bool:
    sign, name = word[0], word[1:]
    if sign == "^":
        return reference.is_one(name)
    if sign == "!":
        return name.isdecimal()
    return sign == "#" and not name.isdecimal() and bool(name)
