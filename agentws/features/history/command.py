"""The verbs agentws history, diff and restore: the recorded states of the documents."""

from __future__ import annotations

import os

from agentws.core.terminal import asking, output
from agentws.core.terminal.invocation import Run
from agentws.core.terminal.options import YES, Verb, flag, number, optional, text, word
from agentws.core.text import sh
from agentws.errors import NeedsYouError
from agentws.features.history import render

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from agentws.features.history.restore import Restored


def history(run: Run, *, file: str, limit: int) -> None:
    """List the states in which a document changed, newest first."""
    workspace = run.workspace()
    found = workspace.history(**_named(workspace.root, file), limit=limit)
    lines = render.history_lines(found, workspace.clock.now() if output.is_terminal() else None)
    run.done("history", render.history_fields(found), lines, found.notices, look=output.ROWS)


def diff(run: Run, *, file: str | None, since: str | None, stat: bool) -> None:
    """Show document changes since a recorded state."""
    workspace = run.workspace()
    named = _named(workspace.root, file) if file is not None else {}
    found = workspace.diff(**named, since=since)
    output.notices(found.notices, quiet=run.quiet)
    if run.as_json:
        output.data("diff", render.diff_fields(found))
    else:
        output.lines(render.diff_lines(found, stat=stat), output.PATCH)


def restore(run: Run, *, file: str, at: str | None, to: str | None, dry_run: bool, yes: bool) -> None:
    """Restore a document from a recorded state. `agentws undo` reverts that."""
    workspace = run.workspace()
    named = _named(workspace.root, file)
    found = workspace.restore(**named, at=at, to=to, dry_run=True)
    if dry_run or found.is_same:
        _show(run, found)
        return
    if not (yes or _agrees(run, found)):
        if not asking.is_terminal(run):
            _show(run, found)
        raise NeedsYouError("Not confirmed, nothing changed.", hint=f"To confirm: {_again(file, found)}")
    done = run.workspace().restore(**named, at=found.id, to=to, known=found)
    _show(run, done)


def _named(root: str, file: str) -> dict[str, Any]:
    """Return the library's arguments for a file: its name, and the folder of the workspace it is relative to."""
    folder, name = os.path.split(os.path.abspath(file))
    here, top = os.path.realpath(os.curdir), os.path.realpath(root)
    if os.path.isabs(file):
        full = os.path.join(os.path.realpath(folder), name)
        return {"file": f"{root}/{os.path.relpath(full, top)}" if full.startswith(f"{top}/") else file}
    return {"file": file, "near": os.path.relpath(here, top) if here.startswith(f"{top}/") else ""}


def _again(file: str, found: Restored) -> str:
    options = ["--at", found.id[: render.SHORT], *(["--to", found.to] if found.to != found.path else []), "--yes"]
    named = [*options, "--", file] if file.startswith("-") else [file, *options]
    return sh.join(["agentws", "restore", *named])


def _show(run: Run, done: Restored) -> None:
    output.notices(done.notices, quiet=run.quiet)
    if run.as_json:
        output.data("restore", render.restored_fields(done))
    else:
        output.lines(render.restored_lines(done), output.PATCH)


def _agrees(run: Run, found: Restored) -> bool:
    """Ask the person at the terminal to confirm what is shown; no without a terminal."""
    if not asking.is_terminal(run):
        return False
    _show(run, found)
    return asking.confirm("Restore it?")


_FILE = word("file", "FILE", "Document: a path relative to this folder or to the workspace, or absolute.")
VERBS = (
    Verb(
        "history",
        history,
        (_FILE, number("--limit", "N", "Maximum number of states.", default=20, least=1)),
        "agentws history MEMORY.md",
        "agentws history memory/2026-03-02.md     a compacted log, followed into the archive",
        "agentws history SOUL.md --limit 100 --json",
    ),
    Verb(
        "diff",
        diff,
        (
            optional("file", "[FILE]", "One document. Default: all documents."),
            text("--since", "T", "A time, today, yesterday, 3d, 2h, or a state's id. Default: the newest state."),
            flag("--stat", "Show only line counts per file."),
        ),
        "agentws diff                             changes not recorded yet",
        "agentws diff --since yesterday --stat",
        "agentws diff --since 3d MEMORY.md",
        "agentws diff --since 1a2b3c4d5e          an id that agentws history shows",
    ),
    Verb(
        "restore",
        restore,
        (
            _FILE,
            text("--at", "T", "A time, yesterday, 3d, 2h, or a state's id. Default: the newest that has it."),
            text("--to", "PATH", "Write to this new path instead of FILE."),
            flag("--dry-run", "Show the changes without applying them."),
            YES,
        ),
        "agentws restore MEMORY.md --dry-run      show it as in the newest state",
        "agentws restore MEMORY.md --at yesterday",
        "agentws restore SOUL.md --at 3d --to memory/soul-then.md",
        "agentws restore tasks/move.md --at 1a2b3c4d5e --yes",
    ),
)
