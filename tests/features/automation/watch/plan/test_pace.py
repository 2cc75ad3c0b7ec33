"""When a watcher looks: a wait counts, never a second that goes by."""

from __future__ import annotations

from agentws.features.automation.watch import watch
from agentws.features.automation.watch.watch import Pace


def test_the_first_look_is_at_once() -> None:
    found = Pace(100.0)

    assert (found.wait_s(100.0), found.is_look_due(100.0), found.is_refresh_due(100.0)) == (0.0, True, False)


def test_where_nothing_happens_it_wakes_four_times_an_hour() -> None:
    found, now, looks = Pace(0.0), 0.0, 0
    found.looked(now)
    while (now := now + found.wait_s(now)) <= 3_600:
        looks += found.is_look_due(now)
        found.looked(now)

    assert looks == 3_600 / watch.ANYWAY_S == 4


def test_it_waits_until_nothing_has_changed_for_a_while() -> None:
    found = Pace(0.0, settle_s=30)
    found.looked(0.0)
    for now in (10.0, 20.0, 35.0):
        found.changed(now)
        assert not found.is_look_due(now)

    assert (found.look_at, found.is_pending) == (65.0, True)
    assert (found.is_look_due(64.9), found.is_look_due(65.0)) == (False, True)


def test_who_never_rests_is_looked_at_all_the_same() -> None:
    found, now = Pace(0.0, settle_s=30), 0.0
    found.looked(now)
    while not found.is_look_due(now):
        now += 5
        found.changed(now)

    assert now == 5 + watch.PATIENCE_S


def test_the_index_follows_the_first_change_and_not_the_last() -> None:
    found = Pace(0.0)
    found.changed(10.0)
    found.changed(10.9)

    assert (found.is_refresh_due(10.9), found.is_refresh_due(11.0), found.wait_s(10.9)) == (False, True, 11.0 - 10.9)
    found.refreshed()
    assert not found.is_refresh_due(99.0)


def test_what_fails_is_tried_again_later_and_later_each_time() -> None:
    found, now, waits = Pace(0.0), 0.0, []
    for _ in range(7):
        found.looked(now, failed=True)
        waits.append(found.wait_s(now))
        now += waits[-1]

    assert waits == [60.0, 120.0, 240.0, 480.0, 900.0, 900.0, 900.0]
    assert found.is_pending, "who stops now tries once more"
    found.looked(now)
    found.looked(now, failed=True)
    assert (found.wait_s(now), found.is_pending) == (60.0, True)
