"""What a task waits for: the moment that is named, and whether the wait is over."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from agentws.core.notes import schedule, vocabulary
from agentws.errors import UsageError
from tests.core.notes.test_transitions import made

NOW = datetime(2026, 11, 20, 7, 15, tzinfo=UTC)  # a Friday
BERLIN = ZoneInfo("Europe/Berlin")


def nowhere(_path: str) -> bool:
    return False


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("2h", "2026-11-20T09:15:00+00:00"), ("in 3d", "2026-11-23T07:15:00+00:00"),
        ("in 30 m", None), ("30m", "2026-11-20T07:45:00+00:00"), ("Tomorrow", "2026-11-21T00:00:00+00:00"),
        ("monday", "2026-11-23T00:00:00+00:00"), ("friday", "2026-11-27T00:00:00+00:00"),
        ("2026-11-23", "2026-11-23T00:00:00+00:00"), ("2026-11-23T09:00+01:00", "2026-11-23T09:00:00+01:00"),
        ("yesterday", None), ("2026-11-20", None), ("2026-11-20T07:15:00", None), ("0h", None), ("soon", None),
        ("99999999999d", None), ("", None), ("²d", None),
    ],
)  # fmt: skip
def test_a_moment_lies_in_the_future(text: str, found: str | None) -> None:
    if found is None:
        with pytest.raises(UsageError):
            schedule.moment(text, now=NOW, day_name=vocabulary.day)
    else:
        assert schedule.moment(text, now=NOW, day_name=vocabulary.day).isoformat() == found


def test_an_hour_is_an_hour_and_a_day_is_a_day_when_clocks_are_changed() -> None:
    evening = datetime(2026, 10, 24, 20, 0, tzinfo=BERLIN)

    assert schedule.moment("12h", now=evening, day_name=vocabulary.day).isoformat() == "2026-10-25T07:00:00+01:00"
    assert schedule.moment("1d", now=evening, day_name=vocabulary.day).isoformat() == "2026-10-25T20:00:00+01:00"


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("2026-11-24T09:00+05:00", "2026-11-24T05:00"), ("2026-11-24T23:30-05:00", "2026-11-25T05:30"),
        ("2026-11-23T23:00Z", "2026-11-24"), ("2026-11-24T00:00Z", "2026-11-24T01:00"),
        ("2026-11-24T09:00", "2026-11-24T09:00"), ("2026-11-24", "2026-11-24"), ("3d", "2026-11-23"),
        ("9999-12-31T23:59-14:00", None), ("today", "2026-11-20"), ("2026-11-20", "2026-11-20"), ("0d", "2026-11-20"),
        ("2026-W47-5", "2026-11-20"), ("20261120", "2026-11-20"),
    ],
)  # fmt: skip
def test_what_is_due_is_told_in_the_zone_of_the_workspace(text: str, day: str | None) -> None:
    if day is None:
        with pytest.raises(UsageError):
            schedule.due(text, now=NOW.astimezone(BERLIN), day_name=vocabulary.day)
    else:
        assert schedule.due(text, now=NOW.astimezone(BERLIN), day_name=vocabulary.day) == (day, False)


@pytest.mark.parametrize(
    ("text", "day", "is_past"),
    [
        ("Saturday", "2026-11-21", False), ("mon", "2026-11-23", False), ("friday", "2026-11-27", False),
        ("freitag", "2026-11-27", False), ("Sonnabend", "2026-11-21", False), ("morgen", "2026-11-21", False),
        ("viernes", "2026-11-27", False), ("SÁBADO", "2026-11-21", False), ("sabado", "2026-11-21", False),
        ("aujourd’hui", "2026-11-20", False), ("terça-feira", "2026-11-24", False), ("lunedi", "2026-11-23", False),
        ("金曜日", "2026-11-27", False), ("明日", "2026-11-21", False), ("周一", "2026-11-23", False),
        ("월요일", "2026-11-23", False), ("среда", "2026-11-25", False), ("الأحد", "2026-11-22", False),
        ("रविवार", "2026-11-22", False), ("yesterday", "2026-11-19", True), ("Gestern", "2026-11-19", True),
        ("Übermorgen", "2026-11-22", False), ("uebermorgen", "2026-11-22", False), ("明後日", "2026-11-22", False),
        ("day after tomorrow", "2026-11-22", False), ("dopodomani", "2026-11-22", False),
        ("pasado mañana", "2026-11-22", False), ("après-demain", "2026-11-22", False), ("后天", "2026-11-22", False),
        ("depois de amanhã", "2026-11-22", False), ("모레", "2026-11-22", False), ("بعد غد", "2026-11-22", False),
        ("послезавтра", "2026-11-22", False), ("परसों", "2026-11-22", False),
        ("hier", "2026-11-19", True), ("昨日", "2026-11-19", True), ("2026-11-01", "2026-11-01", True),
    ],
)  # fmt: skip
def test_days_have_names_in_every_language_and_may_be_past(text: str, day: str, is_past: bool) -> None:
    assert schedule.due(text, now=NOW, day_name=vocabulary.day) == (day, is_past)


def test_a_wait_is_over_when_its_time_has_come() -> None:
    one = made("waiting", waiting_on="2026-11-20T08:15:00+01:00")

    assert schedule.is_ready(one, NOW, nowhere)
    assert not schedule.is_ready(one, NOW - timedelta(seconds=1), nowhere)


def test_a_day_that_a_person_wrote_begins_in_the_zone_of_the_workspace() -> None:
    one = made("waiting", waiting_on="2026-11-21")

    assert not schedule.is_ready(one, datetime(2026, 11, 20, 22, 59, tzinfo=UTC).astimezone(BERLIN), nowhere)
    assert schedule.is_ready(one, datetime(2026, 11, 20, 23, 0, tzinfo=UTC).astimezone(BERLIN), nowhere)


def test_a_wait_is_over_when_its_file_is_there_and_only_a_waiting_task_is_ready() -> None:
    one = made("waiting", waiting_on="{path: inbox/a.csv}")

    assert schedule.is_ready(one, NOW, lambda path: path == "inbox/a.csv")
    assert not schedule.is_ready(one, NOW, nowhere)
    assert not schedule.is_ready(made("paused", waiting_on="{path: inbox/a.csv}"), NOW, lambda _: True)
    assert not schedule.is_ready(made("waiting", waiting_on="Sam"), NOW, lambda _: True)


def test_it_is_known_when_the_next_one_will_be_ready() -> None:
    found = [
        made("waiting", waiting_on="2026-11-20T06:00:00+00:00"),
        made("waiting", waiting_on="2026-11-20T10:00:00+02:00"),
        made("waiting", waiting_on="2026-11-23"),
        made("paused", waiting_on="2026-11-20T07:30:00+00:00"),
    ]

    assert schedule.ready(found, NOW, nowhere) == {"roof"}
    assert schedule.next_time(found, NOW) == datetime(2026, 11, 20, 8, 0, tzinfo=UTC)
    assert schedule.next_time([made(), made("waiting", waiting_on="Sam")], NOW) is None


@pytest.mark.parametrize("written", ["9999-12-31T23:59:59-23:59", "0001-01-01T00:00:00+23:59"])
def test_the_ends_of_time_stop_nobody(written: str) -> None:
    assert schedule.is_ready(made("waiting", waiting_on=written), NOW, nowhere) in (True, False)
