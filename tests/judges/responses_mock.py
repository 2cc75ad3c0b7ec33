"""The Responses API with a scripted model: what Codex talks to when it is judged."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from agentws.features.hosts.crash_test.model import response_events
from tests.judges.loopback import Asked, Run, Say, Told

_SUMMARY_IS_ASKED = "CONTEXT CHECKPOINT COMPACTION"
_TITLE_IS_ASKED = "Generate a concise, single-line task title"


@dataclass
class ScriptedModel:
    """Says its turns in their order, then "Done."; keeps every request it was sent.

    A request for a summary (compaction), or for a title, takes no turn from the script: it gets words of its own.
    """

    turns: list[Say | Run] = field(default_factory=list)
    asked: list[Asked] = field(default_factory=list)
    summary: str = "They spoke about herons."
    refuses: str = ""
    """Why every request is refused, if it is."""

    def __post_init__(self) -> None:
        self._ids = count(1)

    @property
    def conversation(self) -> list[Asked]:
        """The requests of the conversation, in their order."""
        asked = (one for one in self.asked if one.path.endswith("/responses"))
        return [one for one in asked if not _is_compaction(one) and not _is_title(one)]

    @property
    def summarizing(self) -> list[Asked]:
        """The requests for a summary, in their order."""
        return [one for one in self.asked if _is_compaction(one)]

    def __call__(self, asked: Asked) -> Told:
        self.asked.append(asked)
        if asked.path.endswith("/models"):
            return Told(json={"object": "list", "data": [], "models": []})
        if not asked.path.endswith("/responses"):
            return Told(json={}, status=404)
        if self.refuses:
            error = {"type": "invalid_request_error", "message": self.refuses}
            return Told(json={"error": error}, status=400)
        return Told(events=response_events(self._item(self._turn(asked)), next(self._ids)))

    def _turn(self, asked: Asked) -> Say | Run:
        if _is_compaction(asked):
            return Say(self.summary)
        if _is_title(asked):
            return Say("Herons")
        return self.turns.pop(0) if self.turns else Say("Done.")

    def _item(self, turn: Say | Run) -> dict[str, Any]:
        number = next(self._ids)
        if isinstance(turn, Say):
            said = [{"type": "output_text", "text": turn.text, "annotations": []}]
            return {"type": "message", "id": f"msg_{number:04}", "role": "assistant", "content": said}
        return {
            "type": "function_call",
            "id": f"fc_{number:04}",
            "call_id": f"call_{number:04}",
            "name": "exec_command",
            "arguments": json.dumps({"cmd": turn.command}),
        }


def _is_compaction(asked: Asked) -> bool:
    return _ends_with(asked, _SUMMARY_IS_ASKED)


def _is_title(asked: Asked) -> bool:
    return _ends_with(asked, _TITLE_IS_ASKED)


def _ends_with(asked: Asked, words: str) -> bool:
    """Return whether the newest part of a request has these words."""
    return asked.path.endswith("/responses") and words in json.dumps(asked.body["input"][-1:])
