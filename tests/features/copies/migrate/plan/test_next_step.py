"""Which step may follow, and why an agent may not go somewhere."""

from __future__ import annotations

import json
from typing import Any

import pytest

from agentws.errors import AgentwsError, DiskError, UsageError
from agentws.features.copies.migrate.plan import next_step
from agentws.features.copies.migrate.plan.next_step import There

STONE = json.dumps({"head": {"aa": {"seq": 3, "hash": "ff"}}})


def there(**told: Any) -> There:
    usual = {
        "path": "/srv/robin",
        "python": [3, 11, 2],
        "above": "ready",
        "stands": "nothing",
        "inside": "",
        "agent": "",
    }
    return There({**usual, "arrived": "", "waiting": False, **told})


@pytest.mark.parametrize(
    ("told", "known", "buried", "step"),
    [
        ({}, False, False, next_step.BEGIN),
        ({"waiting": True}, True, False, next_step.COPY),
        ({}, True, False, next_step.COPY),
        ({"waiting": True}, True, True, next_step.PLACE),
        ({"arrived": "m"}, True, True, next_step.DONE),
        ({"arrived": "another"}, True, True, next_step.LOST),
        ({}, True, True, next_step.LOST),
        ({"arrived": "m"}, True, False, next_step.LOST),
        ({"ready": True}, True, True, next_step.READY),
        ({"ready": True}, True, False, next_step.LOST),
    ],
)
def test_the_next_step_is_told_by_both_ends(told: dict[str, Any], known: bool, buried: bool, step: str) -> None:
    assert next_step.next_step(there(**told), "m", known=known, buried=buried) == step


@pytest.mark.parametrize(
    ("told", "kind"),
    [
        ({"stands": "workspace", "agent": "ada", "moved": "{"}, UsageError),
        ({"stands": "workspace", "agent": "ada", "moved": STONE, "retired": True}, UsageError),
        ({"above": "read-only"}, DiskError),
        ({"python": [3, 6, 9]}, AgentwsError),
    ],
)
def test_where_it_may_not_go(told: dict[str, Any], kind: type[AgentwsError]) -> None:
    assert isinstance(next_step.refusal(there(**told), "ada"), kind)


def test_room_is_counted_in_bytes_and_in_files_where_the_disk_tells() -> None:
    roomy, full, crowded = (
        there(free_bytes=100, free_files=100),
        there(free_bytes=10),
        there(free_bytes=100, free_files=1),
    )

    assert next_step.lacks_room(roomy, bytes=50, files=50) is None
    assert next_step.lacks_room(there(), bytes=50, files=50) is None
    assert isinstance(next_step.lacks_room(full, bytes=50, files=50), DiskError)
    assert isinstance(next_step.lacks_room(crowded, bytes=50, files=50), DiskError)
