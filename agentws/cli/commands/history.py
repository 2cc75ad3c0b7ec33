"""agentws history, agentws diff, agentws restore: the recorded states of the documents."""

from __future__ import annotations

import os
import shlex
import sys
from typing import Annotated, Any

import typer

from agentws.cli import output, typer_glue
from agentws.cli.invocation import Run
from agentws.cli.render import history as render
from agentws.errors import NeedsYouError

EXAMPLES = typer_glue.examples(
    "agentws history MEMORY.md",
    "agentws history memory/2026-03-02.md     a day that was folded is followed into the archive",
    "agentws history SOUL.md --limit 100 --json",
)
DIFF_EXAMPLES = typer_glue.examples(
    "agentws diff                             what no state has recorded yet",
    "agentws diff --since yesterday --stat",
    "agentws diff --since 3d MEMORY.md",
    "agentws diff --since 1a2b3c4d5e          an id that agentws history shows",
)
RESTORE_EXAMPLES = typer_glue.examples(
    "agentws restore MEMORY.md --dry-run      as in the newest state",
    "agentws restore MEMORY.md --at yesterday",
    "agentws restore SOUL.md --at 3d --to memory/soul-then.md",
    "agentws restore tasks/move.md --at 1a2b3c4d5e --yes",
)

_FILE = typer.Argument(metavar="FILE", help="A document: from here, from the workspace, or its whole path.")


def history(
    context: typer.Context,
    file: Annotated[str, _FILE],
    limit: Annotated[int, typer.Option("--limit", metavar="N", min=1, help="How many states at most.")] = 20,
) -> None:
    """List the states in which a document changed, the newest first."""
    asked = typer_glue.of(context)
    workspace = asked.workspace()
    found = workspace.history(**_named(workspace.root, file), limit=limit)
    asked.done("history", render.history_fields(found), render.history_lines(found), found.notices)


def diff(
    context: typer.Context,
    file: Annotated[str | None, typer.Argument(metavar="[FILE]", help="One document; without it, all of them.")] = None,
    since: Annotated[
        str | None,
        typer.Option(metavar="T", help="A time, today, yesterday, 3d, 2h, or a state's id. Default: the newest state."),
    ] = None,
    stat: Annotated[bool, typer.Option("--stat", help="Only how many lines of each file.")] = False,
) -> None:
    """Show what has changed in the documents since a recorded state."""
    asked = typer_glue.of(context)
    workspace = asked.workspace()
    named = _named(workspace.root, file) if file is not None else {}
    found = workspace.diff(**named, since=since)
    output.notices(found.notices, quiet=asked.quiet)
    if asked.as_json:
        output.data("diff", render.diff_fields(found))
    else:
        render.show_diff(render.diff_lines(found, stat=stat))


def restore(
    context: typer.Context,
    file: Annotated[str, _FILE],
    at: Annotated[
        str | None,
        typer.Option(metavar="T", help="A time, yesterday, 3d, 2h, or a state's id. Default: the newest state."),
    ] = None,
    to: Annotated[
        str | None, typer.Option(metavar="PATH", help="Write it there, where nothing stands, and leave FILE alone.")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would change, and change nothing.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Agree without being asked.")] = False,
) -> None:
    """Put a document back as it was in a recorded state. `agentws undo` takes that back."""
    asked = typer_glue.of(context)
    workspace = asked.workspace()
    named = _named(workspace.root, file)
    found = workspace.restore(**named, at=at, to=to, dry_run=True)
    if dry_run or found.is_same:
        _show(asked, found)
        return
    if not (yes or _agrees(asked, found)):
        if not _is_terminal(asked):
            _show(asked, found)
        raise NeedsYouError("Nothing was changed: nobody has agreed.", hint=f"If it is right: {_again(file, found)}")
    done = asked.workspace().restore(**named, at=found.id, to=to, known=found)
    _show(asked, done)


def _named(root: str, file: str) -> dict[str, Any]:
    """What the library is told of a file: its name, and the folder of the workspace that it was written in."""
    folder, name = os.path.split(os.path.abspath(file))
    here, top = os.path.realpath(os.curdir), os.path.realpath(root)
    if os.path.isabs(file):
        full = os.path.join(os.path.realpath(folder), name)
        return {"file": f"{root}/{os.path.relpath(full, top)}" if full.startswith(f"{top}/") else file}
    return {"file": file, "near": os.path.relpath(here, top) if here.startswith(f"{top}/") else ""}


def _again(file: str, found: Any) -> str:
    options = ["--at", found.id[: render.SHORT], *(["--to", found.to] if found.to != found.path else []), "--yes"]
    named = [*options, "--", file] if file.startswith("-") else [file, *options]
    return shlex.join(["agentws", "restore", *named])


def _show(asked: Run, done: Any) -> None:
    output.notices(done.notices, quiet=asked.quiet)
    if asked.as_json:
        output.data("restore", render.restored_fields(done))
    else:
        render.show_diff(render.restored_lines(done))


def _is_terminal(asked: Run) -> bool:
    streams = (sys.stdin, sys.stdout, sys.stderr)
    return not asked.as_json and all(stream is not None and stream.isatty() for stream in streams)


def _agrees(asked: Run, found: Any) -> bool:
    """What the person at the terminal says to what is shown; no where there is none."""
    if not _is_terminal(asked):
        return False
    _show(asked, found)
    return typer.confirm("Restore it so?", err=True)
