"""agentws compact."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any

import typer

from agentws.cli import environment, output, typer_glue
from agentws.cli.render import compact as render
from agentws.errors import NeedsYouError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentws.cli.invocation import Run

EXAMPLES = typer_glue.examples(
    "agentws compact --dry-run",
    "agentws compact --before 30d --explain",
    "agentws compact --budget 4000 --yes",
    "agentws compact --verify",
    "agentws compact --undo",
)


def compact(
    context: typer.Context,
    before: Annotated[
        str | None,
        typer.Option(metavar="TIME", help="Fold the days that are older: 14d, 2026-11-01. Default: the manifest's."),
    ] = None,
    budget: Annotated[
        int | None,
        typer.Option(metavar="TOKENS", help="Tokens for the section and the digest. Default: the manifest's."),
    ] = None,
    tokenizer: Annotated[
        str | None, typer.Option(metavar="NAME", help="How tokens are counted. Default: the manifest's.")
    ] = None,
    summarizer: Annotated[
        str | None,
        typer.Option(
            metavar="COMMAND",
            help="A program that then answers the brief of `curate` (llm -m …, ollama run …); builtin for none. "
            "Default: your own config.toml.",
        ),
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would be changed, and change nothing.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Agree to the first run here without being asked.")] = False,
    verify: Annotated[
        bool, typer.Option("--verify", help="Compare every folded line with what it was; exit 3 where one is not.")
    ] = False,
    undo: Annotated[bool, typer.Option("--undo", help="Take the last run back, and keep what came after it.")] = False,
    explain: Annotated[bool, typer.Option("--explain", help="Say what was kept, what was not, and why.")] = False,
) -> None:
    """Fold old days of the log into MEMORY.md and the digest. Every line is kept, in the archive or where it is.

    What enters MEMORY.md follows from compaction.mode in agentws.toml: marked, propose or auto.
    """
    asked = typer_glue.of(context)
    if verify and undo:
        raise UsageError("--verify and --undo are two things.", hint="Run one, then the other.")
    if verify:
        _verify(asked)
    elif undo:
        _undo(asked, dry_run=dry_run)
    else:
        words = {"before": before, "budget": budget, "tokenizer": tokenizer, "summarizer": summarizer}
        settings = environment.user_settings()
        _compact(asked, explain=explain, yes=yes, dry_run=dry_run, settings=settings, **words)


def _compact(asked: Run, *, explain: bool, yes: bool, dry_run: bool, **words: Any) -> None:
    workspace = asked.workspace()
    with _progress(asked) as progress:
        done = workspace.compact(agreed=yes, dry_run=dry_run, progress=progress, **words)
    if done.must_agree and not dry_run and _agrees(asked, done):
        with _progress(asked) as progress:
            done = workspace.compact(agreed=True, progress=progress, **words)
    asked.done("compact", render.fields(done, explain=explain), render.lines(done, explain=explain), done.notices)
    if done.must_agree and not dry_run:
        raise NeedsYouError(
            "Nothing was changed: this would be the first run here, and nobody has agreed.",
            hint="Look at it with --dry-run. If it is right: agentws compact --yes. A schedule agrees once for all.",
        )


def _verify(asked: Run) -> None:
    with _progress(asked) as progress:
        found = asked.workspace().verify_compaction(progress=progress)
    asked.done("compact-verify", render.verified_fields(found), render.verified_lines(found), found.notices)
    if found.faults:
        raise NeedsYouError(
            f"{len(found.faults)} folded lines or files are not what they were."
            if len(found.faults) > 1
            else "One folded line or file is not what it was.",
            hint="Somebody edited them, or a disk did. History may have them as they were: agentws history FILE",
        )


def _undo(asked: Run, *, dry_run: bool) -> None:
    done = asked.workspace().undo_compaction(dry_run=dry_run)
    asked.done("compact-undo", render.undone_fields(done), render.undone_lines(done), done.notices)


def _agrees(asked: Run, done: Any) -> bool:
    streams = (sys.stdin, sys.stdout, sys.stderr)
    if asked.as_json or not all(stream is not None and stream.isatty() for stream in streams):
        return False
    output.lines(render.diff_lines(done))
    return typer.confirm(f"Change {render.documents(done)} so?", err=True)


@contextmanager
def _progress(asked: Run) -> Iterator[Callable[[str, int, int], None] | None]:
    """A bar on stderr where a person looks at it, else nothing."""
    if asked.quiet or sys.stderr is None or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as shown:
        bars: dict[str, Any] = {}

        def tell(what: str, done: int, total: int) -> None:
            if what not in bars:
                bars[what] = shown.add_task(what, total=total)
            shown.update(bars[what], completed=done, total=total)

        yield tell
