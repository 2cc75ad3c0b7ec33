"""The verbs `agentws index status|refresh|rebuild|path`: their options and calls."""

from __future__ import annotations

from agentws.core.terminal import output
from agentws.core.terminal.invocation import Run
from agentws.core.terminal.options import Verb, flag
from agentws.core.text.names import many
from agentws.errors import MissingFileError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentws.features.search.embedding import VectorStatus
    from agentws.features.search.index import IndexStatus

_NAMES = "path? current=is_current behind files units rooms bytes=size notices"
_STOPPED = "Stopped. The vectors made so far are kept. To go on: agentws index refresh --vectors"


def status(run: Run) -> None:
    """Show what the search index contains, and whether it is up to date."""
    workspace = run.workspace()
    result = workspace.search.status()
    _show(run, "status", result, workspace.search.vectors() if result.has_vectors else None)


def refresh(run: Run, *, vectors: bool) -> None:
    """Update the search index, as every search does."""
    from agentws.features.search.render import search

    workspace = run.workspace()
    result = workspace.search.refresh(progress=search.indexing(run))
    if not vectors:
        _show(run, "refresh", result)
        return
    from agentws.core.terminal import dialog  # no other verb of the index needs it

    try:
        with dialog.progress_bar(run, "Vectors", counts=True) as progress:
            made = workspace.search.refresh_vectors(progress=progress)
    except KeyboardInterrupt:
        output.notices([_STOPPED], quiet=run.quiet)
        raise
    _show(run, "refresh", result, made)


def rebuild(run: Run) -> None:
    """Rebuild the search index from the files."""
    from agentws.features.search.render import search

    _show(run, "rebuild", run.workspace().search.rebuild(progress=search.indexing(run)))


def path(run: Run) -> None:
    """Update the search index and print its path. It is a SQLite file."""
    result = run.workspace().search.refresh()
    if not result.path:
        raise MissingFileError("There is no index.", hint="agentws index rebuild")
    run.done("index-path", {"path": result.path, "notices": result.notices}, [result.path], result.notices)


def _show(run: Run, verb: str, status: IndexStatus, vectors: VectorStatus | None = None) -> None:
    """Print the state of the search index, and of its vectors if given, as the answer of `agentws index VERB`."""
    record, messages, notices = output.fields(status, _NAMES), [*_lines(status)], [*status.notices]
    if vectors is not None:
        record["vectors"] = output.fields(vectors, "embedder store entries known added removed")
        messages += vector_lines(vectors)
        notices += [notice for notice in vectors.notices if notice not in notices]
    run.done(f"index-{verb}", record, messages, notices)


def _lines(status: IndexStatus) -> Iterator[str]:
    """Yield the lines on the search index: its entries, files and rooms, its path and size."""
    if not status.path:
        yield "There is no index yet. The first search creates one."
        return
    state = "up to date" if status.is_current else f"{status.behind} file{'s' * (status.behind != 1)} not updated yet"
    yield f"{many(status.units, 'entry', 'entries')} of {many(status.files, 'file')}, {state}"
    yield from (f"  {room:<10} {count:>8,}" for room, count in sorted(status.rooms.items()))
    yield f"{status.path} ({status.size / 1e6:.1f} MB)"


def vector_lines(status: VectorStatus) -> Iterator[str]:
    """Yield the line that counts the entries with a vector; nothing if a notice says that they cannot be read."""
    if status.notices and not status.entries:
        return
    added = f", {status.added:,} added" if status.added else ""
    removed = f", {status.removed:,} removed" if status.removed else ""
    yield f"vectors: {status.known:,} of {status.entries:,} texts{added}{removed} ({status.embedder}, {status.store})"


VERBS = (
    Verb("index status", status, (), "agentws index status"),
    Verb(
        "index refresh",
        refresh,
        (flag("--vectors", "Also make the vectors of new entries."),),
        "agentws index refresh",
        "agentws index refresh --vectors",
    ),
    Verb("index rebuild", rebuild, (), "agentws index rebuild"),
    Verb("index path", path, (), 'sqlite3 "$(agentws index path)" "SELECT content FROM memories LIMIT 5"'),
)
