"""Calls of a shell, the same for every agent program; and calls of agentws itself among them. Pure.

Agent programs name the shell and its input differently. What a call of agentws does is recorded by its own event.
"""

from __future__ import annotations

import posixpath

from agentws.core.formats.journal import event, summary

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


def shell_act(tool: str, given: Any, folder: str = "") -> dict[str, Any] | None:
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


_US = "agentws"
_APART, _RUNS = "();<>|&\n", ("$(", "`")
"""Separators of shell commands, and marks of a command within words."""
_WITH_A_WORD = ("-C", "--workspace")
"""The options of agentws that take a word."""
_CHANGE_FOLDER = ("cd", "&&")


def verb(body: dict[str, Any] | None) -> str:
    """Return the verb of an action's body that is a single call of agentws in a shell, else an empty text.

    Variables and a `cd FOLDER &&` may precede it. A command with any other part is work of the agent.
    """
    tool, given = str((body or {}).get("tool")), (body or {}).get("input")
    if tool.lower() not in event.SHELLS:
        return ""
    act = shell_act(tool, given)
    command = summary.given(act["command"] if act is not None else given)
    if _US not in command or any(runs in command for runs in _RUNS):
        return ""
    import shlex

    reader = shlex.shlex(command.strip(), posix=True, punctuation_chars=_APART)
    reader.whitespace, reader.whitespace_split, reader.commenters = " \t", True, ""
    try:
        words = list(reader)
    except ValueError:
        return ""  # a quotation without its end
    if len(words) > 3 and (words[0], words[2]) == _CHANGE_FOLDER:
        del words[:3]
    while words and words[0].partition("=")[1] and words[0].partition("=")[0].isidentifier():
        del words[0]
    program, *words = words or [""]
    while words and words[0].startswith("-"):
        del words[: 2 if words[0] in _WITH_A_WORD else 1]
    is_alone = program.rpartition("/")[2] == _US and not any(word.strip(_APART) == "" and word for word in words)
    return words[0] if is_alone and words else ""
