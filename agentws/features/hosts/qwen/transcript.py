"""Qwen Code's transcript of a session (0.24): how its last turn ended. Pure."""

from __future__ import annotations

from agentws.features.hosts import call

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from agentws.features.hosts.call import Fields

PLACE = "projects/*/chats/{}.jsonl"
_TURNS = ("user", "assistant", "tool_result")
_FAILED = "qwen-code.api_error"


def failure(lines: Sequence[Fields]) -> str:
    """Return why the model's service ended the last turn, empty if it did not."""
    for line in reversed(lines):
        happened = call.within(line, "systemPayload", "uiEvent")
        if isinstance(happened, dict) and happened.get("event.name") == _FAILED:
            return str(happened.get("error_message") or "unknown")
        if line.get("type") in _TURNS:
            break
    return ""
