"""Calls of a shell: what one does, the same for every agent program, which name the shell and its input differently."""

from __future__ import annotations

import posixpath

from agentws.core.formats.journal import event

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_FOLDERS = {
    "run_shell_command": ("directory", "dir_path"),
    **dict.fromkeys(("bash", "shell", "exec", "exec_command", "local_shell", "unified_exec"), ("workdir",)),
}
"""The keys that name the folder, by the tool that heeds them; in any other (`Bash`) none does."""
_TIMES = ("timeout", "timeout_ms", "timeoutMs", "yield_time_ms", "yieldMs", "max_output_tokens")
"""The keys that change nothing of what is done."""
_ASIDE = ("background", "fireAndForget", "is_background", "run_in_background")
"""The keys that are no by default; a no may mean much in any other key (`"sandbox": false`)."""
_PROGRAMS = frozenset(folder + name for folder in ("", "/bin/", "/usr/bin/") for name in ("bash", "sh", "zsh"))
"""The programs that hosts put before a command; others give it as a text, to the shell of the user."""


def act(tool: str, given: Any, folder: str = "") -> dict[str, Any] | None:
    """Return the `folder`, `command` and other `input` of a shell call; None for a call of any other tool.

    The command is a text, or a list of words that no shell reads.
    """
    if not isinstance(given, dict) or tool.lower() not in event.SHELLS:
        return None
    left_out = {*event.SHELL_COMMENTS, *_TIMES, *(key for key in _ASIDE if given.get(key) is False)}
    rest = {key: value for key, value in given.items() if key not in left_out and value is not None}
    command = rest.pop("command", None) or rest.pop("cmd", None)
    named = [key for key in _FOLDERS.get(tool, ()) if isinstance(rest.get(key), str)]
    if len(named) == 1 and not _leads_back(rest[named[0]]):
        folder = posixpath.normpath(posixpath.join(folder, rest.pop(named[0])))
    if isinstance(command, list) and len(command) == 3 and command[0] in _PROGRAMS and command[1] in ("-c", "-lc"):
        command = command[2]
    return {"folder": folder, "command": command, "input": rest}


def _leads_back(path: str) -> bool:
    """Return whether a `..` of a path follows a name, which may be a link to another folder."""
    parts = [part for part in path.split("/") if part != "."]
    while parts and parts[0] == "..":
        parts = parts[1:]
    return ".." in parts
