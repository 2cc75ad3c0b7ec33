"""schedule install: a job of this workspace runs once a day, or once a week, from now on."""

from __future__ import annotations

from agentws.core.installation import cron
from agentws.errors import OutsideProgramError, UsageError
from agentws.features.automation.schedule import steps as _steps
from agentws.features.automation.schedule.plan import change, crontab, jobs, units
from agentws.features.automation.schedule.plan.change import CRONTAB, PLACES, PRINT, SYSTEMD, Present, Wish
from agentws.features.automation.schedule.plan.jobs import Command
from agentws.features.automation.schedule.steps import Scheduled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from agentws.core.stores.stores import Stores


JOBS = jobs.JOBS
"""What can be scheduled."""
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

    `every` is `day`, or a day of the week (`sun`); None leaves that as it is.

    `script` is the absolute path of the console script, `config` the folder for the user's settings (where systemd
    looks), `variables` what the job has to find in its environment. `place` is `crontab`, `systemd` or `print`; else
    it is found out. UsageError, OutsideProgramError, and what `check_writable` raises.
    """
    stores.check_writable()
    known = jobs.named(job)
    when = jobs.time_of(at) if at is not None else None, jobs.every_of(every) if every is not None else ""
    agent = _steps.agent(stores)
    if known.often and when != (None, ""):
        how = "all the time" if known.stays else "every 10 minutes"
        raise UsageError(f"--at and --every are not valid for {job}: it runs {how}.")
    chosen = _checked(place, config) if place else _found_out(stores, config)
    words = known.stays if chosen == SYSTEMD and known.stays else known.words
    command = _command(stores, words, script, variables or {})
    if chosen == PRINT and cron.in_container(stores.environment.container):
        wish = Wish(known, agent, command.within(cron.from_outside()), *when)
        return _line(stores, Present(), wish, by_hand=place is None, outside=True)
    wish = Wish(known, agent, command, *when)
    present, notices = _steps.around(known, agent, config, needs_crontab=chosen == CRONTAB)
    if chosen == PRINT:
        return _line(stores, present, wish, by_hand=place is None, outside=False)
    planned = _planned(stores, present, wish, chosen, notices)
    return planned if dry_run else _steps.carry_out(stores, planned, config=config)


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
    """Where a job lives longest: what runs inside a container ends with it."""
    if cron.in_container(stores.environment.container):
        return PRINT
    if config is not None and cron.user_manager_runs():
        return SYSTEMD
    return CRONTAB if cron.has_crontab() else PRINT


def _line(stores: Stores, present: Present, wish: Wish, *, by_hand: bool, outside: bool) -> Scheduled:
    """The job as a line that a person puts into a crontab. When it runs next, the host of a container knows."""
    line = change.crontab_line(present, wish)
    return Scheduled(
        wish.job.name,
        wish.agent,
        PRINT,
        when=line.when,
        next=None if outside else _steps.next_run(stores, line.at, line.every),
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
        next=_steps.next_run(stores, at, every),
        command=command,
        steps=steps,
        notices=(*stores.notices, *notices, *((_LINGER,) if place == SYSTEMD and steps else ())),
    )


_TAKEN_OUT_THERE = "This is a container: also remove the line from the host's crontab. That line ends in: {}"


def remove(stores: Stores, job: str, *, config: str | None = None, dry_run: bool = False) -> Scheduled:
    """Take `job` out of the crontab and of systemd, and leave all else there as it is, byte for byte.

    `config` is the folder for the user's settings. UsageError, OutsideProgramError, what `check_adopted` raises.
    """
    known = jobs.named(job)
    agent = _steps.agent(stores)
    present, notices = _steps.around(known, agent, config, needs_crontab=False)
    steps = change.remove(present, known, agent)
    if not steps and notices:
        raise OutsideProgramError(notices[0], hint="The crontab may still contain an agentws line.")
    if cron.in_container(stores.environment.container):
        notices = (*notices, _TAKEN_OUT_THERE.format(f"# agentws schedule {job} {agent}"))
    planned = Scheduled(job, agent, None, steps=steps, notices=(*stores.notices, *notices))
    return planned if dry_run else _steps.carry_out(stores, planned, config=config)
