"""The environment of this process: the variables that agentws and its hosts set, such as AGENTWS_NOW."""

from __future__ import annotations

import os
import sys

from agentws.core.stores.stores import Environment, in_calendar
from agentws.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

NOW, SESSION, STATE, AGENT = "AGENTWS_NOW", "AGENTWS_SESSION", "AGENTWS_STATE_DIR", "SSH_AUTH_SOCK"
AUDIENCE = "AGENTWS_AUDIENCE"
HOST_SHELL, HOST_CHAT = "OPENCLAW_SHELL", "OPENCLAW_CHANNEL_CONTEXT"
"""Variables that OpenClaw (2026.9) sets for a command: the kind of caller; the chat and its writer, if known."""
_BY_A_PERSON = ("", "tui-local")
"""The values for a person who calls directly."""
_MOST_NAME = 64


def read(sessions: Iterable[Sequence[str]] = (), marks: Iterable[str] = ()) -> Environment:
    """Return the Environment of a workspace for this process. UsageError if a variable is invalid."""
    named = [next(filter(None, map(os.environ.get, names)), None) for names in sessions]
    now = os.environ.get(NOW)
    return Environment(
        now=_moment(now) if now else None,
        by_variable=bool(now),
        timezone=os.environ.get("TZ"),
        container=os.environ.get("container"),  # noqa: SIM112 - container managers write it so
        cache=folder("XDG_CACHE_HOME", ".cache", "Library/Caches"),
        state=_state(),
        session=os.environ.get(SESSION) or None,
        hosted=_session_of_host(named),
        audience=os.environ.get(AUDIENCE) or None,
        unnamed=os.environ.get(HOST_SHELL, "") not in _BY_A_PERSON
        and not _is_between_two(os.environ.get(HOST_CHAT) or ""),
        by_agent=any(named) or any(map(os.environ.get, (HOST_SHELL, *marks))),
        config=user_settings(),
    )


def user_settings() -> str | None:
    """Return the path of config.toml in this process's environment, which may not exist; None without a home."""
    found = folder("XDG_CONFIG_HOME", ".config", ".config")
    return None if found is None else f"{found}/config.toml"


def _session_of_host(named: Sequence[str | None]) -> str | None:
    """Return the session of the host that calls; None if several are named, as one may have called the other.

    None also for OpenClaw, which names no session: its chats may not see the session it was started from.
    """
    if os.environ.get(HOST_SHELL):
        return None
    found = [name for name in named if name]
    return found[0] if len(found) == 1 and _is_name(found[0]) else None


def _is_name(word: str) -> bool:
    """Return whether a word can be a session id as hosts make them; other values of foreign variables are ignored."""
    return len(word) <= _MOST_NAME and word.isascii() and word.replace("-", "").isalnum()


def _is_between_two(context: str) -> bool:
    """Return whether this is a private chat of one person, without a group."""
    from agentws.core.formats.json import plainjson

    try:
        told = plainjson.loads(context)
        return isinstance(told["sender"]["id"], str) and told["sender"]["id"] == told["chat"]["id"] != ""
    except (ValueError, KeyError, TypeError, RecursionError):
        return False


def folder(variable: str, usual: str, on_macos: str) -> str | None:
    """Return the agentws folder within the environment `variable` or the default; None if that is no absolute path."""
    named = os.environ.get(variable) or ""
    if os.path.isabs(named):
        return f"{named}/agentws"
    home = os.environ.get("HOME") or ""
    return f"{home}/{on_macos if sys.platform == 'darwin' else usual}/agentws" if os.path.isabs(home) else None


def _state() -> tuple[str | None, ...]:
    """Return the folders for this machine's state, None for the machine id (read later), and the ssh-agent's socket."""
    declared = os.environ.get(STATE) or None
    if declared and not os.path.isabs(declared):
        raise UsageError(
            f"{STATE}={declared!r} is not an absolute path.", hint="Write an absolute path: /var/lib/agentws."
        )
    usual = folder("XDG_STATE_HOME", ".local/state", "Library/Application Support")
    return declared, usual, None, os.environ.get(AGENT) or None


def _moment(text: str) -> datetime:
    from datetime import datetime

    try:
        found = datetime.fromisoformat(text)
    except ValueError as error:
        raise UsageError(
            f"{NOW}={text!r} is not a time.", hint="Write a time such as 2026-11-20T07:15:00+01:00."
        ) from error
    return in_calendar(found).astimezone()
