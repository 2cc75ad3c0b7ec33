"""The verb `agentws doctor`: its options and its call."""

from __future__ import annotations

from agentws.core.terminal import console_script as _console_script
from agentws.core.terminal import environment
from agentws.core.terminal.invocation import Run
from agentws.core.terminal.options import Verb, flag
from agentws.errors import NeedsYouError
from agentws.features.doctor import render
from agentws.features.doctor import render_verdict as verdict


def doctor(run: Run, *, fix: bool, accept_loss: bool, dry_run: bool) -> None:
    """Find present and coming problems, each with its remedy. Exits 3 if there is a problem.

    It includes every finding of `status`.
    """
    done = run.workspace().doctor(
        fix=fix or (dry_run and not accept_loss),
        accept_loss=accept_loss,
        dry_run=dry_run,
        script=_console_script.path(),
        variables=environment.variables(),
    )
    run.done("doctor", render.fields(done), render.lines(done), done.notices)
    if not done.well:
        raise NeedsYouError(verdict.complaint(done))


VERBS = (
    Verb(
        "doctor",
        doctor,
        (
            flag("--fix", "Apply safe fixes; report what is left."),
            flag("--accept-loss", "Give up the lines of logs that another program removed."),
            flag("--dry-run", "Show what --fix would do."),
        ),
        "agentws doctor",
        "agentws doctor --fix --dry-run      what it would fix",
        "agentws doctor --fix                applies safe fixes; revert documents: agentws undo",
        "agentws doctor --accept-loss        report no longer what another program removed from a log",
        "agentws doctor --json",
    ),
)
