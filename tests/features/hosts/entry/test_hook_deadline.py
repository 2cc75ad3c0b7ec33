"""What nobody waits for any more is broken off."""

from __future__ import annotations

import signal
import time

import pytest

from agentws.features.hosts.entry.deadline import OutOfTime, Within

LONG_S = 60.0


def sleep() -> None:
    time.sleep(LONG_S)


def test_what_takes_too_long_is_left() -> None:
    with pytest.raises(OutOfTime), Within(0.01):
        sleep()


def test_what_catches_every_error_does_not_catch_the_end_of_time() -> None:
    def stubborn() -> None:
        try:
            sleep()
        except Exception:
            pytest.fail("it was taken for an error")

    with pytest.raises(OutOfTime), Within(0.01):
        stubborn()


def test_what_is_done_in_time_is_not_disturbed_later() -> None:
    before = signal.getsignal(signal.SIGALRM)

    with Within(LONG_S):
        pass

    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)
    assert signal.getsignal(signal.SIGALRM) == before


def test_within_another_one_it_ends_no_later() -> None:
    with pytest.raises(OutOfTime), Within(0.01), Within(LONG_S):
        sleep()


def test_the_time_of_the_outer_one_goes_on_behind_the_inner_one() -> None:
    def one_after_another() -> None:
        with pytest.raises(OutOfTime), Within(0.01):
            sleep()
        with Within(LONG_S):
            pass
        sleep()

    with pytest.raises(OutOfTime), Within(0.1):
        one_after_another()
