"""The managed section of MEMORY.md, the only part that compaction writes. Specified in docs/format/memory.md.

Its entries are bullets under sub-headings. An entry is agentws's own while its digest is known: once somebody edits it,
its digest differs and it belongs to them. All other lines stay byte for byte.
"""

from __future__ import annotations

from agentws.core import Record, Result
from agentws.core.formats import digest
from agentws.core.markdown import markdown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

HEADING = "From the logs"
LEVEL, KIND_LEVEL = 2, 3
KINDS = {
    "decision": "Decisions",
    "lesson": "Lessons",
    "preference": "Preferences",
    "fact": "Facts",
    "rule": "Rules",
}
"""The kinds of entries that may enter, each with its sub-heading."""
HEARD = "Heard, not verified"
"""The sub-heading of what comes from outside."""
ORDER = (*(KINDS[kind] for kind in ("rule", "decision", "preference", "lesson", "fact")), HEARD)
"""The sub-headings in the order in which they are shown."""
OPEN = "Open"
MOVED = (OPEN, "Problems", "Plans", "What happened")
"""Sub-headings of earlier versions: their entries move to memory/digest.md."""
EVERY = (*ORDER[:4], "Plans", OPEN, "Problems", ORDER[4], "What happened", HEARD)
"""All that ever were, in the order in which they stood: for what comes back."""
MOST_TOKENS = 1200
"""So many tokens the section has at most by answers to `curate`: what boot shows of MEMORY.md by default."""
_BRACKETS = dict.fromkeys(map(ord, "()"), " ")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_BULLETS = ("- ", "* ", "+ ")
_LONGEST_HEADING_CHARS = 200
_BOM = "\ufeff"


class ManagedEntry(Result):
    """A bullet of the managed section: its `text` without the mark, its `line` (1-based) and its sub-heading."""

    __slots__ = ("digest", "kind", "line", "lines", "text")

    def __init__(self, text: str, *, kind: str, line: int, lines: int) -> None:
        self.text = text
        self.kind = kind
        self.line = line
        self.lines = lines
        self.digest = of_text(text)


class Section(Record):
    """The managed section of MEMORY.md: its `entries` in order; `start` is -1 for a document without one."""

    start: int
    end: int
    entries: Sequence[ManagedEntry]


def of_text(text: str) -> str:
    """Return the digest of a managed entry: of its words, regardless of white space."""
    return digest.of(" ".join(text.split()).encode("utf-8", "surrogateescape"))


def with_day(text: str, day: str, *, today: str, topic: str = "") -> str:
    """Return a managed entry's text with its day (ISO) appended: `(2 Nov)`, or `(2 Nov 2025)` for another year.

    `topic` is the heading that the entry was written under: `(2 Nov, Pump)`.
    """
    year = "" if day[:4] == today[:4] else f" {day[:4]}"
    topic = " ".join(topic.translate(_BRACKETS).split())
    return f"{text} ({int(day[8:10])} {_MONTHS[int(day[5:7]) - 1]}{year}{', ' if topic else ''}{topic})"


def without_day(text: str) -> str:
    """Return a managed entry's text without the day and importance that compaction appended."""
    text = text.strip()
    words, _, importance = text.rpartition(" !")
    message = words if importance.isdecimal() else text
    before, bracket, inner = message.rpartition(" (")
    day, _, month = inner.removesuffix(")").partition(",")[0].partition(" ")
    is_day = bool(bracket) and inner.endswith(")") and day.isdecimal() and month.partition(" ")[0] in _MONTHS
    return before if is_day else text


def of_unit(unit: markdown.Unit) -> str:
    """Return the digest of any Markdown item, made as that of a managed entry."""
    return of_text(unit.text[markdown.marker(unit.text) :])


def digests(document: str) -> set[str]:
    """Return the digests of all items of MEMORY.md, in the managed and any other section."""
    units = markdown.units(document)
    return {of_unit(unit) for unit in units}


def read(document: str, heading: str = HEADING) -> Section:
    """Return the managed section of a document: the first one with this heading."""
    lines = document.split("\n")
    titles = list(_headings(lines))
    start = next((index for index, level, title in titles if _same(title, _words(heading)) and level == LEVEL), -1)
    if start < 0:
        return Section(-1, -1, [])
    end = next((index for index, level, _ in titles if index > start and level <= LEVEL), len(lines))
    kinds = {index: title for index, level, title in titles if start < index < end}
    return Section(start, end, list(_entries(lines, start + 1, end, kinds)))


def rewritten(
    document: str,
    *,
    heading: str = HEADING,
    leaving: Collection[str] = (),
    replacing: Mapping[str, str] | None = None,
    joining: Sequence[tuple[str, str]] = (),
    order: Sequence[str] = (),
) -> str:
    """Return MEMORY.md without managed entries in `leaving` (digests), with those `joining` (sub-heading, text).

    A leaving entry whose digest is in `replacing` is replaced by that text in place. New sub-headings follow `order`;
    one that loses its last line is removed, and so is the section. New lines get the line end that most lines have. All
    other lines stay, empty ones too: adding an entry and removing it again leaves no trace.
    """
    # Lines that end as those of Windows keep the first half of their ends in `lines`.
    end = "\r" if document.count("\r\n") * 2 > document.count("\n") else ""
    section = read(document, heading)
    gone = {entry.line - 1 - section.start: entry for entry in section.entries if entry.digest in leaving}
    if not (gone or joining):
        return document
    lines = document.split("\n")
    is_ended = not lines[-1]
    if is_ended:
        lines.pop()
    else:
        lines[-1] += end  # something may come behind it now
    at = section.start if section.start >= 0 else len(lines)
    before, own, after = lines[:at], lines[at : section.end], lines[max(section.end, at) :]
    new = replacing or {}
    bullets = {
        index: _bullet(new[managed_entry.digest], end)
        for index, managed_entry in gone.items()
        if managed_entry.digest in new
    }
    parts = _parts(own or [f"{'#' * LEVEL} {_words(heading)}{end}"], gone, bullets)
    for kind, text in joining:
        _join(parts, kind, _bullet(text, end), order, end)
    body = [line for part in parts for line in part.lines]
    if not any(map(str.strip, body[1:])):
        _cut(before, own)
        body = []
    elif not own:
        _put(before, body, end)
    whole = "".join(f"{line}\n" for line in (*before, *body, *after))
    return whole if is_ended else whole.removesuffix(f"{end}\n")


def bullets(document: str, digests: Collection[str]) -> list[ManagedEntry]:
    """Return the bullets of MEMORY.md with these digests, in the managed or any other section."""
    units = (unit for unit in markdown.units(document) if unit.kind == markdown.ITEM)
    return [
        ManagedEntry(unit.text[markdown.marker(unit.text) :].strip(), kind="", line=unit.line, lines=_height(unit))
        for unit in units
        if of_unit(unit) in digests
    ]


def with_bullets(document: str, texts: Mapping[str, str]) -> str:
    """Return MEMORY.md with bullets of these digests, managed or not, replaced; an empty text removes one."""
    lines = document.split("\n")
    for entry in reversed(bullets(document, texts)):
        at, text = entry.line - 1, texts[entry.digest]
        row = lines[at]
        end = "\r" if row.endswith("\r") else ""
        new = [f"{row[: markdown.marker(row)]}{' '.join(text.split())}{end}"] if text else []
        lines[at : at + entry.lines] = new
    return "\n".join(lines)


def _height(unit: markdown.Unit) -> int:
    return unit.text.rstrip("\r\n").count("\n") + 1


def _words(heading: str) -> str:
    """Return the heading's words as one line that can be found again; the default heading if empty."""
    return " ".join(heading.split()).lstrip("#").strip()[:_LONGEST_HEADING_CHARS].rstrip() or HEADING


def _headings(lines: Sequence[str]) -> Iterator[tuple[int, int, str]]:
    """Return (index, level, title) of each heading outside of fenced blocks."""
    for block in markdown.blocks("\n".join(lines).removeprefix(_BOM)):
        if block.kind == markdown.HEADING:
            yield block.line - 1, block.level, block.title


def _same(title: str, wanted: str) -> bool:
    return title.rstrip("#").strip().casefold() == wanted.rstrip("#").strip().casefold()


def _entries(lines: Sequence[str], start: int, end: int, kinds: dict[int, str]) -> Iterator[ManagedEntry]:
    kind = ""
    index = start
    while index < end:
        kind = kinds.get(index, kind)
        count = 1
        if lines[index].startswith(_BULLETS):
            while index + count < end and lines[index + count].startswith(("  ", "\t")):
                count += 1
            those = [lines[index][2:], *lines[index + 1 : index + count]]
            yield ManagedEntry(
                "\n".join(line.rstrip("\r") for line in those).strip(), kind=kind, line=index + 1, lines=count
            )
        index += count


def _bullet(text: str, end: str) -> str:
    return f"- {' '.join(text.split())}{end}"


class _Part:
    """A sub-heading of the managed section with the lines below it; without a `title` the lines above all of them."""

    def __init__(self, title: str, line: str) -> None:
        self.title = title
        self.lines = [line]

    @property
    def is_bare(self) -> bool:
        """Return whether nothing is below the heading."""
        return not any(map(str.strip, self.lines[1:]))


def _parts(own: Sequence[str], gone: Mapping[int, ManagedEntry], bullets: Mapping[int, str]) -> list[_Part]:
    """Return the parts of the section without the `gone` lines; a sub-heading that loses its last line is removed."""
    titles = {index: title for index, level, title in _headings(own) if level > LEVEL}
    parts = [_Part("", own[0])]
    lost: set[int] = set()
    index = 1
    while index < len(own):
        if index in gone:
            lost.add(len(parts) - 1)
            parts[-1].lines += [bullets[index]] if index in bullets else []
            index += gone[index].lines
            continue
        if index in titles:
            parts.append(_Part(titles[index], own[index]))
        else:
            parts[-1].lines.append(own[index])
        index += 1
    for at in sorted(lost - {0}, reverse=True):
        if parts[at].is_bare:
            _cut(parts[at - 1].lines, parts.pop(at).lines)
    return parts


def _join(parts: list[_Part], kind: str, bullet: str, order: Sequence[str], end: str) -> None:
    """Add a bullet after the last line of its sub-heading, which is created if missing."""
    part = next((part for part in parts if _same(part.title, kind)), None) or _made(parts, kind, order, end)
    last = max(at for at, line in enumerate(part.lines) if line.strip())
    part.lines[last + 1 : last + 1] = [bullet] if last or part.title else [end, bullet]


def _made(parts: list[_Part], kind: str, order: Sequence[str], end: str) -> _Part:
    place = {title.casefold(): at for at, title in enumerate(order)}
    mine = place.get(kind.casefold(), len(place))
    ranks = [place.get(part.title.casefold(), -1) for part in parts]
    at = next((index for index, rank in enumerate(ranks) if rank > mine), len(parts))
    part = _Part(kind, f"{'#' * KIND_LEVEL} {kind}{end}")
    _put(parts[at - 1].lines, part.lines, end)
    parts.insert(at, part)
    return part


def _put(before: list[str], block: list[str], end: str) -> None:
    """Separate a block from the lines before it by one empty line, or add it after the block if they end in one."""
    if before:
        (before if before[-1].strip() else block).append(end)


def _cut(before: list[str], block: Sequence[str]) -> None:
    """Remove the empty line that `_put` added, together with its block."""
    blank = next((at for at, line in enumerate(reversed(block)) if line.strip()), 0)
    if blank:
        before += block[len(block) - blank + 1 :]
    elif before and not before[-1].strip():
        before.pop()
