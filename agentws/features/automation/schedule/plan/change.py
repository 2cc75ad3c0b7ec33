"""Plans the change of a schedule: the steps that leave a job in one place only, or in none. Nothing is done here."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import time

from agentws.features.automation.schedule.plan import crontab, jobs, units
from agentws.features.automation.schedule.plan.jobs import Command, Job

CRONTAB, SYSTEMD, PRINT = "crontab", "systemd", "print"
PLACES = (CRONTAB, SYSTEMD, PRINT)


@dataclass(frozen=True, slots=True)
class Present:
    """The present schedules of a job: the crontab (None if unreadable), the two units (None if absent).

    `on`: systemd waits for the timer.
    """

    crontab: str | None = None
    service: str | None = None
    timer: str | None = None
    on: bool = False


@dataclass(frozen=True, slots=True)
class ScheduleChange:
    """A new text of the crontab or of a unit: `where` is `crontab` or the unit's name; None stands for no file."""

    where: str
    before: str | None
    after: str | None


@dataclass(frozen=True, slots=True)
class Switch:
    """An instruction to systemd between changes: start or stop the timer, end a service, or read its units again."""

    timer: str
    to: str


Steps = tuple[ScheduleChange | Switch, ...]
"""The steps of a schedule's change, in order: a job that moves gets its new place before it loses the old one."""
ON, OFF, STOP, AGAIN = "on", "off", "stop", "read again"


@dataclass(frozen=True, slots=True)
class Wish:
    """The wanted schedule of a job: `command` is called at `at`; None keeps its present time, or takes the usual one.

    `every` is `day` or a day of the week; an empty one keeps the present one, or takes every day.
    """

    job: Job
    agent: str
    command: Command
    at: time | None = None
    every: str = ""

    @property
    def keeps(self) -> bool:
        """Return whether the job's present rhythm, whatever it is, stays."""
        return self.at is None and not self.every


def install(present: Present, wish: Wish, place: str) -> tuple[Steps, str]:
    """Return the steps that put the job into `place` and nowhere else, and its times in the place's own words."""
    if place == SYSTEMD:
        changes, when = _units(present, wish)
        switch = () if present.on and not changes else (Switch(units.timer_name(wish.job.name, wish.agent), ON),)
        return (*changes, *(_stop(present, wish) if changes else ()), *switch, *_out_of_crontab(present, wish)), when
    line = crontab_line(present, wish)
    if place == PRINT:
        return (), line.when
    text = crontab.with_entry(present.crontab or "", line)
    changes = () if text == present.crontab else (ScheduleChange(CRONTAB, present.crontab, text),)
    return (*changes, *_out_of_systemd(present, wish)), line.when


def remove(present: Present, job: Job, agent: str) -> Steps:
    """Return the steps that remove the job from all places."""
    wish = Wish(job, agent, Command(()))
    return (*_out_of_crontab(present, wish), *_out_of_systemd(present, wish))


def crontab_line(present: Present, wish: Wish) -> crontab.CrontabLine:
    """Return the line that the crontab should hold for the job."""
    known = _known_line(present, wish)
    usual = wish.job.often or crontab.fields(*_rhythm(present, wish))
    when = known.when if known is not None and wish.keeps else usual
    return crontab.entry(wish.command, job=wish.job.name, agent=wish.agent, when=when)


def _units(present: Present, wish: Wish) -> tuple[tuple[ScheduleChange, ...], str]:
    known = units.when_of(present.timer or "")
    often = units.ALWAYS if wish.job.stays else units.OFTEN if wish.job.often else ""
    usual = often or units.calendar(*_rhythm(present, wish))
    when = known if known and wish.keeps else usual
    service, timer = units.service(wish.command, wish.job), units.timer(when, wish.job)
    names = units.service_name(wish.job.name, wish.agent), units.timer_name(wish.job.name, wish.agent)
    wanted = zip(names, (present.service, present.timer), (service, timer), strict=True)
    return tuple(ScheduleChange(name, old, new) for name, old, new in wanted if old != new), when


def _rhythm(present: Present, wish: Wish) -> tuple[time, str]:
    """Return the chosen time and day, else the present ones in any place, else the usual time of every day."""
    line, timer = _known_line(present, wish), present.timer or ""
    times = [wish.at, line.at if line else None, units.at_of(timer)]
    at = next((moment for moment in times if moment is not None), None)
    every = wish.every or (line.every if line else "") or units.every_of(timer) or jobs.DAY
    return at if at is not None else jobs.usual_time(wish.agent, wish.job), every


def _known_line(present: Present, wish: Wish) -> crontab.CrontabLine | None:
    crontab_lines = crontab.entries(present.crontab or "", agent=wish.agent)
    return next((line for line in crontab_lines if line.job == wish.job.name), None)


def _out_of_crontab(present: Present, wish: Wish) -> Iterator[ScheduleChange]:
    text = crontab.without(present.crontab or "", job=wish.job.name, agent=wish.agent)
    if text != (present.crontab or ""):
        yield ScheduleChange(CRONTAB, present.crontab, text)


def _stop(present: Present, wish: Wish) -> Iterator[Switch]:
    """Yield the instruction that ends a service that runs all the time with its former command."""
    if wish.job.stays and present.service is not None:
        yield Switch(units.service_name(wish.job.name, wish.agent), STOP)


def _out_of_systemd(present: Present, wish: Wish) -> Iterator[ScheduleChange | Switch]:
    timer, service = units.timer_name(wish.job.name, wish.agent), units.service_name(wish.job.name, wish.agent)
    if present.timer is not None:
        yield Switch(timer, OFF)
        yield ScheduleChange(timer, present.timer, None)
    yield from _stop(present, wish)
    if present.service is not None:
        yield ScheduleChange(service, present.service, None)
    if present.timer is not None or present.service is not None:
        yield Switch(timer, AGAIN)
