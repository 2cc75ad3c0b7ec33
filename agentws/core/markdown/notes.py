"""Reads notes written by people and agents: daily logs, MEMORY.md, identity. See docs/format/daily.md.

A unit's time, kind, importance, tags and state are read from its own line first, and from its headings second.
"""

from __future__ import annotations

from agentws.core.markdown import markdown
from agentws.core.text import origin
from agentws.core.text.lazy import Pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import ModuleType

_IMPORTANCE = Pattern(r"(?:^|\s)!(10|[1-9])(?=\s|$)")
_IMPORTANCE_COMMENT = Pattern(r"(?<!\\)<!--\s*importance:\s*(10|[1-9])\b[^<>]*-->")
_TAG = Pattern(r"(?:^|(?<=\s))#([\w/:.-]*[^\W\d][\w/:-]*)")
_ANY_TAG = Pattern(r"(?<![^\W_])#([^\W_][\w/:-]*)")
_MAY_BE_CUT = Pattern(r"#[\w/:.-]+[\u0300-\u1dff\u20d0-\u20ff\u2cef-\u302f\u3099\u309a]")
"""A tag before what may be a mark of its last letter: then core/text/letters.py reads the tags, more slowly."""
OPEN, WAITING, DONE, DROPPED = "open", "waiting", "done", "dropped"
_TICKS = ("✅", "☑", "✔")
_CROSS = "❌"
_WAITING = ("⏳", "⌛")
_URGENT = "🔴"
_STATE_OF_BOX = {"[ ]": OPEN, "[~]": OPEN, "[x]": DONE, "[X]": DONE, "[-]": DROPPED}
_STATE_OF_DRAWN_BOX = {"☐": OPEN, "⬜": OPEN, "☑": DONE, "☒": DONE}
"""A box that is one sign, with a bullet before it or none; ☒ is how pandoc draws a checked one."""
_SIGNS = (*_TICKS, _CROSS, *_WAITING, _URGENT, *_STATE_OF_DRAWN_BOX)
_STRIKE = "~~"
_NO_SIGNS = " \t-*+_[]xX~.)0123456789:"
_LETTERS, _FIGURES = "abcdefghijklmnopqrstuvwxyz", "0123456789"
_LONGEST_KIND_CHARS = 24


class _Above:
    """The marks that a unit inherits from its headings, read once for all units below them."""

    __slots__ = ("path", "tags", "time")

    def __init__(self, path: tuple[str, ...]) -> None:
        heading = path[-1] if path else ""
        self.path = path
        self.time = time_in(heading)
        self.tags = tags_in(" ".join(path))


class Note:
    """A unit of Markdown with its marks.

    `time` is `HH:MM` or None; `kind` a word or None; `importance` 1 to 10 or None; `done` True, False (an unchecked
    box) or None if unmarked; `tags` has those of its headings first. `src` is the source of a unit from outside, else
    empty: such a unit has no kind, importance, tags or state, whatever it or its headings say.
    """

    __slots__ = ("done", "importance", "kind", "src", "tags", "time", "unit", "via")

    kind: str | None
    importance: int | None
    done: bool | None
    tags: tuple[str, ...]

    def __init__(self, unit: markdown.Unit, above: _Above) -> None:
        first = unit.text.split("\n", 1)[0]
        self.unit = unit
        self.time = time_in(first[:40]) or above.time
        self.via = origin.marked(first) if "(via " in first else None
        self.src = ""
        if self.via and origin.class_of_mark(self.via) in origin.OUTSIDE:
            self.src = self.via
            self.kind = self.importance = self.done = None
            self.tags = ()
            return
        self.kind = kind_in(first[:60])
        self.importance = importance_in(unit.text)
        # Of its children too: what is tagged #private must not slip through because the tag stands a line below.
        self.tags = above.tags + tags_in(unit.text)
        self.done = True if self.kind == "done" else marked(first)


def read(text: str, *, first_line: int = 1) -> list[Note]:
    """Return the notes in `text`, in order, each under its headings."""
    notes: list[Note] = []
    above = _Above(())
    for unit in markdown.units(text, first_line=first_line):
        if unit.path is not above.path:
            above = _Above(unit.path)
        notes.append(Note(unit, above))
    return notes


def has_label(text: str, labels: Sequence[str]) -> bool:
    """Return whether a note has one of `labels` (lower case) as a tag, in any dress: `(#Private)`, `_#x_`.

    For privacy, where a false match is better than a miss: `#private/family` counts as `private`.
    """
    if "#" not in text:
        return False
    for tag in _ANY_TAG.findall(text) if _is_plain(text) else _letters().labels_in(text):
        first = tag.casefold().rstrip("_").partition("/")[0]
        if first in labels or tag.casefold().rstrip("_") in labels:
            return True
    return False


def tags_in(text: str) -> tuple[str, ...]:
    """Return the tags in a note, without `#` and duplicates."""
    if "#" not in text:
        return ()
    return tuple(dict.fromkeys(_TAG.findall(text) if _is_plain(text) else _letters().tags_in(text)))


def _letters() -> ModuleType:
    from agentws.core.text import letters

    return letters


def _is_plain(text: str) -> bool:
    return text.isascii() or _MAY_BE_CUT.search(text) is None


def time_in(text: str) -> str | None:
    """Return a note's first time of day as `HH:MM`. Without a regular expression, since each line is checked."""
    at = text.find(":")
    while at >= 0:
        minute = text[at + 1 : at + 3]
        if len(minute) == 2 and _is_number(minute, 59) and not text[at + 3 : at + 4].isdecimal():
            for hour in (text[max(0, at - 2) : at], text[at - 1 : at]):
                if _is_number(hour, 23) and not _belongs_to_a_number(text, at - len(hour)):
                    return f"{int(hour):02d}:{minute}"
        at = text.find(":", at + 1)
    return None


def _is_number(text: str, most: int) -> bool:
    return text.isdecimal() and text.isascii() and int(text) <= most


def _belongs_to_a_number(text: str, start: int) -> bool:
    before = text[start - 1] if start else " "
    return before.isdecimal() or before in ":.-"


def kind_in(text: str) -> str | None:
    """Return a note's kind, the first word in square brackets that is not a link's text: `[decision]`."""
    at = text.find("[")
    while at >= 0:
        end = text.find("]", at)
        word = text[at + 1 : end] if end > 0 else ""
        plain = word.replace("-", "").replace("_", "")
        is_word = 2 <= len(word) <= _LONGEST_KIND_CHARS and word[0] in _LETTERS and not plain.strip(_LETTERS + _FIGURES)
        if is_word and text[end + 1 : end + 2] != "(" and text[at - 1 : at] != "\\":
            return word
        at = text.find("[", at + 1)
    return None


def importance_in(text: str) -> int | None:
    """Return a note's importance, 1 to 10: `!7` in its first line, or a comment."""
    if "!" not in text or not ("!--" in text or any(part[:1] in _FIGURES for part in text.split("!")[1:] if part)):
        return None  # nothing is compiled for what is only loud
    match = _IMPORTANCE_COMMENT.search(text) or _IMPORTANCE.search(text.split("\n", 1)[0])
    return int(match.group(1)) if match else None


def has_box(line: str) -> bool:
    """Return whether a note's line is a list item with a check box."""
    return ("[" in line or not line.isascii()) and box_of(line) is not None


def has_marks(text: str) -> bool:
    """Return whether a note has a state mark other than a box: a tick, a cross or a strike."""
    return (not text.isascii() and any(mark in text for mark in (*_TICKS, _CROSS))) or _STRIKE in text


def marked(line: str) -> bool | None:
    """Return whether the marks of a note's line close it: True if over, False if its box is open, else None."""
    value = state(line)
    if value == WAITING and box_of(line) is None:
        return None
    return None if value is None else value in (DONE, DROPPED)


def state(line: str) -> str | None:
    """Return the state that the marks give a note's line: OPEN, WAITING, DONE, DROPPED, or None without any.

    A tick wins over an empty box, and so do a cross and a strike through most of the line; if tick and cross contradict
    each other, the box decides. Without a box a tick counts at the beginning and the end of the line, and a cross does
    not count: it also means "never" and "broken". An hourglass at the beginning wins over all but a checked box. Marks
    between backticks do not count.
    """
    is_plain = line.isascii()
    box = box_of(line) if "[" in line or not is_plain else None
    if is_plain and _STRIKE not in line:  # the most usual
        return box
    text = "".join(line.split("`")[::2]) if "`" in line else line
    is_done = any(tick in text for tick in _TICKS) if box else _first_sign(text) in _TICKS or _ends_in_tick(text)
    if box == DONE:
        return box
    if _first_sign(line) in _WAITING:
        return WAITING
    if is_done:
        return box if box and _CROSS in text else DONE
    if _CROSS in text and box:
        return DROPPED
    return DROPPED if _STRIKE in text and _is_struck(text) else box


def box_of(line: str) -> str | None:
    """Return the state of a note's check box, None without one: `- [ ]`, or `☐` without a bullet."""
    width = markdown.marker(line)
    body = line[width:].lstrip()
    return (_STATE_OF_BOX.get(body[:3]) if width else None) or _STATE_OF_DRAWN_BOX.get(body[:1])


def is_box(text: str) -> bool:
    """Return whether a text is a note's check box."""
    return text in _STATE_OF_BOX


def begins_with_mark(line: str) -> bool:
    """Return whether a note's line begins with a state sign or a red light."""
    return _first_sign(line) in _SIGNS


def _ends_in_tick(text: str) -> bool:
    """Return whether a line ends in a tick, before its reference, tags and importance."""
    words = text.replace("\ufe0f", "").split()
    while words and words[-1][0] in "^#!":
        words.pop()
    return bool(words) and words[-1].endswith(_TICKS)


def _first_sign(line: str) -> str:
    """The first character that is not a part of a bullet, a box, a time, a kind or emphasis."""
    rest = line.lstrip(_NO_SIGNS)
    if "]" in rest[: _LONGEST_KIND_CHARS + 1] and (kind := kind_in(line)) and rest.startswith(f"{kind}]"):
        rest = rest[len(kind) :].lstrip(_NO_SIGNS)
    return rest[:1]


def _is_struck(text: str) -> bool:
    """Return whether half of what a text says, or more, is struck through."""
    parts = text.split(_STRIKE)
    if len(parts) % 2 == 0:
        parts[-2:] = ["".join(parts[-2:])]  # the last one is never closed
    inside, outside = (sum(map(str.isalnum, "".join(some))) for some in (parts[1::2], parts[::2]))
    return inside > 0 and inside >= outside
