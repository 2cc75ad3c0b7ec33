"""agentws drill."""

from __future__ import annotations

import os

from agentws.core.formats.travel import destination
from agentws.core.terminal import progress, termination
from agentws.core.terminal.invocation import Run
from agentws.core.terminal.options import Verb, optional, text
from agentws.errors import DamagedError, OutsideProgramError
from agentws.features.copies.backup import render_drill as render


def drill(run: Run, *, to: str | None, at: str | None, on: str | None) -> None:
    """Restore the newest backup to a temporary folder, boot it, and show what would be lost."""
    termination.cleanly()
    workspace = run.workspace()
    place = destination.parse(to, _path).text if to is not None else None
    with progress.bar(run, "restoring") as told:
        done = workspace.drill(place, at=at, on=on, progress=told)
    run.done("drill", render.drilled_fields(done), render.drilled_lines(done), done.notices)
    if done.far:
        raise OutsideProgramError(
            f"The backup is sound, but {done.on} cannot run it (see above).", hint="Fix that machine, then re-run."
        )
    if not done.well:
        raise DamagedError(
            "This backup cannot be restored as it is (see above).",
            hint="Make one that shares no file with it: agentws backup create --full",
        )


def _path(path: str) -> str:
    return os.path.abspath(os.path.expanduser(path))


VERBS = (
    Verb(
        "drill",
        drill,
        (
            optional("to", "[DEST]", "Folder or git repository of the backups. Default: the first known one."),
            text("--at", "BACKUP", "Backup to restore, by name or number. Default: the newest."),
            text("--on", "USER@HOST", "Try it on this machine too, by ssh. Nothing stays there."),
        ),
        "agentws drill",
        "agentws drill /media/stick/backups --at 12",
        "agentws drill --on robin@backup.example.org          restored, verified and booted there too",
        "agentws schedule install drill --every sun --yes     once a week",
    ),
)
