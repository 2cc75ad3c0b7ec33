"""Google ADK's own services and ours are asked the same; every answer must be the same.

The ADK publishes no suite: its SqliteSessionService and InMemoryMemoryService say what is right. Run by
test_suites.py where the ADK is; at the end it prints how often each service of ours was asked.
"""

from __future__ import annotations

import atexit
import collections
import contextlib
import itertools
import random
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from google.adk.errors import StaleSessionError
from google.adk.errors.already_exists_error import AlreadyExistsError
from google.adk.errors.session_not_found_error import SessionNotFoundError
from google.adk.events.event import Event
from google.adk.events.event_actions import EventActions
from google.adk.memory.in_memory_memory_service import InMemoryMemoryService
from google.adk.sessions.base_session_service import GetSessionConfig
from google.adk.sessions.sqlite_session_service import SqliteSessionService
from google.genai import types

from agentws import Workspace
from agentws.adapters.google_adk import MemoryService, SessionService
from agentws.features.data.row_log import RowLog

asked: collections.Counter[str] = collections.Counter()
REFUSED = (StaleSessionError, AlreadyExistsError, SessionNotFoundError)
APPS, USERS, SESSIONS = ("house", "a/b"), ("tim", "Ann's"), ("s1", "S1", "one/two", " padded ")
STEPS = 100


class KilledError(Exception):
    """The process died here."""


def _workspace() -> Workspace:
    return Workspace.init(tempfile.mkdtemp(), git=False)


def _event(dice: random.Random, number: int) -> Event:
    keys = ("k", "app:k", "user:k", "temp:k", "app:other")
    delta = {key: dice.choice(([1, {"a": None}], "text", 1.5, None)) for key in dice.sample(keys, dice.randrange(4))}
    parts = [types.Part(text=f"event {number}"), types.Part(inline_data=types.Blob(data=b"\xff\0", mime_type="a/b"))]
    return Event(
        id=f"e{number}",
        invocation_id=f"i{number}",
        author="user",
        timestamp=4e9 + number,  # after the time at which sessions are made
        partial=dice.random() < 0.1,
        content=types.Content(role="user", parts=parts[: dice.randrange(3)]),
        actions=EventActions(state_delta=delta),
    )


def _plain(answer: object) -> object:
    """Return an answer without the times at which sessions were made."""
    if isinstance(answer, list):
        return [_plain(entry) for entry in answer]
    if not hasattr(answer, "model_dump"):
        return answer
    plain = answer.model_dump()
    if plain.get("last_update_time", 4e9) < 4e9:
        plain["last_update_time"] = 0
    return plain


class Sessions(unittest.IsolatedAsyncioTestCase):
    async def test_every_answer_is_that_of_the_service_on_sqlite(self):
        for seed in range(3):
            with self.subTest(seed=seed):
                await self._compare(random.Random(seed))

    async def _compare(self, dice: random.Random) -> None:
        workspace = _workspace()
        ours = [SessionService(workspace), SessionService(workspace)]  # as two processes would have them
        theirs = SqliteSessionService(str(Path(tempfile.mkdtemp()) / "sessions.db"))
        copies: list[tuple[object, object]] = []
        for number in range(STEPS):
            key = {"app_name": dice.choice(APPS), "user_id": dice.choice(USERS), "session_id": dice.choice(SESSIONS)}
            service, verb = (
                dice.choice(ours),
                dice.choice(("create", "get", "list", "delete", "state", *["append"] * 5)),
            )
            asked[f"SessionService.{verb}"] += 1
            if verb == "append":
                if not copies:
                    continue
                pair, seed = dice.choice(copies[-4:]), dice.random()
                answers = [
                    await self._answer(asking.append_event(copy, _event(random.Random(seed), number)))
                    for asking, copy in zip((service, theirs), pair, strict=True)
                ]
                assert _plain(answers[0]) == _plain(answers[1])
                assert _plain(pair[0]) == _plain(pair[1])
                continue
            calls = [getattr(self, f"_{verb}")(asking, key, random.Random(number)) for asking in (service, theirs)]
            answers = [await self._answer(call) for call in calls]
            assert _plain(answers[0]) == _plain(answers[1])
            if hasattr(answers[0], "events"):
                copies.append(tuple(answers))

    async def test_a_kill_between_two_writes_leaves_no_state_without_its_event_and_no_event_without_its_state(self):
        for died_at in range(3):
            workspace, key = _workspace(), {"app_name": "house", "user_id": "tim", "session_id": "s1"}
            service = SessionService(workspace)
            session = await service.create_session(**key, state={"app:before": 1})
            append, calls = RowLog.append, itertools.count()

            def dying(log, *rows, append=append, calls=calls, died_at=died_at):
                if next(calls) == died_at:
                    raise KilledError
                return append(log, *rows)

            event = Event(id="e1", timestamp=4e9, author="user", actions=EventActions(state_delta={"app:k": 1}))
            with mock.patch.object(RowLog, "append", dying), contextlib.suppress(KilledError):
                await service.append_event(session, event)

            after = SessionService(workspace)
            read = await after.get_session(**key)
            assert [event.id for event in read.events] == ["e1"] * (died_at > 0)
            assert read.state == {"app:before": 1} | ({"app:k": 1} if died_at else {})
            other = await after.create_session(app_name="house", user_id="Ann", state={"app:k": 2})
            assert other.state == {"app:before": 1, "app:k": 2}
            assert (await SessionService(workspace).get_session(**key)).state == other.state

    @staticmethod
    async def _answer(call):
        try:
            return await call
        except REFUSED as error:
            asked[type(error).__name__] += 1
            return type(error)

    @staticmethod
    async def _create(service, key, dice):
        return await service.create_session(**key, state={"k": [dice.random()], "app:k": dice.random(), "user:z": "é"})

    @staticmethod
    async def _get(service, key, dice):
        configs = (
            None,
            GetSessionConfig(num_recent_events=dice.randrange(4)),
            GetSessionConfig(after_timestamp=4e9 + 40),
        )
        return await service.get_session(**key, config=dice.choice(configs))

    @staticmethod
    async def _list(service, key, dice):
        user = dice.choice((None, key["user_id"]))
        sessions = (await service.list_sessions(app_name=key["app_name"], user_id=user)).sessions
        return sorted(map(_plain, sessions), key=lambda session: (session["user_id"], session["id"]))

    @staticmethod
    async def _delete(service, key, dice):
        return await service.delete_session(**key)

    @staticmethod
    async def _state(service, key, dice):
        return await service.get_user_state(app_name=key["app_name"], user_id=key["user_id"])


class Memories(unittest.IsolatedAsyncioTestCase):
    async def test_the_same_memories_are_found_and_stay_deleted(self):
        texts = ("the roof leaks", "the cellar is dry", "paint for the roof", "")
        events = [
            Event(id=f"e{number}", author="tim", content=types.Content(parts=[types.Part(text=text)] if text else []))
            for number, text in enumerate(texts)
        ]
        for service in (MemoryService(_workspace()), InMemoryMemoryService()):
            asked[f"{type(service).__name__}"] += 1
            key = {"app_name": "house", "user_id": "tim"}
            session = await SqliteSessionService(str(Path(tempfile.mkdtemp()) / "s.db")).create_session(**key)
            session.events.extend(events)
            await service.add_session_to_memory(session)
            await service.add_events_to_memory(**key, events=events[:2], session_id=session.id)

            async def found(query, service=service, key=key):
                response = await service.search_memory(**key, query=query)
                return {memory.id: memory.content for memory in response.memories}

            assert await found("roof") == {"e0": events[0].content, "e2": events[2].content}
            assert await found("window") == {}
            await service.delete_memory(**key, memory_id="e0")
            await service.add_session_to_memory(session)
            assert set(await found("roof")) == {"e2"}
            assert (await service.search_memory(app_name="house", user_id="x", query="roof")).memories == []


atexit.register(lambda: print("asked:", dict(asked)))
