"""The managed section of MEMORY.md, the one part of it that compaction writes. Specified in docs/format/memory.md.

Its entries are bullets under sub-headings. Which of them are ours is told by their digests, not by marks: an entry that
somebody edits has another digest, and is theirs from then on. What is not touched stays byte for byte.
"""

from __future__ import annotations

from agentws.formats import digest, markdown

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
MOST_TOKENS = 600
"""So many tokens the section has at most."""
_BULLETS = ("- ", "* ", "+ ")
_FENCES = ("```", "~~~")
_LONGEST_HEADING_CHARS = 200
_BOM = "\ufeff"


class Entry:
    """A bullet of the section: its `text` without the mark, its `line` (1-based), the sub-heading it stands under."""

    __slots__ = ("digest", "kind", "line", "lines", "text")

    def __init__(self, text: str, *, kind: str, line: int, lines: int) -> None:
        self.text = text
        self.kind = kind
        self.line = line
        self.lines = lines
        self.digest = of_text(text)


class Section:
    """The managed section of a document: its `entries` in order; `start` is -1 where the document has none."""

    __slots__ = ("end", "entries", "start")

    def __init__(self, start: int, end: int, entries: Sequence[Entry]) -> None:
        self.start = start
        self.end = end
        self.entries = entries


def of_text(text: str) -> str:
    """The digest of an entry: of its words, whatever white space stands between them."""
    return digest.of(" ".join(text.split()).encode("utf-8", "surrogateescape"))


def of_unit(unit: markdown.Unit) -> str:
    """The digest of an item as an entry."""
    return of_text(unit.text[markdown.marker(unit.text) :])


def digests(document: str) -> set[str]:
    """The digests of all items of a document, wherever they stand."""
    units = markdown.units(document)
    return {of_unit(unit) for unit in units}


def read(document: str, heading: str = HEADING) -> Section:
    """The managed section of a document: the first one with this heading."""
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
    """The document without the entries whose digests are `leaving`, and with those `joining`: (sub-heading, text).

    Where an entry leaves whose digest is in `replacing`, that text takes its place.
    A sub-heading that is new comes where `order` has it. One that has lost its last line goes, and so does the section.
    New lines end as most lines of the document do; all others keep their ends.
    """
    # Lines that end as those of Windows keep the first half of their ends in `lines`.
    end = "\r" if document.count("\r\n") * 2 > document.count("\n") else ""
    lines = document.split("\n")
    section = read(document, heading)
    is_last = section.start < 0 or section.end == len(lines)
    if is_last and lines[-1]:
        lines[-1] += end  # something comes behind it now
    gone = {entry.line - 1: entry.lines for entry in section.entries if entry.digest in leaving}
    new = replacing or {}
    instead = {entry.line - 1: _bullet(new[entry.digest], end) for entry in section.entries if entry.digest in new}
    before = lines[: section.start] if section.start >= 0 else lines
    after = lines[section.end :] if section.start >= 0 else []
    own = _without(lines, section, gone, instead) if section.start >= 0 else []
    parts = _parts(own)
    for kind, text in joining:
        _part(parts, kind, order, end).append(_bullet(text, end))
    body = _body(parts, end)
    if section.start < 0:
        title = f"{'#' * LEVEL} {_words(heading)}{end}"
        return "\n".join([*_above(before, end), title, end, *body, ""]) if body else document
    if body:
        return "\n".join([*before, lines[section.start], end, *body, "" if is_last else end, *after])
    return "\n".join([*before, *after] if after else _ended(before))


def _words(heading: str) -> str:
    """The words of a heading that can be found again; the usual ones where there are none."""
    return " ".join(heading.split()).lstrip("#").strip()[:_LONGEST_HEADING_CHARS].rstrip() or HEADING


def _headings(lines: Sequence[str]) -> Iterator[tuple[int, int, str]]:
    """(index, level, title) of each heading that is none within a fenced block."""
    whole = "\n".join(lines).removeprefix(_BOM)
    if any(mark in whole for mark in _FENCES):
        # What is fenced, and what only looks so, is told as everywhere else.
        for block in markdown.blocks(whole):
            if block.kind == markdown.HEADING:
                yield block.line - 1, block.level, block.title
        return
    for index, line in enumerate(whole.split("\n")):
        if level := markdown.heading_level(line):
            yield index, level, line[level:].strip()


def _same(title: str, wanted: str) -> bool:
    return title.rstrip("#").strip().casefold() == wanted.rstrip("#").strip().casefold()


def _entries(lines: Sequence[str], start: int, end: int, kinds: dict[int, str]) -> Iterator[Entry]:
    kind = ""
    index = start
    while index < end:
        kind = kinds.get(index, kind)
        count = 1
        if lines[index].startswith(_BULLETS):
            while index + count < end and lines[index + count].startswith(("  ", "\t")):
                count += 1
            those = [lines[index][2:], *lines[index + 1 : index + count]]
            yield Entry("\n".join(line.rstrip("\r") for line in those).strip(), kind=kind, line=index + 1, lines=count)
        index += count


def _bullet(text: str, end: str) -> str:
    return f"- {' '.join(text.split())}{end}"


def _without(lines: Sequence[str], section: Section, gone: dict[int, int], instead: dict[int, str]) -> list[str]:
    kept: list[str] = []
    index = section.start + 1
    while index < section.end:
        if index in gone:
            kept += [instead[index]] if index in instead else []
            index += gone[index]
            continue
        kept.append(lines[index])
        index += 1
    return kept


def _parts(own: Sequence[str]) -> list[tuple[str, str, list[str]]]:
    """(title, its line, the lines below) of each sub-heading; the first one is for what stands above all."""
    parts: list[tuple[str, str, list[str]]] = [("", "", [])]
    titles = {index: title for index, level, title in _headings(own) if level > LEVEL}
    for index, line in enumerate(own):
        if index in titles:
            parts.append((titles[index], line, []))
        else:
            parts[-1][2].append(line)
    for _, _, below in parts:
        while below and not below[-1].strip():
            below.pop()
        while below and not below[0].strip():
            below.pop(0)
    return parts


def _part(parts: list[tuple[str, str, list[str]]], kind: str, order: Sequence[str], end: str) -> list[str]:
    for title, _, below in parts:
        if _same(title, kind):
            return below
    place = {title.casefold(): at for at, title in enumerate(order)}
    mine = place.get(kind.casefold(), len(place))
    ranks = [place.get(title.casefold(), -1) for title, _, _ in parts]
    at = next((index for index, rank in enumerate(ranks) if rank > mine), len(parts))
    parts.insert(at, (kind, f"{'#' * KIND_LEVEL} {kind}{end}", []))
    return parts[at][2]


def _body(parts: Sequence[tuple[str, str, list[str]]], end: str) -> list[str]:
    body: list[str] = []
    for _, title, below in parts:
        if below:
            body += [*([title] if title else []), *below, end]
    return body[:-1]


def _above(lines: Sequence[str], end: str) -> list[str]:
    """The lines of a document with an empty one behind them, which goes with the section where that goes."""
    whole = list(lines[:-1]) if not lines[-1] else list(lines)
    return [*whole, end] if whole else []


def _ended(lines: Sequence[str]) -> list[str]:
    """The lines of a document, without the empty line that stood above the section."""
    whole = lines[:-1] if lines and not lines[-1].strip() else lines
    return [*whole, ""] if whole else []
