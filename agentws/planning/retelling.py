"""What was done, as a log tells it: all of a short one, of a long one what tells most of each of its parts. Pure."""

from __future__ import annotations

from itertools import islice

from agentws.formats import markdown, notes
from agentws.formats.lazy import Pattern
from agentws.planning import lines as _lines
from agentws.planning.lines import bare

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from agentws.planning.lines import Line

    Part = tuple[tuple[str, ...], list[int]]
    """The headings of a part of a log, and its lines."""
    Told = tuple[str, str]
    """What a line says, and what the line says that it stands under and would be untrue without; empty for none."""

MOST_LINE = 480
"""Characters of a line that is told. What a part has to say besides stands in further lines."""
_MOST_PARTS, _MOST_TOLD = 40, 48
_MOST_CHARS = 6400
"""Characters of all that is told, so that a handoff stays something that is read."""
_MOST_OF_ONE, _LEAST_OF_ONE = 300, 90
_MOST_HEADING = 80
_MOST_OWNER = 100
_MOST_ABOVE = 40
"""So many lines above one it is looked for what it stands under."""
_MORE_AT_END, _LAST_PARTS = 1200, 4
_MOST_COMPARED, _REPEATS, _MOST_MORE, _FEWEST_WORDS = 160, 0.6, 2.5, 10
_LAST_LINES = 8
_LAST_WEIGHS = 2
_TELLS = Pattern(
    r"[✅❌⚠🔴]|\b(?:causes?|caused|fix(?:e[sd])?|solution|resolved|resolution|results?|outcome|status|decided|decision|"
    r"lessons?|rules?|never|always|only|must|until|deadline|due|limit|blocked|instead|because|switched|changed|now|"
    r"live|verified|deployed|pushed|confirmed|replaces?|approved|findings?|fails?|failed|broken|todo)\b|→",
    "IGNORECASE",
)
_CAUSE_OR_CURE = Pattern(
    r"^\W*(?:\d+\W+)?(?:[a-z]+ )?(?:[a-z]+ )?(?:cause|fix|solution|resolution|decision|lesson|rule|finding|outcome)\b",
    "IGNORECASE",
)
_TELLS_LITTLE = Pattern(
    r"^\W*+(?:(?:file|path|url|link|repo|location|id|job id|commit|source|time|target|model|duration)\b\**+\s*+:"
    r"|https?://\S+$)|^(?:[^\w`]*+`)++[^`]++`\W*+$",
    "IGNORECASE",
)
_FORBIDS = Pattern(
    r"\bNOT\b|\bNEVER\b|\b(?:[Nn]ever|[Dd]o not|[Dd]on['’]t|[Mm]ust not|[Oo]ff[- ]limits|[Hh]ands off|[Ff]orbidden)\b"
)
_SENTENCE_ENDS = Pattern(r"(?<=[.!?]) +(?=[A-Z*_`\"])")
_MOST_FORBIDDING = 0.6
_WORD = Pattern(r"\w\w")
_SIGNATURE = Pattern(r"^\s*([*_])(?!\1).{1,40}\1\W*$")
_MOST_SIGNED = 3


def parts(lines: Sequence[Line], indices: Sequence[int]) -> list[str]:
    """What the parts of a log are about, each in a line or more that begins with its heading.

    `indices` are the lines to tell, those among them that stand below another one behind it. Where it is too much, each
    part has its share, which it fills with what it begins and ends with, and what tells of a cause, an outcome, a rule.
    """
    groups: list[Part] = []
    above = {lines[index].parent for index in indices}
    for index in indices:
        line = lines[index]
        if not _WORD.search(line.text) or _is_signature(line):
            continue
        path = line.path if line.parent is None else lines[line.parent].path
        if not line.is_label or line.parent is not None or index in above:  # one alone is the heading of what follows
            _part_of(groups, path).append(index)
    chosen = _without_repeated(lines, groups[-_MOST_COMPARED:])[-_MOST_PARTS:]
    last = max((place for place, (path, _) in enumerate(chosen) if not _is_account(path)), default=-1)
    labels = {(*line.path, bare(line.text).rstrip("*_: ")) for line in lines if line.is_label and line.parent is None}
    headings = [_heading(path, is_label=path in labels) for path, _ in chosen]
    needs = [_size(lines, part) + len(heading) for heading, (_, part) in zip(headings, chosen, strict=True)]
    rooms = _with_more_at_end(_shares(needs, _MOST_CHARS, last), needs)
    told: list[str] = []
    for place, (heading, (_, part)) in enumerate(zip(headings, chosen, strict=True)):
        shown = _shown(lines, part, rooms[place] - len(heading), needs[place] <= rooms[place])
        told += _bullets(heading, shown, each=place == last and len(shown) <= _LAST_LINES)
    return told[-_MOST_TOLD:]


def under(heading: str, words: str) -> str:
    """`words` with the heading that they stand under before them."""
    return f"{_lines.shortened(heading, _MOST_HEADING)}: {words}" if heading else words


def owner(lines: Sequence[Line], index: int) -> int | None:
    """The line that line `index` says nothing without: the item that it is listed below, or the words that begin its
    list: `It may be one of these:`, `**Plan 2: the old orchard** (4 pages)`. None where there is none.
    """
    line = lines[index]
    if line.parent is not None or line.form != markdown.ITEM:
        return line.parent
    for above in range(index - 1, max(-1, index - _MOST_ABOVE), -1):
        found = lines[above]
        if found.shelf != line.shelf or line.path not in (found.path, found.path[:-1]):
            return None
        if found.form != markdown.ITEM:
            text = found.text.strip()
            return above if found.form == markdown.PARAGRAPH and (text.startswith("**") or text.endswith(":")) else None
    return None


def _part_of(groups: list[Part], path: tuple[str, ...]) -> list[int]:
    """The part of the log that a line below `path` belongs to, which is the one that it began where only labels and
    headings inside it stand between: a second heading of the same words begins another part.
    """
    for known, part in reversed(groups):
        if known == path:
            return part
        if known[: len(path)] != path and path[: len(known)] != known:
            break
    groups.append((path, []))
    return groups[-1][1]


def _heading(path: tuple[str, ...], *, is_label: bool) -> str:
    """The heading; a label such as `**Next:**` with the one that it stands under."""
    if not path:
        return ""
    found = _lines.shortened(path[-1], _MOST_HEADING)
    return under(path[-2], found) if is_label and len(path) > 1 else found


def _size(lines: Sequence[Line], part: Sequence[int]) -> int:
    return sum(min(len(lines[index].text), MOST_LINE) + 2 for index in part)


def _shares(needs: Sequence[int], room: int, last: int) -> list[int]:
    """How much of the room each part gets: what it needs where that is less than its share, the last one the more."""
    weights = [_LAST_WEIGHS if place == last else 1 for place in range(len(needs))]
    order = sorted(range(len(needs)), key=lambda place: (needs[place] / weights[place], place))
    found = [0] * len(needs)
    left = sum(weights)
    for place in order:
        found[place] = min(needs[place], room * weights[place] // left)
        room -= found[place]
        left -= weights[place]
    return found


def _with_more_at_end(rooms: Sequence[int], needs: Sequence[int]) -> list[int]:
    """The last parts get what they need more than their share: what comes next most likely goes on from there."""
    first = max(0, len(needs) - _LAST_PARTS)
    missing = [need - room for need, room in zip(needs[first:], rooms[first:], strict=True)]
    more = _shares(missing, _MORE_AT_END, -1)
    return [*rooms[:first], *(room + extra for room, extra in zip(rooms[first:], more, strict=True))]


def _without_repeated(lines: Sequence[Line], groups: Sequence[Part]) -> list[Part]:
    """The parts but for those that at least two later ones say again in much the same words, as a watch does that finds
    every half hour what it found before.
    """
    said = [frozenset(word for index in part for word in lines[index].words) for _, part in groups]
    kept: list[Part] = []
    for place, words in enumerate(said):
        alike = (
            other
            for other in said[place + 1 :]
            if len(words & other) >= _REPEATS * len(words) and len(other) <= _MOST_MORE * len(words)
        )
        if len(words) < _FEWEST_WORDS or sum(1 for _ in islice(alike, 2)) < 2:
            kept.append(groups[place])
    return kept


def _shown(lines: Sequence[Line], indices: Sequence[int], room: int, is_whole: bool) -> list[Told]:
    """What is told of a part, in its order, each with what it stands under."""
    part = [lines[index] for index in indices]
    above = [_above(lines, index) for index in indices]
    most = max(_LEAST_OF_ONE, min(_MOST_OF_ONE, room // min(3, len(part))))
    texts = [
        _cut(bare(line.text), MOST_LINE if is_whole else 2 * most if _CAUSE_OR_CURE.match(line.text) else most)
        for line in part
    ]
    taken: set[int] = set()
    known = {""}
    for place in sorted(range(len(part)), key=lambda place: (-_worth(part, place), place)):
        size = len(texts[place]) + 2 + (0 if above[place] in known else len(above[place]))
        if is_whole or size <= room or not taken:
            taken.add(place)
            known |= {above[place], _short(texts[place])}
            room -= size
    chosen = sorted(taken)
    gaps = {place for place in chosen if (place and place - 1 not in taken) or _is_step_missing(lines, indices, place)}
    told = [(f"… {texts[place]}" if place in gaps else texts[place], above[place]) for place in chosen]
    if chosen[-1] == len(part) - 1 and _is_step_behind(lines, indices[-1]):
        told[-1] = (f"{told[-1][0]}; …", told[-1][1])  # what the list ends in stands elsewhere
    return told


def _is_step_missing(lines: Sequence[Line], indices: Sequence[int], place: int) -> bool:
    """True where the step of a numbered list that stands before this one is told elsewhere."""
    index, before = indices[place], indices[place - 1] if place else -1
    found = next((i for i in range(index - 1, -1, -1) if lines[i].parent is None), -1) if _is_step(lines[index]) else -1
    return found > before and _is_step(lines[found]) and _is_beside(lines[found], lines[index])


def _is_step_behind(lines: Sequence[Line], index: int) -> bool:
    found = (
        next((i for i in range(index + 1, len(lines)) if lines[i].parent is None), -1) if _is_step(lines[index]) else -1
    )
    return found > 0 and _is_step(lines[found]) and _is_beside(lines[found], lines[index])


def _is_step(line: Line) -> bool:
    return line.form == markdown.ITEM and line.parent is None and line.text.lstrip()[:1].isdigit()


def _is_beside(one: Line, other: Line) -> bool:
    return (one.shelf, one.path) == (other.shelf, other.path)


def _cut(text: str, most: int) -> str:
    """`text` in about `most` characters. What it forbids behind the cut is told too: that is dear where it is lost."""
    if len(text) <= most:
        return text
    kept = _lines.shortened(text, most)
    sentences = _SENTENCE_ENDS.sub("\n", text).split("\n")[1:]
    rule = next((one for one in sentences if len(one) <= _MOST_FORBIDDING * most and _FORBIDS.search(one)), "")
    if not rule or rule in kept:
        return kept
    rest = "" if text.endswith(rule) else " …"
    return f"{_lines.shortened(text, most - len(rule) - len(rest))} {rule}{rest}"


def _above(lines: Sequence[Line], index: int) -> str:
    found = owner(lines, index)
    return "" if found is None else _short(bare(lines[found].text))


def _short(text: str) -> str:
    return _lines.shortened(text, _MOST_OWNER).rstrip(":")


def _worth(part: Sequence[Line], place: int) -> float:
    line = part[place]
    from_end = len(part) - 1 - place
    worth = 3.0 if not place else 1.0 if place == 1 else 0.0
    worth += 2.0 if not from_end else 0.5 if from_end == 1 else 0.0
    worth += 2.0 if _TELLS.search(line.text) else 0.0
    worth += 1.0 if _CAUSE_OR_CURE.match(line.text) else 0.0
    worth -= 2.0 if _TELLS_LITTLE.search(line.text) else 0.0
    worth -= 1.5 if line.parent is not None else 0.0
    return worth - (0.5 if line.form == markdown.ROW else 0.0)


def _bullets(heading: str, told: Sequence[Told], *, each: bool) -> list[str]:
    """The texts behind their heading, as many in a line as it may hold; with `each` every one in its own, with what
    stands under it. A line that begins in between says again what its texts stand under, and holds no others.
    """
    found: list[list[str]] = []
    said: set[str] = set()
    size = 0
    again = ""
    for text, above in told:
        is_under = above in said
        is_label = bool(found) and found[-1][-1].endswith(":")
        is_other = (each and not is_label and not is_under) or (again and above != again)
        if not found or is_other or size + len(text) > MOST_LINE:
            if above and found and len(found[-1]) > 1 and found[-1][-1].rstrip(":") == above:
                found[-1].pop()  # it begins the next line
            found.append([])
            size, said, is_under = len(heading), set(), False
            again = above if len(found) > 1 else ""
        if above and not is_under:
            found[-1].append(f"{above}:")
            said.add(above)
            size += len(above) + 2
        found[-1].append(text)
        said.add(_short(text.removeprefix("… ")))
        size += len(text) + 2
    return [under(heading, "; ".join(one).replace(":; ", ": ")) for one in found]


def _is_signature(line: Line) -> bool:
    """True for a few words between marks of emphasis, such as notes end in."""
    return (
        line.form == markdown.PARAGRAPH
        and _SIGNATURE.search(line.text) is not None
        and len(line.text.split()) <= _MOST_SIGNED
    )


def _is_account(path: tuple[str, ...]) -> bool:
    """True for a heading below which is listed what is done: it sums up, and is no part of the work."""
    return bool(path) and notes.kind_of_heading(path[-1]) == "done"
