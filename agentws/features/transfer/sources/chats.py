"""The data exports of ChatGPT and Claude: a zip archive, or the JSON files in it.

ChatGPT keeps the messages of a conversation in a tree (`mapping`), of which the path to `current_node` counts; Claude
keeps a list.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from agentws.features.hosts.call import within
from agentws.features.transfer.plan.items import Item, Memory, Rest, Turns, parts, stamp, texts
from agentws.features.transfer.sources import Source
from agentws.features.transfer.sources.reader import Input

_EMPTY = "a conversation without messages"


def _base(file: Input) -> str:
    return file.name.rpartition("/")[2]


def _chatgpt(file: Input) -> Iterator[Item]:
    if "/" in file.name and not _base(file).startswith("conversations"):
        return
    for number, conversation in file.values():
        if not isinstance(within(conversation, "mapping"), dict):
            yield Rest(f"{file.name}#{number}", "not a conversation")
            continue
        turns = Turns(
            str(conversation.get("conversation_id") or conversation.get("id") or f"{file.name}#{number}"),
            title=_title(conversation.get("title")),
        )
        for message in _path(conversation):
            role, at = within(message, "author", "role"), message.get("create_time")
            text = texts(within(message, "content", "parts"))
            if within(message, "metadata", "is_visually_hidden_from_conversation") is True:
                continue
            if role == "user":
                yield from turns.ask(text, at=at or conversation.get("create_time"), id=message.get("id"))
            elif role == "assistant" and message.get("recipient", "all") == "all":
                turns.answer(text, at=at)
        yield from turns.end()
        if not turns.count:
            yield Rest(f"{file.name}#{number}", _EMPTY)


def _title(name: object) -> str:
    return " ".join(name.split()) if isinstance(name, str) else ""


def _path(conversation: Mapping[str, object]) -> list[Mapping[str, object]]:
    """Return the messages from the root of a conversation to its current node."""
    nodes = conversation["mapping"]
    if not isinstance(nodes, dict):
        return []
    records: list[Mapping[str, object]] = []
    name, seen = conversation.get("current_node"), set[object]()
    if not isinstance(name, str) or name not in nodes:
        name = next(reversed(nodes), None)
    while isinstance(name, str) and name not in seen:
        seen.add(name)
        message = within(nodes.get(name), "message")
        records += [message] if isinstance(message, dict) else []
        name = within(nodes.get(name), "parent")
    return records[::-1]


def _claude(file: Input) -> Iterator[Item]:
    name = _base(file)
    if "/" in file.name and not name.startswith(("conversations", "memories")):
        return
    for number, content in file.values():
        if name.startswith("memories"):
            yield from _memories(content, f"{file.name}#{number}")
        elif isinstance(content, dict) and isinstance(content.get("chat_messages"), list):
            turns = Turns(str(content.get("uuid") or f"{file.name}#{number}"), title=_title(content.get("name")))
            for message in parts(content["chat_messages"]):
                text = texts(message.get("content"), "text") or texts(message.get("text"))
                if message.get("sender") == "human":
                    yield from turns.ask(text, at=message.get("created_at"), id=message.get("uuid"))
                else:
                    turns.answer(text, at=message.get("created_at"))
            yield from turns.end()
            if not turns.count:
                yield Rest(f"{file.name}#{number}", _EMPTY)
        else:
            yield Rest(f"{file.name}#{number}", "not a conversation")


def _memories(content: object, where: str) -> Iterator[Item]:
    several = within(content, "project_memories")
    rows = [within(content, "conversations_memory"), *(several.values() if isinstance(several, dict) else ())]
    paragraphs = [each.strip() for text in rows if isinstance(text, str) for each in text.split("\n\n")]
    for paragraph in filter(None, paragraphs):
        yield Memory(paragraph, at=stamp(within(content, "updated_at")))
    if not any(paragraphs):
        yield Rest(where, "not a memory")


CHATGPT = Source("ChatGPT", (".zip", ".json"), _chatgpt)
CLAUDE = Source("Claude", (".zip", ".json"), _claude)
