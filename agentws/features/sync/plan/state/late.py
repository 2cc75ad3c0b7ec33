"""Late lines: those added to a day's log on one machine after another archived it; the base of logs it lacks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from difflib import SequenceMatcher

from agentws.core.formats import layout
from agentws.core.markdown import markdown
from agentws.features.sync.plan.plan import Blobs, Tree
from agentws.features.sync.plan.units import tags

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
    blocks = markdown.blocks(text.decode("utf-8", "surrogateescape"))
    headings = [(each.line - 1, each.level, each.text.rstrip()) for each in blocks if each.kind == markdown.HEADING]
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
    for first, last, begin, stop in differences(middle, rest):
        gone += old[start + first : start + last]
        added += new[start + begin : start + stop]
    return gone, added


def differences(old: list[bytes], new: list[bytes]) -> Iterator[tuple[int, int, int, int]]:
    """Yield the parts that differ: the indices in the old list, and those in the new one."""
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


def logs(
    base: Tree, ours: Tree, theirs: Tree, blobs: Blobs, is_forgotten: Callable[[bytes], bool] | None = None
) -> dict[str, bytes]:
    """Return daily logs of the base, with the lines that ours has added and the other side has of the same day too.

    Both would count as written twice, though one machine wrote them once. With `is_forgotten`, our lines that were
    forgotten here are added too: the other side has removed them.
    """
    made: dict[str, bytes] = {}
    for day in sorted(
        {_day(path) for path, oid in ours.items() if oid not in (base.get(path), theirs.get(path))} - {""}
    ):
        before = _words(base, day, blobs)
        common = _words(ours, day, blobs) & _words(theirs, day, blobs)
        left = common - before
        both = [path for path in ours if _day(path) == day and path in theirs]
        for path in both:  # where both sides have a line at one path, so has the base
            lines = left & (_in(ours, path, blobs) & _in(theirs, path, blobs)) - _in(base, path, blobs)
            left -= lines
            if lines:
                made[path] = _with(path, blobs.bytes_of(base.get(path)), [*lines.elements()], ours, blobs)
        if is_forgotten is not None:
            new = _words(ours, day, blobs) - before - common
            left += Counter({each: n for each, n in new.items() if any(map(is_forgotten, each.split(b"\n")))})
        if left:
            path = min((path for path in base if _day(path) == day), default=f"{layout.DAYS}/{day}.md")
            text = made.get(path, blobs.bytes_of(base.get(path)))
            made[path] = _with(path, text, [*left.elements()], ours if path in ours else theirs, blobs)
    return made


def _with(path: str, text: bytes, lines: list[bytes], side: Tree, blobs: Blobs) -> bytes:
    """Return the text of the base with these lines, in the order of a side that has only added lines."""
    after = blobs.bytes_of(side.get(path))
    gone, added = compared(text, after)
    left = Counter(lines)
    own = []
    for passage in added:
        own += [] if left[passage[2]] else [passage]
        left[passage[2]] -= left[passage[2]] > 0
    if gone or left.total():
        return added_to(path, text, [(0, 0, words) for words in lines])
    made = after.split(b"\n")
    for start, end, _ in reversed(own):
        del made[start:end]
    return b"\n".join(made)


def _in(tree: Tree, path: str, blobs: Blobs) -> Counter[bytes]:
    return Counter(words for *_, words in passages(blobs.bytes_of(tree.get(path))))


def _words(tree: Tree, day: str, blobs: Blobs) -> Counter[bytes]:
    """Return how often each passage stands in the logs of a day, archived or not."""
    oids = (oid for path, oid in tree.items() if _day(path) == day)
    return Counter(words for oid in oids for *_, words in passages(blobs.bytes_of(oid)))


def _day(path: str) -> str:
    """Return the day of a daily log, empty for another file."""
    name = path.rpartition("/")[2]
    is_log = path.startswith(f"{layout.DAYS}/") and name.endswith(".md") and layout.is_day(name[:10])
    return name[:10] if is_log else ""
