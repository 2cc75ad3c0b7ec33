"""The Chat Completions API with an obedient model: what OpenCode and OpenClaw talk to when they are judged."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from tests.judges.loopback import Asked, Told

CALL = "call: "
FULL = "until it is full"

_LITTLE, _PLENTY = 100, 199_000


def calling(tool: str, **arguments: object) -> str:
    """A prompt that the model answers with a call of the tool."""
    return f"{CALL}{tool} {json.dumps(arguments)}"


@dataclass
class ObedientModel:
    """Calls the tool that a prompt names, else says "Done."; keeps every request it was sent.

    A prompt that ends with FULL costs nearly all the tokens that the model takes. `turns` are calls, as `calling` makes
    them, which it makes first, one after another.
    """

    asked: list[Asked] = field(default_factory=list)
    turns: list[str] = field(default_factory=list)
    refuses: str = ""
    """Why every request is refused, if it is."""

    def about(self, words: str) -> list[Asked]:
        """The requests whose newest prompt has these words."""
        return [one for one in self.asked if words in _prompt(one.body["messages"])]

    def __call__(self, asked: Asked) -> Told:
        if asked.path == "/api/cli/whoami":  # Droid's window opens for somebody
            return Told(json={"userId": "robin", "orgId": "robin"})
        if not asked.path.endswith("/chat/completions"):
            return Told(json={}, status=404)
        self.asked.append(asked)
        if self.refuses:
            error = {"type": "invalid_request_error", "message": self.refuses}
            return Told(json={"error": error}, status=400)
        message = self._next(asked.body)
        if asked.body.get("stream"):
            return Told(events=_stream(asked.body, message))
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        return Told(json={**_head(asked.body), "choices": [choice], "usage": _usage(asked.body)})

    def _next(self, body: dict[str, Any]) -> dict[str, Any]:
        if self.turns and body.get("tools"):
            return _calls(self.turns.pop(0).removeprefix(CALL), body)
        return _message(body)


def system(asked: Asked) -> str:
    """What stands before the conversation."""
    return "\n".join(_said(message) for message in asked.body["messages"] if message["role"] in ("system", "developer"))


def _said(message: dict[str, Any]) -> str:
    content = message.get("content") or ""
    return content if isinstance(content, str) else "\n".join(part.get("text") or "" for part in content)


def _prompt(messages: list[dict[str, Any]]) -> str:
    """What was said to the model since it last answered a prompt: a host may add words of its own behind the user's."""
    spoken = [list(group) for role, group in groupby(messages, lambda message: message["role"]) if role == "user"]
    return "\n".join(_said(message) for message in spoken[-1]) if spoken else ""


def _message(body: dict[str, Any]) -> dict[str, Any]:
    last = body["messages"][-1]
    called = next((line.partition(CALL)[2] for line in _prompt(body["messages"]).splitlines() if CALL in line), "")
    if last["role"] == "user" and called and body.get("tools"):
        return _calls(called, body)
    return {"role": "assistant", "content": "Done."}


def _calls(called: str, body: dict[str, Any]) -> dict[str, Any]:
    name, _, arguments = called.partition(" ")
    function = {"name": name, "arguments": arguments}
    call = {"index": 0, "id": f"call_{len(body['messages'])}", "type": "function", "function": function}
    return {"role": "assistant", "content": None, "tool_calls": [call]}


def _stream(body: dict[str, Any], message: dict[str, Any]) -> Iterator[tuple[None, Any]]:
    head = {**_head(body), "object": "chat.completion.chunk"}
    reason = "tool_calls" if "tool_calls" in message else "stop"
    yield None, {**head, "choices": [{"index": 0, "delta": message, "finish_reason": None}]}
    yield None, {**head, "choices": [{"index": 0, "delta": {}, "finish_reason": reason}]}
    yield None, {**head, "choices": [], "usage": _usage(body)}


def _head(body: dict[str, Any]) -> dict[str, Any]:
    return {"id": "chat", "object": "chat.completion", "created": 1, "model": body["model"]}


def _usage(body: dict[str, Any]) -> dict[str, int]:
    prompt = _PLENTY if _said(body["messages"][-1]).endswith(FULL) else _LITTLE
    return {"prompt_tokens": prompt, "completion_tokens": 10, "total_tokens": prompt + 10}
