"""agentws doctor."""

from __future__ import annotations

from agentws.cli import console_script as _console_script
from agentws.cli import environment
from agentws.cli.invocation import Run
from agentws.cli.options import Verb, flag
from agentws.cli.render import doctor as doctor_render
from agentws.cli.render import verdict
from agentws.errors import NeedsYouError


def doctor(run: Run, *, fix: bool, dry_run: bool, full: bool) -> None:
    """Find present and coming problems, with remedies, in five lines. Exits 3 if there is a problem."""
    done = run.workspace().doctor(
        fix=fix or dry_run, dry_run=dry_run, script=_console_script.path(), variables=environment.variables()
    )
    lines = doctor_render.lines if full else doctor_render.short
    run.done("doctor", doctor_render.fields(done), lines(done), done.notices)
    if not done.well:
        raise NeedsYouError(verdict.complaint(done))


VERBS = (
    Verb(
        "doctor",
        doctor,
        (
            flag("--full", "Every finding with its remedy."),
            flag("--fix", "Apply safe fixes; report what is left."),
            flag("--dry-run", "Show what --fix would do."),
        ),
        "agentws doctor",
        "agentws doctor --full",
        "agentws doctor --fix --dry-run      what it would fix",
        "agentws doctor --fix                applies safe fixes; revert documents: agentws undo",
        "agentws doctor --json",
    ),
)
