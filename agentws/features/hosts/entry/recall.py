"""Recalls memories for a prompt (`recall.prompt`) within a second, or none; a failure does not hold the prompt up."""

from __future__ import annotations

from agentws.errors import AgentwsError
from agentws.features.hosts.entry.deadline import OutOfTime, Within

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.features.hosts.entry.trace import Hook
    from agentws.workspace import Workspace

_MOST_S = 1.0
"""The seconds that the search may take while a person waits for an answer."""


def text(hook: Hook, workspace: Workspace) -> str:
    """Return the recalled memories for this prompt, empty for none; AgentwsError if the search is too slow."""
    value = hook.heard.call
    try:
        with Within(_MOST_S):
            result = workspace.plumbing.recall(value.text, session=value.session, via=hook.heard.src)
    except OutOfTime as error:
        hook.afterwards = workspace.search.refresh  # so that the next prompt finds it ready
        raise AgentwsError(
            f"No memories were added: the search took longer than {_MOST_S:.0f} s.", hint="agentws index status"
        ) from error
    hook.say(result.notices)
    return result.text
