"""A folder that Pi does not trust is found as Pi finds it: by the nearest decision above it, else by its usual one."""

from __future__ import annotations

import json
from typing import Any

from agentws.core.hosts.plan import PROJECT, USER
from agentws.features import hosts
from agentws.features.hosts.obstacles import HostFiles
from tests import table

FOLDERS = {PROJECT: "/home/leo/robin", USER: "/home/leo/.pi/agent"}
ALWAYS = {"defaultProjectTrust": "always"}
Row = tuple[str, Any, Any, bool]
ROWS: list[Row] = [
    (PROJECT, None, None, True),
    (USER, None, None, False),
    (PROJECT, {"/home/leo/robin": True}, None, False),
    (PROJECT, {"/home/leo": True}, None, False),
    (PROJECT, {"/": True}, None, False),
    (PROJECT, {"/home/leo": True, "/home/leo/robin": False}, None, True),
    (PROJECT, {"/home/leo": False, "/home/leo/robin": None}, ALWAYS, True),
    (PROJECT, {"/home/le": True}, {"defaultProjectTrust": "ask"}, True),
    (PROJECT, None, ALWAYS, False),
    (PROJECT, [], ALWAYS, False),
    (PROJECT, "{", None, True),
]


def test_a_folder_that_is_not_trusted_is_an_obstacle() -> None:
    def check(row: Row) -> None:
        level, decisions, settings, is_found = row
        texts = {"trust.json": decisions, "settings.json": settings}
        said = {name: json.dumps(text) for name, text in texts.items() if text is not None}

        found = hosts.settings("pi").obstacles(
            HostFiles(level, FOLDERS, lambda at, place: said.get(place, "") if at == USER else "")
        )

        assert [one.untrusted for one in found] == [True] * is_found

    table.holds(check, ROWS)
