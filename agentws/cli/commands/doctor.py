"""agentws doctor."""

from __future__ import annotations

from agentws.cli import console_script as _console_script
from agentws.cli import environment
from agentws.cli.invocation import Run
from agentws.cli.options import Verb, flag
from agentws.cli.render import doctor as doctor_render
from agentws.errors import NeedsYouError


def doctor(run: Run, *, fix: bool, dry_run: bool) -> None:
    """Look for what is wrong or soon will be, each with its remedy. Exits 3 where something needs you."""
    done = run.workspace().doctor(
        fix=fix or dry_run, dry_run=dry_run, script=_console_script.path(), variables=environment.variables()
    )
    run.done("doctor", doctor_render.fields(done), doctor_render.lines(done), done.notices)
    if not done.well:
        raise NeedsYouError("Something needs you: see above.")


VERBS = (
    Verb(
        "doctor",
        doctor,
        options=(
            flag("--fix", "Mend what is safe; say what was done and what is left."),
            flag("--dry-run", "Mend nothing: say what --fix would mend."),
        ),
        examples=(
            "agentws doctor",
            "agentws doctor --fix --dry-run      what it would mend",
            "agentws doctor --fix                mends what is safe; documents can be taken back: agentws undo",
            "agentws doctor --json",
        ),
    ),
)
