"""Rendering of the vectors in `agentws index`: a progress bar, and how many entries have a vector."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator

from agentws.features.search.embedding import VectorStatus


@contextlib.contextmanager
def progress(*, quiet: bool) -> Iterator[Callable[[int, int], None] | None]:
    """Yield a callback that moves a progress bar of the vectors on stderr; None if stderr is not a terminal."""
    if quiet or sys.stderr is None or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("Vectors"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=None)
        yield lambda done, of: bar.update(task, completed=done, total=of)


def vector_lines(status: VectorStatus) -> Iterator[str]:
    """Yield the line that counts the entries with a vector; nothing if a notice says that they cannot be read."""
    if status.notices and not status.entries:
        return
    added = f", {status.added:,} added" if status.added else ""
    removed = f", {status.removed:,} removed" if status.removed else ""
    yield f"vectors: {status.known:,} of {status.entries:,} texts{added}{removed} ({status.embedder}, {status.store})"
