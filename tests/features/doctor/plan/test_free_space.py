"""How much room a disk must have before anything is said of it."""

from __future__ import annotations

import pytest

from agentws.features.doctor.plan import location

MIB = 1 << 20


@pytest.mark.parametrize(
    ("left", "said", "full"),
    [
        (None, "", False), ((6 * MIB, 1000), "", False), ((4 * MIB, 1000), "4,096 KiB left", False),
        ((0, 1000), "is full", True), ((10_000, 1000), "is full", True), ((100 * MIB, 0), "no file can be", True),
        ((100 * MIB, 20), "20 more files", False), ((6 * MIB, 6 * MIB), "", False),
    ],
)  # fmt: skip
def test_too_little_room_is_told_from_enough(left: tuple[int, int] | None, said: str, full: bool) -> None:
    assert location.is_full(left) is full
    assert bool(location.free_space(left)) is bool(said)
    assert said in location.free_space(left)
