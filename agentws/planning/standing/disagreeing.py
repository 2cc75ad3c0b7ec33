"""Notes that disagree: two current statements about the same thing that give different values.

Only what can be seen for sure: the same label with another short value, or the same sentence with another number,
once in what is kept as true (MEMORY.md and its like) and once in a log of the last days.
"""

from __future__ import annotations

from agentws.formats import markdown
from agentws.formats.lazy import Pattern
from agentws.planning.lines import bare

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from agentws.planning.lines import Line

_LABEL = Pattern(r"^([^:=|→]{3,48}?)\s*(?::|=)\s+(\S.{0,58})$")
_NUMBER = Pattern(r"\d[\d,.]*")
_TIMELY = Pattern(
    r"\b(?:date|time|updated?|last|today|status|session|next|now|progress|commit|result|note|total|so far)\b"
    r"|\b(?:day|week|round|edition|episode|chapter|part|step|phase|attempt|lesson|run|batch|sprint)\s*#?\d|#\d"
    r"|\d\d:\d\d|20\d\d-",
    "IGNORECASE",
)
_LONGEST_CHARS = 200
_CURRENT_DAYS = 7
"""Logged days: what an older log says may have been true then."""
_TELLING_CHARS = 8
_BLOT = Pattern(r"(?:<redacted|\[redacted|\*\*\*|…|xxx).*$")
_SPACE = Pattern(r"[\s*`_\"'.,;✅❌⚠️]+")


class Disagreement:
    """Two lines, by index: what `kept` says and what `noted` says about the same thing."""

    __slots__ = ("kept", "noted")

    def __init__(self, kept: int, noted: int) -> None:
        self.kept = kept
        self.noted = noted


def find(lines: Sequence[Line]) -> list[Disagreement]:
    """What disagrees among `lines` (logs newest first, then what is kept as true), one pair a thing."""
    kept = {index: gists for index, line in enumerate(lines) if line.age is None and (gists := _gists(line))}
    logs = {index: gists for index, line in enumerate(lines) if _is_current(line) and (gists := _gists(line))}
    both = {gist for gists in kept.values() for gist in gists} & {gist for gists in logs.values() for gist in gists}
    said: dict[str, list[int]] = {}
    for index, gists in (*kept.items(), *logs.items()) if both else ():
        for key in _keys(lines[index]) if both & gists else ():
            said.setdefault(key, []).append(index)
    found: dict[tuple[int, int], Disagreement] = {}
    for key, indices in said.items():
        pair = _pair(lines, key, indices)
        if pair is not None:
            found.setdefault(pair, Disagreement(*pair))
    return sorted(found.values(), key=lambda one: (lines[one.noted].age or 0, one.noted))


def _pair(lines: Sequence[Line], key: str, indices: Sequence[int]) -> tuple[int, int] | None:
    kept = [index for index in indices if lines[index].age is None]
    logs = [index for index in indices if lines[index].age is not None]
    if len(kept) != 1 or not logs:
        return None
    ours, theirs = _value(lines[kept[0]], key), _value(lines[logs[0]], key)
    is_same = _begin_alike(ours, theirs) if key.startswith("label") else ours == theirs
    return None if is_same else (kept[0], logs[0])


def _begin_alike(ours: str, theirs: str) -> bool:
    """True where one says what the other says with more or fewer words, or was blotted out."""
    ours, theirs = _BLOT.sub("", ours).rstrip(), _BLOT.sub("", theirs).rstrip()
    shorter = min(len(ours), len(theirs))
    if "/" not in ours[:shorter]:  # the beginnings of addresses and paths tell nothing
        shorter = min(shorter, _TELLING_CHARS)
    return ours[:shorter] == theirs[:shorter]


def _is_current(line: Line) -> bool:
    return line.age is not None and line.age <= _CURRENT_DAYS


def _keys(line: Line) -> list[str]:
    text = bare(line.text)
    if _TIMELY.search(text):
        return []
    heading = _plain(line.path[-1]) if line.path else ""
    label = _LABEL.match(text)
    keys = []
    if label and line.form == markdown.ITEM:
        keys.append(f"label {heading} {_plain(label.group(1))}")
    numbers = _NUMBER.findall(text)
    if len(numbers) == 1 and len(line.words) >= 4:
        keys.append(f"number {_plain(_NUMBER.sub('#', text))}")
    return keys


def _gists(line: Line) -> set[str]:
    """What the line is about, in letters alone: two lines that disagree share one. Cheap, since it is asked of all."""
    text = line.text
    if line.is_foreign or line.form == markdown.FENCE or line.done or len(text) > _LONGEST_CHARS:
        return set()
    found = {_letters(text.partition(sign)[0]) for sign in ":=" if sign in text}
    if any(map(str.isdigit, text)):
        found.add(_letters(text))
    return found - {""}


def _letters(text: str) -> str:
    return "".join(filter(str.isalpha, text)).casefold()


def _value(line: Line, key: str) -> str:
    text = bare(line.text)
    if key.startswith("label"):
        label = _LABEL.match(text)
        return _plain(label.group(2)) if label else ""
    number: str = _NUMBER.findall(text)[0]
    return number.rstrip(".,")


def _plain(text: str) -> str:
    return _SPACE.sub(" ", text).strip().casefold()
