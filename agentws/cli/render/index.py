"""The index of search, as people read it, and as the fields that scripts rely on."""

from __future__ import annotations

import contextlib
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from agentws.cli.invocation import Run
    from agentws.operations.search.embedding import VectorStatus
    from agentws.operations.search.index import IndexStatus


def show(run: Run, verb: str, found: IndexStatus, vectors: VectorStatus | None = None) -> None:
    """Print what the index holds, and what vectors there are, after a verb of the family."""
    told, said, notices = fields(found), [*lines(found)], [*found.notices]
    if vectors is not None:
        told["vectors"] = vector_fields(vectors)
        said += vector_lines(vectors)
        notices += [notice for notice in vectors.notices if notice not in notices]
    run.done(f"index-{verb}", told, said, notices)


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
    """How many entries have a vector, and of which embedder."""
    added = f", {found.added:,} added" if found.added else ""
    removed = f", {found.removed:,} removed" if found.removed else ""
    yield f"vectors: {found.known:,} of {found.entries:,} texts{added}{removed} ({found.embedder}, {found.store})"


def fields(found: IndexStatus) -> dict[str, object]:
    """The fields of `agentws/index-status@1`, and of the other verbs."""
    return {
        "path": found.path or None,
        "current": found.is_current,
        "behind": found.behind,
        "files": found.files,
        "units": found.units,
        "rooms": found.rooms,
        "bytes": found.size,
        "notices": found.notices,
    }


def lines(found: IndexStatus) -> Iterator[str]:
    """What it holds, and where it lies."""
    if not found.path:
        yield "There is no index yet. The first search creates one."
        return
    state = "up to date" if found.is_current else f"{found.behind} file{'s' * (found.behind != 1)} not updated yet"
    yield f"{_many(found.units, 'entry', 'entries')} of {_many(found.files, 'file', 'files')}, {state}"
    yield from (f"  {room:<10} {count:>8,}" for room, count in sorted(found.rooms.items()))
    yield f"{found.path} ({found.size / 1e6:.1f} MB)"


def _many(count: int, one: str, several: str) -> str:
    return f"{count:,} {one if count == 1 else several}"
