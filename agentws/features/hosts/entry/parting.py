"""The parting text of a hook: asks an agent, before it stops, for its handoff and for lines of MEMORY.md."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_HANDOFF = """\
From agentws: before you stop, tell the next session what it must know, in at most 150 tokens (600 characters), with
names, numbers and paths: what you are doing, what is decided and pending, what must never be done. Options repeat;
single quotes keep $.
  {0} handoff --doing '…' --decided '…' --pending '…' --decided 'Never …'
"""
_MEMORY = """\
Which of these lines of today stay true and belong in MEMORY.md? Often none.
{1}
  {0} remember '…'
"""
_END, _LATER = "Then end your turn.\n", "Then answer this:\n"


def text(command: str, lines: Sequence[str], *, later: bool) -> str:
    """Return the parting text that asks the agent for its handoff.

    `command` is how the agent calls agentws, `lines` are offered for MEMORY.md. With `later` a prompt of the user
    follows.
    """
    from agentws.core.text import sanitize

    offered = "\n".join(f"- {line}" for line in lines)
    memory = _MEMORY.format(command, sanitize.inert(offered)) if lines else ""
    return f"{_HANDOFF.format(command)}{memory}{_LATER if later else _END}"
