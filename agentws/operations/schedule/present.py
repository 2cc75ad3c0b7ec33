"""What is scheduled on this machine now, and for whom."""

from __future__ import annotations

from agentws.errors import OutsideProgramError
from agentws.planning.schedule import jobs, units
from agentws.planning.schedule.change import Present
from agentws.storage.system import cron

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime, time

    from agentws.planning.schedule.jobs import Job
    from agentws.storage.workspace.stores import Stores


def agent(stores: Stores) -> str:
    """The id by which the lines of this workspace are known; raises as `check_adopted` does, and DamagedError.

    Also of an agent that has moved away or was retired: what runs for it in vain can be seen and taken out.
    """
    stores.check_adopted()
    return jobs.check_agent(stores.manifest.agent_id)


def units_of(job: Job, agent: str, config: str | None) -> Present:
    """What systemd has of this job."""
    timer = units.timer_name(job.name, agent)
    found = cron.unit(config, timer)
    on = found is not None and cron.is_on(timer)
    return Present(None, cron.unit(config, units.service_name(job.name, agent)), found, on)


def around(job: Job, agent: str, config: str | None, *, needs_crontab: bool) -> tuple[Present, tuple[str, ...]]:
    """What is in all places, and notices of those that cannot be looked at.

    OutsideProgramError for a crontab that is needed and cannot be read.
    """
    notices: tuple[str, ...] = ()
    crontab = None
    if needs_crontab or cron.has_crontab():
        try:
            crontab = cron.crontab()
        except OutsideProgramError as error:
            if needs_crontab:
                raise
            notices = (f"The crontab was not looked at: {error.message}",)
    of_systemd = units_of(job, agent, config)
    return Present(crontab, of_systemd.service, of_systemd.timer, of_systemd.on), notices


def next_run(stores: Stores, at: time | None) -> datetime | None:
    """The next moment at which this machine's clock shows `at`, None where that is None."""
    return jobs.next_run(at, now=stores.clock.now().astimezone(cron.zone())) if at is not None else None
