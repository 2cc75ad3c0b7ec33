"""Rendering of `agentws index`: the state of the search index as lines and as JSON fields."""

from __future__ import annotations

from agentws.core.terminal import output

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentws.core.terminal.invocation import Run
    from agentws.features.search.embedding import VectorStatus
    from agentws.features.search.index import IndexStatus


def show(run: Run, verb: str, found: IndexStatus, vectors: VectorStatus | None = None) -> None:
    """Print the state of the search index, and of its vectors if given, as the answer of `agentws index VERB`."""
    told, said, notices = fields(found), [*lines(found)], [*found.notices]
    if vectors is not None:
        from agentws.features.search.render.vectors import vector_fields, vector_lines

        told["vectors"] = vector_fields(vectors)
        said += vector_lines(vectors)
        notices += [notice for notice in vectors.notices if notice not in notices]
    run.done(f"index-{verb}", told, said, notices)


def fields(found: IndexStatus) -> dict[str, object]:
    """Return the fields of `agentws/index-status@1`, which the other index verbs share."""
    return output.fields(found, "path? current=is_current behind files units rooms bytes=size notices")


def lines(found: IndexStatus) -> Iterator[str]:
    """Yield the lines on the search index: its entries, files and rooms, its path and size."""
    if not found.path:
        yield "There is no index yet. The first search creates one."
        return
    state = "up to date" if found.is_current else f"{found.behind} file{'s' * (found.behind != 1)} not updated yet"
    yield f"{_many(found.units, 'entry', 'entries')} of {_many(found.files, 'file', 'files')}, {state}"
    yield from (f"  {room:<10} {count:>8,}" for room, count in sorted(found.rooms.items()))
    yield f"{found.path} ({found.size / 1e6:.1f} MB)"


def _many(count: int, one: str, several: str) -> str:
    return f"{count:,} {one if count == 1 else several}"
