"""agentws doctor."""

from __future__ import annotations

from typing import Annotated

import typer

from agentws.cli import console_script as _console_script
from agentws.cli import environment, typer_glue
from agentws.cli.render import doctor as doctor_render
from agentws.errors import NeedsYouError

EXAMPLES = typer_glue.examples(
    "agentws doctor",
    "agentws doctor --fix --dry-run      what it would mend",
    "agentws doctor --fix                mends what is safe; documents can be taken back: agentws undo",
    "agentws doctor --json",
)


def doctor(
    context: typer.Context,
    fix: Annotated[bool, typer.Option("--fix", help="Mend what is safe; say what was done and what is left.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Mend nothing: say what --fix would mend.")] = False,
) -> None:
    """Look for what is wrong or soon will be, each with its remedy. Exits 3 where something needs you."""
    asked = typer_glue.of(context)
    done = asked.workspace().doctor(
        fix=fix or dry_run, dry_run=dry_run, script=_console_script.path(), variables=environment.variables()
    )
    asked.done("doctor", doctor_render.fields(done), doctor_render.lines(done), done.notices)
    if not done.well:
        raise NeedsYouError("Something needs you: see above.")
