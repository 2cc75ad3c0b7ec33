"""Rendering of `agentws index`: the state of the search index as lines and as JSON fields."""

from __future__ import annotations

from agentws.core.terminal import output
from agentws.core.text.names import many

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentws.core.terminal.invocation import Run
    from agentws.features.search.embedding import VectorStatus
    from agentws.features.search.index import IndexStatus

_NAMES = "path? current=is_current behind files units rooms bytes=size notices"


def show(run: Run, verb: str, status: IndexStatus, vectors: VectorStatus | None = None) -> None:
    """Print the state of the search index, and of its vectors if given, as the answer of `agentws index VERB`."""
    record, messages, notices = output.fields(status, _NAMES), [*lines(status)], [*status.notices]
    if vectors is not None:
        from agentws.features.search.render.vectors import vector_lines

        record["vectors"] = output.fields(vectors, "embedder store entries known added removed")
        messages += vector_lines(vectors)
        notices += [notice for notice in vectors.notices if notice not in notices]
    run.done(f"index-{verb}", record, messages, notices)


def lines(status: IndexStatus) -> Iterator[str]:
    """Yield the lines on the search index: its entries, files and rooms, its path and size."""
    if not status.path:
        yield "There is no index yet. The first search creates one."
        return
    state = "up to date" if status.is_current else f"{status.behind} file{'s' * (status.behind != 1)} not updated yet"
    yield f"{many(status.units, 'entry', 'entries')} of {many(status.files, 'file')}, {state}"
    yield from (f"  {room:<10} {count:>8,}" for room, count in sorted(status.rooms.items()))
    yield f"{status.path} ({status.size / 1e6:.1f} MB)"
