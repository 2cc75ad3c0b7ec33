"""The verbs agentws schedule install, remove and show."""

from __future__ import annotations

import difflib
import os
from collections.abc import Callable, Iterator, Mapping

from agentws.core import environment
from agentws.core.terminal import console_script, dialog, output
from agentws.core.terminal.invocation import Run
from agentws.core.terminal.options import Verb, flag, optional, text, word
from agentws.core.text.sanitize import one_line
from agentws.errors import MissingFileError, NeedsYouError
from agentws.features.automation.schedule.install import Scheduled, ScheduleList
from agentws.workspace import Workspace

Lines = Callable[..., Iterator[str]]


CARRIED = ("AGENTWS_STATE_DIR", "XDG_STATE_HOME")
"""The variables that lead to this machine's key: cron and systemd do not set what a login shell sets."""


def install(
    run: Run,
    *,
    job: str,
    place: str | None,
    at: str | None,
    every: str | None,
    yes: bool,
    dry_run: bool,
) -> None:
    """Run a job daily, weekly or every ten minutes."""
    script = console_script.path()
    if script is None:
        raise MissingFileError("No `agentws` command was found.", hint="Install agentws: pipx install agentws")
    variables = environment.variables()
    workspace = run.workspace()
    planned = workspace.schedule.install(
        job,
        script=script,
        config=_config(variables),
        variables={name: variables[name] for name in CARRIED if variables.get(name)},
        place=place,
        at=at,
        every=every,
        dry_run=True,
    )
    _settle(run, workspace, planned, "install", installed_lines, yes=yes, dry_run=dry_run)
    if planned.by_hand:
        raise NeedsYouError(
            "Not scheduled: add the line above to a crontab.",
            hint="To print the line only: --with print",
        )


def remove(run: Run, *, job: str, yes: bool, dry_run: bool) -> None:
    """Stop running a job."""
    workspace = run.workspace()
    planned = workspace.schedule.remove(job, config=_config(environment.variables()), dry_run=True)
    _settle(run, workspace, planned, "remove", removed_lines, yes=yes, dry_run=dry_run)


def show(run: Run, *, job: str | None) -> None:
    """Show the scheduled commands: place, time, command."""
    result = run.workspace().schedule.show(job, config=_config(environment.variables()))
    run.result(
        "schedule-show",
        result,
        "jobs=rows[job where=place when next=next.isoformat command on here] notices",
        shown_lines(result),
    )


def _settle(
    run: Run,
    workspace: Workspace,
    planned: Scheduled,
    verb: str,
    lines: Lines,
    *,
    yes: bool,
    dry_run: bool,
) -> None:
    """Carry out the planned schedule if somebody agrees, and print the result; NeedsYouError if nobody did."""
    is_open = bool(planned.steps) and not dry_run
    answer = True if yes else _answer(run, planned) if is_open else None
    if is_open and answer:
        planned = workspace.schedule.carry_out(planned, config=_config(environment.variables()))
    if answer is not False:
        run.result(
            f"schedule-{verb}",
            planned,
            _CHANGED,
            lines(planned, dry_run=dry_run),
            changed=planned.done and bool(planned.steps),
            dry_run=dry_run,
        )
    if is_open and not answer:
        raise NeedsYouError("Not confirmed, nothing changed.", hint="Re-run with --yes.")


def _answer(run: Run, planned: Scheduled) -> bool | None:
    """Return the answer of the person at the terminal to the change that is shown; None without a terminal."""
    if not dialog.is_terminal(run):
        return None
    output.lines(change_lines(planned))
    return dialog.confirm("Continue?")


def _config(variables: Mapping[str, str]) -> str | None:
    """Return the folder for the user's settings, None if the environment names no absolute one."""
    named, home = variables.get("XDG_CONFIG_HOME") or "", variables.get("HOME") or ""
    if os.path.isabs(named):
        return named
    return os.path.join(home, ".config") if os.path.isabs(home) else None


_JOB = word("job", "JOB", "Job: compact, doctor, task-due, backup, drill, sync, fleet or watch.", completes="job")
_YES = flag("--yes", "Confirm without a question.")
_DRY_RUN = flag("--dry-run", "Show the result without applying it.")
VERBS = (
    Verb(
        "schedule install",
        install,
        (
            _JOB,
            text(
                "--with",
                "PLACE",
                "crontab, systemd (a user timer), or print. Default: print in a container, else "
                "systemd if it runs for you, else crontab.",
                to="place",
            ),
            text("--at", "HH:MM", "Time of day. Default: the current one, or a new one between 02:00 and 05:00."),
            text("--every", "DAY", "`day`, or a day of the week: mon to sun. Default: the current one, or `day`."),
            _YES,
            _DRY_RUN,
        ),
        "agentws schedule install compact --dry-run",
        "agentws schedule install compact --yes               confirms the first run too",
        "agentws schedule install doctor --at 03:30 --with crontab",
        "agentws schedule install compact --every sun --at 04:00",
        "agentws schedule install doctor --with print          prints the line",
    ),
    Verb(
        "schedule remove",
        remove,
        (_JOB, _YES, _DRY_RUN),
        "agentws schedule remove doctor",
        "agentws schedule remove doctor --yes",
    ),
    Verb(
        "schedule show",
        show,
        (optional("job", "[JOB]", "Only this job.", completes="job"),),
        "agentws schedule show",
        "agentws schedule show doctor --json",
    ),
)


_PRINT = "print"
_CHANGED = "job where=place when next=next.isoformat command line changes[where before after] changed dry_run notices"
_PLACES = {"crontab": "your crontab", "systemd": "a systemd timer", _PRINT: "a line for a crontab"}


def installed_lines(job: Scheduled, *, dry_run: bool) -> Iterator[str]:
    """Yield the lines that `schedule install` prints; a line for a person's crontab stands alone, to be piped."""
    if job.line is not None:
        yield job.line
        return
    where = _PLACES[job.place or _PRINT]
    if not job.steps:
        yield f"{job.job} is already in {where}. Nothing was changed."
    elif job.done:
        yield f"{job.job} is now in {where}."
    else:
        yield from change_lines(job)
    yield from _when(job)
    yield from _open_end(job, dry_run=dry_run)


def removed_lines(job: Scheduled, *, dry_run: bool) -> Iterator[str]:
    """Yield the lines that `schedule remove` prints."""
    if not job.steps:
        yield f"{job.job} is not scheduled here. Nothing was changed."
    elif job.done:
        yield f"{job.job} is no longer scheduled."
    else:
        yield from change_lines(job)
    yield from _open_end(job, dry_run=dry_run)


def change_lines(job: Scheduled) -> Iterator[str]:
    """Yield the lines of crontab or units that are added (+) and removed (-), each place with a title."""
    for change in job.changes:
        yield _PLACES.get(change.where, change.where)
        before, after = (change.before or "").split("\n"), (change.after or "").split("\n")
        for line in list(difflib.unified_diff(before, after, n=0, lineterm=""))[2:]:
            if not line.startswith("@@") and line not in ("+", "-"):
                yield f"  {line[0]} {line[1:]}"


def _when(job: Scheduled) -> Iterator[str]:
    following = f", next on {job.next:%Y-%m-%d at %H:%M}" if job.next else ""
    yield f"  when      {job.when}{following}"
    if job.done or not job.steps:
        yield f"  calls     {one_line(job.command or '')}"


def _open_end(job: Scheduled, *, dry_run: bool) -> Iterator[str]:
    if dry_run and job.steps:
        yield "Nothing was changed (--dry-run)."


def shown_lines(schedule_list: ScheduleList) -> Iterator[str]:
    """Yield the schedules that `schedule show` prints, a paragraph each."""
    if not schedule_list.rows:
        yield "Nothing is scheduled. For a daily check: agentws schedule install doctor"
    for row in schedule_list.rows:
        yield f"{row.job}, in {_PLACES[row.place]}"
        following = f", next on {row.next:%Y-%m-%d at %H:%M}" if row.next else ""
        yield f"  when      {one_line(row.when)}{following}"
        yield f"  calls     {one_line(row.command)}"
        again = f"To repair: agentws schedule install {row.job}"
        if not row.on:
            yield f"  off       the systemd timer is inactive. {again}"
        if not row.here:
            yield f"  elsewhere the job runs in another folder. {again}"
