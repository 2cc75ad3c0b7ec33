"""Reading notes as people and agents write them: daily logs, MEMORY.md, identity. Specified in docs/format/daily.md.

What a unit of Markdown says about itself is read off its own line first and off its headings second: its time, its
kind, how important it is, its tags, whether it is done.
"""

from __future__ import annotations

from agentws.formats import markdown
from agentws.formats.lazy import Pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_TIME = Pattern(r"(?<![\d:.\-])([01]?\d|2[0-3]):([0-5]\d)(?!\d)")
_KIND = Pattern(r"\[([a-z][a-z0-9_-]{1,23})\](?!\()")
_IMPORTANCE = Pattern(r"(?:^|\s)!(10|[1-9])(?=\s|$)")
_IMPORTANCE_COMMENT = Pattern(r"<!--\s*importance:\s*(10|[1-9])\b[^<>]*-->")
_TAG = Pattern(r"(?:^|(?<=\s))#([\w/:.-]*[^\W\d][\w/:-]*)")
_ANY_TAG = Pattern(r"(?<![^\W_])#([^\W_][\w/:-]*)")
_VIA = Pattern(r"\(via ([^\s()]+)\)\s*$")
_CHECKED = Pattern(r"^\s*(?:[-*+]|\d+[.)])\s+\[([ xX~-])\]")
_DONE = Pattern(r"✅|☑|✔|\bDONE\b|\bCOMPLETED?\b|~~|\bis (?:now )?deleted\b", "IGNORECASE")
_DONE_HINTS = ("✅", "☑", "✔", "done", "complete", "~~", "deleted")

_HEADINGS = (
    ("question", ("question",), Pattern(r"\b(?:open )?questions?\b", "IGNORECASE")),
    (
        "todo",
        ("do", "next", "pending", "block", "waiting", "item", "follow", "still", "read this"),
        Pattern(
            r"\b(?:to-?dos?|next (?:session|steps?|up)|pending|blocked|blockers?|waiting|action items?|open items?|"
            r"follow[- ]?ups?|still (?:open|needed)|read this first)\b",
            "IGNORECASE",
        ),
    ),
    ("decision", ("decision", "decided"), Pattern(r"\bdecisions?\b|\bdecided\b", "IGNORECASE")),
    (
        "lesson",
        ("lesson", "learn", "insight"),
        Pattern(r"\blessons?\b|\blearn(?:ed|ings?|t)\b|\binsights?\b", "IGNORECASE"),
    ),
    ("preference", ("preference",), Pattern(r"\bpreferences?\b", "IGNORECASE")),
    ("error", ("error", "incident", "fail"), Pattern(r"\berrors?\b|\bincidents?\b|\bfail(?:ed|ures?)\b", "IGNORECASE")),
    (
        "done",
        ("done", "complete", "accomplish", "shipped"),
        Pattern(r"\bdone\b|\bcompleted?\b|\baccomplish\w*|\bshipped\b", "IGNORECASE"),
    ),
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
        kind = _KIND.search(first[:60]) if "[" in first else None
        via = _VIA.search(first) if "(via " in first else None
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
    return tuple(dict.fromkeys(_TAG.findall(text))) if "#" in text else ()


def kind_of_heading(heading: str) -> str | None:
    """The kind that a heading gives to what stands below it: "Open questions" → `question`."""
    lowered = heading.lower()
    for kind, hints, pattern in _HEADINGS:
        if any(hint in lowered for hint in hints) and pattern.search(heading):
            return kind
    return None


def _time(text: str) -> str | None:
    found = _TIME.search(text) if ":" in text else None
    return f"{int(found.group(1)):02d}:{found.group(2)}" if found else None


def _importance(text: str) -> int | None:
    if "!" not in text:  # both forms have one
        return None
    found = _IMPORTANCE_COMMENT.search(text) or _IMPORTANCE.search(text.split("\n", 1)[0])
    return int(found.group(1)) if found else None


def _done(first: str, kind: str | None) -> bool | None:
    box = _CHECKED.match(first) if "[" in first else None
    if (box and box.group(1) in "xX") or kind == "done" or _says_done(first):
        return True
    return False if box else None


def _says_done(line: str) -> bool:
    lowered = line.lower()
    return any(hint in lowered for hint in _DONE_HINTS) and _DONE.search(line) is not None
