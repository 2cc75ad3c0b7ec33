"""Installs, removes and lists scheduled jobs, step by step, in the crontab or in systemd."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, time

from agentws.core.installation import cron, host_info
from agentws.core.stores.stores import Stores
from agentws.errors import AgentwsError, OutsideProgramError, UsageError
from agentws.features.automation.schedule.plan import change, crontab, jobs, units
from agentws.features.automation.schedule.plan.change import (
    AGAIN,
    CRONTAB,
    ON,
    PLACES,
    PRINT,
    STOP,
    SYSTEMD,
    Present,
    ScheduleChange,
    Steps,
    Switch,
    Wish,
)
from agentws.features.automation.schedule.plan.jobs import Command, Job

JOBS = jobs.JOBS
"""The jobs that can be scheduled."""
_LINGER = "User timers run only while the user is logged in. To run always: loginctl enable-linger"
_ON_THE_HOST = (
    "This is a container: add the line to the host's crontab, in the host's time. Use the name of the "
    "container: its id changes when it is recreated."
)


def install(
    stores: Stores,
    job: str,
    *,
    script: str,
    config: str | None = None,
    variables: Mapping[str, str] | None = None,
    place: str | None = None,
    at: str | None = None,
    every: str | None = None,
    dry_run: bool = False,
) -> Scheduled:
    """Schedule `job` once a day at `at` (`03:30`), else at a time of this agent's own between 02:00 and 05:00.

    `every` is `day`, or a day of the week (`sun`); None leaves that as it is. `script` is the absolute path of the
    console script, `config` the folder for the user's settings (where systemd looks), `variables` the environment that
    the job needs. `place` is `crontab`, `systemd` or `print`; None chooses one. UsageError, OutsideProgramError, and
    the errors of `check_writable`.
    """
    stores.check_writable()
    known = jobs.named(job)
    when = jobs.time_of(at) if at is not None else None, jobs.every_of(every) if every is not None else ""
    agent = agent_of(stores)
    if known.often and when != (None, ""):
        how = "all the time" if known.stays else "every 10 minutes"
        raise UsageError(f"--at and --every are not valid for {job}: it runs {how}.")
    chosen = _checked(place, config) if place else _found_out(stores, config)
    words = known.stays if chosen == SYSTEMD and known.stays else known.words
    command = _command(stores, words, script, variables or {})
    if chosen == PRINT and host_info.in_container(stores.environment.container):
        wish = Wish(known, agent, command.within(cron.from_outside()), *when)
        return _line(stores, Present(), wish, by_hand=place is None, outside=True)
    wish = Wish(known, agent, command, *when)
    present, notices = around(known, agent, config, needs_crontab=chosen == CRONTAB)
    if chosen == PRINT:
        return _line(stores, present, wish, by_hand=place is None, outside=False)
    planned = _planned(stores, present, wish, chosen, notices)
    return planned if dry_run else carry_out(stores, planned, config=config)


def _command(stores: Stores, words: tuple[str, ...], script: str, variables: Mapping[str, str]) -> Command:
    path = cron.search_path()
    more = {"PATH": path} if path is not None else {}
    command = Command((script, "-C", stores.root, *words), tuple({**more, **variables}.items()))
    jobs.check_words(command)
    return command


def _checked(place: str, config: str | None) -> str:
    if place not in PLACES:
        raise UsageError(f"Unknown --with: {place!r}.", hint=f"Choose one of: {', '.join(PLACES)}.")
    if place == SYSTEMD and config is None:
        raise UsageError("The folder for systemd's user units is unknown.", hint="Set HOME, or use --with crontab.")
    return place


def _found_out(stores: Stores, config: str | None) -> str:
    """Return the best place for a job: one inside a container would end with it, so `print` there."""
    if host_info.in_container(stores.environment.container):
        return PRINT
    if config is not None and cron.user_manager_runs():
        return SYSTEMD
    return CRONTAB if cron.has_crontab() else PRINT


def _line(stores: Stores, present: Present, wish: Wish, *, by_hand: bool, outside: bool) -> Scheduled:
    """Return the scheduled job as a line that a person puts into a crontab; in a container its next run is unknown."""
    line = change.crontab_line(present, wish)
    return Scheduled(
        wish.job.name,
        wish.agent,
        PRINT,
        when=line.when,
        next=None if outside else next_run(stores, line.at, line.every),
        command=line.command,
        line=line.line,
        by_hand=by_hand,
        notices=(*stores.notices, *((_ON_THE_HOST,) if outside else ())),
    )


def _planned(stores: Stores, present: Present, wish: Wish, place: str, notices: tuple[str, ...]) -> Scheduled:
    steps, when = change.install(present, wish, place)
    if place == SYSTEMD:
        timer, command = units.timer(when, wish.job), units.command_of(units.service(wish.command, wish.job))
        at, every = units.at_of(timer), units.every_of(timer)
    else:
        line = change.crontab_line(present, wish)
        at, every, command = None if crontab.sets_zone(present.crontab or "") else line.at, line.every, line.command
    return Scheduled(
        wish.job.name,
        wish.agent,
        place,
        when=when,
        next=next_run(stores, at, every),
        command=command,
        steps=steps,
        notices=(*stores.notices, *notices, *((_LINGER,) if place == SYSTEMD and steps else ())),
    )


_TAKEN_OUT_THERE = "This is a container: also remove the line from the host's crontab. That line ends in: {}"


def remove(stores: Stores, job: str, *, config: str | None = None, dry_run: bool = False) -> Scheduled:
    """Remove `job` from the crontab and from systemd, and leave everything else there as it is, byte for byte.

    `config` is the folder for the user's settings. UsageError, OutsideProgramError, and the errors of `check_adopted`.
    """
    known = jobs.named(job)
    agent = agent_of(stores)
    present, notices = around(known, agent, config, needs_crontab=False)
    steps = change.remove(present, known, agent)
    if not steps and notices:
        raise OutsideProgramError(notices[0], hint="The crontab may still contain an agentws line.")
    if host_info.in_container(stores.environment.container):
        notices = (*notices, _TAKEN_OUT_THERE.format(f"# agentws schedule {job} {agent}"))
    planned = Scheduled(job, agent, None, steps=steps, notices=(*stores.notices, *notices))
    return planned if dry_run else carry_out(stores, planned, config=config)


def carry_out(stores: Stores, planned: Scheduled, *, config: str | None = None) -> Scheduled:
    """Carry out the planned steps of a schedule; ChangedUnderneathError if a text has changed since the plan.

    `stores` and `config` are those of the plan. OutsideProgramError if crontab or systemctl fails: units of a timer
    that systemd refuses are reverted, other steps stay done, and the same call may be repeated.
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
    """Revert the units, since systemd never runs units that it does not know, and return the error that says so."""
    try:
        if units[0].before is None:
            _quietly(lambda: cron.switch_off(step.timer))
        for change in reversed(units):
            _put(ScheduleChange(change.where, change.after, change.before), config)
        _quietly(cron.read_units_again)
        report = "The systemd units are unchanged."
    except AgentwsError as failure:
        report = f"These files were written and remain ({', '.join(each.where for each in units)}): {failure.message}"
    return OutsideProgramError(error.message, hint=f"{error.hint or ''} {report}".lstrip())


def _quietly(tell: Callable[[], None]) -> None:
    """Give systemd an instruction after it has failed; a second failure adds nothing."""
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


def agent_of(stores: Stores) -> str:
    """Return the id that marks this workspace's scheduled jobs; raises the errors of `check_adopted`, and DamagedError.

    This works for an agent that has moved away or was retired too, so that its useless jobs can be shown and removed.
    """
    stores.check_adopted()
    return jobs.check_agent(stores.manifest.agent_id)


def around(job: Job, agent: str, config: str | None, *, needs_crontab: bool) -> tuple[Present, tuple[str, ...]]:
    """Return the job's present schedules in all places, and notices of places that cannot be read.

    OutsideProgramError if the crontab is needed and cannot be read.
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
    name = units.timer_name(job.name, agent)
    timer = cron.unit(config, name)
    is_on = timer is not None and cron.is_on(name)
    return Present(crontab, cron.unit(config, units.service_name(job.name, agent)), timer, is_on), notices


def next_run(stores: Stores, at: time | None, every: str) -> datetime | None:
    """Return the next run of a scheduled job: when this machine's clock shows `at` on its days; None for None."""
    now = stores.clock.now().astimezone(cron.zone())
    return jobs.next_run(at, now=now, every=every) if at is not None else None


@dataclass(frozen=True, slots=True)
class Scheduled:
    """A scheduled job and its `place`: `crontab`, `systemd` or `print`; None for a job that is removed.

    `when` is in the place's own words, `next` is None if it is not known here. `line` is the one that a person has to
    put into a crontab, or None; `by_hand` is True if no better place was found. `steps` are what has to
    be done, `done` is True once they are.
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
        """The changed texts of crontab and units, with the texts before."""
        return tuple(step for step in self.steps if isinstance(step, ScheduleChange))

    def carried_out(self) -> Scheduled:
        """Return the same schedule, marked as done."""
        return replace(self, done=True)


_NOT_LISTED = "This is a container: jobs in the host's crontab are not listed."


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
    agent = agent_of(stores)
    rows: list[ScheduleRow] = []
    notices: dict[str, None] = dict.fromkeys(stores.notices)
    for each in wanted:
        present, odd = around(each, agent, config, needs_crontab=False)
        rows += (*_in_crontab(stores, present, each, agent), *_in_systemd(stores, present, each))
        notices.update(dict.fromkeys(odd))
    contained = (_NOT_LISTED,) if host_info.in_container(stores.environment.container) else ()
    return ScheduleList(tuple(rows), (*notices, *contained))


def _in_crontab(stores: Stores, present: Present, job: Job, agent: str) -> Iterator[ScheduleRow]:
    text = present.crontab or ""
    for line in crontab.entries(text, agent=agent):
        if line.job == job.name:
            at = None if crontab.sets_zone(text) else line.at
            is_own = crontab.names(line.command, stores.root)
            yield ScheduleRow(job.name, CRONTAB, line.when, next_run(stores, at, line.every), line.command, is_own)


def _in_systemd(stores: Stores, present: Present, job: Job) -> Iterator[ScheduleRow]:
    if present.timer is not None:
        when, command = units.when_of(present.timer), units.command_of(present.service or "")
        at = units.at_of(present.timer) if present.on else None
        is_own = units.names(present.service or "", stores.root)
        following = next_run(stores, at, units.every_of(present.timer))
        yield ScheduleRow(job.name, SYSTEMD, when, following, command, is_own, present.on)
