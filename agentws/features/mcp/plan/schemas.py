"""The tools of the MCP server as clients see them: names, descriptions, and JSON Schemas of inputs and outputs.

Each client pays for them in every conversation, so together they are at most 1,200 tokens.
"""

from __future__ import annotations

from typing import Any

Schema = dict[str, Any]

_TEXT: Schema = {"type": "string"}
_COUNT: Schema = {"type": "integer", "minimum": 1}
_TEXTS: Schema = {"type": "array", "items": _TEXT}
_VIA: Schema = {"type": "string", "description": "Origin of words not your own: tool:web, net:mail"}
ADD, LIST, SHOW, STEP, WAIT = "add", "list", "show", "step", "wait"
ACTIONS = (LIST, SHOW, ADD, "start", STEP, WAIT, "resume", "done", "cancel")
"""Actions of the tool `task`."""


class ToolSchema:
    """A tool: its name, description, JSON Schemas, and whether it only reads."""

    __slots__ = ("description", "input", "is_read_only", "name", "output")

    def __init__(
        self, name: str, description: str, given: Schema, result: Schema, *, needs: str = "", is_read_only: bool = False
    ) -> None:
        self.name = name
        self.description = description
        self.input: Schema = {"type": "object", "properties": given, "additionalProperties": False}
        if needs:
            self.input["required"] = [needs]
        self.output: Schema = {"type": "object", "properties": result}
        self.is_read_only = is_read_only


TOOLS = (
    ToolSchema(
        "boot",
        "Read identity, memory, open items and handoffs. Call first.",
        {"budget": {**_COUNT, "description": "Most tokens"}},
        {"text": _TEXT},
        is_read_only=True,
    ),
    ToolSchema(
        "search",
        "Search notes, memory, tasks and the journal.",
        {"query": _TEXT, "k": {**_COUNT, "maximum": 50}, "since": {"type": "string", "description": "2026-11-20, 3d"}},
        {"hits": {"type": "array", "items": {"type": "object"}}},
        needs="query",
        is_read_only=True,
    ),
    ToolSchema(
        "log",
        "Append one line to today's log.",
        {
            "text": _TEXT,
            "kind": {"type": "string", "description": "todo, done, decision, lesson, fact, error, …"},
            "closes": {**_TEXTS, "description": "References of open items: t3fk"},
            "via": _VIA,
        },
        {"path": _TEXT, "line": {"type": "integer"}, "ref": _TEXT},
        needs="text",
    ),
    ToolSchema(
        "remember",
        "Add a lasting fact to MEMORY.md.",
        {
            "text": _TEXT,
            "section": _TEXT,
            "replaces": {"type": "string", "description": "Words unique to the old entry"},
            "via": _VIA,
        },
        {"entry": _TEXT, "is_new": {"type": "boolean"}},
        needs="text",
    ),
    ToolSchema(
        "task",
        "List or change work that outlives a session.",
        {
            "action": {"enum": list(ACTIONS)},
            "task": {"type": "string", "description": "Its name; for add, the title"},
            "text": {"type": "string", "description": "Goal, step, reason, or what to wait for"},
            "until": {"type": "string", "description": "Wait until: monday, 3d"},
            "via": _VIA,
        },
        {"tasks": {"type": "array", "items": {"type": "object"}}},
        needs="action",
    ),
    ToolSchema(
        "handoff",
        "Write notes for the next session. Call before you end.",
        {"doing": _TEXT, "next": _TEXT, "pending": _TEXTS, "decided": _TEXTS, "failed": _TEXTS, "via": _VIA},
        {"path": _TEXT},
    ),
    ToolSchema(
        "ask",
        "Ask a person for permission; ask again, or give id, to see the answer.",
        {
            "question": _TEXT,
            "action": {"type": "object", "description": "The exact act"},
            "risk": {"enum": ["low", "high"]},
            "task": _TEXT,
            "id": _TEXT,
            "via": _VIA,
        },
        {"id": _TEXT, "status": _TEXT, "message": _TEXT},
    ),
)
"""All tools, in the order in which clients list them."""
