"""A page of lines and tables: coloured and as wide as the terminal, plain lines elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from agentws.core.terminal import output
from agentws.core.text.sanitize import inert, unbroken

Rows = list[list[str]]


class Page:
    """A page: lines and tables that are printed together through output.py."""

    def __init__(self) -> None:
        self._parts: list[tuple[str, str, str] | Rows] = []

    def line(self, text: str, style: str = "", *, label: str = "") -> None:
        """Add a line to the page; `style` is that of its text, not of the label before it."""
        self._parts.append((label, inert(unbroken(text)), style))

    def table(self, heads: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        """Add a table to the page; its second column holds numbers."""
        self._parts.append([list(heads), *([inert(unbroken(cell)) for cell in row] for row in rows)])

    def print(self) -> None:
        """Print the page to stdout."""
        page = self._coloured() if sys.stdout is not None and sys.stdout.isatty() else self._plain()
        output.text(output.without_secrets("".join(f"{line.rstrip()}\n" for line in page)))

    def _plain(self) -> list[str]:
        lines: list[str] = []
        for part in self._parts:
            lines += ["".join(part[:2])] if isinstance(part, tuple) else _aligned(part)
        return lines

    def _coloured(self) -> list[str]:
        import io
        import shutil

        from rich.console import Console
        from rich.table import Table
        from rich.text import Text

        text = io.StringIO()
        width = shutil.get_terminal_size().columns
        console = Console(file=text, force_terminal=True, width=width, emoji=False, markup=False, highlight=False)
        for part in self._parts:
            if isinstance(part, tuple):
                console.print(Text(part[0]), Text(part[1], style=part[2]), sep="")
                continue
            table = Table(box=None, pad_edge=False, padding=(0, 1))
            for at, head in enumerate(part[0]):
                table.add_column(head, justify="right" if at == 1 else "left")
            for row in part[1:]:
                table.add_row(*map(Text, row))
            console.print(table)
        return text.getvalue().split("\n")[:-1]


def _aligned(rows: Rows) -> list[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            f"{cell:>{width}}" if at == 1 else f"{cell:<{width}}"
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in rows
    ]
