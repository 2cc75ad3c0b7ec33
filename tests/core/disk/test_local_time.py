"""Day and time in the workspace's zone are those of the zone's own rules, remembered or not."""

from __future__ import annotations

import random
import zoneinfo
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

from agentws.core.disk import clock, local_time
from agentws.core.disk.cache import Cache
from agentws.errors import UsageError

ZONES = sorted(zoneinfo.available_timezones())
SECONDS = st.integers(-2_000_000_000, 4_000_000_000)


def same(shown: local_time.LocalTime, moment: datetime) -> bool:
    told = (shown.day, shown.time, shown.zone, timedelta(seconds=shown.offset_s))
    return told == (f"{moment:%Y-%m-%d}".zfill(10), f"{moment:%H:%M}", moment.tzname(), moment.utcoffset())


@settings(deadline=None)
@given(SECONDS, st.sampled_from(ZONES))
def test_it_is_what_zoneinfo_says(second: int, name: str) -> None:
    moment = datetime.fromtimestamp(second, clock.zone(name))

    assert same(local_time.at(second, name, Cache(None, "/")), moment)
    assert f"{local_time.at(second, name, Cache(None, '/')).moment:%Y-%m-%d %H:%M %Z}" == f"{moment:%Y-%m-%d %H:%M %Z}"


@pytest.mark.parametrize("name", ["Europe/Berlin", "America/St_Johns", "Australia/Lord_Howe", "Africa/Casablanca"])
def test_what_is_remembered_holds_around_every_change_of_the_clocks(tmp_path: Path, name: str) -> None:
    cache = Cache(str(tmp_path), "/robin")
    zone = clock.zone(name)
    hour = int(datetime(2026, 1, 1, tzinfo=UTC).timestamp())
    offsets = [datetime.fromtimestamp(hour + 3600 * number, zone).utcoffset() for number in range(24 * 365)]
    changes = [number for number in range(1, len(offsets)) if offsets[number] != offsets[number - 1]]
    assert changes
    dice = random.Random(name)

    for change in changes:
        for _ in range(60):
            second = hour + 3600 * change + dice.choice([-90_000, -3601, -3600, -1800, -1, 0, 1, 1800, 3600, 90_000])
            assert same(local_time.at(second, name, cache), datetime.fromtimestamp(second, zone))


def test_a_zone_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = Cache(str(tmp_path), "/robin")
    first = local_time.at(1_800_000_000, "Europe/Berlin", cache)
    monkeypatch.setattr(clock, "zone", lambda name: pytest.fail(f"{name} was read again"))

    again = local_time.at(1_800_000_060, "Europe/Berlin", cache)

    assert (again.day, again.zone) == (first.day, first.zone)


def test_a_zone_whose_file_changes_is_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache, file = Cache(str(tmp_path / "cache"), "/robin"), tmp_path / "Berlin"
    file.write_bytes(b"old rules")
    monkeypatch.setattr(clock, "zone_file", lambda name: str(file))
    local_time.at(1_800_000_000, "Europe/Berlin", cache)
    file.write_bytes(b"new rules")
    monkeypatch.setattr(clock, "zone", lambda name: UTC)

    assert local_time.at(1_800_000_000, "Europe/Berlin", cache).zone == "UTC"


@pytest.mark.parametrize("text", ["9999-12-31T12:00:00+00:00", "0001-01-02T12:00:00+00:00"])
def test_the_ends_of_the_calendar_are_shown_and_not_remembered(tmp_path: Path, text: str) -> None:
    second = int(datetime.fromisoformat(text).timestamp())

    assert local_time.at(second, "Europe/Berlin", Cache(str(tmp_path), "/robin")).day == text[:10]
    assert not list(tmp_path.iterdir())


def test_an_unknown_zone_is_an_error_and_not_remembered(tmp_path: Path) -> None:
    for _ in range(2):
        with pytest.raises(UsageError):
            local_time.at(1_800_000_000, "No/Where", Cache(str(tmp_path), "/robin"))
    assert not list(tmp_path.iterdir())


def test_the_file_of_a_zone_is_found() -> None:
    assert zoneinfo.ZoneInfo("Europe/Berlin").key == "Europe/Berlin"
    assert Path(clock.zone_file("Europe/Berlin")).read_bytes().startswith(b"TZif")
    assert clock.zone_file("No/Where") == ""
