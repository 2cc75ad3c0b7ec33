"""Transcripts of the Claude Agent SDK in a workspace. Its summary is a stand-in here; tests/judges has the real one."""

from __future__ import annotations

import asyncio
import importlib
import json
import os
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from agentws.errors import UsageError
from agentws.workspace import Workspace
from tests import table

NAME = "agentws.adapters.claude_agent_sdk"
KEY = {"project_key": "-home-sam-robin", "session_id": "3f2a"}


def fold(prev: Any, key: Any, entries: Any) -> Any:
    """As the SDK's: what it knew, and the entries."""
    data = dict(prev["data"]) if prev else {"count": 0}
    data["count"] += len(entries)
    for each in entries:
        data |= {"title": each["customTitle"]} if "customTitle" in each else {}
    return {"session_id": key["session_id"], "mtime": prev["mtime"] if prev else 0, "data": data}


@pytest.fixture
def adapter(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    sdk = ModuleType("claude_agent_sdk")
    sdk.fold_session_summary = fold  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "claude_agent_sdk", sdk)
    monkeypatch.delitem(sys.modules, NAME, raising=False)
    yield importlib.import_module(NAME)
    sys.modules.pop(NAME, None)


@pytest.fixture
def store(adapter: Any, workspace: Workspace) -> Any:
    return adapter.SessionStore(workspace)


def do(work: Any) -> Any:
    return asyncio.run(work)


def entry(uuid: str | None = None, **more: Any) -> dict[str, Any]:
    return {"type": "user", **({"uuid": uuid} if uuid else {}), **more}


def test_a_transcript_is_a_file_of_the_workspace_with_an_entry_a_line(store: Any, workspace: Workspace) -> None:
    entries = [entry("a", text="Grüße\n\u2028 \U0001f426"), entry("b", nested={"x": [1, None, 1.5, True]}), entry()]
    do(store.append(KEY, entries))

    (path,) = Path(workspace.root).glob("data/claude-agent-sdk/-home-sam-robin/*.jsonl")
    assert [json.loads(line) for line in path.read_bytes().rstrip().split(b"\n")] == entries
    assert do(store.load(KEY)) == entries


def test_an_entry_that_is_sent_again_is_not_added_again(adapter: Any, store: Any, workspace: Workspace) -> None:
    do(store.append(KEY, [entry("a"), entry("b")]))
    do(store.append(KEY, [entry("b"), entry("c"), entry("c"), entry()]))
    do(adapter.SessionStore(Workspace.open(workspace.root)).append(KEY, [entry("a"), entry("c"), entry("d"), entry()]))

    assert [each.get("uuid") for each in do(store.load(KEY))] == ["a", "b", "c", None, "d", None]
    do(store.append({**KEY, "session_id": "4b1c"}, [entry(), {"type": "user", "uuid": ""}]))
    assert len(do(store.load({**KEY, "session_id": "4b1c"}))) == 2


def test_keys_of_any_letters_are_told_apart(store: Any) -> None:
    keys = [
        {"project_key": "a/b", "session_id": "c"},
        {"project_key": "a", "session_id": "b/c"},
        {"project_key": "a", "session_id": "b", "subpath": "c"},
        {"project_key": "A", "session_id": "b"},
        {"project_key": "a", "session_id": "B"},
        {"project_key": "..", "session_id": "../../x"},
        {"project_key": "", "session_id": ""},
        {"project_key": "%2F", "session_id": "/"},
        {"project_key": "a", "session_id": "y" * 500},
        {"project_key": "ü\0", "session_id": "con"},
    ]
    for number, key in enumerate(keys):
        do(store.append(key, [entry(n=number)]))

    table.holds(lambda row: _is(do(store.load(row[1])), [entry(n=row[0])]), list(enumerate(keys)))
    assert sorted(row["session_id"] for row in do(store.list_sessions("a"))) == ["B", "b/c", "y" * 500]


def _is(value: object, wanted: object) -> None:
    assert value == wanted


def test_summaries_follow_what_is_appended_and_survive_the_process(
    adapter: Any, store: Any, workspace: Workspace
) -> None:
    do(store.append(KEY, [entry("a", customTitle="Herons"), entry("b")]))
    do(store.append({**KEY, "subpath": "subagents/one"}, [entry("s", customTitle="Not this")]))
    do(store.append(KEY, [entry("c")]))

    again = adapter.SessionStore(Workspace.open(workspace.root))
    (summary,) = do(again.list_session_summaries(KEY["project_key"]))
    assert summary["data"] == {"count": 3, "title": "Herons"}
    assert do(again.list_sessions(KEY["project_key"])) == [{"session_id": "3f2a", "mtime": summary["mtime"]}]


def test_a_summary_that_is_missing_or_behind_is_made_from_the_transcript(
    adapter: Any, store: Any, workspace: Workspace
) -> None:
    do(store.append(KEY, [entry("a", customTitle="Herons")]))
    (index,) = Path(workspace.root).glob("data/claude-agent-sdk/*.jsonl")
    behind = index.read_bytes()
    do(store.append(KEY, [entry("b")]))

    def check(left: bytes | None) -> None:
        index.unlink() if left is None else index.write_bytes(left)
        again = adapter.SessionStore(Workspace.open(workspace.root))
        (summary,) = do(again.list_session_summaries(KEY["project_key"]))
        assert summary["data"] == {"count": 2, "title": "Herons"}

    table.holds(check, [behind, None, b""])
    again = adapter.SessionStore(Workspace.open(workspace.root))
    do(again.append(KEY, [entry("c")]))
    assert do(store.list_session_summaries(KEY["project_key"]))[0]["data"]["count"] == 3


def test_the_file_of_summaries_stays_small(store: Any, workspace: Workspace) -> None:
    for number in range(200):
        do(store.append({**KEY, "session_id": str(number % 3)}, [entry(str(number))]))

    (index,) = Path(workspace.root).glob("data/claude-agent-sdk/*.jsonl")
    assert len(index.read_bytes().splitlines()) <= 3 * 2 + 64 + 1
    assert sorted(row["data"]["count"] for row in do(store.list_session_summaries(KEY["project_key"]))) == [66, 67, 67]


def test_a_deleted_session_is_gone_with_its_subagents_and_may_begin_again(store: Any, workspace: Workspace) -> None:
    sub = {**KEY, "subpath": "subagents/one"}
    do(store.append(KEY, [entry("a", customTitle="Old")]))
    do(store.append(sub, [entry("s")]))
    assert do(store.list_subkeys(KEY)) == ["subagents/one"]

    do(store.delete(KEY))

    assert (do(store.load(KEY)), do(store.load(sub)), do(store.list_subkeys(KEY))) == (None, None, [])
    assert do(store.list_sessions(KEY["project_key"])) == []
    do(store.append(KEY, [entry("a")]))
    assert do(store.list_session_summaries(KEY["project_key"]))[0]["data"] == {"count": 1}


def test_threads_and_processes_that_send_the_same_entries_add_each_once(
    adapter: Any, store: Any, workspace: Workspace
) -> None:
    entries = [entry(str(number)) for number in range(40)]

    def send(each: Any) -> None:
        for one in entries:
            do(each.append(KEY, [one]))

    children = []
    for _ in range(2):
        children.append(os.fork())
        if not children[-1]:
            try:
                send(adapter.SessionStore(Workspace.open(workspace.root)))
            finally:
                os._exit(0)
    with ThreadPoolExecutor(3) as pool:
        list(pool.map(send, [store] * 3))
    for child in children:
        os.waitpid(child, 0)

    assert sorted(int(each["uuid"]) for each in do(store.load(KEY))) == list(range(40))
    assert do(store.list_session_summaries(KEY["project_key"]))[0]["data"]["count"] == 40


def test_what_is_not_json_is_refused_and_nothing_of_its_batch_is_added(store: Any) -> None:
    def check(value: object) -> None:
        with pytest.raises(UsageError):
            do(store.append(KEY, [entry("a"), entry("b", value=value)]))

    table.holds(check, [float("nan"), b"x", object()])
    assert do(store.load(KEY)) is None
    do(store.append(KEY, [entry("a")]))
    assert len(do(store.load(KEY))) == 1


def test_without_the_sdk_the_error_names_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "claude_agent_sdk", None)
    monkeypatch.delitem(sys.modules, NAME, raising=False)

    with pytest.raises(ModuleNotFoundError, match=r"pip install 'agentws\[claude-agent-sdk\]'"):
        importlib.import_module(NAME)
