"""The lines of a file as boot shows them: without comments and placeholders, headings below boot's own. Pure."""

from __future__ import annotations

from itertools import pairwise

from agentws.core.markdown import comment, markdown
from agentws.core.notes.request import DAY

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from agentws.core.notes.request import Source

EMPHASIS = " \t*_"
_DEMOTED_BY = 2
_DEEPEST_HEADING = 6
_CONFLICTS = ("<<<<<<< ", "=======", ">>>>>>> ", "||||||| ")
_LONGEST_FIELD_CHARS = 60
_LONGEST_TITLE_CHARS = 80
_MARK = "[…"


def shown(text: str, *, may_be_template: bool) -> tuple[list[str], Sequence[int]]:
    """Return the lines of a file and their numbers: comments and conflict markers become empty, and what a template
    left to be filled in is left out, with the empty line behind it if there is one before it.
    """
    if "<!--" in text:
        text = comment.without(text)
    may_conflict = "\n<<<<<<< " in f"\n{text}"
    if not (may_conflict or may_be_template):
        lines = markdown.lines_of(text)
        return lines, range(1, len(lines) + 1)
    kept: list[str] = []
    numbers: list[int] = []
    is_behind = False  # a line that was left out
    for block in markdown.blocks(text):
        lines = markdown.lines_of(block.text)
        for place, line in enumerate(lines):
            is_text = block.kind != markdown.FENCE
            if may_be_template and is_text and is_placeholder(line, "".join(lines[place + 1 :])):
                is_behind = True
            elif line.strip() or not is_behind or (kept and kept[-1].strip()):
                is_marker = may_conflict and is_text and line.rstrip("\n").startswith(_CONFLICTS)
                kept.append("\n" if is_marker else line)
                numbers.append(block.line + place)
                is_behind = False
    return kept, numbers


def is_placeholder(line: str, behind: str = "") -> bool:
    """Return whether a page's line is a template's placeholder: an empty field, or a hint in brackets.

    A field has a value if the item continues `behind` the line with more than a hint.
    """
    text = line[markdown.marker(line) :].strip()
    if _is_hint(text):
        return True
    name, colon, value = text.partition(":")
    if not (text.startswith("**") and colon and markdown.marker(line) and len(name) <= _LONGEST_FIELD_CHARS):
        return False
    is_hint = _is_hint(value.removeprefix("**").strip())
    continued = behind.strip() if indent(behind) > indent(line) else ""
    return (is_hint or not value.strip(EMPHASIS)) and (not continued or _is_hint(continued))


def _is_hint(text: str) -> bool:
    """Return whether a text is a remark in italics and brackets: `_(what should they call you?)_`."""
    bare = text.strip(EMPHASIS)
    return text[:1] in ("*", "_") and bare[:1] == "(" and bare[-1:] == ")" and "(" not in bare[1:]


def demoted(text: str) -> str:
    """Return a text whose headings are below those of boot's frame: level 1 becomes level 3."""
    if "#" not in text:
        return text
    return "".join(
        "#" * min(_DEEPEST_HEADING, block.level + _DEMOTED_BY) + block.text[block.level :]
        if block.kind == markdown.HEADING
        else block.text
        for block in markdown.blocks(text)
    )


def take_title(lines: list[str], source: Source) -> str:
    """Take the level-1 heading that a file begins with out of its lines, if boot's own heading can say it; return it.

    That is the short title of a log, or of a file whose name it repeats. Where a log that was appended again repeats it
    above another heading, it is left out.
    """
    name = "" if source.role == DAY else source.path.rpartition("/")[2].partition(".")[0]
    for place, line in enumerate(lines):
        if line.strip():
            title = markdown.title_of(line) if markdown.heading_level(line) == 1 else ""
            if not title or name.casefold() not in title.casefold() or len(title) > _LONGEST_TITLE_CHARS:
                break
            below = [at for at in range(place + 1, len(lines)) if lines[at].strip()] if source.role == DAY else []
            for at, follower in pairwise(below):
                if lines[at] == line and lines[follower].startswith("#"):
                    lines[at] = "\n"
            lines[place] = "\n"
            return title
    return ""


def without_marks(text: str) -> str:
    """Return a text in which no line looks like a gap mark of boot."""
    if _MARK not in text:
        return text
    lines = text.split("\n")
    return "\n".join(
        line.replace(_MARK, f"\\{_MARK}", 1) if line.lstrip().startswith(_MARK) else line for line in lines
    )


def indent(line: str) -> int:
    """Return the width of the white space before a line."""
    return len(line) - len(line.lstrip(" \t"))
