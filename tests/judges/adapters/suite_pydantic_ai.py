"""pydantic-ai's own store of conversations and ours are asked the same; every answer must be the same.

pydantic-ai publishes no suite: its InMemoryConversationStore says what is right. Run by test_suites.py where
pydantic-ai is; at the end it prints how often our store was asked.
"""

from __future__ import annotations

import asyncio
import atexit
import collections
import copy
import random
import tempfile
import unittest

from pydantic_ai import BinaryContent
from pydantic_ai.conversation import Conversation, ConversationTypeAdapter
from pydantic_ai.conversation_store import InMemoryConversationStore
from pydantic_ai.exceptions import UserError
from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)

from agentws import Workspace
from agentws.adapters.pydantic_ai import Conversations

asked: collections.Counter[str] = collections.Counter()
NAMES = ("a", "b", "c")
STEPS = 120


def _turn(number: int) -> list[ModelMessage]:
    """Return the messages of a turn, with bytes and a call of a tool."""
    prompt = UserPromptPart([f"step {number}", BinaryContent(b"\xff\0", media_type="image/png")])
    call = ToolCallPart("area", {"room": "attic"}, tool_call_id=f"call-{number}")
    answer = ToolReturnPart("area", {"m²": number}, tool_call_id=f"call-{number}")
    return [ModelRequest([prompt]), ModelResponse([TextPart("é"), call]), ModelRequest([answer])]


class Stores(unittest.TestCase):
    def test_every_answer_is_that_of_the_store_in_memory(self):
        for seed in range(3):
            with self.subTest(seed=seed):
                asyncio.run(self._compare(random.Random(seed)))

    async def _compare(self, dice: random.Random) -> None:
        workspace = Workspace.init(tempfile.mkdtemp(), git=False)
        ours = [Conversations(workspace), Conversations(workspace)]  # as two processes would have them
        theirs = InMemoryConversationStore()
        held: list[tuple[Conversation, Conversation]] = []
        for number in range(STEPS):
            store, name, limit = dice.choice(ours), dice.choice(NAMES), dice.choice((None, None, 0, 2))
            verb = dice.choice(("load", "load", "save", "save", "save", "new", "fork", "branch", "list", "delete"))
            asked[verb] += 1
            if verb == "new":
                held.append((Conversation(conversation_id=name), Conversation(conversation_id=name)))
            elif verb == "load":
                answers = [await asking.load(name, limit=limit) for asking in (store, theirs)]
                self._same(*answers)
                if answers[0] is not None:
                    held.append((answers[0], answers[1]))
            elif verb == "save" and held:
                pair = dice.choice(held[-4:])
                if pair[0].revision is None or dice.random() < 0.7:
                    turn = _turn(number)
                    for kept in pair:
                        kept.messages.extend(copy.deepcopy(turn))
                saved = [
                    await self._answer(asking.save(kept)) for asking, kept in zip((store, theirs), pair, strict=True)
                ]
                assert isinstance(saved[0], type) == isinstance(saved[1], type), saved
                assert isinstance(saved[0], type) or len(saved[0]) == len(saved[1])
            elif verb in ("fork", "branch"):
                answers = [await self._answer(self._forked(asking, verb, name, number)) for asking in (store, theirs)]
                self._same(*answers)
            elif verb == "list":
                lists = [await asking.list_conversations() for asking in (store, theirs)]
                assert [record.conversation_id for record in lists[0]] == [
                    record.conversation_id for record in lists[1]
                ]
            elif verb == "delete":
                for asking in (store, theirs):
                    await asking.delete(name)

    @staticmethod
    async def _forked(store, verb, name, number):
        at = 1 + number % 3
        if verb == "fork":
            return await store.fork(name, at=at, new_conversation_id=NAMES[number % 3])
        loaded = await store.load(name)
        return await store.branch(name, at=at, expected_revision=loaded.revision if loaded else "none")

    @staticmethod
    async def _answer(call):
        try:
            return await call
        except UserError as error:
            asked[type(error).__name__] += 1
            return type(error)

    @staticmethod
    def _same(ours, theirs) -> None:
        if isinstance(ours, Conversation):
            plain = [ConversationTypeAdapter.dump_python(kept, mode="json") for kept in (ours, theirs)]
            for fields in plain:
                fields.pop("revision")
            assert plain[0] == plain[1]
        else:
            assert ours == theirs


atexit.register(lambda: print("asked:", dict(asked)))
