"""Calls of agentws itself among the actions of an agent: what such a call does is recorded by its own event. Pure."""

from __future__ import annotations

from agentws.core.formats.journal import event, shell_call, summary

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_US = "agentws"
_APART, _RUNS = "();<>|&\n", ("$(", "`")
"""What separates commands for a shell, and what makes it run another one within words."""
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
    act = shell_call.act(tool, given)
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
