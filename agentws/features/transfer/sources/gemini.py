"""Gemini CLI and Qwen Code: the sessions that they keep.

Gemini CLI writes a JSON object with `messages`, newer versions JSON lines with the same messages; Qwen Code (0.24)
writes JSON lines with `message.parts`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping

from agentws.features.hosts.call import within
from agentws.features.transfer.plan.items import Item, Rest, Turn, Turns, has_failed, is_inside, parts, texts
from agentws.features.transfer.sources import Source
from agentws.features.transfer.sources.reader import Input


def _gemini(file: Input) -> Iterator[Item]:
    if "chats" not in file.path.split("/")[:-1] and file.project:
        return
    turns = Turns(file.name)
    wanted = hashlib.sha256(file.project.encode("utf-8", "surrogateescape")).hexdigest() if file.project else ""
    for _, head in file.objects() if file.name.endswith(".jsonl") else file.values():
        if not isinstance(head, dict):
            yield Rest(file.name, "not a session")
            return
        if wanted and head.get("projectHash", wanted) != wanted:
            break
        yield from turns.go_on(head.get("sessionId"))
        listed = head.get("messages")
        for message in parts(listed) if isinstance(listed, list) else [head]:
            yield from _gemini_message(turns, message)
    yield from turns.last()


def _gemini_message(turns: Turns, message: Mapping[str, object]) -> Iterator[Turn]:
    kind, content, at = message.get("type"), message.get("content"), message.get("timestamp")
    turns.latest = at or turns.latest
    if kind == "user":
        yield from turns.ask(texts(content), at=at, id=message.get("id"))
    elif kind == "gemini":
        turns.answer(texts(content), at=at)
        for call in parts(message.get("toolCalls")):
            turns.call(call.get("id"), call.get("name"), call.get("args"))
            outputs = [within(part, "functionResponse", "response", "output") for part in parts(call.get("result"))]
            output = next((text for text in outputs if isinstance(text, str)), "")
            if call.get("status") == "error" or has_failed(output):
                turns.fail(call.get("id"), texts(call.get("resultDisplay")) or output)


def _qwen(file: Input) -> Iterator[Item]:
    turns = Turns(file.name)
    for _, line in file.objects():
        yield from turns.go_on(line.get("sessionId"))
        if file.project and not is_inside(line.get("cwd", file.project), file.project):
            break
        kind, given, at = line.get("type"), within(line, "message", "parts"), line.get("timestamp")
        turns.latest = at or turns.latest
        if kind == "user":
            yield from turns.ask(texts(given), at=at, id=line.get("uuid"))
        elif kind == "assistant":
            turns.answer(texts(given), at=at)
            for part in parts(given):
                if isinstance(call := part.get("functionCall"), dict):
                    turns.call(call.get("id"), call.get("name"), call.get("args"))
        elif kind == "tool_result":
            for part in parts(given):
                error, output = (within(part, "functionResponse", "response", key) for key in ("error", "output"))
                if error or (isinstance(output, str) and has_failed(output)):
                    turns.fail(within(part, "functionResponse", "id"), str(error or output))
    yield from turns.last()


GEMINI = Source("Gemini CLI", (".json", ".jsonl"), _gemini, lambda place: place.of_host("gemini", "tmp"))
QWEN = Source("Qwen Code", (".jsonl",), _qwen, lambda place: place.of_host("qwen", "projects"))
