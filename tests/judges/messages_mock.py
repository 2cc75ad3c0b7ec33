"""The Messages API with a scripted model: what Claude Code talks to when it is judged."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from tests.judges.loopback import Asked, Call, Run, Say, Told

_SUMMARY_IS_ASKED = "detailed summary of the conversation"


@dataclass
class ScriptedModel:
    """Says its turns in their order, then "Done."; keeps every request it was sent.

    Only the main conversation takes a turn from the script. A request without tools is a side question of the
    program's (a title, say), and a request for a summary is compaction: both get words of their own.
    """

    turns: list[Say | Run | Call] = field(default_factory=list)
    asked: list[Asked] = field(default_factory=list)
    summary: str = "<summary>They spoke about herons.</summary>"
    refuses: str = ""
    """Why every request is refused, if it is."""

    def __post_init__(self) -> None:
        self._ids = count(1)

    @property
    def conversation(self) -> list[Asked]:
        """The requests of the main conversation, in their order."""
        return [one for one in self.asked if _is_conversation(one)]

    @property
    def summarizing(self) -> list[Asked]:
        """The requests for a summary, in their order."""
        return [one for one in self.asked if _is_compaction(one)]

    def __call__(self, asked: Asked) -> Told:
        self.asked.append(asked)
        if asked.path.endswith("/count_tokens"):
            return Told(json={"input_tokens": 1000})
        if not asked.path.endswith("/messages"):
            return Told(json={}, status=404)
        if self.refuses:
            error = {"type": "invalid_request_error", "message": self.refuses}
            return Told(json={"type": "error", "error": error}, status=400)
        turn = self._turn(asked)
        if asked.body.get("stream"):
            return Told(events=_stream(self._message(asked, turn)))
        return Told(json=self._message(asked, turn))

    def _turn(self, asked: Asked) -> Say | Run | Call:
        if _is_compaction(asked):
            return Say(self.summary)
        if _is_conversation(asked) and self.turns:
            return self.turns.pop(0)
        return Say("Done.")

    def _message(self, asked: Asked, turn: Say | Run | Call) -> dict[str, Any]:
        number = next(self._ids)
        return {
            "id": f"msg_{number:04}",
            "type": "message",
            "role": "assistant",
            "model": asked.body["model"],
            "content": [_block(turn, number)],
            "stop_reason": "end_turn" if isinstance(turn, Say) else "tool_use",
            "stop_sequence": None,
            "usage": {"input_tokens": 1000, "output_tokens": 20},
        }


def _block(turn: Say | Run | Call, number: int) -> dict[str, Any]:
    if isinstance(turn, Say):
        return {"type": "text", "text": turn.text}
    call = turn
    if isinstance(turn, Run):
        call = Call("Bash", {"command": turn.command, "description": "Run a command"})
    return {"type": "tool_use", "id": f"toolu_{number:04}", "name": call.tool, "input": call.given}


def _is_compaction(asked: Asked) -> bool:
    return asked.path.endswith("/messages") and _SUMMARY_IS_ASKED in "\n".join(_last_words(asked))


def _last_words(asked: Asked) -> Iterator[str]:
    """What the user's side said last: hooks' words may stand after it, under a role of their own."""
    content = next(one["content"] for one in reversed(asked.body["messages"]) if one["role"] == "user")
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
    return (block["text"] for block in blocks if block["type"] == "text")


def _is_conversation(asked: Asked) -> bool:
    if not asked.path.endswith("/messages") or _is_compaction(asked):
        return False
    return any(tool.get("name") == "Bash" for tool in asked.body.get("tools") or ())


def _stream(message: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    (block,) = message["content"]
    opening = {**message, "content": [], "stop_reason": None}
    yield "message_start", {"type": "message_start", "message": opening}
    yield "content_block_start", {"type": "content_block_start", "index": 0, "content_block": _emptied(block)}
    yield "content_block_delta", {"type": "content_block_delta", "index": 0, "delta": _delta(block)}
    yield "content_block_stop", {"type": "content_block_stop", "index": 0}
    ending = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    yield "message_delta", {"type": "message_delta", "delta": ending, "usage": {"output_tokens": 20}}
    yield "message_stop", {"type": "message_stop"}


def _emptied(block: dict[str, Any]) -> dict[str, Any]:
    return {**block, "text": ""} if block["type"] == "text" else {**block, "input": {}}


def _delta(block: dict[str, Any]) -> dict[str, Any]:
    if block["type"] == "text":
        return {"type": "text_delta", "text": block["text"]}
    return {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
