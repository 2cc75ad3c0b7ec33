"""Gemini's generateContent with a scripted model: what Gemini CLI talks to when it is judged."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from tests.judges.loopback import Asked, Run, Say, Told


@dataclass
class ScriptedModel:
    """Says its turns in their order, then "Done."; keeps every request it was sent.

    Only the main conversation takes a turn from the script: requests without the shell tool (which model to take,
    a summary of the conversation) are side questions and get words of their own.
    """

    turns: list[Say | Run] = field(default_factory=list)
    asked: list[Asked] = field(default_factory=list)
    summary: str = "<state_snapshot>They spoke about herons.</state_snapshot>"
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
        return [one for one in self.asked if _is_compression(one)]

    def __call__(self, asked: Asked) -> Told:
        self.asked.append(asked)
        verb = asked.path.rpartition(":")[2]
        if verb == "countTokens":
            return Told(json={"totalTokens": 1000})
        if verb not in ("generateContent", "streamGenerateContent"):
            return Told(json={}, status=404)
        if self.refuses:
            error = {"code": 400, "status": "INVALID_ARGUMENT", "message": self.refuses}
            return Told(json={"error": error}, status=400)
        answer = self._answer(asked)
        return Told(events=[(None, answer)]) if verb == "streamGenerateContent" else Told(json=answer)

    def _answer(self, asked: Asked) -> dict[str, Any]:
        turn = self._turn(asked)
        content = {"role": "model", "parts": list(self._parts(turn))}
        candidate = {"content": content, "finishReason": "STOP", "index": 0}
        usage = {"promptTokenCount": 1000, "candidatesTokenCount": 20, "totalTokenCount": 1020}
        return {"candidates": [candidate], "usageMetadata": usage, "modelVersion": "scripted"}

    def _turn(self, asked: Asked) -> Say | Run:
        if _is_compression(asked):
            return Say(self.summary)
        if _is_conversation(asked) and self.turns:
            return self.turns.pop(0)
        return Say("Done.")

    def _parts(self, turn: Say | Run) -> Iterator[dict[str, Any]]:
        if isinstance(turn, Say):
            yield {"text": turn.text}
            return
        given = {"command": turn.command, "description": "Run a command"}
        yield {"functionCall": {"id": f"call_{next(self._ids):04}", "name": "run_shell_command", "args": given}}


def _is_conversation(asked: Asked) -> bool:
    tools = (asked.body or {}).get("tools") or ()
    named = [one.get("name") for tool in tools for one in tool.get("functionDeclarations") or ()]
    return "run_shell_command" in named


def _is_compression(asked: Asked) -> bool:
    return "<state_snapshot>" in str((asked.body or {}).get("systemInstruction"))
