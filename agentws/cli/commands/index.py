"""agentws index status|refresh|rebuild|path."""

from __future__ import annotations

from agentws.cli.options import Verb
from agentws.errors import MissingFileError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.cli.invocation import Run


def status(run: Run) -> None:
    """Show what the search index contains, and whether it is up to date."""
    from agentws.cli.render import index as render

    render.show(run, "status", run.workspace().index_status())


def refresh(run: Run) -> None:
    """Update the search index. Every search does so first."""
    from agentws.cli.render import index as render

    render.show(run, "refresh", run.workspace().refresh_index())


def rebuild(run: Run) -> None:
    """Rebuild the search index from the files."""
    from agentws.cli.render import index as render

    render.show(run, "rebuild", run.workspace().rebuild_index())


def path(run: Run) -> None:
    """Update the search index and print its path. It is a SQLite file."""
    found = run.workspace().refresh_index()
    if not found.path:
        raise MissingFileError("There is no index.", hint="agentws index rebuild")
    run.done("index-path", {"path": found.path, "notices": found.notices}, [found.path], found.notices)


VERBS = (
    Verb("index status", status, (), "agentws index status"),
    Verb("index refresh", refresh, (), "agentws index refresh"),
    Verb("index rebuild", rebuild, (), "agentws index rebuild"),
    Verb("index path", path, (), 'sqlite3 "$(agentws index path)" "SELECT content FROM memories LIMIT 5"'),
)
