"""Codex's transcript of a session (0.171): its tool calls. Pure."""

from __future__ import annotations

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
