"""Writes and reads the two systemd units of a scheduled job: a service that calls it, and a timer that starts that."""

from __future__ import annotations

import re
from datetime import time

from agentws.errors import UsageError
from agentws.features.automation.schedule.plan import jobs
from agentws.features.automation.schedule.plan.jobs import Command, Job

_WHEN = re.compile(r"^OnCalendar=(.*)$", re.MULTILINE)
_CALLS = re.compile(r"^ExecStart=(.*)$", re.MULTILINE)
_PLAIN = re.compile(r"[A-Za-z0-9_@+=:,./-]+")
_ODD = re.compile(r"[\\'\"$]")
_TIMES = re.compile(r"(?:([A-Z][a-z]{2}) )?\*-\*-\* ([01][0-9]|2[0-3]):([0-5][0-9]):00")


ALWAYS = "always"
"""The times of a job that runs all the time."""
OFTEN = "*:0/10"
"""The times of a job that runs every ten minutes."""
_BEGINS = ("OnActiveSec=5", "OnUnitInactiveSec=60")
"""The timer of such a job: at the start of the user's systemd, and again a minute after the job ended."""


def service_name(job: str, agent: str) -> str:
    """Return the name of the service unit of this job and agent."""
    return f"agentws-{job}-{agent}.service"


def timer_name(job: str, agent: str) -> str:
    """Return the name of the timer unit of this job and agent."""
    return f"agentws-{job}-{agent}.timer"


def service(command: Command, job: Job) -> str:
    """Return the text of the service unit; UsageError for a path that is not UTF-8."""
    # systemd refuses a program whose path it could misread.
    plain = not _ODD.search(command.words[0])
    words = [_quoted(word, dollar="$$") for word in (command.words if plain else command.by_shell)]
    variables = [f"Environment={_quoted(f'{name}={value}', dollar='$')}" for name, value in command.variables]
    lines = [
        "[Unit]",
        f"Description=agentws {job.name}: {job.title}",
        "",
        "[Service]",
        "Type=exec" if job.stays else "Type=oneshot",
        *variables,
        f"ExecStart={' '.join(words)}",
        "# Findings for a person are in the journal; the job itself succeeded.",
        "SuccessExitStatus=3",
    ]
    return "\n".join(lines) + "\n"


def timer(when: str, job: Job) -> str:
    """Return the text of the timer unit. A run that was missed while the machine was off is made up for."""
    lines = [
        "[Unit]",
        f"Description=agentws {job.name}, {_often(when)}",
        "",
        "[Timer]",
        *(_BEGINS if when == ALWAYS else (f"OnCalendar={when}", "Persistent=true")),
        "",
        "[Install]",
        "WantedBy=timers.target",
    ]
    return "\n".join(lines) + "\n"


def _often(when: str) -> str:
    if when == OFTEN:
        return "every 10 minutes"
    return ALWAYS if when == ALWAYS else f"once a {'day' if _of(when)[1] == jobs.DAY else 'week'}"


def calendar(at: time, every: str = jobs.DAY) -> str:
    """Return a timer's calendar expression for once a day, or once a week."""
    return f"{'' if every == jobs.DAY else f'{every.title()} '}*-*-* {at:%H:%M}:00"


def when_of(timer: str) -> str:
    """Return the calendar expression in a timer unit, empty for none."""
    match = _WHEN.search(timer)
    return match[1].strip() if match else ALWAYS if _BEGINS[0] in timer else ""


def at_of(timer: str) -> time | None:
    """Return the time of day at which a timer unit runs, None if somebody gave it another rhythm."""
    return _of(when_of(timer))[0]


def every_of(timer: str) -> str:
    """Return `day`, or the weekday on which a timer unit runs; empty if somebody gave it another rhythm."""
    return _of(when_of(timer))[1]


def _of(when: str) -> tuple[time | None, str]:
    match = _TIMES.fullmatch(when)
    day = (match[1] or jobs.DAY).lower() if match else ""
    if match is None or day not in (jobs.DAY, *jobs.DAYS):
        return None, ""
    return time(int(match[2]), int(match[3])), day


def command_of(service: str) -> str:
    """Return the command that a service unit calls, as it is written there."""
    match = _CALLS.search(service)
    return match[1].strip() if match else ""


def names(service: str, root: str) -> bool:
    """Return whether a service unit names this workspace."""
    return f" -C {_quoted(root, dollar='$$')} " in f"{command_of(service)} "


def _quoted(word: str, *, dollar: str) -> str:
    """Return `word` for a unit, in quotes unless it is plain, with nothing left for systemd to replace.

    `dollar` is how a `$` is written: in a command it would begin a variable.
    """
    try:
        word.encode()
    except UnicodeEncodeError as error:
        raise UsageError(f"{word!r} is not UTF-8, which systemd units require.", hint="Use --with crontab.") from error
    if _PLAIN.fullmatch(word):
        return word
    escaped = word.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%").replace("$", dollar)
    return f'"{escaped}"'
