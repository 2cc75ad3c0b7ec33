"""Adding one bullet to MEMORY.md without changing another byte. Specified in docs/format/memory.md."""

from __future__ import annotations

from agentws.core import Record
from agentws.core.markdown import escape, markdown
from agentws.errors import UsageError

HEADING = "Remembered"
"""The section that is made where the document has sections and none was named."""


class Placed(Record):
    """The new `text` of MEMORY.md and the `line` (1-based) of the bullet; `is_new` unless it existed already."""

    text: str
    line: int
    is_new: bool


def bullet(text: str, src: str | None = None, *, head: str = "", tail: str = "") -> str:
    """Return the MEMORY.md bullet for `text`, with its origin if that is outside; further lines are indented.

    `head` and `tail` are marks before and after the first line. UsageError for an empty text.
    """
    lines = [line.rstrip() for line in escape.signed(src, text.replace("\r\n", "\n").strip()).split("\n")]
    if not lines[0]:
        raise UsageError(
            "Nothing to remember: the text is empty.", hint='For example: agentws remember "Sam likes tea"'
        )
    lines[0] = " ".join(filter(None, (head, lines[0], tail)))
    return "\n".join([f"- {lines[0]}", *(f"  {line}" if line else "" for line in lines[1:])])


def with_bullet(text: str, entry: str, *, section: str | None = None) -> Placed:
    """Return MEMORY.md with the bullet `entry` at the end of a section, which is created if missing.

    Unchanged where it has the bullet already. Without a `section`: the end of a document that has no sections, else the
    section called HEADING.
    """
    newline = "\r\n" if text.count("\r\n") * 2 > text.count("\n") else "\n"
    lines = text.replace("\r\n", "\n").split("\n")
    known = _known(lines, entry.split("\n"))
    if known is not None:
        return Placed(text, known + 1, is_new=False)
    headings = _headings(lines)
    wanted = section or (HEADING if any(level > 1 for _, level, _ in headings) else None)
    end = len(lines)
    if wanted is not None:
        position = next((index for index, (_, _, title) in enumerate(headings) if _same(title, wanted)), None)
        if position is None:
            return _in_new_section(lines, entry, wanted, newline)
        level = headings[position][1]
        end = next((at for at, depth, _ in headings[position + 1 :] if depth <= level), end)
    while end and not lines[end - 1].strip():
        end -= 1
    glue = [] if not end or _is_in_list(lines[:end]) else [""]
    rest = lines[end:] if any(line.strip() for line in lines[end:]) else [""]
    joined = [*lines[:end], *glue, *entry.split("\n"), *rest]
    return Placed(newline.join(joined), end + len(glue) + 1, is_new=True)


def fence_above(text: str, line: int) -> int:
    """Return the line (1-based) of the unclosed code fence above `line` of MEMORY.md, 0 without one."""
    lines = markdown.lines_of(text)[: line - 1]
    opened = markdown.open_fence(lines)
    return opened + 1 if opened < len(lines) else 0


def _in_new_section(lines: list[str], entry: str, section: str, newline: str) -> Placed:
    while lines and not lines[-1].strip():
        lines.pop()
    before = [*lines, ""] if lines else []
    joined = [*before, f"## {section.strip().lstrip('#').strip()}", "", *entry.split("\n"), ""]
    return Placed(newline.join(joined), len(before) + 3, is_new=True)


def has_section(text: str, section: str) -> bool:
    """Return whether MEMORY.md has a section of this name."""
    return any(_same(title, section) for _, _, title in _headings(text.replace("\r\n", "\n").split("\n")))


def _headings(lines: list[str]) -> list[tuple[int, int, str]]:
    """Return (index, level, title) of each heading below the front matter."""
    start = lines.index("---", 1) + 1 if lines[:1] == ["---"] and "---" in lines[1:] else 0
    blocks = markdown.blocks("\n".join(lines[start:]), first_line=start)
    return [
        (block.line, block.level, block.text[block.level :].strip())
        for block in blocks
        if block.kind == markdown.HEADING
    ]


def _same(title: str, wanted: str) -> bool:
    return title.casefold() == wanted.strip().lstrip("#").strip().casefold()


def _known(lines: list[str], entry: list[str]) -> int | None:
    """Return the index of the line that has the same bullet already."""
    for index in range(len(lines) - len(entry) + 1):
        if [line.rstrip() for line in lines[index : index + len(entry)]] == entry:
            follows = lines[index + len(entry) : index + len(entry) + 1]
            if not follows or not follows[0].startswith("  "):
                return index
    return None


def _is_in_list(lines: list[str]) -> bool:
    """Return whether the last line belongs to a list."""
    for line in reversed(lines):
        if line.lstrip().startswith(("- ", "* ", "+ ")):
            return True
        if not line.startswith("  "):
            return False
    return False
