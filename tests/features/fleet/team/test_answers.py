"""Answers through the fleet bind as at home, or are refused with a reason; the database's word alone never counts."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentws.errors import AmbiguousError, MayNotWriteError, MissingFileError, NeedsYouError, UsageError
from agentws.features.fleet import arrivals, inbox
from agentws.features.fleet.database import Database, connected
from agentws.workspace import Workspace
from tests.features.approvals import keys
from tests.features.approvals.people import ACTION, at, kinds
from tests.features.fleet.team.conftest import GARDEN, Town, known


@pytest.fixture
def person(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The key of a person, pinned on the agent's machine."""
    key = keys.made(tmp_path / "sam", "sam")
    keys.pinned(monkeypatch, tmp_path, key)
    return key


def shipped(workspace: Workspace, ana: Database, text: str = "all") -> list[str]:
    """Let what arrived be applied, and what waits be sent, as a ship does."""
    known(ana, workspace)
    return arrivals.settle(workspace.stores, ana, GARDEN, text)


def answered(ana: Database, key: Path, *, approve: bool = True, edited: tuple[object, ...] = ()) -> None:
    """Answer the only request that waits, as a person who reads the database's copy."""
    request = inbox.find(inbox.read(ana, GARDEN), "")
    words = inbox.statement(request, approve=approve, edited=edited).words
    inbox.send(ana, GARDEN, request, approve=approve, signature=keys.signed(key, words), edited=edited)


def outcome(ana: Database) -> tuple[str, str]:
    """What became of the newest answer."""
    newest = inbox.read(ana, GARDEN).answers[-1]
    return newest.outcome, newest.reason


def test_a_signed_answer_travels_back_and_can_be_used_once(workspace: Workspace, ana: Database, person: Path) -> None:
    asked = workspace.ask("Pay Lena?", action=ACTION, risk="high")
    shipped(workspace, ana)
    answered(ana, person)
    assert workspace.approvals.show(asked.id).status == "pending", "nothing counts before the ship"
    shipped(workspace, ana)
    assert outcome(ana) == ("applied", "")
    approval = workspace.approvals.show(asked.id)
    assert (approval.status, approval.proof, approval.is_usable) == ("approved", "signed", True)
    assert workspace.approvals.use(asked.id, ACTION).status == "used"
    assert inbox.read(ana, GARDEN).requests[:] != [] or not shipped(workspace, ana)
    assert list(inbox.read(ana, GARDEN).requests) == []


@pytest.mark.parametrize("text", ["shared", "all"])
def test_a_private_request_stays_at_home(workspace: Workspace, ana: Database, text: str) -> None:
    workspace.ask("Call the clinic? #private", action=ACTION)
    shipped(workspace, ana, text)
    (waiting,) = inbox.read(ana, GARDEN).requests
    assert (waiting.file, waiting.question) == (None, "")


@pytest.mark.parametrize("text", ["shared", "all"])
def test_no_other_text_leaves_in_the_place_of_a_time(workspace: Workspace, ana: Database, text: str) -> None:
    asked = workspace.ask("Call the clinic? #private", action=ACTION)
    file = Path(workspace.root, "approvals", f"{asked.id}.md")
    lines = file.read_text().splitlines(keepends=True)
    file.write_text("".join("asked: at the clinic\n" if line.startswith("asked:") else line for line in lines))
    shipped(workspace, ana, text)
    rows = ana.rows("SELECT * FROM agentws.requests")
    assert rows
    assert "clinic" not in str(rows)


def test_another_action_can_be_approved_instead(workspace: Workspace, ana: Database, person: Path) -> None:
    asked = workspace.ask("Pay Lena?", action=ACTION, risk="high")
    shipped(workspace, ana)
    less = {**ACTION, "amount": 200}
    answered(ana, person, edited=(less,))
    shipped(workspace, ana)
    approval = workspace.approvals.show(asked.id)
    assert (approval.action, approval.is_usable) == (less, True)


def test_a_signed_rejection_binds(workspace: Workspace, ana: Database, person: Path) -> None:
    asked = workspace.ask("Pay Lena?", action=ACTION)
    shipped(workspace, ana)
    answered(ana, person, approve=False)
    shipped(workspace, ana)
    assert workspace.approvals.show(asked.id).status == "rejected"


FORGED = (
    ("approved", None, "-"),
    ("approved", None, ""),
    ("rejected", None, "-"),
    ("rejected", None, " "),
    ("approved", '{"tool": "pay", "to": "Eve", "amount": 9999}', "-"),
    ("approved", "{not json", "-"),
    ("approved", "[" * 3000, "-"),
)


@pytest.mark.parametrize("risk", ["low", "high"])
def test_what_the_superuser_writes_into_the_table_never_binds(
    workspace: Workspace, town: Town, ana: Database, person: Path, risk: str
) -> None:
    del person
    home = at(workspace, typed=True)  # whose settings let typed answers count
    asked = home.ask("Pay Lena?", action=ACTION, risk=risk)
    shipped(home, ana)
    for forged in FORGED:
        town.owner(
            "INSERT INTO agentws.answers (team, agent, request, verdict, edit, signature, role)"
            " VALUES (%s, %s, %s, %s, %s, %s, 'ana')",
            *(GARDEN, home.stores.manifest.agent_id, asked.id, *forged),
        )
    shipped(home, ana)
    assert home.approvals.show(asked.id).status == "pending"
    answers = inbox.read(ana, GARDEN).answers
    assert [answer.outcome for answer in answers] == ["refused"] * len(FORGED)
    assert all(answer.reason for answer in answers)
    assert "decided" not in kinds(home)


def test_a_key_that_is_not_pinned_does_not_count(workspace: Workspace, ana: Database, person: Path) -> None:
    del person
    asked = workspace.ask("Pay Lena?", action=ACTION)
    shipped(workspace, ana)
    answered(ana, keys.made(Path(workspace.root).parent / "eve", "eve"))
    shipped(workspace, ana)
    assert workspace.approvals.show(asked.id).status == "pending"
    assert "not pinned" in outcome(ana)[1]


@pytest.mark.parametrize(
    ("old", "new"), [("Pay Lena?", "Pay Lena a little?"), ('"amount": 250', '"amount": 2'), ("risk: high", "risk: low")]
)
def test_a_signature_over_an_altered_copy_counts_for_nothing(
    workspace: Workspace, town: Town, ana: Database, person: Path, old: str, new: str
) -> None:
    asked = workspace.ask("Pay Lena?", action=ACTION, risk="high")
    shipped(workspace, ana)
    town.owner("UPDATE agentws.requests SET file = replace(file, %s, %s)", old, new)
    answered(ana, person)
    shipped(workspace, ana)
    assert workspace.approvals.show(asked.id).status == "pending"
    assert outcome(ana)[0] == "refused"


def test_an_answer_for_another_request_or_verdict_does_not_count(
    workspace: Workspace, town: Town, ana: Database, person: Path
) -> None:
    asked = workspace.ask("Pay Lena?", action=ACTION)
    shipped(workspace, ana)
    answered(ana, person, approve=False)
    town.owner("UPDATE agentws.answers SET verdict = 'approved'")
    shipped(workspace, ana)
    assert workspace.approvals.show(asked.id).status == "pending"
    other = workspace.ask("Pay Tom?", action={**ACTION, "to": "Tom"})
    town.owner("UPDATE agentws.answers SET verdict = 'rejected', request = %s, outcome = NULL", other.id)
    shipped(workspace, ana)
    assert workspace.approvals.show(other.id).status == "pending"


def test_an_answer_after_one_at_home_is_refused_with_its_reason(
    workspace: Workspace, ana: Database, person: Path
) -> None:
    asked = workspace.ask("Pay Lena?", action=ACTION)
    shipped(workspace, ana)
    answered(ana, person)
    workspace.approvals.decide(asked.id, approve=False)
    shipped(workspace, ana)
    assert workspace.approvals.show(asked.id).status == "rejected"
    assert outcome(ana)[0] == "refused"
    assert "already rejected" in outcome(ana)[1]


def test_an_answer_to_an_expired_request_is_refused_with_its_reason(
    workspace: Workspace, ana: Database, person: Path
) -> None:
    workspace.ask("Pay Lena?", action=ACTION, expires="2h")
    shipped(workspace, ana)
    answered(ana, person)
    shipped(at(workspace, hours=3), ana)
    assert outcome(ana) == ("refused", outcome(ana)[1])
    assert "expired" in outcome(ana)[1]


def test_an_answer_to_a_request_that_was_edited_is_refused_with_its_reason(
    workspace: Workspace, ana: Database, person: Path
) -> None:
    asked = workspace.ask("Pay Lena?", action=ACTION)
    shipped(workspace, ana)
    answered(ana, person)
    path = Path(workspace.root, asked.path)
    path.write_text(path.read_text().replace("250", "2500"))
    shipped(workspace, ana)
    assert not workspace.approvals.show(asked.id).is_usable
    assert outcome(ana)[0] == "refused"
    assert "edited" in outcome(ana)[1]


def test_a_request_of_a_private_session_is_listed_without_its_text(workspace: Workspace, ana: Database) -> None:
    asked = workspace.ask("Pay Lena?", action=ACTION)
    shipped(workspace, ana, "shared")
    (request,) = inbox.read(ana, GARDEN).requests
    assert (request.id, request.question, request.file) == (asked.id, "", None)
    with pytest.raises(NeedsYouError, match="stays at home"):
        inbox.statement(request, approve=True)


def test_a_request_with_a_secret_stays_at_home(workspace: Workspace, ana: Database) -> None:
    asked = workspace.ask("Pay Lena?", action=ACTION)
    path = Path(workspace.root, asked.path)
    path.write_text(path.read_text() + "\npassword: hunter2-correct-horse AKIAIOSFODNN7EXAMPLZ\n")
    shipped(workspace, ana)
    assert inbox.read(ana, GARDEN).requests[0].file is None


def test_a_member_without_the_right_and_another_team_answer_nothing(
    workspace: Workspace, town: Town, ana: Database, person: Path
) -> None:
    workspace.ask("Pay Lena?", action=ACTION)
    shipped(workspace, ana)
    request = inbox.find(inbox.read(ana, GARDEN), "")
    signature = keys.signed(person, inbox.statement(request, approve=True).words)
    for role in ("ben", "eve"):
        with connected(town.url_of(role)) as other, pytest.raises(MayNotWriteError):
            inbox.send(other, GARDEN, request, approve=True, signature=signature)
    with connected(town.url_of("eve")) as eve:
        read = inbox.read(eve, GARDEN)
        assert (list(read.requests), list(read.answers), list(read.offers)) == ([], [], [])
        answered(ana, person)
        number = inbox.read(ana, GARDEN).answers[0].number
        for call in (
            lambda: inbox.settle(eve, "answers", number, "refused", "no"),
            lambda: inbox.settle(eve, "answers", number + 99, "refused", "no"),
            lambda: eve.rows("SELECT agentws.put_requests(%s, %s, '[]')", (GARDEN, request.agent)),
            lambda: eve.rows("DELETE FROM agentws.requests"),
            lambda: eve.rows("SELECT agentws.wake('garden')"),
        ):
            with pytest.raises(MayNotWriteError):
                call()
    assert len(inbox.read(ana, GARDEN).requests) == 1


def test_a_request_is_found_by_id_agent_or_being_the_only_one(workspace: Workspace, ana: Database) -> None:
    one, two = workspace.ask("Pay Lena?", action=ACTION), workspace.ask("Move the meeting?")
    shipped(workspace, ana)
    read = inbox.read(ana, GARDEN)
    assert inbox.find(read, one.id).question == "Pay Lena?"
    assert inbox.find(read, f"Robin/{two.id}").id == two.id
    with pytest.raises(AmbiguousError):
        inbox.find(read, "")
    with pytest.raises(MissingFileError):
        inbox.find(read, "zzzzzz")
    with pytest.raises(UsageError):
        inbox.send(ana, GARDEN, inbox.find(read, one.id), approve=True, signature=" ")


@pytest.mark.parametrize(
    "file", ["", "no request", "---\nstatus: [\n---\n# X\n", "# \x1b[31mred\n", "# " + "x" * 100_000]
)
def test_a_hostile_copy_is_listed_and_breaks_nothing(
    workspace: Workspace, town: Town, ana: Database, file: str
) -> None:
    workspace.ask("Pay Lena?", action=ACTION)
    shipped(workspace, ana)
    town.owner("UPDATE agentws.requests SET file = %s", file)
    assert len(inbox.read(ana, GARDEN).requests) == 1


def test_many_forged_answers_cost_one_ship_a_few_and_others_wait(
    workspace: Workspace, town: Town, ana: Database
) -> None:
    asked = workspace.ask("Pay Lena?", action=ACTION)
    shipped(workspace, ana)
    town.owner(
        "INSERT INTO agentws.answers (team, agent, request, verdict, signature)"
        " SELECT %s, %s, %s, 'approved', 'x' FROM generate_series(1, 100)",
        *(GARDEN, workspace.stores.manifest.agent_id, asked.id),
    )
    shipped(workspace, ana)
    assert town.owner("SELECT count(*) FROM agentws.answers WHERE outcome IS NULL") == [(80,)]
