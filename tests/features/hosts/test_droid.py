"""What only Droid has: a transcript that tells how calls ended, and other files that keep its hooks from running."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from agentws.core.hosts.plan import PROJECT, USER
from agentws.features import hosts
from agentws.features.hosts import call as call_
from agentws.features.hosts.droid import calls
from agentws.features.hosts.obstacles import HostFiles
from agentws.workspace import Workspace, hear as hear_call
from tests.features.hosts import payloads
from tests.features.hosts.hook.test_hook_recording import hear, recorded

SAID = payloads.of("droid")
INPUT = SAID["PreToolUse"]["tool_input"]
FOLDERS = {PROJECT: "/home/leo/app", USER: "/home/leo/.factory"}


def part(message: str, role: str = "assistant", **fields: Any) -> str:
    return json.dumps({"type": "message", "id": message, "message": {"role": role, "content": [fields]}}) + "\n"


def call(name: str) -> str:
    return part("m1", type="tool_use", id=name, name="Execute", input=INPUT)


def result(name: str, text: str, *, is_error: bool) -> str:
    return part("m2", type="tool_result", tool_use_id=name, content=text, is_error=is_error)


ANSWER = part("m0", type="text", text="An earlier one.") + part(SAID["Stop"]["message_id"], type="text", text="Done.")


def stop(folder: Path, text: str) -> dict[str, Any]:
    """The input of the hook at the end of a turn with this transcript."""
    (folder / "droid.jsonl").write_text(text, encoding="utf-8")
    return {**SAID["Stop"], "transcript_path": str(folder / "droid.jsonl")}


def test_a_call_that_no_hook_reports_ends_with_its_turn_as_an_error(workspace: Workspace, tmp_path: Path) -> None:
    transcript = call("c1") + result("c1", "3 passed", is_error=False)
    transcript += call("c2") + result("c2", "Error: exit code 3", is_error=True) + ANSWER
    for event in ("PreToolUse", "PostToolUse", "PreToolUse"):
        hear(workspace, "droid", event, SAID[event])

    hear(workspace, "droid", "Stop", stop(tmp_path, transcript))

    *_, action, error, answer = recorded(workspace)
    assert [one.kind for one in recorded(workspace)] == ["action", "result", "action", "error", "note"]
    assert (error.call, (error.body or {})["text"]) == (action.call, "Error: exit code 3")
    assert ((answer.body or {})["text"], answer.src) == ("Done.", "agent:droid")


def test_a_call_whose_result_was_reported_has_no_second_one(workspace: Workspace, tmp_path: Path) -> None:
    for event in ("PreToolUse", "PostToolUse"):
        hear(workspace, "droid", event, SAID[event])

    hear(workspace, "droid", "Stop", stop(tmp_path, call("c1") + result("c1", "3 passed", is_error=False)))

    assert [one.kind for one in recorded(workspace)] == ["action", "result", "host.stopped"]


def test_a_call_that_was_killed_does_not_get_the_result_of_an_earlier_one(workspace: Workspace, tmp_path: Path) -> None:
    for event in ("PreToolUse", "PostToolUse", "PreToolUse"):
        hear(workspace, "droid", event, SAID[event])

    hear(workspace, "droid", "Stop", stop(tmp_path, call("c1") + result("c1", "3 passed", is_error=False) + call("c2")))

    assert [one.kind for one in recorded(workspace)][:3] == ["action", "result", "action"]
    assert not [one for one in recorded(workspace)[3:] if one.kind in ("result", "error")]


KINDS = ("text", "tool_use", "tool_result")
ODD: list[Any] = [1, None, *({"type": kind, "id": [], "tool_use_id": {}} for kind in KINDS)]


@pytest.mark.parametrize(
    "text", ["", "{", "[1]\n", '{"message": 1}\n', json.dumps({"message": {"content": ODD}}), "[" * 100_000]
)
def test_a_transcript_that_is_not_understood_is_no_failure(text: str, tmp_path: Path) -> None:
    said = stop(tmp_path, f"{text}\n{ANSWER}{call('c1')}{result('c1', 'x', is_error=True)[:-9]}")

    found = calls.read("Stop", said)

    assert (found.text, found.calls) == ("Done.", [])


def test_a_turn_that_the_service_of_the_model_ended_is_no_answer_and_asks_for_nothing(
    workspace: Workspace, tmp_path: Path
) -> None:
    why = part(SAID["Stop"]["message_id"], "user", type="text", text="Error: 400 prompt is too long")
    heard = hear_call("droid", "Stop")
    heard.take(json.dumps(stop(tmp_path, why)).encode())

    workspace.plumbing.record_call(heard)

    (error,) = recorded(workspace)
    assert (error.kind, (error.body or {})["text"]) == ("error", "Error: 400 prompt is too long")
    assert not heard.ends_turn


@pytest.mark.parametrize("path", [None, 7, "", "/nowhere/droid.jsonl", "\0.jsonl"])
def test_without_a_transcript_a_turn_still_ends(path: object) -> None:
    found = calls.read("Stop", {**SAID["Stop"], "transcript_path": path})

    assert (found.what, found.text, found.calls) == (call_.REPLY, "", [])


def test_a_pipe_in_place_of_the_transcript_does_not_stop_the_hook(tmp_path: Path) -> None:
    import os

    os.mkfifo(tmp_path / "droid.jsonl")

    assert calls.read("Stop", {**SAID["Stop"], "transcript_path": str(tmp_path / "droid.jsonl")}).calls == []


TRUSTED: dict[str, Any] = {"trustedFolders": {"/home/leo/app": {}}}
OFF = {"hooksDisabled": True}


@pytest.mark.parametrize(
    ("level", "project", "user", "says"),
    [
        (PROJECT, {}, {"settings.json": TRUSTED}, []),
        (PROJECT, {}, {"settings.json": {"trustedFolders": {"/": {}}}}, []),
        (PROJECT, {}, {"settings.json": {"trustedFolders": {"/wo": {}}}}, ["is not trusted"]),
        (PROJECT, {}, {}, ["is not trusted"]),
        (USER, {}, {}, []),
        (PROJECT, {"settings.json": {"hooks": OFF}}, {"settings.json": TRUSTED}, ["7 of 7 are", "is set"]),
        (USER, {}, {"hooks.json": OFF}, ["is set"]),
        (PROJECT, {"hooks.json": {"Stop": [], "Notification": []}}, {"settings.json": TRUSTED}, ["hooks for Stop,"]),
        (PROJECT, {"hooks.json": {"Notification": []}}, {"settings.json": TRUSTED}, []),
        (PROJECT, {"hooks/hooks.json": {"Stop": []}}, {"settings.json": TRUSTED}, ["hooks for Stop,"]),
        (PROJECT, {}, {"settings.json": TRUSTED, "hooks.json": {"Stop": []}}, []),
    ],
)
def test_what_keeps_the_hooks_from_running_is_found(
    level: str, project: dict[str, Any], user: dict[str, Any], says: list[str]
) -> None:
    texts = {
        PROJECT: {f".factory/{name}": json.dumps(said) for name, said in project.items()},
        USER: {name: json.dumps(said) for name, said in user.items()},
    }

    found = hosts.settings("droid").obstacles(HostFiles(level, FOLDERS, lambda at, place: texts[at].get(place, "")))

    assert len(found) == len(says)
    assert all(words in one.says for words, one in zip(says, found, strict=True))
