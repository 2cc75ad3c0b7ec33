"""What compaction takes from the English words of a heading or a line: its kind, and whether it is done.

Boot, handoffs and todo rest on marks and vocabularies (planning/notes) instead.
"""

from __future__ import annotations

from functools import lru_cache

from agentws.formats.lazy import Pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.formats.notes import Note

_DONE = Pattern(r"\bDONE\b|\bCOMPLETED?\b|\bis (?:now )?deleted\b", "IGNORECASE")
_DONE_HINTS = ("done", "complete", "deleted")
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


def kind(note: Note) -> str | None:
    """Return the kind that a note gives itself, else that of its innermost heading."""
    path = note.unit.path
    return note.kind or (kind_of_heading(path[-1]) if path and not note.src else None)


def done(note: Note) -> bool | None:
    """Return whether a note is done: by its marks, else by its heading or by words that say so."""
    if note.src or note.done is not None:
        return note.done
    line = note.unit.text.split("\n", 1)[0]
    is_hinted = any(map(line.lower().__contains__, _DONE_HINTS))
    return True if kind(note) == "done" or (is_hinted and _DONE.search(line)) else None


@lru_cache(maxsize=4096)
def kind_of_heading(heading: str) -> str | None:
    """Return the kind that a heading gives to what stands below it: "Open questions" → `question`."""
    lowered = heading.lower()
    for kind, hints, pattern in _HEADINGS:
        if any(hint in lowered for hint in hints) and pattern.search(heading):
            return kind
    return None
