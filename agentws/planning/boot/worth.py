"""How much a row of the agent's own files is worth, by its structure. Pure."""

from __future__ import annotations

from agentws.formats import markdown
from agentws.planning.notes import identifiers
from agentws.planning.notes.entry import MARKED, OVER, STANDING

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from agentws.planning.boot.part import Part
    from agentws.planning.boot.rows import Row
    from agentws.planning.notes.entry import Entry

_SHORT = 25
_LONGEST_NAME_CHARS = 60
_EMPHASIS = "_*"
_IMPORTANT = 8
_MARKED_KINDS = ("decision", "rule", "preference", "lesson")
_LONGEST_FIELD_CHARS = 120
_KINDS = {"rule": 2.0, "preference": 1.5, "lesson": 1.5, "decision": 1.5, "fact": 0.5, "identity": 1.0}


def of_identity(part: Part, at: int) -> int:
    """0 for names, 1 for rules and boundaries, 2 for the rest."""
    entry = part.entry(at)
    if entry is None:
        return 2
    if entry.kind in ("rule", "preference") or (entry.importance or 0) >= _IMPORTANT:
        return 1
    is_field = identifiers.fact(entry.said) is not None and len(entry.said) <= _LONGEST_FIELD_CHARS
    return 0 if is_field else 2


def of_memory(part: Part, at: int) -> float:
    """What stands and was marked weighs more."""
    entry = part.entry(at)
    if entry is None:
        return 0.0
    value = _KINDS.get(entry.kind or "", 0.0)
    if entry.state in STANDING:
        value = 0.2
    elif entry.state in OVER:
        value = -0.5
    if entry.importance is not None:
        value += (entry.importance - 5) * 0.5
    value += entry.is_urgent
    return value + (0.25 if len(part.rows[at].text) > _SHORT else 0.0)


def is_marked(entry: Entry, wanted: Sequence[str]) -> bool:
    """Return whether a mark of its own says that an entry counts, or it has a tag that is `wanted`."""
    if entry.src or entry.state in OVER:
        return False
    is_kind = entry.sure == MARKED and entry.kind in _MARKED_KINDS
    return (
        is_kind or (entry.importance or 0) >= _IMPORTANT or bool(wanted and any(map(wanted.__contains__, entry.tags)))
    )


def says_nothing(row: Row) -> bool:
    """Return whether a row is what a template left: a remark all in italics or brackets, a field without a value."""
    text = row.text[markdown.marker(row.text) :].strip()
    if not any(map(str.isalnum, text)):
        return True
    if text[0] in _EMPHASIS and text[-1] == text[0]:
        return True
    name, colon, value = text.partition(":")
    value = value.strip(" *_\t")
    is_blank = not any(map(str.isalnum, value)) or (value[0] == "(" and value[-1] == ")")
    return bool(colon) and len(name) <= _LONGEST_NAME_CHARS and is_blank
