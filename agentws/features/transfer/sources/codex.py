"""Codex: the rollouts of sessions (0.171).

A rollout has JSON lines with `timestamp`, `type` and `payload`. The words of a person are `user_message` events, or
messages of the role `user` in older rollouts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from agentws.core.formats.json import plainjson
from agentws.features.hosts.call import within
from agentws.features.transfer.plan.items import Item, Turns, has_failed, is_inside, texts
from agentws.features.transfer.sources import Source
from agentws.features.transfer.sources.reader import Input

_CONTEXT = (
    "<environment_context>",
    "<user_instructions>",
    "# AGENTS.md instructions",
    "<turn_aborted>",
    "<permissions",
)
"""The beginnings of messages that the program wrote in its user's name."""
_CALLS = ("function_call", "custom_tool_call", "local_shell_call")
_PATCHED = re.compile(r"^\*\*\* (?:Add|Update|Delete) File: (.+)$", re.MULTILINE)


def _read(file: Input) -> Iterator[Item]:
    turns = Turns(file.name)
    last = ""
    for number, line in file.objects():
        at, payload = line.get("timestamp"), line.get("payload")
        turns.latest = at or turns.latest
        kind = within(payload, "type")
        if line.get("type") == "session_meta":
            yield from turns.go_on(within(payload, "id"))
            if file.project and not is_inside(within(payload, "cwd"), file.project):
                return
        elif kind == "user_message" or (kind == "message" and within(payload, "role") == "user"):
            asked = texts(within(payload, "message") or within(payload, "content"), "input_text").strip()
            # A rollout has the words of a person twice, as a message and as an event.
            if asked and asked != last and not asked.startswith(_CONTEXT):
                yield from turns.ask(asked, at=at, id=f"{turns.session}:{at or number}")
            last = asked
        elif kind == "message" and within(payload, "role") == "assistant":
            last = ""
            turns.answer(texts(within(payload, "content"), "output_text"), at=at)
        elif kind in _CALLS:
            _call(turns, payload)
        elif kind in ("function_call_output", "custom_tool_call_output"):
            output = within(payload, "output")
            text = texts(within(output, "content") or output)
            if within(output, "success") is False or has_failed(text):
                turns.fail(within(payload, "call_id"), text)
    yield from turns.last()


def _call(turns: Turns, payload: object) -> None:
    given = within(payload, "arguments") or within(payload, "input") or within(payload, "action")
    if isinstance(given, str):
        try:
            content = plainjson.loads(given)
        except ValueError:
            content = {"input": given}
    else:
        content = given
    command = within(content, "command") or within(content, "cmd")
    words = " ".join(map(str, command)) if isinstance(command, list) else str(command or within(content, "input") or "")
    id, tool = within(payload, "call_id"), within(payload, "name") or "shell"
    for path in _PATCHED.findall(words):
        turns.call(id, "apply_patch", {"path": path.strip()})
    turns.call(id, tool, {"command": words})


CODEX = Source("Codex", (".jsonl",), _read, lambda place: place.of_host("codex", "sessions", "archived_sessions"))
