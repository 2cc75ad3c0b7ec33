"""The vectors of search, as people read of them, and as the fields that scripts rely on."""

from __future__ import annotations

import contextlib
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from agentws.features.search.embedding import VectorStatus


@contextlib.contextmanager
def progress(*, quiet: bool) -> Iterator[Callable[[int, int], None] | None]:
    """Yield a function that shows progress: a bar on stderr where that is a terminal; else None."""
    if quiet or sys.stderr is None or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("Vectors"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=None)
        yield lambda done, of: bar.update(task, completed=done, total=of)


def vector_fields(found: VectorStatus) -> dict[str, object]:
    """The fields below `vectors`."""
    return {
        "embedder": found.embedder,
        "store": found.store,
        "entries": found.entries,
        "known": found.known,
        "added": found.added,
        "removed": found.removed,
    }


def vector_lines(found: VectorStatus) -> Iterator[str]:
    """How many entries have a vector, and of which embedder; nothing where a notice says that none can be read."""
    if found.notices and not found.entries:
        return
    added = f", {found.added:,} added" if found.added else ""
    removed = f", {found.removed:,} removed" if found.removed else ""
    yield f"vectors: {found.known:,} of {found.entries:,} texts{added}{removed} ({found.embedder}, {found.store})"
