"""Finds an unresolved merge conflict in a text: the markers of git, also in its diff3 style. Pure."""

from __future__ import annotations

from agentws.core.markdown import markdown
from agentws.errors import DamagedError

_BEGIN, _MIDDLE, _END = "<<<<<<<", "=======", ">>>>>>>"
REMEDY = "Edit the file: keep what is right, and delete the lines of markers (<<<<<<<, |||||||, =======, >>>>>>>)."


def line(text: str) -> int:
    """Return the line (from 1) at which the first unresolved conflict begins, 0 without one.

    Markers in a block of code are an example, unless the block begins or ends within the conflict.
    """
    if _BEGIN not in text:
        return 0
    lines = markdown.lines_of(text)
    fences = markdown.fences_of(lines)
    at, begun, is_halved = 0, 0, False
    while at < len(lines):
        row = lines[at].rstrip()
        if not begun and at in fences:
            at = fences[at]
            continue
        if _is_mark(row, _BEGIN):
            begun, is_halved = at + 1, False
        elif begun and row == _MIDDLE:
            is_halved = True
        elif is_halved and _is_mark(row, _END):
            return begun
        at += 1
    return 0


def remains(text: str) -> int:
    """Return the line (from 1) of the first marker of a conflict of which others were deleted, 0 without one.

    That is `<<<<<<<`, or `=======` with a `>>>>>>>` below it; each alone is Markdown. Blocks of code are left out.
    """
    if _BEGIN not in text and _END not in text:
        return 0
    lines = markdown.lines_of(text)
    fences = markdown.fences_of(lines)
    at, middle = 0, 0
    while at < len(lines):
        if at in fences:
            at = fences[at]
            continue
        row = lines[at].rstrip()
        at += 1
        if _is_mark(row, _BEGIN):
            return at
        if row == _MIDDLE:
            middle = at
        elif middle and _is_mark(row, _END):
            return middle
    return 0


def _is_mark(row: str, mark: str) -> bool:
    return row.startswith(mark) and row[7:8] in ("", " ")


def check(path: str, text: str) -> None:
    """Raise DamagedError, with the line, if the file at `path` has an unresolved conflict."""
    if at := line(text):
        raise error(path, at)


def error(path: str, at: int) -> DamagedError:
    """Return the error for the file at `path` with an unresolved conflict that begins at line `at`."""
    return DamagedError(f"{path}:{at}: an unresolved merge conflict begins here.", hint=REMEDY)
