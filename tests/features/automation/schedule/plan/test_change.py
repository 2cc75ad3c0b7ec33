"""A job is in one place: what is to be done for that."""

from __future__ import annotations

from datetime import UTC, datetime, time

import pytest

from agentws.errors import DamagedError, UsageError
from agentws.features.automation.schedule.plan import change, crontab, jobs, units
from agentws.features.automation.schedule.plan.change import (
    AGAIN,
    CRONTAB,
    OFF,
    ON,
    PRINT,
    SYSTEMD,
    Present,
    ScheduleChange,
    Switch,
    Wish,
)
from agentws.features.automation.schedule.plan.jobs import Command

AGENT = "0f3c9a52d4e84c6f9b7a1d2e3f405162"
TIMER, SERVICE = f"agentws-doctor-{AGENT}.timer", f"agentws-doctor-{AGENT}.service"
DOCTOR = jobs.named("doctor")
COMMAND = Command(("/bin/agentws", "-C", "/home/sam/robin", "doctor"))
LINE = f"30 3 * * * /bin/agentws -C /home/sam/robin doctor # agentws schedule doctor {AGENT}\n"
UNITS = Present("", units.service(COMMAND, DOCTOR), units.timer("*-*-* 03:30:00", DOCTOR), on=True)


def wish(at: time | None = None, every: str = "") -> Wish:
    return Wish(DOCTOR, AGENT, COMMAND, at, every)


def test_the_same_again_changes_nothing() -> None:
    assert change.install(Present(LINE), wish(time(3, 30)), CRONTAB) == ((), "30 3 * * *")
    assert change.install(UNITS, wish(time(3, 30)), SYSTEMD) == ((), "*-*-* 03:30:00")


def test_without_a_time_the_one_that_stands_there_is_kept_also_in_a_new_place() -> None:
    monthly = LINE.replace("30 3 * * *", "30 3 1 * *")

    assert change.install(Present(LINE), wish(), CRONTAB)[1] == "30 3 * * *"
    assert change.install(Present(monthly), wish(), CRONTAB) == ((), "30 3 1 * *")
    assert change.install(Present(LINE), wish(), SYSTEMD)[1] == "*-*-* 03:30:00"
    assert change.install(UNITS, wish(), CRONTAB)[1] == "30 3 * * *"


def test_once_a_week_is_kept_with_its_day_and_time_in_every_place() -> None:
    assert change.install(Present(LINE), wish(every="sun"), CRONTAB)[1] == "30 3 * * 0"
    assert change.install(UNITS, wish(every="sat"), SYSTEMD)[1] == "Sat *-*-* 03:30:00"
    weekly = Present(LINE.replace("30 3 * * *", "30 3 * * 0"))
    assert change.install(weekly, wish(), CRONTAB) == ((), "30 3 * * 0")
    assert change.install(weekly, wish(time(4)), CRONTAB)[1] == "0 4 * * 0"
    assert change.install(weekly, wish(), SYSTEMD)[1] == "Sun *-*-* 03:30:00"
    timer = Present("", units.service(COMMAND, DOCTOR), units.timer("Sun *-*-* 03:30:00", DOCTOR), on=True)
    assert change.install(timer, wish(), SYSTEMD) == ((), "Sun *-*-* 03:30:00")
    assert change.install(timer, wish(every="day"), CRONTAB)[1] == "30 3 * * *"


def test_a_weekly_timer_says_so() -> None:
    assert "once a week" in units.timer("Sun *-*-* 03:30:00", DOCTOR)
    assert "once a day" in units.timer("*-*-* 03:30:00", DOCTOR)


@pytest.mark.parametrize(("text", "every"), [("Sunday", "sun"), ("tue", "tue"), (" DAY ", "day")])
def test_a_day_is_known_by_its_first_letters(text: str, every: str) -> None:
    assert jobs.every_of(text) == every


@pytest.mark.parametrize("text", ["", "su", "fish", "daily"])
def test_a_day_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="is not a day"):
        jobs.every_of(text)


def test_a_job_that_moves_is_in_its_new_place_before_it_leaves_the_old_one() -> None:
    to_systemd, _ = change.install(Present(LINE), wish(), SYSTEMD)
    to_crontab, _ = change.install(UNITS, wish(), CRONTAB)

    assert [_short(step) for step in to_systemd] == [SERVICE, TIMER, ON, CRONTAB]
    assert [_short(step) for step in to_crontab] == [CRONTAB, OFF, TIMER, SERVICE, AGAIN]
    assert to_crontab[0] == ScheduleChange(CRONTAB, "", LINE)


def test_a_timer_that_systemd_does_not_wait_for_is_switched_on() -> None:
    asleep = Present("", UNITS.service, UNITS.timer, on=False)

    assert change.install(asleep, wish(), SYSTEMD)[0] == (Switch(TIMER, ON),)


def test_a_line_to_print_changes_nothing() -> None:
    assert change.install(Present(LINE), wish(), PRINT)[0] == ()


def test_what_is_removed_is_removed_everywhere_and_what_is_nowhere_needs_nothing() -> None:
    both = Present(f"# mine\n{LINE}", UNITS.service, UNITS.timer, on=True)

    assert [_short(step) for step in change.remove(both, DOCTOR, AGENT)] == [CRONTAB, OFF, TIMER, SERVICE, AGAIN]
    assert change.remove(Present("# mine\n"), DOCTOR, AGENT) == ()


def test_the_usual_time_is_at_night_always_the_same_and_not_everybodys() -> None:
    times = [jobs.usual_time(f"{number:032x}", DOCTOR) for number in range(200)]

    assert times == [jobs.usual_time(f"{number:032x}", DOCTOR) for number in range(200)]
    assert all(time(2) <= each < time(5) for each in times)
    assert len(set(times)) > 50


@pytest.mark.parametrize("text", ["", "24:00", "3", "03:60", "3:5", "03:30:00", "noon", "-1:00", "٣:30"])
def test_a_time_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="not a time of day"):
        jobs.time_of(text)


def test_the_next_run_is_the_next_time_the_clock_shows_it() -> None:
    now = datetime(2026, 11, 20, 7, 15, tzinfo=UTC)

    assert jobs.next_run(time(7, 16), now=now) == datetime(2026, 11, 20, 7, 16, tzinfo=UTC)
    assert jobs.next_run(time(7, 15), now=now) == datetime(2026, 11, 21, 7, 15, tzinfo=UTC)
    assert jobs.next_run(time(7, 16), now=now, every="fri") == datetime(2026, 11, 20, 7, 16, tzinfo=UTC)
    assert jobs.next_run(time(7, 15), now=now, every="fri") == datetime(2026, 11, 27, 7, 15, tzinfo=UTC)
    assert jobs.next_run(time(7, 15), now=now, every="sun") == datetime(2026, 11, 22, 7, 15, tzinfo=UTC)


@pytest.mark.parametrize(
    "agent", ["", "short", "x\n* * * * * id", "a b c d e f", "../../etc/passwd", "%n%n%n%n%n", "x" * 65]
)
def test_an_id_that_could_be_more_than_an_id_is_refused(agent: str) -> None:
    with pytest.raises(DamagedError):
        jobs.check_agent(agent)


def test_a_job_that_is_none_is_refused_with_the_names_of_those_that_are() -> None:
    with pytest.raises(UsageError) as refused:
        jobs.named("dream")

    assert "doctor" in str(refused.value.hint)


def test_a_line_is_read_as_it_was_written() -> None:
    (found,) = crontab.entries(LINE, agent=AGENT)

    assert f"{found.line}\n" == LINE


def _short(step: ScheduleChange | Switch) -> str:
    return step.to if isinstance(step, Switch) else step.where
