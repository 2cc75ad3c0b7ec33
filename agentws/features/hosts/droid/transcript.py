"""The end of Droid's transcript (0.215): how a turn ended, and each of its tool calls."""

from __future__ import annotations

from agentws.features.hosts.family import transcript
from agentws.features.hosts.family.speech import by_content

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from agentws.features.hosts.call import Done, Fields

_USER = "user"
"""The role of the message in which Droid says why a turn failed."""


class Turn:
    """A turn as the transcript has it: the text in which it ended, and its finished tool calls.

    `is_failed`: the model's service ended it, and the text says why. The calls of earlier turns are there too; of
    several with the same content only the last.
    """

    __slots__ = ("calls", "is_failed", "text")

    def __init__(self, text: str, calls: list[Done], *, is_failed: bool) -> None:
        self.text = text
        self.calls = calls
        self.is_failed = is_failed


def turn(fields: Fields) -> Turn:
    """Return the turn that ends with the message that a hook's input names."""
    reply, is_failed = "", False
    begun: dict[str, tuple[str, str]] = {}
    done: dict[str, Done] = {}
    for message, role, part in _parts(transcript.newest(fields.get("transcript_path"))):
        kind, text, output = part.get("type"), part.get("text"), part.get("content")
        name, tool = part.get("id"), part.get("name")
        ended = part.get("tool_use_id")
        if kind == "text" and isinstance(text, str) and message == fields.get("message_id"):
            reply = f"{reply}\n{text}" if reply else text
            is_failed = role == _USER
        elif kind == "tool_use" and isinstance(name, str) and isinstance(tool, str):
            call = {"session_id": fields.get("session_id"), "tool_name": tool, "tool_input": part.get("input")}
            content = by_content("droid", call)
            begun[name] = (tool, content)
            done.pop(content, None)  # the same call has begun again, and may have no result yet
        elif kind == "tool_result" and isinstance(ended, str) and ended in begun:
            tool, content = begun[ended]
            done[content] = (tool, content, output if isinstance(output, str) else "", part.get("is_error") is True)
    return Turn(reply, list(done.values()), is_failed=is_failed)


def _parts(lines: Sequence[Fields]) -> Iterator[tuple[object, object, Fields]]:
    """Yield each part of a message, with the message's id and role."""
    for line in lines:
        message = line.get("message")
        if not isinstance(message, dict):
            continue
        parts = message.get("content")
        for part in parts if isinstance(parts, list) else ():
            if isinstance(part, dict):
                yield line.get("id"), message.get("role"), part
