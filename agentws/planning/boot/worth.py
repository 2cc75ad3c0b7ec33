"""How much a row of the agent's own files is worth, by its structure. Pure."""

from __future__ import annotations

from agentws.formats.markdown import markdown
from agentws.planning.boot.request import INSTRUCTIONS, USER
from agentws.planning.notes import identifiers
from agentws.planning.notes.entry import MARKED, OVER, STANDING

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from agentws.planning.boot.part import Part
    from agentws.planning.notes.entry import Entry
    from agentws.planning.notes.vocabulary import Vocabulary

_SHORT = 25
_WARNING = "⚠"
_AROUND = "*_`\"'(),.:;!"
_LONGEST_MARKER = 4
_COMMAND, _WARNED, _OF_TABLE = 1.5, 1.0, 0.5
_IMPORTANT = 8
_MARKED_KINDS = ("decision", "rule", "preference", "lesson")
_LONGEST_FIELD_CHARS = 120
_RULES = ("rules", "preferences")
_KINDS = {"rule": 2.0, "preference": 1.5, "lesson": 1.5, "decision": 1.5, "fact": 0.5, "identity": 1.0}


def of_identity(part: Part, at: int) -> int:
    """0 for rules and boundaries, 1 for names, 2 for what only begins like a rule, 3 for the rest.

    Of whom it serves the names come first; what says how the agent works here names nobody.
    """
    entry = part.entry(at)
    if entry is None:
        return 3
    if (entry.importance or 0) >= _IMPORTANT or commands(part.rows[at].text, part.words):
        return 0
    if entry.kind in ("rule", "preference"):
        is_listed = entry.sure == MARKED or any(part.words.heading(title) in _RULES for title in entry.headings)
        return 0 if is_listed else 2
    if part.source.role == INSTRUCTIONS:
        return 3
    is_field = identifiers.fact(entry.said) is not None and len(entry.said) <= _LONGEST_FIELD_CHARS
    if not is_field:
        return 3
    return -1 if part.source.role == USER else 1


def of_memory(part: Part, at: int) -> float:
    """What stands and was marked weighs more."""
    entry = part.entry(at)
    if entry is None:
        return 0.0
    rows = part.rows
    row = rows[at]
    value = _KINDS.get(entry.kind or "", 0.0)
    if entry.state in STANDING:
        value = 0.2
    elif entry.state in OVER:
        value = -0.5
    elif entry.kind is None and commands(row.text, part.words):
        value = _COMMAND
    if entry.importance is not None:
        value += (entry.importance - 5) * 0.5
    if entry.is_urgent or _WARNING in row.text or (row.heading >= 0 and _WARNING in rows[row.heading].text):
        value += _WARNED
    if row.kind == markdown.ROW:
        return value - _OF_TABLE
    return value + (0.25 if len(row.text) > _SHORT else 0.0)


def commands(text: str, words: Vocabulary) -> bool:
    """Return whether a word of rules stands in it in capitals: that is a mark, wherever it stands."""
    spoken = text.split()
    for at, word in enumerate(spoken):
        if word.isupper() and len(word) > 1:
            marker = words.marker(" ".join((word.strip(_AROUND), *spoken[at + 1 : at + _LONGEST_MARKER])))
            if marker is not None and marker[0] == "rule":
                return True
    return False


def is_marked(entry: Entry, wanted: Sequence[str]) -> bool:
    """Return whether a mark of its own says that an entry counts, or it has a tag that is `wanted`."""
    if entry.src or entry.state in OVER:
        return False
    is_kind = entry.sure == MARKED and entry.kind in _MARKED_KINDS
    return (
        is_kind or (entry.importance or 0) >= _IMPORTANT or bool(wanted and any(map(wanted.__contains__, entry.tags)))
    )
