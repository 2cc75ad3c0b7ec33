"""The steps of a planned schedule, carried out."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, field, replace

from agentws.core.installation import cron
from agentws.errors import AgentwsError, OutsideProgramError, UsageError
from agentws.features.automation.schedule.plan import jobs, units
from agentws.features.automation.schedule.plan.change import (
    AGAIN,
    CRONTAB,
    ON,
    STOP,
    Present,
    ScheduleChange,
    Steps,
    Switch,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime, time

    from agentws.core.stores.stores import Stores
    from agentws.features.automation.schedule.plan.jobs import Job


def carry_out(stores: Stores, planned: Scheduled, *, config: str | None = None) -> Scheduled:
    """Do what was planned, and nothing else: ChangedUnderneathError where a text is not as it was then.

    `stores` and `config` are those it was planned with. OutsideProgramError where crontab or systemctl fails:
    units of a timer that systemd does not take are taken back, what else was done stays, and the same again goes on.
    """
    if planned.place is not None:
        stores.check_writable()
    written: list[ScheduleChange] = []
    for step in planned.steps:
        if isinstance(step, ScheduleChange):
            _put(step, config)
            written.append(step)
            continue
        try:
            _switch(step)
        except OutsideProgramError as error:
            units = [change for change in written if change.where != CRONTAB]
            if step.to == ON and units:
                raise _taken_back(error, step, units, config) from error
            raise
    return planned.carried_out()


def _taken_back(
    error: OutsideProgramError, step: Switch, units: Sequence[ScheduleChange], config: str | None
) -> OutsideProgramError:
    """The error, once the units are as they were before: by none that systemd does not know anything ever runs."""
    try:
        if units[0].before is None:
            _quietly(lambda: cron.switch_off(step.timer))
        for change in reversed(units):
            _put(ScheduleChange(change.where, change.after, change.before), config)
        _quietly(cron.read_units_again)
        said = "The systemd units are unchanged."
    except AgentwsError as failure:
        said = f"These files were written and remain ({', '.join(each.where for each in units)}): {failure.message}"
    return OutsideProgramError(error.message, hint=f"{error.hint or ''} {said}".lstrip())


def _quietly(tell: Callable[[], None]) -> None:
    """Tell systemd, which has failed already: if it fails again there is nothing to add."""
    with contextlib.suppress(OutsideProgramError):
        tell()


def _put(change: ScheduleChange, config: str | None) -> None:
    if change.where == CRONTAB:
        cron.put_crontab(change.after or "", expects=change.before or "")
    elif config is None:
        raise UsageError("The folder for systemd's user units is unknown.", hint="Set HOME.")
    else:
        cron.put_unit(config, change.where, change.after, expects=change.before)


def _switch(step: Switch) -> None:
    if step.to == AGAIN:
        cron.read_units_again()
    elif step.to == ON:
        cron.switch_on(step.timer)
    elif step.to == STOP:
        cron.stop(step.timer)
    else:
        cron.switch_off(step.timer)


def agent(stores: Stores) -> str:
    """The id by which the lines of this workspace are known; raises as `check_adopted` does, and DamagedError.

    Also of an agent that has moved away or was retired: what runs for it in vain can be seen and taken out.
    """
    stores.check_adopted()
    return jobs.check_agent(stores.manifest.agent_id)


def _units_of(job: Job, agent: str, config: str | None) -> Present:
    """What systemd has of this job."""
    timer = units.timer_name(job.name, agent)
    found = cron.unit(config, timer)
    on = found is not None and cron.is_on(timer)
    return Present(None, cron.unit(config, units.service_name(job.name, agent)), found, on)


def around(job: Job, agent: str, config: str | None, *, needs_crontab: bool) -> tuple[Present, tuple[str, ...]]:
    """Return what is in all places, and notices of those that cannot be looked at.

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
            notices = (f"The crontab was not read: {error.message}",)
    of_systemd = _units_of(job, agent, config)
    return Present(crontab, of_systemd.service, of_systemd.timer, of_systemd.on), notices


def next_run(stores: Stores, at: time | None, every: str) -> datetime | None:
    """The next moment at which this machine's clock shows `at`, on its days; None where that is None."""
    now = stores.clock.now().astimezone(cron.zone())
    return jobs.next_run(at, now=now, every=every) if at is not None else None


@dataclass(frozen=True, slots=True)
class Scheduled:
    """A job and its `place`: `crontab`, `systemd` or `print`; None where it was taken out.

    `when` is said in the place's own words, `next` is None where it cannot be known here. `line` is what a person has
    to put into a crontab, None where nobody has to; `by_hand` is True where no better place was found. `steps` is
    what has to be done, `done` is True once it is.
    """

    job: str
    agent: str
    place: str | None
    when: str | None = None
    next: datetime | None = None
    command: str | None = None
    line: str | None = None
    by_hand: bool = False
    steps: Steps = ()
    done: bool = False
    notices: tuple[str, ...] = field(default=())

    @property
    def changes(self) -> tuple[ScheduleChange, ...]:
        """The texts that change, with how they were."""
        return tuple(step for step in self.steps if isinstance(step, ScheduleChange))

    def carried_out(self) -> Scheduled:
        """The same, done."""
        return replace(self, done=True)
