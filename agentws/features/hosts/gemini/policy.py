"""Gemini CLI's policy file (0.61), by which the agent may run agentws commands. Pure.

Gemini CLI reads policies in the user's folder alone. It asks about each part of a chain, redirects and substitutions.
"""

from __future__ import annotations

from agentws.core.formats.json import plainjson
from agentws.core.hosts import allowance

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

PLACE = "policies/agentws.toml"
_BEGINS = "commandPrefix = "
_TEXT = """\
# Rules of agentws, written by `agentws install gemini --user --allow`; `agentws uninstall gemini --user` removes them.
[[rule]]
toolName = "run_shell_command"
{}{}
decision = "allow"
priority = 100
"""


def text(commands: Sequence[str]) -> str:
    """Return the policy file that allows these agentws commands."""
    return _TEXT.format(_BEGINS, plainjson.dumps(list(commands)))


def commands(value: str) -> list[str]:
    """Return the commands that a policy file of agentws allows; none if it is not agentws's, or was edited."""
    line = next((line for line in value.split("\n") if line.startswith(_BEGINS)), "")
    try:
        listed = plainjson.loads(line.removeprefix(_BEGINS))
    except ValueError:
        return []
    if not isinstance(listed, list) or not all(isinstance(each, str) and allowance.is_ours(each) for each in listed):
        return []
    return listed if text(listed) == value else []
