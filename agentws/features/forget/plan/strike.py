"""Strike forgotten text from a document: whole lines become empty, so other lines keep their numbers. Pure.

A list item goes with the lines indented below it. An entry of the managed section of MEMORY.md is taken out: nothing
refers to it by its line.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from agentws.core.formats.documents import document, managed
from agentws.core.markdown import markdown
from agentws.errors import AgentwsError
from agentws.features.forget.plan.wanted import Wanted

HIT, BELOW, ENTRY = "holds it", "part of the same item", "the whole entry is removed"
_BOM = "\ufeff"
_MOST_SHOWN = 4_000
_QUOTED = re.compile(r"(?m)^[ \t>]+")


@dataclass(frozen=True, slots=True)
class StruckLine:
    """A struck line (1-based) of a document: its text, and the reason, one of HIT, BELOW, ENTRY."""

    line: int
    text: str
    why: str


@dataclass(frozen=True, slots=True)
class Struck:
    """A document after forgetting: its `data`, the removed `lines`, the digests of the `entries` taken out.

    `headings` are the lines of removed headings that still have text below them.
    """

    data: bytes
    lines: Sequence[StruckLine] = ()
    entries: Collection[str] = ()
    headings: Sequence[int] = field(default=())

    @property
    def blanked(self) -> Collection[int]:
        """The numbers of the struck lines that become empty."""
        return {line.line for line in self.lines if line.why != ENTRY}


def strike(data: bytes, wanted: Wanted, *, ours: Collection[str] = (), heading: str = managed.HEADING) -> Struck:
    """Strike what is wanted forgotten from a document; `ours` are the digests of entries that compaction made.

    Memory is bounded: a large document is searched part by part.
    """
    if ours or len(data) <= _LARGE_BYTES:
        return _strike(data, wanted, ours=ours, heading=heading)
    lines: list[StruckLine] = []
    headings: list[int] = []
    after: list[bytes] = []
    above, also = 0, frozenset[int]()
    for part in _parts_of(data):
        piece = data[part.start : part.end]
        count = piece.count(b"\n")
        behind, ahead = _across(data, part, wanted)
        struck = _strike(piece, wanted, first=part.start == 0, also={*also, *(count - back for back in behind)})
        lines += [StruckLine(above + each.line, each.text, each.why) for each in struck.lines]
        headings += [above + each for each in struck.headings]
        after.append(struck.data)
        above, also = above + count, ahead
    return Struck(b"".join(after), lines, (), headings) if lines else Struck(data)


def _across(data: bytes, part: Part, wanted: Wanted) -> tuple[set[int], frozenset[int]]:
    """Return the lines with a hit across the end of a part: counted backwards before it, forwards behind it."""
    if not part.is_torn:
        return set(), frozenset()
    above, below = _around(data, part.end)
    hits = wanted.among([_text(line) for line in [*above, *below]])
    return (
        {len(above) - hit for hit in hits if hit < len(above)},
        frozenset(hit - len(above) for hit in hits if hit >= len(above)),
    )


def _strike(
    data: bytes,
    wanted: Wanted,
    *,
    ours: Collection[str] = (),
    heading: str = managed.HEADING,
    first: bool = True,
    also: Collection[int] = (),
) -> Struck:
    """Strike one part; `first` if the document begins with it, `also` are indices of lines to remove in any case."""
    text = _text(data)
    if not also and not _is_in(text, wanted):
        return Struck(data)
    lines = text.split("\n")
    goes = dict.fromkeys(also, HIT)
    goes |= _in_header(lines, wanted) if first else {}
    goes |= _in_body(lines, _header_size(text) if first else 0, wanted)
    if not goes:
        return Struck(data)
    entries = [entry for entry in managed.read(text, heading).entries if entry.digest in ours] if ours else []
    gone = {entry.digest: entry for entry in entries if goes.keys() & set(_lines_of(entry))}
    taken_out = {index: ENTRY for managed_entry in gone.values() for index in _lines_of(managed_entry)}
    blank = {index for index in goes if index not in taken_out}
    after = "\n".join(_blank(line) if index in blank else line for index, line in enumerate(lines))
    if gone:
        after = managed.rewritten(after, heading=heading, leaving=set(gone))
    every = sorted((goes | taken_out).items())
    struck = [StruckLine(index + 1, _shown(lines[index]), why) for index, why in every]
    titles = [index + 1 for index in sorted(blank) if _stands_above(lines, index)]
    return Struck(after.encode("utf-8", "surrogateescape"), struck, tuple(gone), titles)


def holds(data: bytes, wanted: Wanted) -> bool:
    """Return whether a file of any kind holds what is wanted forgotten."""
    try:
        text, is_text = data.decode(), b"\0" not in data
    except UnicodeDecodeError:
        text, is_text = _text(data), False
    return _is_in(text if is_text else wanted.legible(text), wanted)


def blanked(data: bytes, wanted: Wanted) -> bytes:
    """Strike what is wanted forgotten from a file of any kind, and return its bytes with empty lines instead."""
    return strike(data, wanted).data


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


def _shown(line: str) -> str:
    """Return a removed line as it is shown for confirmation; of a very long line the beginning."""
    words = line.rstrip("\r").removeprefix(_BOM)
    return words if len(words) <= _MOST_SHOWN else f"{words[:_MOST_SHOWN]}… ({len(words):,} characters)"


def _is_in(text: str, wanted: Wanted) -> bool:
    """Return whether a text may lose lines, also by a hit that spans lines of a quotation."""
    return wanted.is_in(text) or (">" in text and wanted.is_in(_QUOTED.sub("", text)))


def _lines_of(entry: managed.ManagedEntry) -> range:
    return range(entry.line - 1, entry.line - 1 + entry.lines)


def _blank(line: str) -> str:
    """Return an empty line, with the line end and the byte order mark of `line`."""
    return (_BOM if line.startswith(_BOM) else "") + ("\r" if line.endswith("\r") else "")


def _stands_above(lines: Sequence[str], index: int) -> bool:
    """Return whether a line is a heading with text or a deeper heading below it."""
    level = markdown.heading_level(lines[index])
    if not level:
        return False
    below = next((lines[each] for each in range(index + 1, len(lines)) if lines[each].strip()), "")
    return bool(below) and not 0 < markdown.heading_level(below) <= level


# The body


def _in_body(lines: Sequence[str], first: int, wanted: Wanted) -> dict[int, str]:
    """Return the indices of the lines of the body to remove, each with the reason."""
    goes: dict[int, str] = {}
    for block in markdown.blocks("\n".join(lines[first:]), first_line=first + 1):
        start = block.line - 1
        inside = block.text.removesuffix("\n").split("\n")
        if block.kind == markdown.ITEM:
            goes |= {start + index: why for index, why in _in_item(inside, wanted).items()}
        elif block.kind == markdown.PARAGRAPH:
            goes |= dict.fromkeys((start + index for index in wanted.among(inside)), HIT)
        elif block.kind not in (markdown.BLANK, markdown.RULE):
            goes |= {start + index: HIT for index, line in enumerate(inside) if wanted.is_in(line)}
    return goes


def _in_item(lines: Sequence[str], wanted: Wanted) -> dict[int, str]:
    """Return the lines of a list item to remove: each item in it with a hit, with all that is indented below."""
    starts = [index for index, line in enumerate(lines) if markdown.marker(line)]
    indents = [_indent(line) if line.strip() else None for line in lines]
    apart = [bool(index and indents[index - 1] is None) for index in range(len(lines))]
    for start in starts:
        apart[start] = True
    goes: dict[int, str] = {}
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        hits = wanted.among(lines[start:end])
        if hits:
            whole = range(start, _end_of_children(indents, apart, start))
            goes |= {index: goes.get(index, BELOW) for index in whole if indents[index] is not None}
            goes |= {start + index: HIT for index in hits}
    return goes


def _end_of_children(indents: Sequence[int | None], apart: Sequence[bool], start: int) -> int:
    """Return where the item that begins at `start` ends, including all that is indented below it.

    `indents` are those of the lines, None for an empty one; `apart` tells which lines begin an item or a paragraph.
    """
    own = indents[start] or 0
    for index in range(start + 1, len(indents)):
        indent = indents[index]
        if indent is not None and apart[index] and indent <= own:
            return index
    return len(indents)


def _indent(line: str) -> int:
    expanded = line.expandtabs(4)
    return len(expanded) - len(expanded.lstrip(" "))


# The front matter


def _header_size(text: str) -> int:
    """Return how many lines the front matter has; 0 if it cannot be read."""
    try:
        return document.decode(text.encode("utf-8", "surrogateescape"), where="").body_line - 1
    except AgentwsError:
        return 0


def _in_header(lines: Sequence[str], wanted: Wanted) -> dict[int, str]:
    """Return the lines of front matter to remove: the line of a value, or the whole field to keep the YAML readable."""
    size = _header_size("\n".join(lines))
    fields = dict(_fields(lines, size))
    hits = [index for index in range(1, size - 1) if wanted.is_in(lines[index])]
    for start, end in fields.items():
        if wanted.among(lines[start:end]) and not any(start <= index < end for index in hits):
            hits.append(start)  # the hit spans lines of the field
    goes = dict.fromkeys(hits, HIT)
    goes |= {below: BELOW for index in hits for below in _deeper(lines, index, size) if below not in goes}
    return goes if _is_readable(lines, goes, size) else _whole_fields(goes, fields)


def _fields(lines: Sequence[str], size: int) -> Iterator[tuple[int, int]]:
    """Yield (first line, line behind the last) of each field of the front matter."""
    starts = [
        index for index in range(1, size - 1) if lines[index][:1] not in ("", " ", "\t", "-", "#", "\r", "]", "}")
    ]
    yield from zip(starts, [*starts[1:], size - 1], strict=False)


def _deeper(lines: Sequence[str], start: int, size: int) -> Iterator[int]:
    """Yield the lines below one line of front matter that are indented deeper, or are items of its list."""
    indent = _indent(lines[start])
    for index in range(start + 1, size - 1):
        items = lines[index].startswith("-") and not lines[start].startswith("-")
        if lines[index].strip() and _indent(lines[index]) <= indent and not items:
            return
        yield index


def _is_readable(lines: Sequence[str], goes: Mapping[int, str], size: int) -> bool:
    text = "\n".join(_blank(line) if index in goes else line for index, line in enumerate(lines))
    return not goes or _header_size(text) == size


def _whole_fields(goes: Mapping[int, str], fields: Mapping[int, int]) -> dict[int, str]:
    whole = {index: BELOW for start, end in fields.items() if goes.keys() & set(range(start, end))
             for index in range(start, end)}  # fmt: skip
    return {**whole, **goes}


_LARGE_BYTES = 1 << 19
_LEAST_BYTES, _MOST_BYTES = 1 << 18, 1 << 19
_FRESH = re.compile(rb"\n(?=[-*+] |#{1,6} )")
_AROUND_BYTES = 1 << 16
_AROUND_LINES = 16
"""How many lines on each side of a cut are searched for hits that span it."""


class Part(NamedTuple):
    """A part of a large document that is struck alone: byte offsets of whole lines; `is_torn` if it ends in a block."""

    start: int
    end: int
    is_torn: bool


def _parts_of(data: bytes) -> Iterator[Part]:
    """Yield the parts of a document, in order; lines are never split."""
    start = 0
    while len(data) - start > _LARGE_BYTES:
        fresh = _FRESH.search(data, start + _LEAST_BYTES, start + _MOST_BYTES)
        end = fresh.end() if fresh else _line_end(data, start)
        yield Part(start, end, fresh is None and end < len(data))
        start = end
    if start < len(data):
        yield Part(start, len(data), is_torn=False)


def _line_end(data: bytes, start: int) -> int:
    end = data.rfind(b"\n", start, start + _MOST_BYTES) + 1
    return end or data.find(b"\n", start + _MOST_BYTES) + 1 or len(data)


def _around(data: bytes, end: int) -> tuple[Sequence[bytes], Sequence[bytes]]:
    """Return the last lines before this offset, where a line ends, and the first lines behind it."""
    above = data[max(0, end - _AROUND_BYTES) : end].split(b"\n")[:-1]
    below = data[end : end + _AROUND_BYTES].split(b"\n")
    return above[-_AROUND_LINES:], below[:_AROUND_LINES]
