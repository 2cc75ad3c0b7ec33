"""The two units that make systemd run a job for a user: a service that calls it, a timer that says when."""

from __future__ import annotations

import re
from datetime import time

from agentws.errors import UsageError
from agentws.features.automation.schedule.plan import jobs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.features.automation.schedule.plan.jobs import Command, Job

_WHEN = re.compile(r"^OnCalendar=(.*)$", re.MULTILINE)
_CALLS = re.compile(r"^ExecStart=(.*)$", re.MULTILINE)
_PLAIN = re.compile(r"[A-Za-z0-9_@+=:,./-]+")
_ODD = re.compile(r"[\\'\"$]")
_TIMES = re.compile(r"(?:([A-Z][a-z]{2}) )?\*-\*-\* ([01][0-9]|2[0-3]):([0-5][0-9]):00")


ALWAYS = "always"
"""The times of a job that stays."""
OFTEN = "*:0/10"
"""The times of a job that runs every ten minutes."""
_BEGINS = ("OnActiveSec=5", "OnUnitInactiveSec=60")
"""It begins with the manager of the user, and again a minute after it ended."""


def service_name(job: str, agent: str) -> str:
    """The name of the service of this job and agent."""
    return f"agentws-{job}-{agent}.service"


def timer_name(job: str, agent: str) -> str:
    """The name of the timer of this job and agent."""
    return f"agentws-{job}-{agent}.timer"


def service(command: Command, job: Job) -> str:
    """The text of the service; UsageError for a path that is no UTF-8."""
    # systemd refuses a program by the path of which it could be misread.
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
    """The text of the timer. A time at which the machine was off is made up for."""
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
    """Once a day, or once a week, as a timer says it."""
    return f"{'' if every == jobs.DAY else f'{every.title()} '}*-*-* {at:%H:%M}:00"


def when_of(timer: str) -> str:
    """Return the calendar expression of the timer, empty for none."""
    found = _WHEN.search(timer)
    return found[1].strip() if found else ALWAYS if _BEGINS[0] in timer else ""


def at_of(timer: str) -> time | None:
    """Return the time of day at which the timer runs, None where somebody gave it another rhythm."""
    return _of(when_of(timer))[0]


def every_of(timer: str) -> str:
    """`day`, or the day of the week on which the timer runs; empty where somebody gave it another rhythm."""
    return _of(when_of(timer))[1]


def _of(when: str) -> tuple[time | None, str]:
    found = _TIMES.fullmatch(when)
    day = (found[1] or jobs.DAY).lower() if found else ""
    if found is None or day not in (jobs.DAY, *jobs.DAYS):
        return None, ""
    return time(int(found[2]), int(found[3])), day


def command_of(service: str) -> str:
    """Return the command that the service calls, as it stands there."""
    found = _CALLS.search(service)
    return found[1].strip() if found else ""


def names(service: str, root: str) -> bool:
    """Return whether the service names this workspace."""
    return f" -C {_quoted(root, dollar='$$')} " in f"{command_of(service)} "


def _quoted(word: str, *, dollar: str) -> str:
    """`word`, in quotes unless it is plain, with nothing left for systemd to replace.

    `dollar` is how a `$` is written there: where a program is called it would begin a variable.
    """
    try:
        word.encode()
    except UnicodeEncodeError as error:
        raise UsageError(f"{word!r} is not UTF-8, which systemd units require.", hint="Use --with crontab.") from error
    if _PLAIN.fullmatch(word):
        return word
    escaped = word.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%").replace("$", dollar)
    return f'"{escaped}"'
