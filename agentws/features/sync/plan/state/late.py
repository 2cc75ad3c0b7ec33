"""Late lines: those added to a day's log on one machine after another machine archived it. Pure.

Added lines go to the second file of the day, as `log` would write them. Removed lines become empty lines in the
archived file, so that every other line keeps its number.
"""

from __future__ import annotations

from collections import Counter
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

from agentws.core.formats import layout
from agentws.core.markdown import markdown
from agentws.features.sync.plan.units import tags

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

SECOND = ".2.md"
"""The ending of the second file of a day, which gets late lines."""
_MOST_COMPARED = 2_000
_WITHIN = (b" ", b"\t")

Passage = tuple[int, int, bytes]
"""A line with the lines indented below it: index of its first line, index behind its last one (0-based), its text."""


def place(path: str) -> str:
    """Return the path for late lines of an archived file: for a daily log its second file, else the file itself."""
    name = path.rpartition("/")[2]
    stem = name.removesuffix(".md")
    return f"{layout.DAYS}/{stem}{SECOND}" if layout.is_day(stem) else path


def without(archived: bytes, gone: Sequence[Passage]) -> bytes:
    """Return an archived log with empty lines instead of the passages in `gone`, which were removed late."""
    lines = archived.split(b"\n")
    for start, end, _ in gone:
        lines[start:end] = [b"\r" if line.endswith(b"\r") else b"" for line in lines[start:end]]
    return b"\n".join(lines)


def added_to(path: str, text: bytes, added: Sequence[Passage]) -> bytes:
    """Return the text of the file at `path` with late passages at its end; a missing file gets a title first."""
    if not text:
        text = _title(path) + b"\n\n"
    ending = b"\r\n" if b"\r\n" in text else b"\n"
    text += b"" if text.endswith(b"\n") else ending
    lines = [line.rstrip(b"\r") for _, _, passage in added for line in passage.split(b"\n")]
    return text + b"".join(line + ending for line in lines)


def leaving(text: bytes, added: Sequence[Passage]) -> list[Passage]:
    """Return passages that leave a log, with the tags of the headings that they were below."""
    if b"#" not in text:
        return [*added]
    headings = [*_headings(text)]
    made = []
    for start, end, passage in added:
        above: dict[int, str] = {}
        for at, level, heading in headings:
            if at < start:
                above = {each: words for each, words in above.items() if each < level} | {level: heading}
        message = passage.decode("utf-8", "surrogateescape")
        is_heading = any(at == start for at, *_ in headings)
        after = message if is_heading else tags.below(message, above.values())
        made.append((start, end, after.encode("utf-8", "surrogateescape")))
    return made


def _headings(text: bytes) -> Iterator[tuple[int, int, str]]:
    """Yield the line, the level and the text of each heading."""
    for block in markdown.blocks(text.decode("utf-8", "surrogateescape")):
        if block.kind == markdown.HEADING:
            yield block.line - 1, block.level, block.text.rstrip()


def is_bare(path: str, text: bytes) -> bool:
    """Return whether a second file of a day, which gets late lines, has nothing but its title."""
    return is_second(path) and text.strip() in (_title(path), b"")


def is_second(path: str) -> bool:
    """Return whether a path is that of a second file of a day, which gets late lines."""
    folder, _, name = path.rpartition("/")
    return folder == layout.DAYS and name.endswith(SECOND) and layout.is_day(name.removesuffix(SECOND))


def _title(path: str) -> bytes:
    return b"# %s" % path.rpartition("/")[2][:10].encode()


def compared(before: bytes, after: bytes) -> tuple[list[Passage], list[Passage]]:
    """Return (passages removed from, passages added to) a log that was changed late, with their lines in each text."""
    old, new = [*passages(before)], [*passages(after)]
    words, others = [text for *_, text in old], [text for *_, text in new]
    start = 0
    while start < min(len(old), len(new)) and words[start] == others[start]:
        start += 1
    end = 0
    while end < min(len(old), len(new)) - start and words[-1 - end] == others[-1 - end]:
        end += 1
    middle, rest = words[start : len(words) - end], others[start : len(others) - end]
    gone: list[Passage] = []
    added: list[Passage] = []
    for first, last, begin, stop in _differences(middle, rest):
        gone += old[start + first : start + last]
        added += new[start + begin : start + stop]
    return gone, added


def _differences(old: list[bytes], new: list[bytes]) -> Iterator[tuple[int, int, int, int]]:
    if not old or not new:
        yield 0, len(old), 0, len(new)
        return
    if len(old) + len(new) > _MOST_COMPARED:
        yield from ((at, at + 1, 0, 0) for at in _more(old, new))
        yield from ((0, 0, at, at + 1) for at in _more(new, old))
        return
    for tag, *place in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag != "equal":
            yield place[0], place[1], place[2], place[3]


def _more(own: list[bytes], other: list[bytes]) -> Iterator[int]:
    """Yield the indices of texts that `own` has more often than `other`, in any order."""
    left = Counter(other)
    for at, text in enumerate(own):
        if not left[text]:
            yield at
        left[text] -= left[text] > 0


def passages(text: bytes) -> Iterator[Passage]:
    """Yield the passages of a text: every line that is not empty, with the lines indented below it."""
    lines = text.split(b"\n")
    start = -1
    end = 0
    for index, line in enumerate(lines):
        if not line.strip():
            continue
        if start >= 0 and (not line.startswith(_WITHIN) or lines[start].startswith(b"#")):
            yield start, end, _text(lines[start:end])
            start = -1
        if start < 0:
            start = index
        end = index + 1
    if start >= 0:
        yield start, end, _text(lines[start:end])


def _text(lines: list[bytes]) -> bytes:
    return b"\n".join(line.rstrip() for line in lines)
