"""What a line states for certain: its kind and its state, and how sure they are. Pure.

What counts, in this order: marks of the line itself, a marker word at its beginning, the heading it stands under.
A word inside a sentence never does.
"""

from __future__ import annotations

from agentws.formats.markdown import markdown, notes
from agentws.planning.notes import reference
from agentws.planning.notes.entry import DONE, DROPPED, MARKED, OPEN, OVER, STANDING, STRUCTURE, TEXT, WAITING

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.planning.notes.entry import Entry
    from agentws.planning.notes.vocabulary import Vocabulary


STATES = {"todo": OPEN, "question": OPEN, "waiting": WAITING, "done": DONE, "dropped": DROPPED}
"""The state that a kind gives."""
STANDING_KINDS = ("decision", "rule", "lesson", "preference", "fact", "identity")
"""Kinds of what holds and is not to be done: a red light makes it important, not open."""
_KINDS = {
    "open": "todo",
    "decisions": "decision",
    "rules": "rule",
    "lessons": "lesson",
    "preferences": "preference",
    "facts": "fact",
    "questions": "question",
    "errors": "error",
}
"""The kind that a heading of the vocabulary gives; other words are kinds themselves."""
_OWN_KINDS = frozenset((*STATES, *STANDING_KINDS, "error"))
"""The words between brackets that need no looking up."""
_BRACKETS = {"[": "]", "(": ")", "（": "）"}
_LONGEST_CELL_CHARS = 40
_LONGEST_LABEL_CHARS = 80


class Above:
    """The headings above an entry: of several that say something, the innermost counts.

    Without words they say nothing. `is_ticked`: a sign such as ✅ says that all below is over.
    """

    __slots__ = ("is_ticked", "kind", "path", "state")

    is_ticked: bool
    kind: str | None
    state: str | None

    def __init__(self, path: tuple[str, ...], outer: Above | None, words: Vocabulary | None) -> None:
        self.path = path
        self.kind = outer.kind if outer else None
        self.state = outer.state if outer else None
        self.is_ticked = outer is not None and outer.is_ticked
        if path and words:
            title = path[-1]
            mark = None if title.isascii() and "~~" not in title else notes.state(title)
            word = words.heading(title)
            if mark or word:
                self.is_ticked = mark in OVER
                self.kind = _KINDS.get(word, word) if word else None
                if self.kind not in STANDING_KINDS:
                    self.state = mark if mark in OVER else STATES.get(self.kind or "", mark)
                else:
                    self.state = None


def of_line(entry: Entry, body: str, words: Vocabulary, above: Above) -> None:
    """Give an entry what its first line says of it: `body`, without its bullet."""
    first, newline, rest = body.partition("\n")
    first = first.strip()
    start, own = _begun(first)
    is_named = own is not None  # `[rule]` is a mark, whatever word stands behind it
    if own is not None and own not in _OWN_KINDS:
        own = words.kind(own) or own  # `[entscheidung]`, in any language, and by the words of a workspace
    # Somebody else's words, and a remark in brackets between paragraphs, ask for nothing and end nothing.
    is_quote = first[:1] == ">" or (entry.form == markdown.PARAGRAPH and _is_remark(first))
    marker = None if is_quote else words.marker(start)
    said = _ended(_plain(start))
    if marker:
        own = own or _KINDS.get(marker[0], marker[0])
        if marker[1]:
            behind = _ended(_plain(start[marker[1] :].lstrip()))
            entry.core = len(said) - len(behind) if said.endswith(behind) else 0
    entry.said = f"{said} {' '.join(_plain(rest).split())}" if newline else said
    mark = None
    if not is_quote and (first[:1] == "[" or "~~" in first or not first.isascii()):
        mark = notes.state(f"- {first}" if first[:1] == "[" and entry.form == markdown.ITEM else first)
        entry.is_urgent = notes.is_urgent(first)
        if mark == WAITING and not marker and STATES.get(own or "") in OVER:
            mark = None  # `[done]` says what has become of what was waited for
    entry.kind = own or above.kind
    given = STATES.get(own) if own else None if is_quote else above.state
    if entry.is_urgent and not mark and given is None and entry.kind not in STANDING_KINDS:
        mark = OPEN
    entry.state = mark or given
    if mark == DONE and entry.kind in STANDING_KINDS:
        entry.state = None  # it is confirmed, and holds on
    if mark or is_named:
        entry.sure = MARKED
    elif entry.kind or entry.state:
        entry.sure = STRUCTURE
        if entry.state in STANDING and words.is_nothing(entry.body):
            entry.kind = entry.state = None  # "Next steps", and below it: none


def _is_remark(line: str) -> bool:
    """Return whether all of a line stands in brackets: `*[waiting for the answer]*`."""
    bare = line.strip("*_ ")
    end = _BRACKETS.get(bare[:1])
    return end is not None and " " in bare.strip("[]() ") and bare.find(end) == len(bare) - 1


def of_row(entry: Entry, words: Vocabulary, above: Above) -> None:
    """Give a row of a table the state that one of its cells names; where two say something, none: it compares."""
    cells = [cell.strip() for cell in entry.text.strip().strip("|").split("|")]
    names = [_ended(_plain(_begun(cell)[0])) for cell in cells]
    entry.said = " | ".join(filter(None, names))
    entry.kind, entry.state = above.kind, above.state
    found: list[tuple[str | None, str]] = []
    for cell, name in zip(cells, names, strict=True):
        if not cell.isascii() and notes.begins_with_mark(cell):
            state = notes.state(cell)
            found.append((state, STRUCTURE if name and state in STANDING else MARKED))
        elif found or cell is not cells[0]:
            word = words.heading(name) if name and len(name) <= _LONGEST_CELL_CHARS else None
            state = STATES.get(_KINDS.get(word, word)) if word else None
            if state:
                found.append((state, STRUCTURE))
    if len(found) == 1 and found[0][0]:
        entry.state, entry.sure = found[0]
    elif entry.state in STANDING and all(map(words.is_nothing, names)):
        entry.kind = entry.state = None
    elif entry.kind or entry.state:
        entry.sure = STRUCTURE


def below(entry: Entry, parent: Entry) -> None:
    """Tell a nested item its parent: below a finished one it is finished, but where it says another thing."""
    if entry.sure == MARKED or entry.core:
        return
    if parent.state in OVER:
        entry.state, entry.sure = parent.state, STRUCTURE
    elif not parent.is_label or parent.state:
        entry.state = None  # it says more of its parent, and is not to be done itself


def outside(entry: Entry, source: str) -> None:
    """Take from an entry what only the agent's own words have."""
    entry.src = source
    entry.kind = entry.state = None
    entry.sure = TEXT
    entry.is_urgent = False


def label(entry: Entry, body: str) -> str:
    """Return what a line names that stands below it, empty where it is no label: `**Next:**`, `**Next**`, `Next:`.

    A label is not to be done itself.
    """
    line = body.strip()
    bare = line.rstrip("*_ ")
    is_strong = line.startswith("**") and line.endswith("**") and line.count("**") == 2
    if len(line) > _LONGEST_LABEL_CHARS or "\n" in line or not (is_strong or bare.endswith((":", "："))):
        return ""
    entry.is_label = True
    if entry.sure != MARKED:
        entry.state = None
    return entry.said.rstrip("*_:： ")


_DASHES = ("- ", "– ", "— ", ": ", "| ")
_LONGEST_KIND_CHARS = 26
_STRONG, _STRIKE = "**", "~~"
_ENDINGS = (")", "✅", "☑", "✔", "❌", "⏳", "⌛", "🔴", "\ufe0f")
_SIGNS_FROM, _SIGNS_TO, _PICTURES_FROM = "\u2190", "\u2bff", "\U0001f000"


def _begun(body: str) -> tuple[str, str | None]:
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
        if body and _is_sign(body[-1]):
            body = body[:-1]
            continue
        word = body.rpartition(" ")[2]
        if word != body and _is_mark(word):
            body = body[: -len(word)]
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
