"""The verb `agentws open`: its options and its call."""

from __future__ import annotations

import os

from agentws.core.terminal import dialog, editor
from agentws.core.terminal.invocation import Run
from agentws.core.terminal.options import Verb, optional


def open_file(run: Run, *, file: str) -> None:
    """Open a workspace file in $EDITOR or its default program. Without a terminal, print its path.

    Default: today's log.
    """
    workspace = run.workspace()
    path = os.path.join(workspace.root, workspace.plumbing.locate(file))
    if dialog.is_terminal(run) and not workspace.stores.environment.by_agent and editor.show(path):
        return
    run.done("open", {"path": path}, [path], workspace.notices)


VERBS = (
    Verb(
        "open",
        open_file,
        (optional("file", "FILE", "A path, SOUL, MEMORY, a day, or a task's slug.", default="", completes="task"),),
        "agentws open",
        "agentws open SOUL.md",
        "agentws open move-the-address-book",
        "agentws open 2026-11-19",
    ),
)
