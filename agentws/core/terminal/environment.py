"""The environment variables that agentws reads, all in one place."""

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
        "A fixed present moment (ISO 8601, January 1001 to June 9999), for demonstrations, replays and tests.",
    ),
    (
        "AGENTWS_SESSION",
        "Session of the events, as `agentws session start` prints. Default: the first of these that exists. 1. The "
        "session that one of the next five names, if it began here and has not ended, unless the process of another "
        "session is nearer. 2. The session of the calling process. 3. The newest session that may be running and has "
        "no known process.",
    ),
    (
        "CLAUDE_CODE_SESSION_ID",
        "The session, set by Claude Code for its agent's commands. Ignored if Codex names one too, if OpenClaw calls, "
        "and by `session start` and `session end`.",
    ),
    (
        "CLAUDE_CODE_ENTRYPOINT",
        "Set by Claude Code for its hooks. If it begins with `sdk` (`claude -p`, Agent SDK), no hook asks the agent "
        "for a handoff.",
    ),
    (
        "CODEX_SESSION_ID",
        "The session, set by Codex for its agent's commands. Ignored if Claude Code names one too, and by `session "
        "start` and `session end`.",
    ),
    ("CODEX_THREAD_ID", "As `CODEX_SESSION_ID`, if that is unset."),
    (
        "QWEN_CODE_SESSION_ID",
        "The session, set by Qwen Code for its agent's commands. Ignored if another of these names one too, and by "
        "`session start` and `session end`.",
    ),
    ("COPILOT_AGENT_SESSION_ID", "As `QWEN_CODE_SESSION_ID`, set by GitHub Copilot CLI."),
    (
        "AGENTWS_AUDIENCE",
        "`shared`: others read the output, so nothing private is printed. Any word but `main` counts as `shared`. "
        "`main` does not widen a shared session.",
    ),
    (
        "OPENCLAW_SHELL",
        "Set by OpenClaw for its agent's commands. Without `AGENTWS_SESSION`, others read the output while a shared "
        "session has not ended.",
    ),
    (
        "CLAUDECODE",
        "Set by Claude Code for its agent's commands. Outside a workspace the agent is then not invited to create one. "
        "`CODEX_SANDBOX`, `GEMINI_CLI`, `OPENCODE` and `QWEN_CODE` of other programs do the same.",
    ),
    (
        "OPENCLAW_CHANNEL_CONTEXT",
        "Sender and chat, set by OpenClaw. In a chat of two, nobody else reads the output: `OPENCLAW_SHELL` then does "
        "not narrow the audience.",
    ),
    (
        "AGENTWS_STATE_DIR",
        "Folder for this machine's writer and key. Default: the existing one, as below; else "
        "`.agentws/state/` if it exists; else as below. `schedule install` passes it on.",
    ),
    (
        NO_HOOKS,
        "If set, `hook` does nothing. `compact` sets it for a summarizer, which may be an agent program.",
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
    ("NO_COLOR", "If set, no color."),
    ("TERM", "If `dumb`, no color."),
    ("COMP_WORDS", "The line to complete, set by the completion of bash."),
    ("_TYPER_COMPLETE_ARGS", "As `COMP_WORDS`, set by the completions of zsh and fish."),
    ("COLUMNS", "Width of help. Default: the terminal's, or 80 without one."),
    ("TZ", "The time zone that `init` records in the manifest."),
    ("container", "Set inside some containers: `init` then keeps this machine's state beside the workspace."),
    (
        "XDG_CACHE_HOME",
        "Folder for cached boots and manifests, and for the launcher of hooks. Default: `~/.cache` (macOS: "
        "`~/Library/Caches`).",
    ),
    (
        "XDG_STATE_HOME",
        "Parent of `agentws/`, the folder for this machine's writer and key. Default: `~/.local/state` (macOS: "
        "`~/Library/Application Support`). `schedule install` passes it on.",
    ),
    (
        "HOME",
        "Parent of cache and state, as above, and of the settings of agent programs, as below. If it is unset or "
        "read-only, state goes to `.agentws/state/`; if it is unset, nothing is cached.",
    ),
    ("CLAUDE_CONFIG_DIR", "Folder of the user's Claude Code settings. Default: `~/.claude`."),
    ("CODEX_HOME", "Folder of the user's Codex settings. Default: `~/.codex`."),
    ("GEMINI_CLI_HOME", "Parent of `.gemini`, the Gemini CLI settings. Default: `~`."),
    ("QWEN_HOME", "Folder of the user's Qwen Code settings. Default: `~/.qwen`."),
    ("COPILOT_HOME", "Folder of the user's GitHub Copilot CLI settings. Default: `~/.copilot`."),
    (
        "XDG_CONFIG_HOME",
        "Folder of the user's OpenCode settings and of `schedule` timers. Default: `~/.config`.",
    ),
    ("OPENCLAW_STATE_DIR", "Folder of the user's OpenClaw settings. Default: `.openclaw` in the next one."),
    ("OPENCLAW_HOME", "The home folder of OpenClaw. Default: `~`."),
)
"""Each variable and what it does: the reference page is made from this."""


def variables() -> dict[str, str]:
    """Return those of `VARIABLES` that are set, for what is said of other programs: where their settings are."""
    return {name: os.environ[name] for name, _ in VARIABLES if os.environ.get(name)}  # noqa: TID251


def workspace() -> str | None:
    """The workspace that the environment names."""
    return os.environ.get(WORKSPACE) or None  # noqa: TID251


def editor() -> str | None:
    """The command of the editor that the person at the terminal has chosen."""
    return os.environ.get("VISUAL") or os.environ.get("EDITOR") or None  # noqa: TID251


def no_hooks() -> bool:
    """Return whether the hooks of agent programs are to do nothing."""
    return bool(os.environ.get(NO_HOOKS))  # noqa: TID251


def is_scripted(host: str) -> bool:
    """Return whether a program, not a person, reads what this host's agent answers, as far as the host tells it so.

    Claude Code (2.1.329) sets `cli` for a person at a terminal, `sdk-cli` for `claude -p`, `sdk-py` for its SDK.
    """
    return host == "claude-code" and os.environ.get("CLAUDE_CODE_ENTRYPOINT", "").startswith("sdk")  # noqa: TID251


def user_settings() -> str | None:
    """The file with the user's own settings, whether it is there or not; None without a home."""
    from agentws.workspace import surroundings

    return surroundings.user_settings()


def completes() -> bool:
    """Return whether a shell asks for completions: only Typer knows how to answer."""
    return "_AGENTWS_COMPLETE" in os.environ  # noqa: TID251


def has_width() -> bool:
    """Return whether what is printed is to be as wide as somebody's terminal."""
    return "COLUMNS" in os.environ or (sys.stdout is not None and sys.stdout.isatty())  # noqa: TID251


def has_colour() -> bool:
    """Return whether what is printed at a terminal may be coloured."""
    return not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"  # noqa: TID251


def completed() -> list[str]:
    """The words behind the name of the program that a shell asks completions for, the last one only begun."""
    line = os.environ.get("COMP_WORDS") or os.environ.get("_TYPER_COMPLETE_ARGS") or ""  # noqa: TID251
    return line.split()[1:]


def read() -> Environment:
    """Return the surroundings, for the workspace to be opened with."""
    from agentws.workspace import surroundings

    return surroundings.read()
