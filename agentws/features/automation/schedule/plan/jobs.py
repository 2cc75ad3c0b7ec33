"""The jobs that can be scheduled, with their commands, and the times of day and days at which they run."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, time, timedelta

from agentws.core.formats import digest, layout
from agentws.errors import DamagedError, UsageError


@dataclass(frozen=True, slots=True)
class Job:
    """A verb that is scheduled: its `words` on the command line, and the `title` that a timer shows.

    A job that `stays` runs all the time, called with those words; `often` are the time fields for a crontab, which
    calls it with `words` instead. A job that is only `often` runs every ten minutes.
    """

    name: str
    words: tuple[str, ...]
    title: str
    stays: tuple[str, ...] = ()
    often: str = ""


JOBS = (
    Job("compact", ("compact", "--yes"), "compacts old logs of an agent's workspace"),
    Job("doctor", ("doctor",), "checks an agent's workspace"),
    Job(
        "task-due",
        ("task", "due", "--run", "-q"),
        "wakes an agent's tasks that can go on, and the agent",
        often="*/10 * * * *",
    ),
    Job("backup", ("backup", "create", "-q"), "copies an agent's workspace to its backups"),
    Job("drill", ("drill", "-q"), "tries to restore the newest backup of an agent's workspace"),
    Job(
        "sync",
        ("sync", "-q", "--when-reachable"),
        "keeps an agent's workspace in step with its other machines",
        often="*/10 * * * *",
    ),
    Job(
        "fleet",
        ("fleet", "ship", "-q", "--when-joined"),
        "ships an agent's workspace to the database of its team",
        often="*/10 * * * *",
    ),
    Job(
        "watch",
        ("watch", "--once", "-q"),
        "watches an agent's workspace",
        stays=("watch", "-q"),
        often="*/10 * * * *",
    ),
)


@dataclass(frozen=True, slots=True)
class Command:
    """The command of a scheduled job, and the variables that it needs in addition to its caller's."""

    words: tuple[str, ...]
    variables: tuple[tuple[str, str], ...] = ()

    @property
    def whole(self) -> tuple[str, ...]:
        """The job's command with its variables, as words that need no shell."""
        if not self.variables:
            return self.words
        # A path with `=` in it would be a variable to env.
        words = self.by_shell if "=" in self.words[0] else self.words
        return ("/usr/bin/env", *(f"{name}={value}" for name, value in self.variables), *words)

    @property
    def by_shell(self) -> tuple[str, ...]:
        """The words of the job's command if sh starts the program, which accepts any character in its path."""
        return ("/bin/sh", "-c", 'exec "$@"', "sh", *self.words)

    def within(self, prefix: tuple[str, ...]) -> Command:
        """Return the job's command called through the program of `prefix` (`docker exec NAME`)."""
        return Command((*prefix, *self.whole))


DAY = "day"
DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
"""The days on which a job may run, beside `day` for every day."""
_FIRST, _SPAN = 2 * 60, 3 * 60
"""Minutes of the day: jobs begin between 02:00 and 05:00."""
_AT = re.compile(r"([01]?[0-9]|2[0-3]):([0-5][0-9])")
_AGENT = re.compile(r"[0-9A-Za-z-]{8,64}")


def named(name: str) -> Job:
    """Return the job with this name; UsageError if it is missing."""
    for job in JOBS:
        if job.name == name:
            return job
    known = ", ".join(job.name for job in JOBS)
    raise UsageError(f"Unknown job: {name!r}.", hint=f"Choose one of: {known}.")


def check_agent(agent: str) -> str:
    """Return the agent's id if it may be written in a crontab and in a unit's name; else DamagedError."""
    # The id is from a file that others may have written: a line break in it would add a line to the crontab.
    if not _AGENT.fullmatch(agent):
        raise DamagedError(
            f"{layout.MANIFEST}: id {agent!r} does not have 8 to 64 letters, digits and dashes: not scheduled.",
            hint=f"Restore the former id, to which the journal is bound: agentws history {layout.MANIFEST}.",
        )
    return agent


def check_words(command: Command) -> None:
    """Raise UsageError for a path that neither a crontab nor a unit can hold."""
    for word in command.whole:
        if any(ord(char) < 32 or ord(char) == 127 for char in word):
            raise UsageError(
                f"{word!r} contains a control character, which cron and systemd refuse.",
                hint="Rename the folder.",
            )


def time_of(text: str) -> time:
    """Return the time of day for a job that `text` names, as `03:30`; else UsageError."""
    match = _AT.fullmatch(text.strip())
    if match is None:
        raise UsageError(
            f"--at {text!r} is not a time of day.", hint="Write a time such as 03:30, from 00:00 to 23:59."
        )
    return time(int(match[1]), int(match[2]))


def every_of(text: str) -> str:
    """Return how often a job runs: `day`, or a weekday by its first three letters; else UsageError."""
    value = text.strip().lower()
    if value == DAY:
        return DAY
    if len(value) < 3 or value[:3] not in DAYS:
        raise UsageError(f"--every {text!r} is not a day.", hint=f"Write {DAY}, or one of: {', '.join(DAYS)}.")
    return value[:3]


def usual_time(agent: str, job: Job) -> time:
    """Return the default time of a job of this agent: always the same one, but different for other agents."""
    # Many agents on one machine, or machines with one remote, should not begin in the same minute.
    chosen = int(digest.of(f"{agent} {job.name}".encode())[:8], 16) % _SPAN
    return time(*divmod(_FIRST + chosen, 60))


def next_run(at: time, *, now: datetime, every: str = DAY) -> datetime:
    """Return a job's next run: when the clock shows `at`, on any day or on that weekday, in the zone of `now`."""
    moment = now.replace(hour=at.hour, minute=at.minute, second=0, microsecond=0)
    while moment <= now or every not in (DAY, DAYS[moment.weekday()]):
        moment += timedelta(days=1)
    return moment
