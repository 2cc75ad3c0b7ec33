"""event: one durable event, its words checked, its secrets taken out."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from agentws.core.formats.secrets import redaction, secrets
from agentws.core.journal.append import Appender
from agentws.errors import NoWorkspaceError, UsageError
from agentws.workspace import Environment, Workspace
from tests.conftest import NOW

TOKEN = "ghp_" + "9f3KqLx27VbTn5RzWc8YdHm4PsEj6UaGo1Xi"


def lines(workspace: Workspace) -> list[dict[str, Any]]:
    """Every event of the workspace as plain JSON, but for the first line of each segment."""
    files = sorted(Path(workspace.root, "journal").glob("*/*.jsonl"))
    found = [json.loads(line) for file in files for line in file.read_text().splitlines()]
    return [event for event in found if event["kind"] != "segment.opened"]


def test_an_event_is_in_the_journal_with_all_its_words(workspace: Workspace) -> None:
    done = workspace.event(
        "action", "look it up", tool="web_search", input={"query": "Zoë"}, call="c1", importance=8, task="report",
        via="agent:claude-code", session="s1", body={"attempt": 2},
    )  # fmt: skip

    (event,) = lines(workspace)
    assert event["body"] == {
        "v": 1, "call": "c1", "importance": 8, "tool": "web_search", "task": "report", "text": "look it up",
        "input": {"query": "Zoë"}, "attempt": 2,
    }  # fmt: skip
    assert (event["kind"], event["session"], event["src"]) == ("action", "s1", "agent:claude-code")
    assert (event["seq"], event["id"]) == (done.seq, done.id)
    assert event["at"] == "2026-11-20T07:15:00.000000Z"
    assert done.cursor == f"{next(Path(workspace.root, 'journal').glob('0*')).name}:{done.seq}"


def test_the_session_is_the_named_one_then_that_of_the_environment_then_the_newest_that_runs(tmp_path: Path) -> None:
    here = Environment(now=NOW, timezone="UTC", session="from-environment")
    workspace = Workspace.init(str(tmp_path / "robin"), environment=Environment(now=NOW), git=False)
    workspace.event("note", "none")
    workspace.session.start(session="running")
    workspace.event("note", "newest")
    workspace.event("note", "named", session="named")
    Workspace.open(workspace.root, environment=here).event("note", "environment")

    found = {event["body"]["text"]: event["session"] for event in lines(workspace) if event["kind"] == "note"}
    assert found == {"none": None, "newest": "running", "named": "named", "environment": "from-environment"}


def test_a_secret_never_reaches_the_journal(workspace: Workspace) -> None:
    done = workspace.event("result", output={"env": [{"GITHUB": TOKEN}], "password": "kX9#mQ2vLp8wRt5zYb3n"})

    stored = Path(workspace.root, "journal").rglob("*.jsonl").__next__().read_text()
    assert TOKEN not in stored
    assert "kX9#mQ2vLp8wRt5zYb3n" not in stored
    (event,) = lines(workspace)
    assert event["body"]["output"]["env"][0]["GITHUB"].startswith("‹redacted:github-token:")
    assert "secret" in " ".join(done.notices)


def test_the_gate_before_the_rules_is_theirs() -> None:
    assert redaction.SHORTEST == secrets.SHORTEST


@pytest.mark.parametrize(
    "words",
    [
        {"kind": "No te"}, {"kind": ""}, {"kind": "a b"}, {"kind": "x" * 65}, {"kind": "segment.opened"},
        {"kind": "seal"},
        {"kind": "task.done"}, {"kind": "host.compacting"}, {"kind": "hook.failed"},
        {"kind": "purged"}, {"kind": "note", "session": "a b"}, {"kind": "note", "session": ""},
        {"kind": "note", "via": 'a"b'}, {"kind": "note", "call": "ü"}, {"kind": "note", "importance": 11},
        {"kind": "note", "importance": True}, {"kind": "note", "text": 5}, {"kind": "note", "call": "x" * 129},
    ],
)  # fmt: skip
def test_words_that_are_none_are_refused_and_nothing_is_written(workspace: Workspace, words: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        workspace.event(**words)

    assert not Path(workspace.root, "journal").exists()


def test_what_json_does_not_know_is_told_in_words(workspace: Workspace) -> None:
    nested: list[Any] = []
    nested.append(nested)

    workspace.event("note", input={1: {3.5}, "inf": float("inf"), "path": Path("a")}, output=nested)

    (event,) = lines(workspace)
    assert event["body"]["input"] == {"1": [3.5], "inf": "inf", "path": repr(Path("a"))}


def test_a_body_of_megabytes_goes_into_a_file_of_its_own(workspace: Workspace) -> None:
    page = "words " * 100_000

    workspace.event("action", call="c1")
    workspace.event("result", call="c1", tool="fetch", output=page)

    _, event = lines(workspace)
    assert (event["body"]["call"], event["body"]["tool"]) == ("c1", "fetch")
    blob = next(Path(workspace.root, "journal").glob(f"*/blobs/{event['body']['blob']}"))
    assert json.loads(blob.read_text())["output"] == page
    assert event["body"]["size"] == blob.stat().st_size


def test_a_folder_that_nobody_adopted_takes_no_events(tmp_path: Path) -> None:
    (tmp_path / "SOUL.md").write_text("I am somebody.")

    with pytest.raises(NoWorkspaceError):
        Workspace.open(str(tmp_path)).event("note", "hello")

    assert not (tmp_path / "journal").exists()


def test_lines_are_acknowledged_one_by_one_and_bad_ones_do_not_stop_the_others(workspace: Workspace) -> None:
    asked = [
        b'{"kind":"note","text":"one"}', b"", b"{", b"[]", b'{"kind":"note","colour":"red"}',
        b'{"kind":"note","body":[]}', b'{"kind":"note","text":"two"}', b'{"kind":"note","input":NaN}',
    ]  # fmt: skip

    answers, _ = workspace.journal.record_lines(asked, first=10)

    assert [event["body"]["text"] for event in lines(workspace)] == ["one", "two"]
    assert [answer.get("line") for answer in answers] == [None, 12, 13, 14, 15, None, 17]
    assert [answers[0]["seq"], answers[5]["seq"]] == [event["seq"] for event in lines(workspace)]


@pytest.mark.parametrize(
    ("granularity", "expected"),
    [
        ("every", ["thought", "action", "result", "decision", "action", "error", "action", "result", "note", "note"]),
        ("milestones", ["decision", "error", "note"]),
        ("3", ["thought", "decision", "error", "action", "result", "note"]),
    ],
)
def test_granularity_keeps_milestones_and_whole_steps(
    workspace: Workspace, granularity: str, expected: list[str]
) -> None:
    manifest = Path(workspace.root, "agentws.toml")
    manifest.write_text(manifest.read_text() + f'\n[journal]\ngranularity = "{granularity}"\n')
    opened = Workspace.open(workspace.root, environment=workspace.stores.environment)

    opened.event("thought", "a")
    opened.event("action", call="1")
    opened.event("result", call="1")
    opened.event("decision", "b")
    opened.event("action", call="2")
    opened.event("error", call="2")
    opened.event("action", call="3")
    done = opened.event("result", call="3")
    opened.event("note", "c")
    opened.event("note", "d", importance=9)

    assert [event["kind"] for event in lines(opened)] == expected
    assert (done.seq is None) == (granularity == "milestones")


def test_a_beginning_that_only_one_task_has_names_it(workspace: Workspace) -> None:
    workspace.tasks.add("Mend the roof")

    done = workspace.event("decision", "Slate", task="mend")

    assert done.notices == ["--task mend was read as mend-the-roof."]
    assert [one.body["task"] for one in workspace.journal.list(kinds=["decision"])] == ["mend-the-roof"]
    assert workspace.event("decision", "Blue", task="paint").notices == []


def test_one_line_of_many_that_cannot_be_recorded_does_not_part_all_the_others(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace.event("note", "the first one makes the writer")
    asked = [b'{"kind":"note","text":"shelf %d"}' % number for number in range(64)]
    asked[21] = b'{"kind":"no kind","text":"shelf 21"}'
    groups: list[int] = []
    really = Appender.append
    monkeypatch.setattr(
        Appender, "append", lambda self, entries: (groups.append(len(entries)), really(self, entries))[1]
    )

    acknowledged, _ = workspace.journal.record_lines(asked)

    assert [number for number, one in enumerate(acknowledged) if "error" in one] == [21]
    assert sum(groups) == 63
    assert len(groups) <= 6
