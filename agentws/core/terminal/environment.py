"""The environment variables that agentws reads, all in one module."""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.workspace import Environment

WORKSPACE = "AGENTWS_WORKSPACE"
NO_HOOKS = "AGENTWS_NO_HOOKS"

VARIABLES = (
    (WORKSPACE, "The workspace, unless `-C` is given. Default: search upwards from here."),
    (
        "AGENTWS_NOW",
        "A fixed current time (ISO 8601, January 1001 to June 9999), for replays and tests.",
    ),
    (
        "AGENTWS_SESSION",
        "Session of the events, as printed by `agentws session start`. Default: the first that exists of 1. the "
        "session that an agent program names, if it began here, has not ended, and no other session's process is "
        "nearer; 2. the session of the calling process; 3. the newest session that may be running and has no known "
        "process.",
    ),
    (
        "AGENTWS_AUDIENCE",
        "`shared`: others read the output, so nothing private is printed. Other words than `main` mean `shared`. A "
        "shared session stays shared.",
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
        "Folder for cached boots and manifests, and for the launcher of hooks. Default: `~/.cache` (macOS: "
        "`~/Library/Caches`).",
    ),
    (
        "XDG_STATE_HOME",
        "Parent of `agentws/`, the folder for this machine's writer and key. Default: `~/.local/state` (macOS: "
        "`~/Library/Application Support`).",
    ),
    (
        "HOME",
        "Parent of cache, state, and the settings of agent programs. If it is unset or read-only, state goes to "
        "`.agentws/state/`; if it is unset, nothing is cached.",
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
    return {name: value for name, value in os.environ.items() if value}  # noqa: TID251


def skip_relative_paths() -> None:
    """Take entries that are not absolute out of this process's PATH: the present folder may be a stranger's."""
    path = os.environ.get("PATH", "")  # noqa: TID251
    entries = path.split(os.pathsep)
    absolute = [entry for entry in entries if entry.startswith("/")]
    if len(absolute) < len(entries):
        os.environ["PATH"] = os.pathsep.join(absolute) or os.defpath  # noqa: TID251


def workspace() -> str | None:
    """Return the workspace that the environment names."""
    return os.environ.get(WORKSPACE) or None  # noqa: TID251


def editor() -> str | None:
    """Return the editor command in the environment, which the person at the terminal has chosen."""
    return os.environ.get("VISUAL") or os.environ.get("EDITOR") or None  # noqa: TID251


def no_hooks() -> bool:
    """Return whether the environment disables the hooks of agent programs."""
    return bool(os.environ.get(NO_HOOKS))  # noqa: TID251


def begins(variable: str, beginning: str) -> bool:
    """Return whether the environment variable is set and its value begins so."""
    value = os.environ.get(variable)  # noqa: TID251
    return value is not None and value.startswith(beginning)


def user_settings() -> str | None:
    """Return where the command line's environment has the user's settings, which may not exist; or None."""
    from agentws.workspace import surroundings

    return surroundings.user_settings()


def completes() -> bool:
    """Return whether a shell requests completions through the environment, which only Typer can answer."""
    return "_AGENTWS_COMPLETE" in os.environ  # noqa: TID251


def has_width() -> bool:
    """Return whether output should fit the width of a terminal, as the environment has it."""
    return "COLUMNS" in os.environ or (sys.stdout is not None and sys.stdout.isatty())  # noqa: TID251


def has_colour() -> bool:
    """Return whether the environment allows coloured output at a terminal."""
    return not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"  # noqa: TID251


def completed() -> list[str]:
    """Return the words after the program's name that the environment's shell wants completed, the last incomplete."""
    line = os.environ.get("COMP_WORDS") or os.environ.get("_TYPER_COMPLETE_ARGS") or ""  # noqa: TID251
    return line.split()[1:]


def read() -> Environment:
    """Return the environment of the command line's process, with which a workspace is opened."""
    from agentws import workspace

    return workspace.read_environment()
