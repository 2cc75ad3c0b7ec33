"""The environment variables that agentws reads, all in one place."""

from __future__ import annotations

import os
import sys

from agentws.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime

    from agentws.workspace import Environment

WORKSPACE = "AGENTWS_WORKSPACE"
NOW = "AGENTWS_NOW"
SESSION = "AGENTWS_SESSION"
STATE = "AGENTWS_STATE_DIR"

VARIABLES = (
    (WORKSPACE, "The workspace to use where `-C` is not given, instead of searching upwards from here."),
    (NOW, "A fixed present moment (ISO 8601), for demonstrations, replays and tests."),
    (SESSION, "The session that events belong to, as `agentws session start` prints it; else the newest that runs."),
    (STATE, "Where this machine keeps its writer and its key; else `.agentws/state/` if it is there, else as below."),
    ("VISUAL", "The editor that `handoff` opens on a terminal where nothing is given; else `EDITOR`."),
    ("EDITOR", "As `VISUAL`, where that is not set."),
    ("NO_COLOR", "Set to anything: no color."),
    ("TZ", "The time zone that `init` records in the manifest."),
    ("container", "Set inside some containers: `init` then keeps this machine's state beside the workspace."),
    (
        "XDG_CACHE_HOME",
        "Where `boot` remembers its last answers, and every verb the manifest as it was read; else `~/.cache` "
        "(macOS: `~/Library/Caches`).",
    ),
    (
        "XDG_STATE_HOME",
        "Where this machine keeps its writer and its key, in `agentws/`; else `~/.local/state` (macOS: "
        "`~/Library/Application Support`).",
    ),
    (
        "HOME",
        "Where the cache and the state are, as above. Without, nothing is remembered, and state goes to "
        "`.agentws/state/`.",
    ),
)
"""Each variable and what it does: the reference page is made from this."""


def workspace() -> str | None:
    """The workspace that the environment names."""
    return os.environ.get(WORKSPACE) or None  # noqa: TID251


def editor() -> str | None:
    """The command of the editor that the person at the terminal has chosen."""
    return os.environ.get("VISUAL") or os.environ.get("EDITOR") or None  # noqa: TID251


def completes() -> bool:
    """True where a shell asks for completions: only Typer knows how to answer."""
    return "_AGENTWS_COMPLETE" in os.environ  # noqa: TID251


def read() -> Environment:
    """What the surroundings say, for the workspace to be opened with."""
    from agentws.workspace import Environment

    now = os.environ.get(NOW)  # noqa: TID251
    return Environment(
        now=_moment(now) if now else None,
        timezone=os.environ.get("TZ"),  # noqa: TID251
        container=os.environ.get("container"),  # noqa: TID251, SIM112 - container managers write it so
        cache=_folder("XDG_CACHE_HOME", ".cache", "Library/Caches"),
        state=_state(),
        session=os.environ.get(SESSION) or None,  # noqa: TID251
    )


def _state() -> tuple[str | None, str | None]:
    declared = os.environ.get(STATE) or None  # noqa: TID251
    if declared and not os.path.isabs(declared):
        raise UsageError(f"{STATE}={declared!r} is no absolute path.", hint="Write it from the root: /var/lib/agentws.")
    return declared, _folder("XDG_STATE_HOME", ".local/state", "Library/Application Support")


def _folder(variable: str, usual: str, on_macos: str) -> str | None:
    """Our folder in the one that `variable` names, None where the surroundings name none that is absolute."""
    named = os.environ.get(variable) or ""  # noqa: TID251
    if os.path.isabs(named):
        return f"{named}/agentws"
    home = os.environ.get("HOME") or ""  # noqa: TID251
    return f"{home}/{on_macos if sys.platform == 'darwin' else usual}/agentws" if os.path.isabs(home) else None


def _moment(text: str) -> datetime:
    from datetime import datetime

    try:
        return datetime.fromisoformat(text).astimezone()
    except ValueError as error:
        raise UsageError(f"{NOW}={text!r} is no time.", hint="Write it as 2026-11-20T07:15:00+01:00.") from error
