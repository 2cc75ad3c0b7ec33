"""The verb `agentws import`."""

from __future__ import annotations

from agentws.core import environment
from agentws.core.formats import layout
from agentws.core.terminal import output, progress
from agentws.core.terminal.invocation import Run
from agentws.core.terminal.options import DRY_RUN, Verb, optional, text
from agentws.errors import DamagedError, MissingFileError, UsageError
from agentws.features.transfer import importer, sources

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from agentws.features.transfer.importer import Imported
    from agentws.features.transfer.plan.items import Rest

_MOST_SHOWN = 10


def import_from(run: Run, *, source: str | None, path: str | None, dry_run: bool) -> None:
    """Import sessions and memories of another program, quoted with their origin. A second run adds only new ones."""
    if source is None:
        raise UsageError(
            "Missing --from SOURCE.", hint=f"Choose one of: {', '.join(sources.names())}. agentws docs import"
        )
    workspace = run.workspace()
    try:
        with progress.bar(run, "Importing") as update:
            done = workspace.memory.import_from(
                source, path, variables=environment.variables(), dry_run=dry_run, progress=update
            )
    except importer.Stopped as stopped:
        output.notices([stopped.notice], quiet=run.quiet)
        raise
    fields = {
        **output.fields(done, "source read sessions lines memories known secrets forgotten"),
        "reasons": dict(sorted(done.reasons.items())),
        "rest": _listed(done.rest),
        **output.fields(done, "paths complete=is_complete dry_run notices"),
    }
    run.done("import", fields, _lines(done), done.notices)
    if done.unread == done.read:
        place = path or "the usual place"
        if done.read:
            raise DamagedError(f"{place}: nothing of it can be imported.", hint="Check --from and the file.")
        raise MissingFileError(f"{place}: nothing to import.", hint="Check --from and the file.")


def _lines(done: Imported) -> Iterator[str]:
    verb = "Would import" if done.dry_run else "Imported"
    yield f"{verb} from {done.source}: {importer.counted(done.read, 'item')} read"
    for name, count in _counts(done):
        if count:
            yield f"  {count:>6}  {name}"
    yield from left_out(done)
    if done.paths:
        days = sum(not path.startswith(layout.IMPORTED) for path in done.paths)
        places = [importer.counted(days, "daily log")] if days else []
        if pages := [path for path in done.paths if path.startswith(layout.IMPORTED)]:
            more = f" and {importer.counted(len(pages) - 1, 'more page')}" if len(pages) > 1 else ""
            places.append(min(pages, key=lambda path: (len(path), path)) + more)
        yield f"{'Would write' if done.dry_run else 'Written'}: {', '.join(places)}"
    if not done.is_complete:
        yield "Not all was read: one undo could not take back more. Run the same command again to go on."
    if done.paths and not done.dry_run:
        yield "To take it back: agentws undo. To adopt a line as your own: agentws remember --from FILE:LINE"


def left_out(done: Imported) -> Iterator[str]:
    """Yield lines about what an import did not take over: items with their reasons, secrets, forgotten text."""
    for item in done.rest[:_MOST_SHOWN]:
        yield f"  not imported: {item.where}: {item.reason}"
    if len(done.rest) > _MOST_SHOWN:
        yield f"  not imported: {sum(done.reasons.values()) - _MOST_SHOWN} more; to list them: --json"
    if done.secrets:
        yield f"Masked secrets: {done.secrets}"
    if done.forgotten:
        yield f"Left out: {importer.counted(done.forgotten, 'line')} with forgotten text"


def _counts(result: Imported) -> list[tuple[str, int]]:
    """Return the table of an import: every item that was read is in one row."""
    return [
        ("session request added" if result.sessions == 1 else "session requests added", result.sessions),
        ("log line added" if result.lines == 1 else "log lines added", result.lines),
        ("memory added" if result.memories == 1 else "memories added", result.memories),
        ("known from an earlier import", result.known),
        *sorted(result.reasons.items()),
    ]


def _listed(rest: Sequence[Rest]) -> list[dict[str, str]]:
    """Return the listed rest as fields."""
    return [{"where": item.where, "reason": item.reason} for item in rest]


VERBS = (
    Verb(
        "import",
        import_from,
        (
            optional(
                "path", "[PATH]", "A file, folder or export archive. Default: this project's, or the usual place."
            ),
            text("--from", "SOURCE", f"One of: {', '.join(sources.names())}.", to="source", completes="source"),
            DRY_RUN,
        ),
        "agentws import --from claude-code            the sessions and the memory of this project",
        "agentws import --from markdown ~/vault",
        "agentws import --from chatgpt export.zip --dry-run",
    ),
)
