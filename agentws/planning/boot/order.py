"""The order in which rows of a file are taken where not all of them fit. Pure."""

from __future__ import annotations

from agentws.formats.markdown import markdown
from agentws.planning.boot.request import (
    ACTIVITY,
    CONTEXT,
    DAY,
    DIGEST,
    HANDOFF,
    IN_FLIGHT,
    INSTRUCTIONS,
    MEMORY,
    PINNED,
    USER,
)
from agentws.planning.boot.rows import says_nothing
from agentws.planning.notes import identifiers
from agentws.planning.notes.entry import MARKED, OVER, STANDING

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from agentws.planning.boot.part import Part
    from agentws.planning.notes.entry import Entry
    from agentws.planning.notes.vocabulary import Vocabulary


_LEAD = 8.0
_COUNTING = ("decision", "rule", "lesson", "preference", "todo", "waiting")


def of(part: Part) -> list[int]:
    """The rows that `part` may show at its own place, the first ones first."""
    role = part.source.role
    inside = part.inside
    if role == DAY:
        return inside[::-1]
    if role == ACTIVITY:
        weights = part.source.weights
        return sorted(inside, key=lambda at: -weights[at]) if len(weights) == len(part.rows) else inside[::-1]
    if role in (IN_FLIGHT, DIGEST):
        return inside
    if role == HANDOFF:
        return sorted(inside, key=lambda at: -_of_handoff(part, at))
    shown = frozenset(inside)
    return [at for at in part.ranked(_ranked) if at in shown] or inside


def every(part: Part) -> list[int]:
    """Return all rows that may be shown, in the order of the file."""
    return part.page.telling


def _ranked(part: Part) -> list[int]:
    """The rows of a file that seldom changes, by their worth, without what says nothing."""
    rows = part.rows
    every = part.page.telling
    telling = [at for at in every if rows[at].kind != markdown.HEADING and not says_nothing(rows[at])]
    if part.source.role in (MEMORY, CONTEXT, PINNED):
        return sorted(_latest_first(part, telling or every), key=lambda at: -_worth_in_memory(part, at))
    return sorted(telling or every, key=lambda at: _worth_in_identity(part, at))


def _latest_first(part: Part, rows: list[int]) -> list[int]:
    """What was remembered last stands at the end of a file; what compaction wrote begins with what matters most."""
    from agentws.formats.documents import managed  # most boots know the order of their files

    is_memory = part.source.role == MEMORY
    made = [at for at in rows if is_memory and (entry := part.entry(at)) and managed.HEADING in entry.headings]
    if not made:
        return rows[::-1]
    before, behind = ([at for at in rows if at < made[0]], [at for at in rows if at > made[-1]])
    return [*behind[::-1], *made, *before[::-1]]


def marked(part: Part, wanted: Sequence[str]) -> list[int]:
    """The rows that somebody marked as what counts, and those with a tag that is `wanted`; the last ones first."""
    found = (part.row_of(entry) for entry in reversed(part.entries) if _is_marked(entry, wanted))
    return [at for at in found if at is not None]


def _of_handoff(part: Part, at: int) -> float:
    from agentws.formats.documents import handoff  # most boots have none

    heading = part.rows[at].heading
    if heading < 0:
        return _LEAD if part.source.read_with else 0.0
    weights = {
        handoff.DOING: 7.0,
        handoff.NEXT: 6.0,
        handoff.IN_FLIGHT: 6.0,
        handoff.AT_RISK: 5.5,
        handoff.PENDING: 4.0,
        handoff.FAILED: 3.0,
        handoff.PERHAPS: 2.8,
        handoff.DECISIONS: 2.5,
        handoff.FILES: 0.5,
        handoff.NAMED: 0.5,
    }
    return weights.get(handoff.heading_of(title(part, heading)) or "", 0.0)


def title(part: Part, heading: int) -> str:
    """Return the words of a heading."""
    return markdown.title_of(part.rows[heading].text)


def counting(part: Part) -> list[int]:
    """The rows of lists under a heading that says that they count, the last list first, each from its beginning."""
    groups: dict[int, list[int]] = {}
    for at in part.inside:
        entry = part.entry(at)
        if entry is not None and entry.kind in _COUNTING:
            groups.setdefault(part.rows[at].heading, []).append(at)
    return [at for rows in reversed(list(groups.values())) for at in rows]


def heads(part: Part, count: int) -> list[int]:
    """The first `count` rows of each section, the last section first."""
    groups: dict[int, list[int]] = {}
    rows = part.rows
    for at in part.inside:
        groups.setdefault(rows[at].heading, []).append(at)
    return [at for rows in reversed(list(groups.values())) for at in rows[:count]]


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


def _worth_in_identity(part: Part, at: int) -> int:
    """0 for rules and boundaries, 1 for names, 2 for what only begins like a rule, 3 for the rest.

    Of whom it serves the names come first; what says how the agent works here names nobody.
    """
    entry = part.entry(at)
    if entry is None:
        return 3
    if (entry.importance or 0) >= _IMPORTANT or _commands(part.rows[at].text, part.words):
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


def _worth_in_memory(part: Part, at: int) -> float:
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
    elif entry.kind is None and _commands(row.text, part.words):
        value = _COMMAND
    if entry.importance is not None:
        value += (entry.importance - 5) * 0.5
    if entry.is_urgent or _WARNING in row.text or (row.heading >= 0 and _WARNING in rows[row.heading].text):
        value += _WARNED
    if row.kind == markdown.ROW:
        return value - _OF_TABLE
    return value + (0.25 if len(row.text) > _SHORT else 0.0)


def _commands(text: str, words: Vocabulary) -> bool:
    """Return whether a word of rules stands in it in capitals: that is a mark, wherever it stands."""
    spoken = text.split()
    for at, word in enumerate(spoken):
        if word.isupper() and len(word) > 1:
            marker = words.marker(" ".join((word.strip(_AROUND), *spoken[at + 1 : at + _LONGEST_MARKER])))
            if marker is not None and marker[0] == "rule":
                return True
    return False


def _is_marked(entry: Entry, wanted: Sequence[str]) -> bool:
    """Return whether a mark of its own says that an entry counts, or it has a tag that is `wanted`."""
    if entry.src or entry.state in OVER:
        return False
    is_kind = entry.sure == MARKED and entry.kind in _MARKED_KINDS
    return (
        is_kind or (entry.importance or 0) >= _IMPORTANT or bool(wanted and any(map(wanted.__contains__, entry.tags)))
    )
