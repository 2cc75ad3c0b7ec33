"""Reading notes as people and agents write them: daily logs, MEMORY.md, identity. Specified in docs/format/daily.md.

What a unit of Markdown says about itself is read off its own line first and off its headings second: its time, its
kind, how important it is, its tags, whether it is done.
"""

from __future__ import annotations

import re

from agentws.formats import markdown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_TIME = re.compile(r"(?<![\d:.\-])([01]?\d|2[0-3]):([0-5]\d)(?!\d)")
_KIND = re.compile(r"\[([a-z][a-z0-9_-]{1,23})\](?!\()")
_IMPORTANCE = re.compile(r"(?:^|\s)!(10|[1-9])(?=\s|$)")
_IMPORTANCE_COMMENT = re.compile(r"<!--\s*importance:\s*(10|[1-9])\b[^<>]*-->")
_TAG = re.compile(r"(?:^|(?<=\s))#([\w/:.-]*[^\W\d][\w/:-]*)")
_ANY_TAG = re.compile(r"(?<![^\W_])#([^\W_][\w/:-]*)")
_VIA = re.compile(r"\(via ([^\s()]+)\)\s*$")
_CHECKED = re.compile(r"^\s*(?:[-*+]|\d+[.)])\s+\[([ xX~-])\]")
_DONE = re.compile(r"✅|☑|✔|\bDONE\b|\bCOMPLETED?\b|~~|\bis (?:now )?deleted\b", re.IGNORECASE)

_HEADINGS = (
    ("question", re.compile(r"\b(?:open )?questions?\b", re.IGNORECASE)),
    (
        "todo",
        re.compile(
            r"\b(?:to-?dos?|next (?:session|steps?|up)|pending|blocked|blockers?|waiting|action items?|open items?|"
            r"follow[- ]?ups?|still (?:open|needed)|read this first)\b",
            re.IGNORECASE,
        ),
    ),
    ("decision", re.compile(r"\bdecisions?\b|\bdecided\b", re.IGNORECASE)),
    ("lesson", re.compile(r"\blessons?\b|\blearn(?:ed|ings?|t)\b|\binsights?\b", re.IGNORECASE)),
    ("preference", re.compile(r"\bpreferences?\b", re.IGNORECASE)),
    ("error", re.compile(r"\berrors?\b|\bincidents?\b|\bfail(?:ed|ures?)\b", re.IGNORECASE)),
    ("done", re.compile(r"\bdone\b|\bcompleted?\b|\baccomplish\w*|\bshipped\b", re.IGNORECASE)),
)


class _Above:
    """What the headings above a unit say of it, read once for all units below them."""

    __slots__ = ("kind", "path", "tags", "time")

    def __init__(self, path: tuple[str, ...]) -> None:
        heading = path[-1] if path else ""
        self.path = path
        self.time = _time(heading)
        self.kind = kind_of_heading(heading)
        self.tags = tags_in(" ".join(path))


class Note:
    """A unit with what it says about itself.

    `time` is `HH:MM` or None; `kind` a word or None; `importance` 1 to 10 or None; `done` True, False (an unchecked
    box) or None where nothing is said.
    """

    __slots__ = ("_above", "_tags", "done", "importance", "kind", "time", "unit", "via")

    def __init__(self, unit: markdown.Unit, above: _Above) -> None:
        first = unit.text.split("\n", 1)[0]
        kind = _KIND.search(first[:60])
        via = _VIA.search(first)
        self.unit = unit
        self.time = _time(first[:40]) or above.time
        self.kind = kind.group(1) if kind else above.kind
        self.importance = _importance(unit.text)
        self._above = above
        # Of its children too: what is tagged #private must not slip through because the tag stands a line below.
        self._tags = tags_in(unit.text)
        self.via = via.group(1) if via else None
        self.done = _done(first, self.kind)

    @property
    def tags(self) -> tuple[str, ...]:
        """Its tags, those of its headings first."""
        return self._above.tags + self._tags


def read(text: str, *, first_line: int = 1) -> list[Note]:
    """The notes in `text`, in order, each under its headings."""
    found: list[Note] = []
    above = _Above(())
    for unit in markdown.units(text, first_line=first_line):
        if unit.path is not above.path:
            above = _Above(unit.path)
        found.append(Note(unit, above))
    return found


def has_label(text: str, labels: Sequence[str]) -> bool:
    """True where `text` carries one of `labels` (lower case) as a tag, however it is dressed: `(#Private)`, `_#x_`.

    For privacy, where reading too much into a text is better than too little: `#private/family` counts as `private`.
    """
    for tag in _ANY_TAG.findall(text) if "#" in text else ():
        first = tag.casefold().rstrip("_").partition("/")[0]
        if first in labels or tag.casefold().rstrip("_") in labels:
            return True
    return False


def tags_in(text: str) -> tuple[str, ...]:
    """The tags that stand in `text`, without their marks, each once."""
    return tuple(dict.fromkeys(_TAG.findall(text)))


def kind_of_heading(heading: str) -> str | None:
    """The kind that a heading gives to what stands below it: "Open questions" → `question`."""
    for kind, pattern in _HEADINGS:
        if pattern.search(heading):
            return kind
    return None


def _time(text: str) -> str | None:
    found = _TIME.search(text)
    return f"{int(found.group(1)):02d}:{found.group(2)}" if found else None


def _importance(text: str) -> int | None:
    found = _IMPORTANCE_COMMENT.search(text) or _IMPORTANCE.search(text.split("\n", 1)[0])
    return int(found.group(1)) if found else None


def _done(first: str, kind: str | None) -> bool | None:
    box = _CHECKED.match(first)
    if box and box.group(1) in "xX":
        return True
    if _DONE.search(first) or kind == "done":
        return True
    return False if box else None
