"""agentws schedule install|remove|show."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Annotated, Any

import typer

from agentws.cli import console_script, environment, output, typer_glue
from agentws.cli.invocation import Run
from agentws.cli.render import schedule as render
from agentws.errors import MissingFileError, NeedsYouError, UsageError

INSTALL_EXAMPLES = typer_glue.examples(
    "agentws schedule install compact --dry-run",
    "agentws schedule install compact --yes               agrees to the first run too",
    "agentws schedule install compact --mode propose --yes",
    "agentws schedule install doctor --at 03:30 --with crontab",
    "agentws schedule install doctor --with print          the line, to be put where it belongs",
)
REMOVE_EXAMPLES = typer_glue.examples("agentws schedule remove doctor", "agentws schedule remove doctor --yes")
SHOW_EXAMPLES = typer_glue.examples("agentws schedule show", "agentws schedule show doctor --json")

_COMPACT = "compact"
_MODES = ("marked", "propose", "auto")
_SETS_MODE = 'compaction.mode is set to "{}" in agentws.toml.'

CARRIED = ("AGENTWS_STATE_DIR", "XDG_STATE_HOME")
"""Where this machine's key is: neither cron nor systemd sets what a login shell does."""

Job = Annotated[str, typer.Argument(metavar="JOB", help="What is to run by itself, once a day: compact or doctor.")]
Yes = Annotated[bool, typer.Option("--yes", help="Agree to the change without being asked.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Show what would be changed, and change nothing.")]
Lines = Callable[..., Iterator[str]]


def install(
    context: typer.Context,
    job: Job,
    place: Annotated[
        str | None,
        typer.Option(
            "--with",
            metavar="PLACE",
            help="crontab, systemd (a timer of yours), or print (the line alone). Else: inside a container the line "
            "for its host; where systemd runs for you, that; else the crontab.",
        ),
    ] = None,
    at: Annotated[
        str | None,
        typer.Option(metavar="HH:MM", help="When; else as it is, or at a time of its own between 02:00 and 05:00."),
    ] = None,
    mode: Annotated[
        str | None,
        typer.Option(
            metavar="MODE",
            help="With compact: what enters MEMORY.md: marked lines (marked), nothing but proposals (propose), or also "
            "lines said twice (auto). Else a terminal is asked; without one it stays as it is.",
        ),
    ] = None,
    yes: Yes = False,
    dry_run: DryRun = False,
) -> None:
    """Let a verb run once a day. What would change is shown first, and you are asked."""
    asked = typer_glue.of(context)
    if mode is not None and (job != _COMPACT or mode not in _MODES):
        raise UsageError(
            f"--mode {mode} does not fit {job}.",
            hint=f"Write: agentws schedule install compact --mode {'|'.join(_MODES)}",
        )
    script = console_script.path()
    if script is None:
        raise MissingFileError(
            "There is no program `agentws` that could be called.", hint="Install it as one: pipx install agentws"
        )
    variables = environment.variables()
    workspace = asked.workspace()
    planned = workspace.install_schedule(
        job,
        script=script,
        config=_config(variables),
        variables={name: variables[name] for name in CARRIED if variables.get(name)},
        place=place,
        at=at,
        dry_run=True,
    )
    asks = job == _COMPACT and bool(planned.steps) and not (mode or yes or dry_run)
    chosen = _ask_mode(asked, workspace) if asks else mode
    told = [_SETS_MODE.format(chosen)] if chosen and chosen != workspace.compaction_mode() else []
    _settle(asked, workspace, planned, "install", render.installed_lines, yes=yes, dry_run=dry_run, told=told)
    if chosen and not dry_run:
        workspace.compaction_mode(chosen)
    if planned.by_hand:
        raise NeedsYouError(
            "Nothing was scheduled: that line has to be put into a crontab.",
            hint="To see the line and exit 0: --with print",
        )


def remove(context: typer.Context, job: Job, yes: Yes = False, dry_run: DryRun = False) -> None:
    """Let a verb not run by itself any more. All else in the crontab stays as it is."""
    asked = typer_glue.of(context)
    workspace = asked.workspace()
    planned = workspace.remove_schedule(job, config=_config(environment.variables()), dry_run=True)
    _settle(asked, workspace, planned, "remove", render.removed_lines, yes=yes, dry_run=dry_run)


def show(
    context: typer.Context,
    job: Annotated[str | None, typer.Argument(metavar="[JOB]", help="That job alone.")] = None,
) -> None:
    """Show what runs by itself for this workspace: where, when, what is called."""
    asked = typer_glue.of(context)
    found = asked.workspace().scheduled(job, config=_config(environment.variables()))
    asked.done("schedule-show", render.shown_fields(found), render.shown_lines(found), found.notices)


def _settle(
    asked: Run,
    workspace: Any,
    planned: Any,
    verb: str,
    lines: Lines,
    *,
    yes: bool,
    dry_run: bool,
    told: Sequence[str] = (),
) -> None:
    """Carry out what was planned if somebody agrees, and say what was done. NeedsYouError where nobody did.

    `told` is what changes besides.
    """
    is_open = bool(planned.steps) and not dry_run
    answer = True if yes else _answer(asked, planned, told) if is_open else None
    if is_open and answer:
        planned = workspace.carry_out_schedule(planned, config=_config(environment.variables()))
    if answer is not False:
        fields = render.fields(planned, dry_run=dry_run)
        asked.done(f"schedule-{verb}", fields, lines(planned, dry_run=dry_run), [*planned.notices, *told])
    if is_open and not answer:
        raise NeedsYouError(
            "Nothing was changed: nobody has agreed.", hint="If it is right, say the same again with --yes."
        )


def _ask_mode(asked: Run, workspace: Any) -> str | None:
    """What a person at the terminal chooses to enter MEMORY.md; None where there is none. Any other word asks again."""
    if not _is_terminal(asked):
        return None
    question = f"What enters MEMORY.md ({', '.join(_MODES)})?"
    return str(typer.prompt(question, value_proc=_mode, default=workspace.compaction_mode(), err=True))


def _mode(said: str) -> str:
    mode = said.strip().lower()
    if mode not in _MODES:
        raise typer.BadParameter(f"{said!r} is none of {', '.join(_MODES)}.")
    return mode


def _is_terminal(asked: Run) -> bool:
    streams = (sys.stdin, sys.stdout, sys.stderr)
    return not asked.as_json and all(stream is not None and stream.isatty() for stream in streams)


def _answer(asked: Run, planned: Any, told: Sequence[str]) -> bool | None:
    """What the person at the terminal says to the change that is shown; None where there is none."""
    if not _is_terminal(asked):
        return None
    output.lines([*render.change_lines(planned), *told])
    return typer.confirm("Do this?", err=True)


def _config(variables: Mapping[str, str]) -> str | None:
    """The folder for the user's settings, None where the surroundings name none that is absolute."""
    named, home = variables.get("XDG_CONFIG_HOME") or "", variables.get("HOME") or ""
    if os.path.isabs(named):
        return named
    return os.path.join(home, ".config") if os.path.isabs(home) else None
