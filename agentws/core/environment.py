"""The environment of this process: all variables that agentws reads, its own and those of its hosts."""

from __future__ import annotations

import os
import sys

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
_OF_A_MOMENT = ("now", "as_of", "present", "seals", "again")
"""The fields that an environment at an earlier time does not share with the present one."""
_FIRST_MONTH, _LAST_MONTH = (1001, 1), (9999, 6)
"""Four digits in every zone, with room for the days and weeks around. No machine's own clock goes beyond: Python reads
it as nanoseconds in 64 bits.
"""


def in_calendar(moment: datetime) -> datetime:
    """Return `moment`, for a clock of the stores; UsageError if too near to the end of the calendar to name days."""
    if not _FIRST_MONTH <= (moment.year, moment.month) <= _LAST_MONTH:
        raise UsageError(
            f"{moment.isoformat()} is not between January 1001 and June 9999.",
            hint="Set the clock, or AGENTWS_NOW, to a moment between these.",
        )
    return moment


class Environment:
    """The process environment with which the stores of a workspace are opened: values beside the command line.

    `now` fixes the clock for replays and tests, `by_variable` says that AGENTWS_NOW does; `as_of` says that everything
    later than `now` is ignored, and `present` is then the real present (None: the system's). `cache` is the cache
    folder, None for no cache. `state` has two folders for the state of this machine, the declared and the default one,
    and optionally the machine's id and the socket of an ssh-agent; each may be None. `session` is the session that
    events belong to; `hosted` is the host's name for it, valid if core/journal/attribution.py finds it. `patience_s`
    limits the wait for locks, None for each verb's own limit. `audience` is who sees the output, if the environment
    narrows it: docs/guides/audience.md; `unnamed` says that the caller is an agent's program that may serve others and
    names no session; `by_agent` that an agent's host calls. `config` is the file of the user's own settings, None to
    ignore it. `seals` is False while the caller does several things, the last of which seals the journal. `again` says
    that a person writes forgotten text again, which lifts its entries. `by_command` says that the command line calls:
    errors then name its options, else the parameters of the function.
    """

    def __init__(
        self,
        *,
        now: datetime | None = None,
        by_variable: bool = False,
        timezone: str | None = None,
        container: str | None = None,
        as_of: bool = False,
        present: datetime | None = None,
        cache: str | None = None,
        state: tuple[str | None, ...] = (None, None),
        session: str | None = None,
        hosted: str | None = None,
        patience_s: float | None = None,
        audience: str | None = None,
        unnamed: bool = False,
        by_agent: bool = False,
        config: str | None = None,
    ) -> None:
        self.now = None if now is None else in_calendar(now)
        self.by_variable = by_variable
        self.timezone = timezone
        self.container = container
        self.as_of = as_of
        self.present = present
        self.cache = cache
        self.state = state
        self.session = session
        self.hosted = hosted
        self.patience_s = patience_s
        self.audience = audience
        self.unnamed = unnamed
        self.by_agent = by_agent
        self.config = config
        self.seals = True
        self.again = False
        self.by_command = False

    @property
    def is_agent(self) -> bool:
        """Return whether the caller is an agent or runs in the session of one, as far as the environment shows."""
        return bool(self.by_agent or self.session or self.hosted)

    def check_person(self, command: str, what: str = "say whom this machine trusts") -> None:
        """Raise NeedsYouError if the environment shows that an agent calls: only a person may run this command."""
        if self.is_agent:
            from agentws.errors import NeedsYouError

            raise NeedsYouError(
                f"Only a person may {what}. Nothing was changed.",
                hint=f"A person runs, in their own terminal: {command}",
            )

    def as_it_was(self, moment: datetime) -> Environment:
        """Return this environment at an earlier time, ignoring everything later."""
        environment = Environment(now=moment, as_of=True, present=self.present or self.now)
        vars(environment).update({name: value for name, value in vars(self).items() if name not in _OF_A_MOMENT})
        return environment


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
    config_folder = folder("XDG_CONFIG_HOME", ".config", ".config")
    return None if config_folder is None else f"{config_folder}/config.toml"


def _session_of_host(named: Sequence[str | None]) -> str | None:
    """Return the session of the host that calls; None if several are named, as one may have called the other.

    None also for OpenClaw, which names no session: its chats may not see the session it was started from.
    """
    if os.environ.get(HOST_SHELL):
        return None
    names = [name for name in named if name]
    return names[0] if len(names) == 1 and _is_name(names[0]) else None


def _is_name(word: str) -> bool:
    """Return whether a word can be a session id as hosts make them; other values of foreign variables are ignored."""
    return len(word) <= _MOST_NAME and word.isascii() and word.replace("-", "").isalnum()


def _is_between_two(context: str) -> bool:
    """Return whether this is a private chat of one person, without a group."""
    from agentws.core.formats.json import plainjson

    try:
        decoded = plainjson.loads(context)
        return isinstance(decoded["sender"]["id"], str) and decoded["sender"]["id"] == decoded["chat"]["id"] != ""
    except (ValueError, KeyError, TypeError):
        return False


def folder(variable: str, usual: str, on_macos: str) -> str | None:
    """Return the agentws folder in the environment `variable` or the default; None if that is not an absolute path."""
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
        moment = datetime.fromisoformat(text)
    except ValueError as error:
        raise UsageError(
            f"{NOW}={text!r} is not a time.", hint="Write a time such as 2026-11-20T07:15:00+01:00."
        ) from error
    return in_calendar(moment).astimezone()


WORKSPACE = "AGENTWS_WORKSPACE"
NO_HOOKS = "AGENTWS_NO_HOOKS"
MCP_TOKEN = "AGENTWS_MCP_TOKEN"  # noqa: S105 - the name of a variable

VARIABLES = (
    (WORKSPACE, "The workspace, unless `-C` is given. Default: search upwards from here."),
    (
        "AGENTWS_NOW",
        "A fixed current time (ISO 8601, January 1001 to June 9999), for replays and tests.",
    ),
    (
        "AGENTWS_SESSION",
        "Session of the events, as printed by `agentws session start`. Default: that of the agent program if it began "
        "here, else that of the calling process, else the newest one that may be running without a known process.",
    ),
    (
        "AGENTWS_AUDIENCE",
        "`shared`: others read the output. Any word but `main` means `shared`. A shared session stays shared.",
    ),
    (
        "AGENTWS_STATE_DIR",
        "Folder for this machine's writer and key. Default: the existing one of `XDG_STATE_HOME`; `.agentws/state/` "
        "if it exists; else a new one in `XDG_STATE_HOME`.",
    ),
    (
        NO_HOOKS,
        "If set, `hook` does nothing. `compact` sets it for a summarizer.",
    ),
    (MCP_TOKEN, "The token that clients of `mcp --http` must send. Default: a new one, which it prints."),
    (
        "SSH_AUTH_SOCK",
        "The ssh-agent that signs if it alone holds this machine's private key.",
    ),
    (
        "GIT_SSH_COMMAND",
        "The ssh command of `migrate --via git` and `--from`, as in git. Default: `GIT_SSH`.",
    ),
    ("GIT_SSH", "As `GIT_SSH_COMMAND`, but only the program. Default: `ssh`."),
    ("VISUAL", "The editor for `handoff` without options, on a terminal. Default: `EDITOR`."),
    ("EDITOR", "As `VISUAL`, if that is unset."),
    ("NO_COLOR", "Set: no color."),
    ("TERM", "`dumb`: no color."),
    ("COMP_WORDS", "The line to complete, set by the completion of bash."),
    ("_TYPER_COMPLETE_ARGS", "As `COMP_WORDS`, set by the completions of zsh and fish."),
    ("COLUMNS", "Width of help. Default: the terminal's, or 80 without one."),
    ("TZ", "The time zone that `init` records in the manifest."),
    ("container", "Set in some containers: `init` then keeps this machine's state in the workspace."),
    (
        "XDG_CACHE_HOME",
        "Folder for the cache and the launcher of hooks. Default: `~/.cache` (macOS: `~/Library/Caches`).",
    ),
    (
        "XDG_STATE_HOME",
        "Parent of `agentws/`, the folder for this machine's writer and key. Default: `~/.local/state` (macOS: "
        "`~/Library/Application Support`).",
    ),
    (
        "HOME",
        "Parent of cache, state, and the settings of agent programs. If it is unset or read-only, state goes to "
        "`.agentws/state/`, and nothing is cached if it is unset.",
    ),
    (
        "XDG_CONFIG_HOME",
        "Folder of the user's OpenCode settings and of `schedule` timers. Default: `~/.config`.",
    ),
    ("PATH", "Folders of `git`, `ssh` and other programs. Relative entries are skipped."),
)
"""Each variable and what it does, without those of single hosts: the reference page is made from this."""


def variables() -> dict[str, str]:
    """Return the environment variables that are set; host folders know which ones their programs need."""
    return {name: value for name, value in os.environ.items() if value}


def skip_relative_paths() -> None:
    """Take entries that are not absolute out of this process's PATH: the present folder may be a stranger's."""
    path = os.environ.get("PATH", "")
    entries = path.split(os.pathsep)
    absolute = [entry for entry in entries if entry.startswith("/")]
    if len(absolute) < len(entries):
        os.environ["PATH"] = os.pathsep.join(absolute) or os.defpath


def workspace() -> str | None:
    """Return the workspace that the environment names."""
    return os.environ.get(WORKSPACE) or None


def editor() -> str | None:
    """Return the editor command in the environment, which the person at the terminal has chosen."""
    return os.environ.get("VISUAL") or os.environ.get("EDITOR") or None


def no_hooks() -> bool:
    """Return whether the environment disables the hooks of agent programs."""
    return bool(os.environ.get(NO_HOOKS))


def mcp_token() -> str | None:
    """Return the token that the environment sets for clients of `mcp --http`."""
    return os.environ.get(MCP_TOKEN) or None


def begins(variable: str, beginning: str) -> bool:
    """Return whether the environment variable is set and its value begins so."""
    value = os.environ.get(variable)
    return value is not None and value.startswith(beginning)


def completes() -> bool:
    """Return whether a shell requests completions through the environment, which only Typer can answer."""
    return "_AGENTWS_COMPLETE" in os.environ


def has_width() -> bool:
    """Return whether output should fit the width of a terminal, as the environment has it."""
    return "COLUMNS" in os.environ or (sys.stdout is not None and sys.stdout.isatty())


def has_colour() -> bool:
    """Return whether the environment allows coloured output at a terminal."""
    return not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def completed() -> list[str]:
    """Return the words after the program's name that the environment's shell wants completed, the last incomplete."""
    line = os.environ.get("COMP_WORDS") or os.environ.get("_TYPER_COMPLETE_ARGS") or ""
    return line.split()[1:]
