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
    (WORKSPACE, "The workspace to use where `-C` is not given, instead of searching upwards from here."),
    (
        "AGENTWS_NOW",
        "A fixed present moment (ISO 8601, January 1001 to June 9999), for demonstrations, replays and tests.",
    ),
    (
        "AGENTWS_SESSION",
        "The session that events belong to, as `agentws session start` prints it; else the one that its program names "
        "in the next five, where it has begun here and not ended, and no process of another is nearer; else the one "
        "whose process has called, else the newest that may run and of which no process is known.",
    ),
    (
        "CLAUDE_CODE_SESSION_ID",
        "The session, as Claude Code sets it for what its agent calls. It says nothing where Codex names one too, or "
        "OpenClaw calls, and nothing to `session start` and `session end`.",
    ),
    (
        "CODEX_SESSION_ID",
        "The session, as Codex sets it for what its agent calls. It says nothing where Claude Code names one too, and "
        "nothing to `session start` and `session end`.",
    ),
    ("CODEX_THREAD_ID", "As `CODEX_SESSION_ID`, where that is not set."),
    (
        "QWEN_CODE_SESSION_ID",
        "The session, as Qwen Code sets it for what its agent calls. It says nothing where another of these names one "
        "too, and nothing to `session start` and `session end`.",
    ),
    ("COPILOT_AGENT_SESSION_ID", "As `QWEN_CODE_SESSION_ID`, of GitHub Copilot CLI."),
    (
        "AGENTWS_AUDIENCE",
        "`shared`: others hear what is printed, so nothing private is. It only narrows what the session was recorded "
        "for, as does a word that is neither `main` nor `shared`.",
    ),
    (
        "OPENCLAW_SHELL",
        "OpenClaw sets it for what its agent calls. Without `AGENTWS_SESSION`, others then hear what is printed while "
        "a shared session has not ended.",
    ),
    (
        "CLAUDECODE",
        "Claude Code sets it for what its agent runs. Outside of a workspace no agent is invited to make one then; so "
        "it is with `CODEX_SANDBOX`, `GEMINI_CLI`, `OPENCODE` and `QWEN_CODE`, which the other programs set.",
    ),
    (
        "OPENCLAW_CHANNEL_CONTEXT",
        "Who wrote in which chat, as OpenClaw says it: in a chat between two nobody else listens.",
    ),
    (
        "AGENTWS_STATE_DIR",
        "Where this machine keeps its writer and its key; else where it has kept them already, as below; else "
        "`.agentws/state/` if it is there, else as below. "
        "`schedule install` carries it into what it writes.",
    ),
    (
        NO_HOOKS,
        "Set to anything: `hook` does nothing. `compact` sets it for a summarizer, which may be an agent program too.",
    ),
    (
        "SSH_AUTH_SOCK",
        "The ssh-agent that signs where it holds the private half of this machine's key, and no file does.",
    ),
    (
        "GIT_SSH_COMMAND",
        "The ssh by which `migrate --via git` and `--from` reach a repository, as git takes it; else `GIT_SSH`.",
    ),
    ("GIT_SSH", "As `GIT_SSH_COMMAND`, where that is not set: the program alone; else `ssh`."),
    ("VISUAL", "The editor that `handoff` opens on a terminal where nothing is given; else `EDITOR`."),
    ("EDITOR", "As `VISUAL`, where that is not set."),
    ("NO_COLOR", "Set to anything: no color."),
    ("COMP_WORDS", "The line that is to be completed, as the completion of bash sets it."),
    ("_TYPER_COMPLETE_ARGS", "As `COMP_WORDS`, as the completions of zsh and fish set it."),
    ("COLUMNS", "How wide help is made; else as wide as the terminal, 80 without one."),
    ("TZ", "The time zone that `init` records in the manifest."),
    ("container", "Set inside some containers: `init` then keeps this machine's state beside the workspace."),
    (
        "XDG_CACHE_HOME",
        "Where `boot` remembers its last answers, every verb the manifest as it was read, and `install` puts the "
        "launcher of hooks; else `~/.cache` (macOS: `~/Library/Caches`).",
    ),
    (
        "XDG_STATE_HOME",
        "Where this machine keeps its writer and its key, in `agentws/`; else `~/.local/state` (macOS: "
        "`~/Library/Application Support`). `schedule install` carries it too.",
    ),
    (
        "HOME",
        "Where the cache and the state are, as above. Without, nothing is remembered, and state goes to "
        "`.agentws/state/`, as it does where nothing may be written there. The settings of agent programs are there "
        "too, unless the next ones say otherwise.",
    ),
    ("CLAUDE_CONFIG_DIR", "Where the user's settings of Claude Code are; else `~/.claude`."),
    ("CODEX_HOME", "Where the user's settings of Codex are; else `~/.codex`."),
    ("GEMINI_CLI_HOME", "The folder in which Gemini CLI has its `.gemini`; else `~`."),
    ("QWEN_HOME", "Where the user's settings of Qwen Code are; else `~/.qwen`."),
    ("COPILOT_HOME", "Where the user's settings of GitHub Copilot CLI are; else `~/.copilot`."),
    (
        "XDG_CONFIG_HOME",
        "Where the user's settings of OpenCode are, and where `schedule` puts timers; else `~/.config`.",
    ),
    ("OPENCLAW_STATE_DIR", "Where the user's settings of OpenClaw are; else `.openclaw` in the next one."),
    ("OPENCLAW_HOME", "The home folder that OpenClaw goes by; else `~`."),
)
"""Each variable and what it does: the reference page is made from this."""


def variables() -> dict[str, str]:
    """Those of `VARIABLES` that are set, for what is said of other programs: where their settings are."""
    return {name: os.environ[name] for name, _ in VARIABLES if os.environ.get(name)}  # noqa: TID251


def workspace() -> str | None:
    """The workspace that the environment names."""
    return os.environ.get(WORKSPACE) or None  # noqa: TID251


def editor() -> str | None:
    """The command of the editor that the person at the terminal has chosen."""
    return os.environ.get("VISUAL") or os.environ.get("EDITOR") or None  # noqa: TID251


def no_hooks() -> bool:
    """True where the hooks of agent programs are to do nothing."""
    return bool(os.environ.get(NO_HOOKS))  # noqa: TID251


def user_settings() -> str | None:
    """The file with the user's own settings, whether it is there or not; None without a home."""
    from agentws.workspace import surroundings

    folder = surroundings.folder("XDG_CONFIG_HOME", ".config", ".config")
    return None if folder is None else f"{folder}/config.toml"


def completes() -> bool:
    """True where a shell asks for completions: only Typer knows how to answer."""
    return "_AGENTWS_COMPLETE" in os.environ  # noqa: TID251


def has_width() -> bool:
    """True where what is printed is to be as wide as somebody's terminal."""
    return "COLUMNS" in os.environ or (sys.stdout is not None and sys.stdout.isatty())  # noqa: TID251


def completed() -> list[str]:
    """The words behind the name of the program that a shell asks completions for, the last one only begun."""
    line = os.environ.get("COMP_WORDS") or os.environ.get("_TYPER_COMPLETE_ARGS") or ""  # noqa: TID251
    return line.split()[1:]


def read() -> Environment:
    """What the surroundings say, for the workspace to be opened with."""
    from agentws.workspace import surroundings

    return surroundings.read()
