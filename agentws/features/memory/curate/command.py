"""The verb agentws curate."""

from __future__ import annotations

import os
import sys

from agentws.core.terminal import invocation, output
from agentws.core.terminal.invocation import Run
from agentws.core.terminal.options import Verb, flag, text
from agentws.errors import UsageError
from agentws.features.memory.curate import render
from agentws.workspace import Workspace

_MOST_BYTES = 1 << 21


def curate(run: Run, *, apply: str | None, review: bool, dry_run: bool) -> None:
    """Print the curation brief for MEMORY.md, or apply an answer to it."""
    if review:
        from agentws.features.memory.curate import interview as curation_review

        if apply is not None:
            raise UsageError("--review and --apply cannot be used together.", hint="Use one of them.")
        curation_review.run(run, dry_run=dry_run)
        return
    if apply is None:
        if dry_run:
            raise UsageError(
                "--dry-run needs --apply or --review.",
                hint="`agentws curate` alone changes nothing.",
            )
        brief = run.workspace().memory.brief()
        run.result("curate-brief", brief, render.BRIEF, render.brief_lines(brief), look=output.MARKDOWN)
        return
    workspace = run.workspace()
    render.tell(run, workspace.memory.curate(_answer(workspace, apply), dry_run=dry_run))


def _answer(workspace: Workspace, name: str) -> str:
    if name == "-":
        if sys.stdin is None or sys.stdin.isatty():
            raise UsageError("Standard input is empty.", hint="agentws curate --apply - < answer")
        return invocation.argument(name)
    # Refused lines are printed, and an agent may be allowed to run this verb: it must not read any file that way.
    path = _within(workspace.root, name)
    if path is None:
        raise UsageError(
            f"{name}: the answer must be a file in the workspace, and not hidden.",
            hint="Or pipe the answer: agentws curate --apply - < answer",
        )
    return workspace.stores.files.part(path, _MOST_BYTES)[0].decode("utf-8", "surrogateescape")


def _within(root: str, name: str) -> str | None:
    """Return the answer's path in the workspace; None if it lies outside, or behind a name that begins with a dot.

    Only links in its folder are resolved: the code that opens the file follows none.
    """
    folder, file = os.path.split(os.path.expanduser(name))
    path = os.path.relpath(os.path.join(os.path.realpath(folder), file), os.path.realpath(root))
    return None if any(word.startswith(".") for word in path.split("/")) else path


VERBS = (
    Verb(
        "curate",
        curate,
        (
            text("--apply", "FILE", "Apply the operations in a file of the workspace; `-`: standard input."),
            flag("--review", "Decide one by one on a terminal: y, n, e, s, q, ?."),
            flag("--dry-run", "With --apply or --review: show the result only."),
        ),
        "agentws curate                        the brief: entries, doubts, candidates, how to answer",
        "agentws curate --apply - < answer     apply the answer; unsupported lines are refused",
        "agentws curate --apply answer --dry-run",
        "agentws curate --review               decide on the proposals one by one",
        "agentws undo                          undo a curation",
    ),
)
