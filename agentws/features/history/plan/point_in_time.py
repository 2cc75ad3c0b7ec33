"""Time travel: finds the state that a word means, compares texts, reconstructs an earlier log. Pure.

States come newest first, as history lists them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo

from agentws.core import Result
from agentws.core.formats.documents import daily

Opcode = tuple[str, int, int, int, int]


OURS = "agentws "
"""How the message of a state begins that our verb recorded."""
_LEAST_ID = 4
_AROUND = 3
_MOST_PAIRS = 1_000_000
"""So many pairs of lines are compared; if there are more, the old lines go and the new ones come, as a whole."""
_UNENDED = "\\ No newline at end of file"


@dataclass(frozen=True, slots=True, repr=False)
class State(Result):
    """A state of history, a point in time: its id, when it was recorded, and its message."""

    id: str
    at: datetime
    message: str

    def local(self, zone: tzinfo | None) -> datetime:
        """Return the state's time in this zone; as recorded if a calendar cannot show it."""
        try:
            return self.at.astimezone(zone)
        except OverflowError:
            return self.at

    @property
    def subject(self) -> str:
        """The first line of the message of history's state."""
        return self.message.partition("\n")[0].strip()

    @property
    def verb(self) -> str:
        """The verb that recorded the state of history; empty if a person did, with git."""
        return self.subject.removeprefix(OURS) if self.subject.startswith(OURS) else ""


def newest_until(states: Iterable[State], moment: datetime) -> State | None:
    """Return the state of history in force at a point in time: the newest not later; None before the first."""
    return next((state for state in states if state.at <= moment), None)


def next_after(states: Sequence[State], state: State) -> State | None:
    """Return the state that history recorded next after this one, None after the newest."""
    place = next(number for number, outcome in enumerate(states) if outcome.id == state.id)
    return states[place - 1] if place else None


def named(states: Iterable[State], word: str) -> list[State]:
    """Return the states of history whose ids begin with `word`; none if it cannot be an id."""
    if len(word) < _LEAST_ID or word.strip("0123456789abcdef"):
        return []
    return [state for state in states if state.id.startswith(word)]


# What differs


class Difference(Result):
    """The diff of two texts of history: numbers of lines `added` and `removed`, and the `lines` of a unified diff."""

    __slots__ = ("added", "lines", "removed")

    def __init__(self, before: bytes, after: bytes) -> None:
        self.added = self.removed = 0
        self.lines: list[str] = []
        old, new = _split(before), _split(after)
        for group in _groups(list(_opcodes(old, new))):
            self._hunk(group, old, new)

    def _hunk(self, group: Sequence[Opcode], old: list[str], new: list[str]) -> None:
        (_, from_a, _, from_b, _), (_, _, to_a, _, to_b) = group[0], group[-1]
        self.lines.append(f"@@ -{_range(from_a, to_a)} +{_range(from_b, to_b)} @@")
        for tag, start_a, end_a, start_b, end_b in group:
            if tag == "equal":
                self._say(" ", old[start_a:end_a])
                continue
            self.removed += end_a - start_a
            self.added += end_b - start_b
            self._say("-", old[start_a:end_a])
            self._say("+", new[start_b:end_b])

    def _say(self, mark: str, lines: Sequence[str]) -> None:
        for line in lines:
            self.lines.append(mark + line.removesuffix("\n"))
            if not line.endswith("\n"):
                self.lines.append(_UNENDED)


def patch(difference: Difference, *, before: str | None, after: str | None) -> list[str]:
    """Return the lines of a patch that turns the file `before` into `after`, as history had it; None: no file."""
    if not difference.lines:
        return []
    old = f"a/{before}" if before is not None else "/dev/null"
    new = f"b/{after}" if after is not None else "/dev/null"
    return [f"--- {old}", f"+++ {new}", *difference.lines]


def _split(data: bytes) -> list[str]:
    """The lines with their ends: a last line without one is another line than one with it."""
    lines = data.decode("utf-8", "surrogateescape").split("\n")
    return [f"{line}\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])


def _opcodes(old: list[str], new: list[str]) -> Iterator[Opcode]:
    """Changed lines; equal lines at both ends are skipped."""
    head = _same(old, new)
    tail = _same(old[head:][::-1], new[head:][::-1])
    end_a, end_b = len(old) - tail, len(new) - tail
    if head:
        yield "equal", 0, head, 0, head
    if head < end_a or head < end_b:
        yield from _between(old, new, head, end_a, end_b)
    if tail:
        yield "equal", end_a, len(old), end_b, len(new)


def _between(old: list[str], new: list[str], head: int, end_a: int, end_b: int) -> Iterator[Opcode]:
    if (end_a - head) * (end_b - head) > _MOST_PAIRS:
        yield "replace", head, end_a, head, end_b
        return
    from difflib import SequenceMatcher

    for tag, a, to_a, b, to_b in SequenceMatcher(None, old[head:end_a], new[head:end_b]).get_opcodes():
        yield tag, a + head, to_a + head, b + head, to_b + head


def _same(old: Sequence[str], new: Sequence[str]) -> int:
    return next((at for at, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), min(len(old), len(new)))


def _groups(opcodes: Sequence[Opcode]) -> Iterator[list[Opcode]]:
    """The changes, with a few lines around each; those that are close to each other together."""
    group: list[Opcode] = []
    for number, (tag, a, to_a, b, to_b) in enumerate(opcodes):
        if tag != "equal":
            group.append((tag, a, to_a, b, to_b))
            continue
        is_last = number == len(opcodes) - 1
        if group and (is_last or to_a - a > 2 * _AROUND):
            until = min(to_a - a, _AROUND)
            yield [*group, (tag, a, a + until, b, b + until)]
            group = []
        if not is_last:
            begin = max(0, to_a - a - _AROUND) if not group else 0
            group.append((tag, a + begin, to_a, b + begin, to_b))
    if group:
        yield group


def _range(start: int, end: int) -> str:
    count = end - start
    return f"{start + 1}" if count == 1 else f"{start + 1 if count else start},{count}"


# What a log held


def log_then(recorded: bytes | None, later: bytes | None, *, until: str = "") -> bytes | None:
    """Return a daily log at a point in time between two states: `recorded`, plus what was appended by `until`.

    Logging a line records no state, so a line first appears in the `later` state, or in the file. `until` is the time
    of day (`HH:MM`) on the log's own day; empty for a later day, when all lines had been written. None if the log did
    not exist yet. If the later version was edited, the recorded one is returned.
    """
    if later is None or not later.startswith(recorded or b""):
        return recorded
    start = len(recorded or b"")
    kept = _said_by(later[start:], until) if until else later[start:]
    if recorded is None:
        return kept if _says_anything(kept) or not until else None
    return recorded + kept


def _said_by(appended: bytes, until: str) -> bytes:
    """The lines up to a time of day: each belongs to the entry above it, a heading to what follows it."""
    kept: list[str] = []
    waiting: list[str] = []
    is_wanted, is_cut = True, False
    for line in _split(appended):
        if daily.is_ours(line):
            is_wanted = line[2:7] <= until
            is_cut |= not is_wanted
        elif line.startswith("#") or not line.strip():
            waiting.append(line)
            continue
        if is_wanted:
            kept += [*waiting, line]
        waiting.clear()
    return "".join([*kept, *([] if is_cut else waiting)]).encode("utf-8", "surrogateescape")


def _says_anything(data: bytes) -> bool:
    return any(line.strip() and not line.startswith(b"#") for line in data.split(b"\n"))
