"""journal list, follow, audit and verify at the terminal: lines, JSON, exit codes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from agentws.cli import main
from agentws.workspace import Workspace
from tests.core.journal import journals


@pytest.fixture
def journal(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    journals.small(monkeypatch)
    journals.fill(workspace)
    monkeypatch.chdir(workspace.root)
    # The state lies where the workspace was written from: beside it.
    monkeypatch.setenv("AGENTWS_STATE_DIR", str(Path(workspace.root, ".agentws", "state")))
    return workspace


def run(*words: str) -> int:
    return main.run(["journal", *words])


def test_list_shows_a_line_an_event(journal: Workspace, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("list", "--kind", "error", "--kind", "decision") == 0

    lines = capsys.readouterr().out.splitlines()
    short = journals.here(journal).writer[-6:]
    assert len(lines) == 3
    assert lines[-1].startswith(f"{short}:")
    assert lines[-1].endswith("decision         agent/s1  Take the train")
    assert "  2026-11-20 07:15:00  " in lines[-1]


def test_what_is_listed_is_inert(journal: Workspace, capsys: pytest.CaptureFixture[str]) -> None:
    journals.record(journal, "note", text="\x1b[31mred\r\n\u202eevil\x07\x9b", tool="a\x1bb")
    journals.record(journal, "action", call="x", tool="\x1b]0;title\x07", input="\u2066")
    journals.record(journal, "error", call="x", text="\x1b[2J")

    for words in (("list",), ("audit",), ("follow", "--after", "1", "--limit", "5")):
        assert run(*words) == 0
        printed = capsys.readouterr().out
        assert not set(printed) & {"\x1b", "\x07", "\x9b", "\r", "\u202e", "\u2066", "\u2028"}
    assert run("list", "--json") == 0
    assert capsys.readouterr().out.isascii()


def test_list_as_json_is_one_object_with_whole_bodies(journal: Workspace, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("list", "--json", "--kind", "result") == 0

    found = json.loads(capsys.readouterr().out)
    assert (found["schema"], found["left_out"], found["notices"]) == ("agentws/journal-list@1", 0, [])
    assert [event["body"]["output"] for event in found["events"]] == ["sunny", "天気" * 100, "sunny"]

    assert run("list", "--json", "--after", found["after"]) == 0
    assert json.loads(capsys.readouterr().out)["events"] == []


def test_an_empty_list_is_json_too(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(workspace.root)

    for verb in ("list", "audit", "verify"):
        assert run(verb, "--json") == 0
        assert json.loads(capsys.readouterr().out)["schema"] == f"agentws/journal-{verb}@1"
    assert run("list", "--signed") == 0


def test_signed_says_how_many_no_seal_proves(journal: Workspace, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("list", "--signed") == 0

    printed = capsys.readouterr()
    assert printed.out == ""
    assert "events were left out: not sealed yet" in printed.err


def test_follow_as_json_is_a_line_an_event_with_the_place_behind_it(
    journal: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("follow", "--json", "--after", "1", "--limit", "4") == 0

    found = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [event["seq"] for event in found] == [2, 3, 4, 5]
    assert {event["schema"] for event in found} == {"agentws/journal-follow@1"}
    assert [event["after"] for event in found] == [event["cursor"] for event in found]


def test_follow_ends_with_an_interrupt(journal: Workspace) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "agentws", "journal", "follow", "--after", "1"],
        cwd=journal.root, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=dict(os.environ),
    )  # fmt: skip
    assert process.stdout is not None
    process.stdout.readline()

    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)

    assert process.returncode == 130
    assert errors == b""


def test_audit_is_a_table(journal: Workspace, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("audit", "--limit", "3") == 0

    printed = capsys.readouterr()
    head, *rows = printed.out.splitlines()
    assert head.split() == ["when", "who", "what", "result", "took"]
    assert [row.split("  ")[1] for row in rows] == ["agent/s1"] * 3
    assert "error: no such host really" in rows[1]
    assert rows[2].endswith("decision: Take the train")
    assert "Older rows are not shown" in printed.err


def test_audit_as_json(journal: Workspace, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("audit", "--json") == 0

    found = json.loads(capsys.readouterr().out)
    assert [row["outcome"] for row in found["rows"]] == ["", "ok", "error", "ok", "ok", "error", ""]
    assert {row["took_ms"] for row in found["rows"]} == {0, None}


def test_verify_says_that_all_is_sound(journal: Workspace, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("verify") == 0

    assert capsys.readouterr().out.splitlines()[-1] == "Valid: the journal is unchanged."


def test_verify_names_the_line_and_exits_14(journal: Workspace, capsys: pytest.CaptureFixture[str]) -> None:
    path = journals.segments(journal)[0]
    path.write_bytes(path.read_bytes().replace(b"sunny", b"rainy", 1))
    name = str(path.relative_to(journal.root))

    assert run("verify") == 14
    printed = capsys.readouterr()
    assert printed.out.splitlines()[0] == f"{name}:4: the body of this event was changed"
    assert "1 finding" in printed.err

    assert run("verify", "--json") == 14
    printed = capsys.readouterr()
    found = json.loads(printed.out)
    assert (found["sound"], found["findings"][0]["path"], found["findings"][0]["line"]) == (False, name, 4)
    assert json.loads(printed.err)["exit_code"] == 14


@pytest.mark.parametrize("words", [("list", "--after", "zz:1"), ("list", "--after", "99"), ("follow", "--writer", "x")])
def test_what_cannot_be_meant_is_refused(journal: Workspace, words: tuple[str, ...]) -> None:
    assert run(*words) == 2


def test_a_line_that_is_not_the_one_that_was_written_is_shown_as_nobodys_and_proves_nothing(
    journal: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    """Listed with what is wrong; with --signed, which is asked to prove, exit code 14; why and remember refuse it."""
    (path,) = [each for each in journals.segments(journal) if b"Take the train" in each.read_bytes()]
    path.write_bytes(path.read_bytes().replace(b"Take the train", b"Take the plane"))

    assert run("list", "--kind", "decision") == 0
    shown = capsys.readouterr()
    assert "(does not match its digest)" in shown.out
    assert "agent/s1" not in shown.out
    assert "so it is treated as text from outside. To list all damage: agentws journal verify" in shown.err
    assert run("list", "--kind", "decision", "--json") == 0
    (told,) = json.loads(capsys.readouterr().out)["events"]
    assert (told["wrong"], told["src"].partition(":")[0]) == ("does not match its digest", "other")
    assert run("list", "--kind", "decision", "--signed") == 14
    assert "Take the plane" not in capsys.readouterr().out
    assert main.run(["remember", "--from", told["cursor"]]) == 14
    assert "does not match its digest" in capsys.readouterr().err
