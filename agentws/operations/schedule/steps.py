"""The steps of a planned schedule, carried out."""

from __future__ import annotations

import contextlib

from agentws.errors import AgentwsError, OutsideProgramError, UsageError
from agentws.planning.schedule.change import AGAIN, CRONTAB, ON, Change, Switch
from agentws.storage.system import cron

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from agentws.operations.schedule.result import Scheduled
    from agentws.storage.workspace.stores import Stores


def carry_out(stores: Stores, planned: Scheduled, *, config: str | None = None) -> Scheduled:
    """Do what was planned, and nothing else: ChangedUnderneathError where a text is not as it was then.

    `stores` and `config` are those it was planned with. OutsideProgramError where crontab or systemctl fails:
    units of a timer that systemd does not take are taken back, what else was done stays, and the same again goes on.
    """
    if planned.place is not None:
        stores.check_writable()
    written: list[Change] = []
    for step in planned.steps:
        if isinstance(step, Change):
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
    error: OutsideProgramError, step: Switch, units: Sequence[Change], config: str | None
) -> OutsideProgramError:
    """The error, once the units are as they were before: by none that systemd does not know anything ever runs."""
    try:
        if units[0].before is None:
            _quietly(lambda: cron.switch_off(step.timer))
        for change in reversed(units):
            _put(Change(change.where, change.after, change.before), config)
        _quietly(cron.read_units_again)
        said = "The units are as they were before."
    except AgentwsError as failure:
        said = f"What was written stands there still ({', '.join(each.where for each in units)}): {failure.message}"
    return OutsideProgramError(error.message, hint=f"{error.hint or ''} {said}".lstrip())


def _quietly(tell: Callable[[], None]) -> None:
    """Tell systemd, which has failed already: if it fails again there is nothing to add."""
    with contextlib.suppress(OutsideProgramError):
        tell()


def _put(change: Change, config: str | None) -> None:
    if change.where == CRONTAB:
        cron.put_crontab(change.after or "", expects=change.before or "")
    elif config is None:
        raise UsageError("Where this user's units are is not known here.", hint="Set HOME.")
    else:
        cron.put_unit(config, change.where, change.after, expects=change.before)


def _switch(step: Switch) -> None:
    if step.to == AGAIN:
        cron.read_units_again()
    elif step.to == ON:
        cron.switch_on(step.timer)
    else:
        cron.switch_off(step.timer)
