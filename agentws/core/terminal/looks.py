"""The looks of result lines at a terminal, a function for each style; in a pipe lines stay plain.

All text is inert already. `output` loads this module when needed, and finds a style by its name.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator

from agentws.core import environment

_BOLD, _DIM, _RED, _GREEN, _YELLOW, _CYAN = "1", "2", "31", "32", "33", "36"
_MARKS = {"✓": _GREEN, "✗": _RED, "⚠": _YELLOW}
_PATCH = {"+++": _BOLD, "---": _BOLD, "@@": _CYAN, "+": _GREEN, "-": _RED}
"""How the lines of a diff look that begin so; the longer beginnings come first."""


def plain(text: str) -> str:
    """The look of lines of any kind: a mark at the beginning is coloured."""
    return "\n".join(_marked(line) for line in text.split("\n"))


def rows(text: str) -> str:
    """The look of rows without a header, cut to the terminal's width."""
    return plain("\n".join(_cut(text)))


def table(text: str) -> str:
    """The look of rows below a header."""
    head, _, rest = "\n".join(_cut(text)).partition("\n")
    return f"{_styled(head, _BOLD)}\n{plain(rest)}" if rest else plain(head)


def patch(text: str) -> str:
    """The look of a diff and the remarks about it."""
    styles = (
        (line, next((style for start, style in _PATCH.items() if line.startswith(start)), ""))
        for line in text.split("\n")
    )
    return "\n".join(_styled(line, style) if style else _marked(line) for line, style in styles)


def matched(places: Callable[[str], list[tuple[int, int]]], dim: str) -> Callable[[str], str]:
    """Return the look of matches: these spans bold, and lines dimmed that begin with `dim`."""

    def look(text: str) -> str:
        parts, behind = [], 0
        for start, end in places(text):
            if text.startswith(dim, text.rfind("\n", 0, start) + 1):
                continue
            parts += [text[behind:start], _styled(text[start:end], _BOLD)]
            behind = end
        lines = "".join((*parts, text[behind:])).split("\n")
        return "\n".join(_styled(line, _DIM) if line.startswith(dim) else line for line in lines)

    return look


def markdown(text: str) -> str:
    """The look of Markdown, rendered."""
    import io

    from rich.console import Console
    from rich.markdown import Markdown

    page = io.StringIO()
    width = shutil.get_terminal_size().columns
    Console(file=page, force_terminal=environment.has_colour(), width=width).print(Markdown(text, hyperlinks=False))
    return "\n".join(line.rstrip() for line in page.getvalue().rstrip("\n").split("\n"))


def _marked(line: str) -> str:
    words = line.lstrip()
    if words[:1] not in _MARKS:
        return line
    return f"{line[: len(line) - len(words)]}{_styled(words[0], _MARKS[words[0]])}{words[1:]}"


def _styled(words: str, style: str) -> str:
    return f"\x1b[{style}m{words}\x1b[0m" if words and environment.has_colour() else words


def _cut(text: str) -> Iterator[str]:
    from rich.cells import cell_len, set_cell_size

    width = shutil.get_terminal_size().columns
    for line in text.split("\n"):
        yield f"{set_cell_size(line, width - 1).rstrip()}…" if cell_len(line) > width else line
