"""A progress bar on stderr, shown only at a terminal."""

from __future__ import annotations

import sys
from contextlib import contextmanager

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from agentws.core.terminal.invocation import Run


@contextmanager
def bar(run: Run, word: str) -> Iterator[Callable[[int, int], None] | None]:
    """Yield a function that updates the bar with (bytes done, total bytes); None without a terminal."""
    if run.quiet or sys.stderr is None or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TransferSpeedColumn

    columns = (TextColumn(word), BarColumn(), DownloadColumn(), TransferSpeedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as shown:
        task = shown.add_task(word, total=None)
        yield lambda done, total: shown.update(task, completed=done, total=total)
