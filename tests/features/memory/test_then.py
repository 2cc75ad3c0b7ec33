"""why --then: what the agent knew, was asked, might do and did at the moment of a line, an event or an approval."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path

import pytest

from agentws.errors import MissingFileError, UsageError
from agentws.features.memory.render_then import lines
from agentws.workspace import Environment, Workspace
from tests.conftest import NOW
from tests.features.forget.test_forget import compacted

REPORT = "morning"


def at(workspace: Workspace, minutes: int, *, session: str | None = REPORT) -> Workspace:
    now = NOW + timedelta(minutes=minutes)
    return Workspace.open(workspace.root, environment=Environment(now=now, timezone="UTC", session=session))


@pytest.fixture
def lived(workspace: Workspace) -> Workspace:
    """A morning on which the wood for the winter was ordered."""
    at(workspace, 0, session=None).session.start("Winter", session=REPORT)
    at(workspace, 1).event("note", "Please order wood", via="user")
    at(workspace, 2).ask("May I pay 200 at the mill?")
    at(workspace, 3).event("action", "compare prices", body={"call": "c1"})
    at(workspace, 4).log("Beech, not oak", kind="decision")
    at(workspace, 6).event("action", "write to the mill")
    at(workspace, 7).log("The mill delivers on Monday")
    at(workspace, 8).session.end()
    return at(workspace, 24 * 60, session=None)


def line_of(workspace: Workspace, text: str) -> str:
    path = "memory/2026-11-20.md"
    rows = Path(workspace.root, path).read_text().splitlines()
    return f"{path}:{next(number for number, row in enumerate(rows, 1) if text in row)}"


def test_a_decision_leads_to_what_was_asked_known_and_done_before_and_after(lived: Workspace) -> None:
    answer = lived.history.then(line_of(lived, "Beech"))

    assert (answer.at, answer.is_exact) == ("2026-11-20T07:19:00+00:00", True)
    assert (answer.session, answer.is_sure) == (REPORT, True)
    assert [event.body and event.body["text"] for event in answer.requests] == ["Please order wood"]
    assert [row.what for row in answer.before if row.kind == "action"] == ["compare prices"]
    assert [row.what for row in answer.after if row.kind == "action"] == ["write to the mill"]
    assert [(asked.question, asked.status) for asked in answer.approvals] == [("May I pay 200 at the mill?", "pending")]


def test_the_boot_is_that_of_the_start_of_the_session(tmp_path: Path, environment: Environment) -> None:
    workspace = Workspace.init(str(tmp_path / "kim"), environment=environment, name="Kim")
    at(workspace, 1).remember("The mill sells beech")
    at(workspace, 5, session=None).session.start("Winter", session=REPORT)
    at(workspace, 6).remember("The mill burned down")
    decided = at(workspace, 7).event("decision", "Beech from the mill")

    answer = at(workspace, 24 * 60, session=None).history.then(decided.cursor)

    assert answer.booted == "2026-11-20T07:20:00+00:00"
    environment = at(workspace, 24 * 60).stores.environment.as_it_was(datetime.fromisoformat(answer.booted))
    boot = Workspace.open(workspace.root, environment=environment).boot()
    assert "The mill sells beech" in boot.text
    assert "burned down" not in boot.text


def test_an_event_and_an_approval_have_exact_moments(lived: Workspace) -> None:
    (asked,) = lived.approvals.list()
    action = next(row for row in lived.journal.audit().rows if row.what == "write to the mill")

    by_event, by_approval = lived.history.then(action.cursor), lived.history.then(asked.id)

    assert (by_event.text, by_event.at, by_event.session) == ("write to the mill", "2026-11-20T07:21:00+00:00", REPORT)
    assert (by_approval.text, by_approval.at) == ("May I pay 200 at the mill?", "2026-11-20T07:17:00+00:00")
    assert "compare prices" not in [row.what for row in by_approval.before]


def test_an_approval_that_waited_then_and_was_answered_later_says_so(lived: Workspace) -> None:
    (asked,) = lived.approvals.list()
    at(lived, 5, session=None).approvals.decide(asked.id, approve=False)

    before, after = lived.history.then(line_of(lived, "Beech")), lived.history.then(line_of(lived, "Monday"))

    assert ([each.id for each in before.approvals], before.waiting) == ([asked.id], [asked.id])
    assert ([each.id for each in after.approvals], after.waiting) == ([asked.id], [])
    assert any("waited then, rejected" in line for line in lines(before, (), 0, NOW))


def test_a_memory_leads_to_the_day_of_the_line_behind_it(workspace: Workspace) -> None:
    compacted(workspace)

    answer = workspace.history.then("MEMORY.md:10")

    assert [source.text for source in answer.lines] == ["- the roof has 300 tiles"]
    assert (answer.at[:10], answer.is_exact) == ("2026-03-02", False)


def test_a_remembered_fact_has_the_moment_at_which_it_was_remembered(lived: Workspace) -> None:
    fact = at(lived, 9).remember("Beech burns well")

    answer = lived.history.then(f"MEMORY.md:{fact.line}")

    assert (answer.at, answer.is_exact) == ("2026-11-20T07:24:00+00:00", True)


def test_a_line_without_a_session_gets_the_only_one_that_ran(lived: Workspace) -> None:
    path = Path(lived.root, "memory/2026-11-20.md")
    path.write_text(f"{path.read_text()}- 07:20 Sam came by\n")

    answer = lived.history.then(line_of(lived, "Sam"))

    assert (answer.session, answer.is_sure) == (REPORT, False)


def test_a_line_that_nobody_recorded_is_shown_without_a_moment(lived: Workspace) -> None:
    answer = lived.history.then("SOUL.md:1")

    assert (answer.at, answer.booted, answer.before) == ("", "", ())


@pytest.mark.parametrize(
    ("ref", "error"),
    [("MEMORY.md", UsageError), ("words", UsageError), ("zzzzzz", MissingFileError), ("memory/no.md:1", UsageError)],
)
def test_what_names_nothing_is_an_error(lived: Workspace, ref: str, error: type[Exception]) -> None:
    with pytest.raises(error):
        lived.history.then(ref)


def test_the_file_of_an_approval_names_it_too(lived: Workspace) -> None:
    (asked,) = lived.approvals.list()

    for ref in (asked.path, f"./{asked.path}", f"{asked.path}:3"):
        assert lived.history.then(ref).ref == lived.history.then(asked.id).ref


def test_the_lines_tell_it_in_the_order_of_an_account(lived: Workspace) -> None:
    answer, now = lived.history.then(line_of(lived, "Beech")), datetime(2026, 11, 21, tzinfo=NOW.tzinfo)

    shown = list(lines(answer, [("SOUL.md", 120), ("MEMORY.md", 30)], 160, now))

    assert [line for line in shown if line and not line.startswith(" ")] == [
        shown[0], "memory/2026-11-20.md:3, 2026-11-20 07:19", f"Session {REPORT}",
        "Boot of 2026-11-20 07:15, 160 tokens: agentws boot --now 2026-11-20T07:15",
        "Asked before", "Approvals", "Done before", "Done after",
    ]  # fmt: skip
    assert "  2026-11-20 07:21  write to the mill  → no result" in shown
