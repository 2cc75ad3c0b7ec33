"""schedule show: lists the scheduled jobs of this workspace, with place, time and command."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from agentws.core.installation import host_info
from agentws.core.stores.stores import Stores
from agentws.features.automation.schedule import install
from agentws.features.automation.schedule.plan import crontab, jobs, units
from agentws.features.automation.schedule.plan.change import CRONTAB, SYSTEMD, Present
from agentws.features.automation.schedule.plan.jobs import Job

_ON_THE_HOST = "This is a container: jobs in the host's crontab are not listed."


@dataclass(frozen=True, slots=True)
class ScheduleRow:
    """A scheduled job in one place, for `schedule show`: `when` in the place's own words, `next` None if unknown.

    `on` is False for a timer that systemd does not wait for, `here` for a command that names another folder: the
    workspace was moved, or this is a copy of it.
    """

    job: str
    place: str
    when: str
    next: datetime | None
    command: str
    here: bool
    on: bool = True


@dataclass(frozen=True, slots=True)
class ScheduleList:
    """The rows of `schedule show`, in the order of the jobs, and notices of places that cannot be read."""

    rows: tuple[ScheduleRow, ...]
    notices: tuple[str, ...]


def show(stores: Stores, job: str | None = None, *, config: str | None = None) -> ScheduleList:
    """Return the schedules of this workspace, or of `job` only; `config` as for `install`."""
    wanted = (jobs.named(job),) if job is not None else jobs.JOBS
    agent = install.agent_of(stores)
    rows: list[ScheduleRow] = []
    notices: dict[str, None] = dict.fromkeys(stores.notices)
    for each in wanted:
        present, odd = install.around(each, agent, config, needs_crontab=False)
        rows += (*_in_crontab(stores, present, each, agent), *_in_systemd(stores, present, each))
        notices.update(dict.fromkeys(odd))
    contained = (_ON_THE_HOST,) if host_info.in_container(stores.environment.container) else ()
    return ScheduleList(tuple(rows), (*notices, *contained))


def _in_crontab(stores: Stores, present: Present, job: Job, agent: str) -> Iterator[ScheduleRow]:
    text = present.crontab or ""
    for line in crontab.entries(text, agent=agent):
        if line.job == job.name:
            at = None if crontab.sets_zone(text) else line.at
            is_own = crontab.names(line.command, stores.root)
            yield ScheduleRow(
                job.name, CRONTAB, line.when, install.next_run(stores, at, line.every), line.command, is_own
            )


def _in_systemd(stores: Stores, present: Present, job: Job) -> Iterator[ScheduleRow]:
    if present.timer is not None:
        when, command = units.when_of(present.timer), units.command_of(present.service or "")
        at = units.at_of(present.timer) if present.on else None
        is_own = units.names(present.service or "", stores.root)
        following = install.next_run(stores, at, units.every_of(present.timer))
        yield ScheduleRow(job.name, SYSTEMD, when, following, command, is_own, present.on)
