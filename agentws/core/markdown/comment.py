"""Finds HTML comments in Markdown. `<!--` in code, or without an end in the same item, begins no comment."""

from __future__ import annotations

from agentws.core.markdown import markdown
from agentws.core.text.lazy import Pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_BEGIN, _END = "<!--", "-->"
_SIGNS = Pattern(r"`+|^[ \t]*<!--|(?<!\\)<!--", "MULTILINE")
_TICKS = Pattern("`+")


def spans(text: str) -> list[tuple[int, int]]:
    """Return (start, end) of each HTML comment of a text, in order. Fences and code spans contain no comments.

    A comment at the beginning of a line may continue across blank lines and lists, but not past the item in which it
    begins; one in the middle of a line ends in the same paragraph. Otherwise it is not a comment.
    """
    spans: list[tuple[int, int]] = []
    behind, end = 0, -1
    for first, last, limit in _paragraphs(text) if _BEGIN in text else ():
        at = max(first, behind)
        closers = _closers(text, at, last) if "`" in text[at:last] else {}
        while at < last and (sign := _SIGNS.search(text, at, last)):
            at = sign.end()
            if sign[0][0] == "`":
                at = closers.get(at, at)
                continue
            start = at - len(_BEGIN)
            if end < at - 2 and (end := text.find(_END, at - 2)) < 0:
                return spans
            if text[sign.start() - 1 : sign.start()] in ("", "\n"):
                most = limit if sign.start() < start else len(text)  # without an indent, no item goes on here
            else:
                most = last
            if end < most:
                at = behind = end + len(_END)
                spans.append((start, behind))
    return spans


def without(text: str) -> str:
    """Return a text without its HTML comments; every line keeps its number."""
    pieces = []
    behind = 0
    for start, end in spans(text):
        pieces += [text[behind:start], "\n" * text.count("\n", start, end)]
        behind = end
    return "".join((*pieces, text[behind:]))


def lines(text: str, first_line: int = 1) -> set[int]:
    """Return the numbers of the lines that begin inside an HTML comment."""
    numbers: set[int] = set()
    line, behind = first_line, 0
    for start, end in spans(text):
        first = line + text.count("\n", behind, start)
        line, behind = first + text.count("\n", start, end), end
        numbers.update(range(first + 1, line + 1))
    return numbers


def _paragraphs(text: str) -> Iterator[tuple[int, int, int]]:
    """Yield (start, end, limit) of each piece of a text in which a code span may be, fences left out.

    A comment that begins a line of it may go on to the limit: the end of its outermost item, or of the text.
    """
    at = 0
    for block in markdown.blocks(text):
        start, at = at, at + len(block.text)
        if block.kind == markdown.ITEM:
            for first, last in _of_item(block.text):
                yield start + first, start + last, at
        elif block.kind != markdown.FENCE:
            yield start, at, len(text)


def _of_item(text: str) -> Iterator[tuple[int, int]]:
    """Yield (start, end) of each paragraph of an item and of those nested in it."""
    rows = markdown.lines_of(text)
    fences = markdown.fences_of(rows) if "```" in text or "~~~" in text else {}
    start = at = number = 0
    while number < len(rows):
        behind = fences.get(number, number + 1)
        is_fence = number in fences
        if is_fence or not rows[number].strip() or markdown.marker(rows[number]):
            yield start, at
            start = at
        at += sum(map(len, rows[number:behind]))
        start = at if is_fence else start
        number = behind
    yield start, at


def _closers(text: str, start: int, end: int) -> dict[int, int]:
    """Return end of each run of backticks → end of the next run of its length, which closes the code span."""
    closers: dict[int, int] = {}
    ends: dict[int, int] = {}
    for run in reversed([*_TICKS.compiled.finditer(text, start, end)]):
        length = run.end() - run.start()
        if length in ends:
            closers[run.end()] = ends[length]
        ends[length] = run.end()
    return closers


def without_blocks(text: str) -> str:
    """Return the text of a host's file without the blocks that `agentws install` wrote between two comments."""
    kept: list[str] = []
    while True:
        before, begin, rest = text.partition("<!-- agentws:")
        _, end, after = rest.partition(" end -->")
        if not (begin and end):
            return "".join((*kept, text))
        kept.append(before)
        text = after
