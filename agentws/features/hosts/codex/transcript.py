"""Codex's transcript of a session (0.171): its tool calls, and how its last turn ended. Pure."""

from __future__ import annotations

from agentws.features.hosts import call

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from agentws.features.hosts.call import Fields

PLACE = "sessions/*/*/*/rollout-*-{}.jsonl"
_HOOKED = ("exec_command", "shell", "apply_patch")
"""The tools that surely have hooks."""


def calls(lines: Sequence[Fields]) -> Iterator[tuple[str, str]]:
    """Yield the id and the time of each call of a tool with hooks, the oldest first."""
    for line in lines:
        payload = line.get("payload")
        if (
            isinstance(payload, dict)
            and payload.get("name") in _HOOKED
            and isinstance(name := payload.get("call_id"), str)
        ):
            yield name, str(line.get("timestamp"))


def failure(lines: Sequence[Fields]) -> str:
    """Return why the model's service ended the last turn, empty if it did not."""
    payloads = (line.get("payload") for line in reversed(lines))
    kinds = ("task_started", "task_complete")
    last = next((each for each in payloads if isinstance(each, dict) and each.get("type") in kinds), {})
    message = call.within(last, "error", "message")
    return message if isinstance(message, str) else ""
