"""The verb `agentws import`."""

from __future__ import annotations

from collections.abc import Sequence

from agentws.core import environment
from agentws.core.terminal import dialog, output
from agentws.core.terminal.invocation import Run
from agentws.core.terminal.options import DRY_RUN, Verb, optional, text
from agentws.errors import DamagedError, MissingFileError, UsageError
from agentws.features.transfer import render_import, sources
from agentws.features.transfer.imported import Stopped
from agentws.features.transfer.plan.items import Rest


def import_from(run: Run, *, source: str | None, path: str | None, dry_run: bool) -> None:
    """Import sessions and memories of another program, quoted with their origin. A second run adds new ones."""
    if source is None:
        raise UsageError(
            "Missing --from SOURCE.", hint=f"Choose one of: {', '.join(sources.names())}. agentws docs import"
        )
    workspace = run.workspace()
    try:
        with dialog.progress_bar(run, "Importing") as update:
            done = workspace.memory.import_from(
                source, path, variables=environment.variables(), dry_run=dry_run, progress=update
            )
    except Stopped as stopped:
        output.notices([stopped.notice], quiet=run.quiet)
        raise
    fields = {
        **output.fields(done, "source read sessions lines memories known secrets forgotten"),
        "reasons": dict(sorted(done.reasons.items())),
        "rest": _listed(done.rest),
        **output.fields(done, "paths complete=is_complete dry_run notices"),
    }
    run.done("import", fields, render_import.lines(done), done.notices)
    if done.unread == done.read:
        place = path or "the usual place"
        if done.read:
            raise DamagedError(f"{place}: nothing of it can be imported.", hint="Check --from and the file.")
        raise MissingFileError(f"{place}: nothing to import.", hint="Check --from and the file.")


def _listed(rest: Sequence[Rest]) -> list[dict[str, str]]:
    """Return the listed rest as fields."""
    return [{"where": item.where, "reason": item.reason} for item in rest]


VERBS = (
    Verb(
        "import",
        import_from,
        (
            optional("path", "[PATH]", "File, folder or archive. Default: this project's, or the usual place."),
            text("--from", "SOURCE", f"One of: {', '.join(sources.names())}.", to="source", completes="source"),
            DRY_RUN,
        ),
        "agentws import --from claude-code            the sessions and the memory of this project",
        "agentws import --from markdown ~/vault",
        "agentws import --from chatgpt export.zip --dry-run",
    ),
)
