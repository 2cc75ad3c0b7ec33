"""`agentws done --call` records the result of an action in flight, as `agentws event result --call` does."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from agentws.cli import main
from agentws.core.hosts import allowance
from agentws.workspace import Environment, Workspace
from tests.conftest import NOW
from tests.core.journal import journals

Printed = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def at(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(workspace.root)
    # The state lies where the workspace was written from: beside it.
    monkeypatch.setenv("AGENTWS_STATE_DIR", str(Path(workspace.root, ".agentws", "state")))


def in_flight(ws: Workspace) -> list[str]:
    return [line for line in ws.boot().text.splitlines() if "no result recorded" in line]


def acted(ws: Workspace, call: str | None = None) -> str:
    cursor = ws.event("action", tool="send_mail", input={"to": "sam"}, call=call).cursor
    assert cursor is not None
    return cursor


def test_the_command_that_boot_names_ends_the_action(workspace: Workspace, capsys: Printed) -> None:
    acted(workspace, "c1")
    assert "then: agentws done --call ID" in workspace.boot().text
    assert main.run(["done", "--call", "c1", "-m", "it is in the outbox"]) == 0
    assert capsys.readouterr().out.startswith("done: call c1 (")
    assert not in_flight(workspace)
    assert "send_mail sam → it is in the outbox" in workspace.boot().text
    [result] = workspace.journal.list(kinds=["result"])
    assert (result.call, result.src) == ("c1", "agent")


@pytest.mark.parametrize("short", [False, True], ids=["cursor", "short cursor"])
def test_a_cursor_names_the_action(workspace: Workspace, capsys: Printed, short: bool) -> None:
    cursor = acted(workspace)
    assert main.run(["done", "--call", cursor.rpartition(":")[2] if short else cursor]) == 0
    assert not in_flight(workspace)


def test_the_json_names_call_and_event_and_nobody_knows_how_long_it_took(workspace: Workspace, capsys: Printed) -> None:
    workspace.event("action", tool="send_mail", call="c1", session="s1")
    assert main.run(["done", "--call", "c1", "--json"]) == 0
    fields = json.loads(capsys.readouterr().out)
    assert fields["schema"] == "agentws/done@1"
    assert (fields["kind"], fields["closed"], fields["call"], fields["dry_run"]) == ("done", [], "c1", False)
    assert fields["cursor"].endswith(":3")
    assert [(row.outcome, row.duration_s) for row in workspace.journal.audit().rows] == [("ok", None)]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--call", "c2"), "Calls in flight: c1."),
        (("--call", "c1", "buy", "milk"), "--call cannot be combined"),
        (("--call", "c1", "--dry-run"), "--call cannot be combined with WORDS or --dry-run"),
        (("--call", ""), "--call needs the ID"),
        ((), "Name the item to close"),
    ],
)
def test_a_wrong_call_records_nothing(workspace: Workspace, capsys: Printed, words: tuple[str, ...], says: str) -> None:
    acted(workspace, "c1")
    assert main.run(["done", *words]) == 2
    assert says in capsys.readouterr().err
    assert len(in_flight(workspace)) == 1


def test_an_open_item_may_still_be_named_call(workspace: Workspace, capsys: Printed) -> None:
    workspace.todo("Call Tom")
    assert main.run(["done", "call", "tom"]) == 0
    assert capsys.readouterr().out.startswith("done: Call Tom")


def test_a_shared_session_ends_no_action_of_the_main_one(
    workspace: Workspace, capsys: Printed, monkeypatch: pytest.MonkeyPatch
) -> None:
    acted(workspace, "c1")
    group = Workspace.open(workspace.root, environment=Environment(now=NOW, timezone="UTC", session="g"))
    group.session.start(session="g", audience="shared")
    monkeypatch.setenv("AGENTWS_SESSION", "g")
    assert main.run(["done", "--call", "c1"]) == 2
    refused = capsys.readouterr().err
    assert main.run(["done", "--call", "c9"]) == 2
    assert refused.replace("c1", "c9") == capsys.readouterr().err
    assert len(in_flight(workspace)) == 1


def test_an_agent_may_run_it_without_being_asked() -> None:
    assert "done" in allowance.VERBS


@pytest.mark.parametrize("kind", ["result", "error"])
@pytest.mark.parametrize("named", ["c1", None], ids=["its id", "its cursor"])
def test_a_call_that_has_ended_is_refused_until_its_end_is_retracted(
    workspace: Workspace, capsys: Printed, kind: str, named: str | None
) -> None:
    call = named or acted(workspace)
    if named:
        acted(workspace, named)
    end = workspace.event(kind, "it is done", call=call).cursor
    capsys.readouterr()

    assert main.run(["done", "--call", call]) == 1
    told = capsys.readouterr().err
    assert f"has ended already: {end} is its {kind}. Nothing was recorded." in told
    assert f"agentws journal retract {end}" in told
    assert len(list(workspace.journal.list(kinds=["result", "error"]))) == 1

    assert main.run(["journal", "retract", str(end), "--reason", "it was not sent"]) == 0
    assert main.run(["done", "--call", call, "-m", "it is sent now"]) == 0


def test_a_call_id_that_begins_again_may_end_again(workspace: Workspace, capsys: Printed) -> None:
    for _ in range(2):
        acted(workspace, "c1")
        assert main.run(["done", "--call", "c1"]) == 0


def test_a_writer_that_is_not_vouched_for_cannot_block_the_end_of_a_call(
    workspace: Workspace, capsys: Printed, tmp_path: Path
) -> None:
    acted(workspace, "c1")
    other = journals.another(workspace, tmp_path)
    other.event("result", "sent", call="c1")

    assert in_flight(workspace)
    assert main.run(["done", "--call", "c1", "-m", "it is in the outbox"]) == 0
    assert not in_flight(workspace)


def test_a_known_writer_that_ended_its_own_call_of_the_same_id_has_not_ended_this_one(
    workspace: Workspace, capsys: Printed, tmp_path: Path
) -> None:
    acted(workspace, "c1")
    other = journals.another(workspace, tmp_path)
    acted(other, "c1")
    other.event("result", "sent", call="c1")
    journals.knows(workspace, other)

    assert len(in_flight(workspace)) == 1
    assert main.run(["done", "--call", "c1"]) == 0
    assert not in_flight(workspace)
    assert main.run(["done", "--call", "c1"]) == 1
    assert "has ended already" in capsys.readouterr().err


def test_a_known_writer_that_ended_this_call_has_ended_it(
    workspace: Workspace, capsys: Printed, tmp_path: Path
) -> None:
    acted(workspace, "c1")
    other = journals.another(workspace, tmp_path)
    other.event("note", "hello")
    journals.knows(other, workspace)
    other.event("result", "sent", call="c1")
    journals.knows(workspace, other)

    assert main.run(["done", "--call", "c1"]) == 1
    assert "has ended already" in capsys.readouterr().err
