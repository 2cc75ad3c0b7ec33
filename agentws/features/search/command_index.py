"""The verbs `agentws index status|refresh|rebuild|path`: their options and calls."""

from __future__ import annotations

from agentws.core.terminal import output
from agentws.core.terminal.invocation import Run
from agentws.core.terminal.options import Verb, flag
from agentws.errors import MissingFileError

_STOPPED = "Stopped. The vectors made so far are kept. To go on: agentws index refresh --vectors"


def status(run: Run) -> None:
    """Show what the search index contains, and whether it is up to date."""
    from agentws.features.search.render import index as render

    workspace = run.workspace()
    result = workspace.search.status()
    render.show(run, "status", result, workspace.search.vectors() if result.has_vectors else None)


def refresh(run: Run, *, vectors: bool) -> None:
    """Update the search index, as every search does."""
    from agentws.features.search.render import index as render, search

    workspace = run.workspace()
    result = workspace.search.refresh(progress=search.indexing(run))
    if not vectors:
        render.show(run, "refresh", result)
        return
    from agentws.features.search.render import vectors as vector_render

    try:
        with vector_render.progress(quiet=run.quiet or run.as_json) as progress:
            made = workspace.search.refresh_vectors(progress=progress)
    except KeyboardInterrupt:
        output.notices([_STOPPED], quiet=run.quiet)
        raise
    render.show(run, "refresh", result, made)


def rebuild(run: Run) -> None:
    """Rebuild the search index from the files."""
    from agentws.features.search.render import index as render, search

    render.show(run, "rebuild", run.workspace().search.rebuild(progress=search.indexing(run)))


def path(run: Run) -> None:
    """Update the search index and print its path. It is a SQLite file."""
    result = run.workspace().search.refresh()
    if not result.path:
        raise MissingFileError("There is no index.", hint="agentws index rebuild")
    run.done("index-path", {"path": result.path, "notices": result.notices}, [result.path], result.notices)


VERBS = (
    Verb("index status", status, (), "agentws index status"),
    Verb(
        "index refresh",
        refresh,
        (flag("--vectors", "Also make the vectors of new entries. Ctrl-C keeps what is done."),),
        "agentws index refresh",
        "agentws index refresh --vectors",
    ),
    Verb("index rebuild", rebuild, (), "agentws index rebuild"),
    Verb("index path", path, (), 'sqlite3 "$(agentws index path)" "SELECT content FROM memories LIMIT 5"'),
)
