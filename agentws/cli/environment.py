"""The environment variables that agentws reads, all in one place."""

from __future__ import annotations

import os
from datetime import datetime

from agentws.errors import UsageError
from agentws.workspace import Environment

WORKSPACE = "AGENTWS_WORKSPACE"
NOW = "AGENTWS_NOW"

VARIABLES = (
    (WORKSPACE, "The workspace to use where `-C` is not given, instead of searching upwards from here."),
    (NOW, "A fixed present moment (ISO 8601), for demonstrations, replays and tests."),
    ("NO_COLOR", "Set to anything: no color."),
    ("TZ", "The time zone that `init` records in the manifest."),
    ("container", "Set inside some containers: `init` then keeps this machine's state beside the workspace."),
)
"""Each variable and what it does: the reference page is made from this."""


def workspace() -> str | None:
    """The workspace that the environment names."""
    return os.environ.get(WORKSPACE) or None  # noqa: TID251


def read() -> Environment:
    """What the surroundings say, for the workspace to be opened with."""
    now = os.environ.get(NOW)  # noqa: TID251
    return Environment(
        now=_moment(now) if now else None,
        timezone=os.environ.get("TZ"),  # noqa: TID251
        container=os.environ.get("container"),  # noqa: TID251, SIM112 - container managers write it so
    )


def _moment(text: str) -> datetime:
    try:
        return datetime.fromisoformat(text).astimezone()
    except ValueError as error:
        raise UsageError(f"{NOW}={text!r} is no time.", hint="Write it as 2026-11-20T07:15:00+01:00.") from error
