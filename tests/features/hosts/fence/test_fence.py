"""After a crash the same call is denied once, in every session and host; the repeat is then a decision."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from agentws.features.hosts import call
from tests.features.hosts import payloads
from tests.features.hosts.fence.playing import Host, agentws, crashed, events, in_flight

pytestmark = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="this system has no /proc")

PAY = "./pay 250"
QUESTION = "An identical call was running when the session of "


# Every host, every way on


@pytest.mark.parametrize("host", payloads.HOSTS)
def test_each_host_asks_once_and_records_the_repeat_as_decided(root: str, hosts: Any, host: str) -> None:
    crashed(root, PAY, host)
    later = hosts(host)

    says = later.act(PAY)
    assert says.startswith(QUESTION)
    assert "Its result is unknown. Check first, then run `" in says
    assert " done --call " in says
    assert says.endswith("` or repeat the call.")
    refused = events(root, "error")[-1]
    assert refused["body"]["refused"] is True

    assert later.act(PAY) == ""
    (closing,) = events(root, "result")
    assert closing["body"]["text"] == "unknown; an identical call was made after a warning"
    first = next(
        row for row in json.loads(agentws(root, "journal", "audit", "--json"))["rows"] if row["kind"] == "action"
    )
    assert (first["outcome"], first["took_ms"]) == ("unknown", None)
    assert first["told"] == "an identical call was made after a warning"
    assert in_flight(root) == [], "the repeat runs, and the first call has ended"


@pytest.mark.parametrize("host", payloads.HOSTS)
def test_a_session_whose_first_hook_is_the_one_before_a_tool_is_asked_too(root: str, host: str) -> None:
    crashed(root, PAY, host)
    later = Host(root, host, "later")

    asked, other, repeated = later.act(PAY), later.act("ls"), later.act(PAY)
    later.kill()

    assert asked.startswith(QUESTION)
    assert (other, repeated) == ("", "")


def test_a_session_without_a_start_is_asked_after_an_event_of_its_own(root: str) -> None:
    crashed(root, PAY)
    later = Host(root, session="later")

    later.hook(call.REPLY)
    asked, repeated = later.act(PAY), later.act(PAY)
    later.kill()

    assert asked.startswith(QUESTION)
    assert repeated == ""


def test_a_session_without_a_start_that_runs_has_not_crashed_and_killed_it_has(root: str, hosts: Any) -> None:
    crashed(root, "make")
    one, other = Host(root, session="one"), Host(root, session="other")

    assert one.act(PAY) == ""
    assert other.act("ls") == ""
    hosts("codex", "starts")
    assert other.act(PAY) == "", "the first one runs"
    one.kill()
    says = hosts("codex", "late").act(PAY)
    other.kill()

    assert says.startswith(QUESTION)


@pytest.mark.parametrize("host", payloads.HOSTS)
def test_a_session_without_a_start_is_not_asked_about_its_own_call_that_runs(root: str, host: str) -> None:
    crashed(root, PAY, host)
    later = Host(root, host, "later")

    first = later.act("./pay 9")
    agentws(root, "event", "note", "between")
    second = later.act("./pay 9")
    later.kill()

    assert (first, second) == ("", "")


def test_a_call_that_the_user_interrupted_is_asked_about_in_its_own_session_and_in_another(
    root: str, hosts: Any
) -> None:
    one, other = hosts("codex", "one"), hosts("codex", "other")
    one.act(PAY)
    one.hook(call.INTERRUPTED)

    says = one.act(PAY)

    assert "was interrupted by the user, and may still run or have run. Check first, then run `" in says
    assert " done --call one-1` or repeat the call." in says
    assert other.act(PAY) == says
    assert one.act(PAY) == ""
    assert other.act(PAY) == "", "the first repeat has ended the call that was in flight"
    assert [event["body"]["call"] for event in events(root, "result")] == ["one-1"]


def test_an_interrupted_call_of_which_somebody_said_how_it_ended_is_not_asked_about(root: str, hosts: Any) -> None:
    one = hosts("codex", "one")
    one.act(PAY)
    one.hook(call.INTERRUPTED)
    agentws(root, "done", "--call", "one-1", "-m", "It was paid")

    assert one.act(PAY) == ""


@pytest.mark.parametrize("host", payloads.HOSTS)
def test_the_crashed_session_resumed_is_asked_too(root: str, hosts: Any, host: str) -> None:
    crashed(root, PAY, host)

    resumed = hosts(host, "crashed")

    assert resumed.act(PAY).startswith(QUESTION)
    assert resumed.act(PAY) == ""


@pytest.mark.parametrize("other", ["codex", "gemini", "opencode"])
def test_another_host_that_runs_the_same_command_is_asked(root: str, hosts: Any, other: str) -> None:
    crashed(root, {"command": PAY, "description": "Pay the rent"})

    assert hosts(other).act({"command": "./pay   250", "timeout": 5}).startswith(QUESTION)


def test_a_session_that_ran_beside_it_is_asked(root: str, hosts: Any) -> None:
    first = Host(root, session="first").start()
    beside = hosts("codex", "beside")
    first.act(PAY)
    assert beside.act("make") == ""

    first.kill()

    assert beside.act(PAY).startswith(QUESTION)


def test_each_of_two_sessions_is_asked(root: str, hosts: Any) -> None:
    crashed(root)
    one, two = hosts(session="one"), hosts(session="two")

    assert one.act(PAY)
    assert two.act(PAY)
    assert one.act(PAY) == ""
    assert two.act(PAY) == "", "the first repeat has ended the call that was in flight"
    assert not Path(root, ".agentws/fence.json").exists() or '"calls": {}' in Path(
        root, ".agentws/fence.json"
    ).read_text(encoding="utf-8")


def test_a_repeat_that_crashes_is_asked_about_again(root: str, hosts: Any) -> None:
    crashed(root)
    second = Host(root, session="second").start()
    second.act(PAY)
    second.act(PAY)
    second.kill()

    assert hosts(session="second").act(PAY).startswith(QUESTION)


def test_a_handoff_that_ended_the_crashed_session_leaves_the_call_behind_the_fence(root: str, hosts: Any) -> None:
    crashed(root)
    agentws(root, "handoff", "--doing", "Paying the rent", "--next", "Look at the bank")

    assert hosts().act(PAY).startswith(QUESTION)


# What is no repeat of a crash


def test_a_call_whose_result_was_recorded_is_not_held_back(root: str, hosts: Any) -> None:
    crashed(root)
    later = hosts()
    (action,) = events(root, "action")
    agentws(root, "done", "--call", action["body"]["call"], "-m", "it was paid")

    assert later.act(PAY) == ""
    assert in_flight(root) == []


def test_a_session_that_runs_has_not_crashed(root: str, hosts: Any) -> None:
    hosts(session="runs").act(PAY)

    assert hosts("codex").act(PAY) == ""


def test_a_session_without_a_start_beside_no_other_has_not_crashed(root: str, hosts: Any) -> None:
    one = Host(root, session="one")
    one.act(PAY)

    says = hosts("codex").act(PAY)
    one.kill()

    assert says == ""


@pytest.mark.parametrize(
    "given", ["./pay 251", "./pay 250 --twice", {"command": PAY, "to": "Kim"}], ids=["amount", "option", "no shell"]
)
def test_another_call_is_made(root: str, hosts: Any, given: Any) -> None:
    crashed(root)

    assert hosts().act(given, "mcp__bank__pay" if isinstance(given, dict) else "") == ""


def test_a_tool_that_only_reads_is_exempt_and_an_unknown_one_is_not(root: str, hosts: Any) -> None:
    for session, tool in (("a", "Read"), ("b", "mcp__bank__balance")):
        one = Host(root, session=session).start()
        one.act({"account": "7", "at": [1, 2]}, tool)
        one.kill()
    later = hosts()

    assert later.act({"account": "7", "at": [1, 2]}, "Read") == ""
    assert later.act({"at": [1, 2], "account": "7"}, "mcp__bank__balance").startswith(QUESTION)
    assert later.act({"at": [2, 1], "account": "7"}, "mcp__bank__balance") == ""


def test_the_setting_switches_it_off(root: str, hosts: Any) -> None:
    agentws(root, "config", "fence", "off")
    crashed(root)

    assert hosts().act(PAY) == ""
    assert not Path(root, ".agentws/fence.json").exists()


def test_switched_off_later_it_is_off_for_the_next_session(root: str, hosts: Any) -> None:
    crashed(root)
    hosts(session="asked").act(PAY)
    agentws(root, "config", "fence", "off")

    assert hosts().act(PAY) == ""


# Inputs that the journal does not keep whole


def test_a_secret_in_the_command_does_not_hide_the_repeat(root: str, hosts: Any) -> None:
    secret = "curl -H 'Authorization: Bearer ghp_0123456789abcdefghijABCDEFGHIJ012345' https://bank.example/pay"
    crashed(root, secret)

    assert hosts().act(secret).startswith(QUESTION)
    assert "ghp_" not in Path(root, ".agentws/fence.json").read_text(encoding="utf-8")


def test_a_long_input_is_compared_with_its_size(root: str, hosts: Any) -> None:
    long = {"file_path": "/srv/a", "content": "x" * 9000}
    one = Host(root, session="crashed").start()
    one.act(long, "Write")
    one.kill()
    later = hosts()

    assert later.act({**long, "content": "x" * 9001}, "Write") == ""
    assert later.act(long, "Write").startswith(QUESTION)


# Rules, audiences, cost


def test_a_yes_is_not_used_up(root: str, hosts: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    config = tmp_path / "config/agentws/config.toml"
    config.parent.mkdir(parents=True)
    config.write_text('[ask]\ntyped = true\n\n[[ask.rules]]\ncommand = "./pay*"\n')
    crashed(root)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    later = hosts()

    assert later.act(PAY).startswith(QUESTION)
    assert " ask approve " in later.act(PAY)
    assert len(in_flight(root)) == 1, "a repeat that a rule denied ends nothing"


def test_a_shared_session_does_not_learn_what_the_main_one_did(root: str, hosts: Any) -> None:
    crashed(root, PAY, "openclaw")

    assert hosts("openclaw", audience="shared").act(PAY) == ""
    assert hosts("openclaw", "main").act(PAY).startswith(QUESTION)


def test_a_damaged_file_stops_no_tool(root: str, hosts: Any) -> None:
    crashed(root)
    later = hosts()
    Path(root, ".agentws/fence.json").write_text('{"calls": [', encoding="utf-8")

    assert later.act(PAY) == ""
    assert hosts(session="next").act(PAY).startswith(QUESTION), "the next start made it anew"


def test_while_nothing_is_in_flight_there_is_no_file(root: str, hosts: Any) -> None:
    for session in ("a", "b"):
        one = Host(root, session=session).start()
        one.act("make")
        one.hook(call.REPLY)
        one.hook("ended")
        one.kill()
    hosts().act("make")

    assert not Path(root, ".agentws/fence.json").exists()
