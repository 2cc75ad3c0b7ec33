"""`agentws crash-test` plays a job in an agent program, kills it and counts; here in a small program of our own."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from agentws.cli import main
from agentws.errors import OutsideProgramError, UsageError
from agentws.features.hosts.crash_test import command, job, model, programs

AGENT = str(Path(__file__).with_name("agent.py"))
pytestmark = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="this system has no /proc")


def test_no_action_is_done_twice_and_none_is_lost(capsys: pytest.CaptureFixture[str]) -> None:
    assert main.run(["crash-test", "claude-code", "--program", AGENT, "--seed", "7", "--json"]) == 0

    found = json.loads(capsys.readouterr().out)
    assert (found["schema"], found["host"], found["seed"]) == ("agentws/crash-test@1", "claude-code", 7)
    assert (found["once"], found["twice"], found["lost"]) == (job.ACTIONS, 0, 0)
    assert found["kills"] >= 1
    assert found["asked"] >= found["reported"]


def test_a_program_that_is_missing_or_does_nothing_is_named() -> None:
    with pytest.raises(OutsideProgramError, match="There is no program '/nowhere/claude'"):
        job.crash_test("claude-code", os.environ, program="/nowhere/claude")
    with pytest.raises(OutsideProgramError, match="true made no call"):
        job.crash_test("claude-code", os.environ, program="true")
    with pytest.raises(UsageError, match="'agents-md' cannot be played"):
        job.crash_test("agents-md", os.environ)


@pytest.mark.parametrize("host", programs.PROGRAMS)
def test_each_host_that_can_be_played_says_how(host: str, tmp_path: Path) -> None:
    played = programs.PROGRAMS[host]

    variables = played.prepare(str(tmp_path), "/srv/robin", "http://127.0.0.1:1")

    assert any("127.0.0.1" in text for text in [*variables.values(), *_texts(tmp_path)])
    assert played.line("/bin/it", "Go on")[0] == "/bin/it"
    assert "Go on" in played.line("/bin/it", "Go on")
    assert host in command.VERBS[0].words[0].help


def _texts(folder: Path) -> list[str]:
    return [path.read_text(encoding="utf-8") for path in folder.rglob("*") if path.is_file()]


def played(marks: str, *requests: tuple[str, str], folder: Path) -> list[str | None]:
    (folder / "marks").write_text(marks, encoding="utf-8")
    one = job._Job(str(folder), "agentws")
    one.begin()
    return [one.decide(*request) for request in requests]


QUESTION = "An identical call was running when the session of 07:15 crashed. … run `agentws done --call c1` or repeat"


def test_the_model_goes_on_by_what_it_is_told(tmp_path: Path) -> None:
    assert played("", ("", ""), ("", "ok"), folder=tmp_path) == ["./act 0", "./act 1"]
    assert played("", ("- 07:15 Bash ./act 0 → ok\\n", ""), folder=tmp_path) == ["./act 1"]
    unreported = "- 07:15 Bash ./act 0 → refused, interrupted or still running\\n"
    assert played("", (unreported, ""), folder=tmp_path) == ["./act 0"]
    denied = "- 07:15 [error] Bash ./act 0 → An identical call was running\\n"
    assert played("", (denied, ""), folder=tmp_path) == ["./act 0"]
    assert played("", ("", ""), ("", QUESTION), folder=tmp_path) == ["./act 0", "./act 0"]
    asked = played("0\n", ("", ""), ("", QUESTION), ("", "done: call c1"), folder=tmp_path)
    assert asked == ["./act 0", "agentws done --call c1 -m 'its mark is there'", "./act 1"]


RESULTS: dict[str, dict[str, Any]] = {
    model.MESSAGES: {"messages": [{"role": "user", "content": [{"type": "tool_result", "content": "it"}]}]},
    model.RESPONSES: {"input": [{"type": "function_call_output", "output": "it"}]},
    model.GENERATE: {"contents": [{"role": "user", "parts": [{"functionResponse": {"response": {"output": "it"}}}]}]},
    model.CHAT: {"messages": [{"role": "tool", "content": "it"}]},
}


@pytest.mark.parametrize("service", RESULTS)
def test_the_result_of_a_call_is_found_in_each_format(service: str) -> None:
    assert '"it"' in model._last_result(service, RESULTS[service])
    assert model._last_result(service, {"messages": [{"role": "user", "content": "it"}]}) == ""
    answer, events = model._ANSWERS[service]({"model": "m"}, "Bash", {"command": "./act 0"})
    assert "./act 0" in json.dumps([answer, events])
