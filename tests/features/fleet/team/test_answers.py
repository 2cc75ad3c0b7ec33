"""Answers through the fleet bind as at home, or are refused with a reason; the database's word alone never counts."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from agentws.core.identity import approvers
from agentws.errors import AmbiguousError, MayNotWriteError, MissingFileError, NeedsYouError, UsageError
from agentws.features.approvals.decide import AS_ASKED
from agentws.features.fleet import inbox
from agentws.features.fleet.database import Database, connected
from agentws.workspace import Workspace
from tests.features.approvals import keys
from tests.features.approvals.people import ACTION, at, kinds
from tests.features.fleet.team.conftest import GARDEN, Town, shipped


@pytest.fixture
def person(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The key of a person, pinned on the agent's machine."""
    key = keys.made(tmp_path / "sam", "sam")
    keys.pinned(monkeypatch, tmp_path, key)
    return key


def answered(ana: Database, key: Path, *, approve: bool = True, edit: object = AS_ASKED) -> None:
    """Answer the only request that waits, as a person who reads the database's copy."""
    request = inbox.find(inbox.read(ana, GARDEN), "")
    words = inbox.statement(request, approve=approve, edit=edit).words
    inbox.send(ana, GARDEN, request, approve=approve, signature=keys.signed(key, words), edit=edit)


def outcome(ana: Database) -> tuple[str, str]:
    """What became of the newest answer."""
    newest = inbox.read(ana, GARDEN, is_all=True).answers[-1]
    return newest.outcome, newest.reason


def test_a_signed_answer_travels_back_and_can_be_used_once(workspace: Workspace, ana: Database, person: Path) -> None:
    asked = workspace.ask("Pay Lena?", action=ACTION, risk="high")
    shipped(ana, workspace)
    answered(ana, person)
    assert workspace.approvals.show(asked.id).status == "pending", "nothing counts before the ship"
    shipped(ana, workspace)
    assert outcome(ana) == ("applied", "")
    approval = workspace.approvals.show(asked.id)
    assert (approval.status, approval.proof, approval.is_usable) == ("approved", "signed", True)
    assert workspace.approvals.use(asked.id, ACTION).status == "used"
    assert inbox.read(ana, GARDEN).requests[:] != [] or not shipped(ana, workspace)
    assert list(inbox.read(ana, GARDEN).requests) == []


@pytest.mark.parametrize("text", ["shared", "all"])
def test_a_private_request_stays_at_home(workspace: Workspace, ana: Database, text: str) -> None:
    workspace.ask("Call the clinic? #private", action=ACTION)
    shipped(ana, workspace, text)
    (waiting,) = inbox.read(ana, GARDEN).requests
    assert (waiting.file, waiting.question, waiting.why) == ("", "", "Its text stays at home.")


@pytest.mark.parametrize("text", ["shared", "all"])
def test_no_other_text_leaves_in_the_place_of_a_time(workspace: Workspace, ana: Database, text: str) -> None:
    asked = workspace.ask("Call the clinic? #private", action=ACTION)
    file = Path(workspace.root, "approvals", f"{asked.id}.md")
    lines = file.read_text().splitlines(keepends=True)
    file.write_text("".join("asked: at the clinic\n" if line.startswith("asked:") else line for line in lines))
    shipped(ana, workspace, text)
    rows = ana.rows("SELECT * FROM agentws.requests")
    assert rows
    assert "clinic" not in str(rows)


def test_another_action_can_be_approved_instead(workspace: Workspace, ana: Database, person: Path) -> None:
    asked = workspace.ask("Pay Lena?", action=ACTION, risk="high")
    shipped(ana, workspace)
    less = {**ACTION, "amount": 200}
    answered(ana, person, edit=less)
    shipped(ana, workspace)
    approval = workspace.approvals.show(asked.id)
    assert (approval.action, approval.is_usable) == (less, True)


def test_a_signed_rejection_binds(workspace: Workspace, ana: Database, person: Path) -> None:
    asked = workspace.ask("Pay Lena?", action=ACTION)
    shipped(ana, workspace)
    answered(ana, person, approve=False)
    shipped(ana, workspace)
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
    shipped(ana, home)
    for forged in FORGED:
        town.owner(
            "INSERT INTO agentws.messages (team, agent, request, kind, text, signature, role)"
            " VALUES (%s, %s, %s, %s, %s, %s, 'ana')",
            *(GARDEN, home.stores.manifest.agent_id, asked.id, *forged),
        )
    shipped(ana, home)
    assert home.approvals.show(asked.id).status == "pending"
    (newest,) = inbox.read(ana, GARDEN).answers
    assert newest.outcome == "refused", "a person sees that the request still waits, and why"
    answers = inbox.read(ana, GARDEN, is_all=True).answers
    assert [answer.outcome for answer in answers] == ["refused"] * len(FORGED)
    assert all(answer.reason for answer in answers)
    assert "decided" not in kinds(home)


def test_a_key_that_is_not_pinned_does_not_count(workspace: Workspace, ana: Database, person: Path) -> None:
    del person
    asked = workspace.ask("Pay Lena?", action=ACTION)
    shipped(ana, workspace)
    answered(ana, keys.made(Path(workspace.root).parent / "eve", "eve"))
    shipped(ana, workspace)
    assert workspace.approvals.show(asked.id).status == "pending"
    assert outcome(ana)[1] == "The signature does not count: the key that signed is not pinned."
    assert [answer.outcome for answer in inbox.read(ana, GARDEN).answers] == ["refused"]
    assert [request.id for request in inbox.read(ana, GARDEN).unanswered] == [asked.id]


def test_an_answer_that_ssh_keygen_could_not_check_is_tried_again(
    workspace: Workspace, ana: Database, person: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = workspace.ask("Pay Lena?", action=ACTION, risk="high")
    shipped(ana, workspace)
    answered(ana, person)
    broken = tmp_path / "ssh-keygen"
    broken.write_text("#!/bin/sh\necho 'No user exists for uid 6002' >&2\nexit 255\n")
    broken.chmod(0o755)
    with monkeypatch.context() as patched:
        patched.setattr(approvers, "program", lambda: str(broken))
        (notice,) = shipped(ana, workspace)
    assert "waits: The signature does not count: the signature could not be checked" in notice
    assert "refused" not in kinds(workspace)
    assert inbox.read(ana, GARDEN).unanswered == []
    shipped(ana, workspace)
    assert outcome(ana) == ("applied", "")
    assert workspace.approvals.show(asked.id).status == "approved"


ALTERED = (
    ("Pay Lena?", "Pay Lena a little?"),
    ('"amount": 250', '"amount": 2'),
    ("risk: high", "risk: low"),
    ("expires: 2", "expires: 3"),
)


@pytest.mark.parametrize(("old", "new"), ALTERED)
def test_an_altered_copy_is_neither_shown_nor_signed(
    workspace: Workspace, town: Town, ana: Database, old: str, new: str
) -> None:
    workspace.ask("Pay Lena?", action=ACTION, risk="high", expires="2h")
    shipped(ana, workspace)
    town.owner("UPDATE agentws.requests SET file = replace(file, %s, %s), risk = 'low', expires = ''", old, new)
    (request,) = inbox.read(ana, GARDEN).requests
    assert (request.question, request.file) == ("", "")
    with pytest.raises(NeedsYouError, match="not what the agent asked"):
        inbox.statement(request, approve=True)


def test_a_copy_is_not_shown_by_a_line_that_is_not_whole_or_asks_something_else(
    workspace: Workspace, town: Town, ana: Database
) -> None:
    workspace.ask("Pay Lena?", action=ACTION)
    workspace.ask("Pay Tom?", action={**ACTION, "to": "Tom"})
    shipped(ana, workspace)
    assert [request.why for request in inbox.read(ana, GARDEN).requests] == ["", ""]
    town.owner("UPDATE agentws.events SET tail = replace(tail, 'Lena', 'Eve') WHERE kind = 'approval.asked'")
    town.owner("UPDATE agentws.requests SET file = replace(file, 'Lena', 'Eve')")
    asked = {request.question: request.why for request in inbox.read(ana, GARDEN).requests}
    assert asked.pop("Pay Tom?") == ""
    assert "not what the agent asked" in asked[""]


def test_the_risk_and_the_end_that_are_listed_are_those_asked_for(
    workspace: Workspace, town: Town, ana: Database
) -> None:
    asked = workspace.ask("Pay Lena?", action=ACTION, risk="high", expires="2h")
    shipped(ana, workspace)
    town.owner("UPDATE agentws.requests SET risk = 'low', expires = ''")
    (request,) = inbox.read(ana, GARDEN).requests
    assert (request.risk, request.expires) == ("high", asked.request.text("expires"))


def test_who_may_only_answer_sees_what_was_asked_and_no_other_line(
    workspace: Workspace, town: Town, ana: Database
) -> None:
    asked = workspace.ask("Pay Lena?", action=ACTION)
    shipped(ana, workspace)
    town.owner("UPDATE agentws.members SET may = '{answer}' WHERE role = 'ben'")
    with connected(town.url_of("ben")) as ben:
        assert inbox.find(inbox.read(ben, GARDEN), asked.id).question == "Pay Lena?"
        assert ben.rows("SELECT * FROM agentws.events") == []
    with connected(town.url_of("eve")) as eve:
        place = GARDEN, workspace.stores.manifest.agent_id, asked.id
        assert eve.rows("SELECT agentws.asked(%s, %s, %s)", place) == [([],)]


@pytest.mark.parametrize(("old", "new"), ALTERED[:3])
def test_a_signature_over_an_altered_copy_counts_for_nothing(
    workspace: Workspace, ana: Database, person: Path, old: str, new: str
) -> None:
    asked = workspace.ask("Pay Lena?", action=ACTION, risk="high")
    shipped(ana, workspace)
    request = inbox.find(inbox.read(ana, GARDEN), "")
    request = replace(request, file=request.file.replace(old, new))  # as another client would show it
    words = inbox.statement(request, approve=True).words
    inbox.send(ana, GARDEN, request, approve=True, signature=keys.signed(person, words))
    shipped(ana, workspace)
    assert workspace.approvals.show(asked.id).status == "pending"
    assert outcome(ana)[0] == "refused"


def test_a_pinned_key_that_its_machine_may_have_made_rejects_and_does_not_approve(
    workspace: Workspace, ana: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = keys.made(tmp_path / "sam", "sam")
    keys.pinned(monkeypatch, tmp_path, key).write_text(keys.line(key, elsewhere=False))
    asked = workspace.ask("Pay Lena?", action=ACTION, risk="high")
    shipped(ana, workspace)
    answered(ana, key)
    shipped(ana, workspace)
    assert (outcome(ana)[0], workspace.approvals.show(asked.id).status) == ("refused", "pending")
    answered(ana, key, approve=False)
    shipped(ana, workspace)
    assert (outcome(ana)[0], workspace.approvals.show(asked.id).status) == ("applied", "rejected")


def test_an_answer_for_another_request_or_verdict_does_not_count(
    workspace: Workspace, town: Town, ana: Database, person: Path
) -> None:
    asked = workspace.ask("Pay Lena?", action=ACTION)
    shipped(ana, workspace)
    answered(ana, person, approve=False)
    town.owner("UPDATE agentws.messages SET kind = 'approved'")
    shipped(ana, workspace)
    assert workspace.approvals.show(asked.id).status == "pending"
    other = workspace.ask("Pay Tom?", action={**ACTION, "to": "Tom"})
    town.owner("UPDATE agentws.messages SET kind = 'rejected', request = %s, outcome = NULL", other.id)
    shipped(ana, workspace)
    assert workspace.approvals.show(other.id).status == "pending"


def test_an_answer_after_one_at_home_is_refused_with_its_reason(
    workspace: Workspace, ana: Database, person: Path
) -> None:
    asked = workspace.ask("Pay Lena?", action=ACTION)
    shipped(ana, workspace)
    answered(ana, person)
    workspace.approvals.decide(asked.id, approve=False)
    shipped(ana, workspace)
    assert workspace.approvals.show(asked.id).status == "rejected"
    assert outcome(ana)[0] == "refused"
    assert "already rejected" in outcome(ana)[1]
    assert inbox.read(ana, GARDEN).answers == [], "nothing is left to do"


def test_an_answer_to_an_expired_request_is_refused_with_its_reason(
    workspace: Workspace, ana: Database, person: Path
) -> None:
    workspace.ask("Pay Lena?", action=ACTION, expires="2h")
    shipped(ana, workspace)
    answered(ana, person)
    shipped(ana, at(workspace, hours=3))
    assert outcome(ana) == ("refused", outcome(ana)[1])
    assert "expired" in outcome(ana)[1]


def test_an_answer_to_a_request_that_was_edited_is_refused_with_its_reason(
    workspace: Workspace, ana: Database, person: Path
) -> None:
    asked = workspace.ask("Pay Lena?", action=ACTION)
    shipped(ana, workspace)
    answered(ana, person)
    path = Path(workspace.root, asked.path)
    path.write_text(path.read_text().replace("250", "2500"))
    shipped(ana, workspace)
    assert not workspace.approvals.show(asked.id).is_usable
    assert outcome(ana)[0] == "refused"
    assert "edited" in outcome(ana)[1]


def test_a_request_of_a_private_session_is_listed_without_its_text(workspace: Workspace, ana: Database) -> None:
    asked = workspace.ask("Pay Lena?", action=ACTION)
    shipped(ana, workspace, "shared")
    (request,) = inbox.read(ana, GARDEN).requests
    assert (request.id, request.question, request.file) == (asked.id, "", "")
    with pytest.raises(NeedsYouError, match="stays at home"):
        inbox.statement(request, approve=True)


def test_a_request_with_a_secret_stays_at_home(workspace: Workspace, ana: Database) -> None:
    asked = workspace.ask("Pay Lena?", action=ACTION)
    path = Path(workspace.root, asked.path)
    path.write_text(path.read_text() + "\npassword: hunter2-correct-horse AKIAIOSFODNN7EXAMPLZ\n")
    shipped(ana, workspace)
    assert "stays at home" in inbox.read(ana, GARDEN).requests[0].why


def test_a_member_without_the_right_and_another_team_answer_nothing(
    workspace: Workspace, town: Town, ana: Database, person: Path
) -> None:
    workspace.ask("Pay Lena?", action=ACTION)
    shipped(ana, workspace)
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
            lambda: inbox.settle(eve, number, "refused", "no"),
            lambda: inbox.settle(eve, number + 99, "refused", "no"),
            lambda: eve.rows("SELECT agentws.put_requests(%s, %s, '[]')", (GARDEN, request.agent)),
            lambda: eve.rows("DELETE FROM agentws.requests"),
            lambda: eve.rows("SELECT agentws.wake('garden')"),
        ):
            with pytest.raises(MayNotWriteError):
                call()
    assert len(inbox.read(ana, GARDEN).requests) == 1


def test_a_request_is_found_by_id_agent_or_being_the_only_one(workspace: Workspace, ana: Database) -> None:
    one, two = workspace.ask("Pay Lena?", action=ACTION), workspace.ask("Move the meeting?")
    shipped(ana, workspace)
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
    shipped(ana, workspace)
    town.owner("UPDATE agentws.requests SET file = %s", file)
    (request,) = inbox.read(ana, GARDEN).requests
    assert "not what the agent asked" in request.why


def test_requests_without_a_date_hide_no_other(workspace: Workspace, town: Town, ana: Database) -> None:
    asked = workspace.ask("Pay Lena?", action=ACTION)
    shipped(ana, workspace)
    town.owner("INSERT INTO agentws.agents (team, agent, name) VALUES (%s, repeat('a', 32), 'Flood')", GARDEN)
    for agent in ("a" * 32, workspace.stores.manifest.agent_id):
        town.owner(
            "INSERT INTO agentws.requests (team, agent, request, risk, asked, expires)"
            " SELECT %s, %s, format('r%%s', n), 'low', '', '' FROM generate_series(1, 600) n", GARDEN, agent,
        )  # fmt: skip
    read = inbox.read(ana, GARDEN)
    assert read.requests[0].id == asked.id
    assert (len(read.requests), read.left_out) == (500, 701)


def test_many_forged_answers_cost_one_ship_a_few_and_others_wait(
    workspace: Workspace, town: Town, ana: Database
) -> None:
    asked = workspace.ask("Pay Lena?", action=ACTION)
    shipped(ana, workspace)
    town.owner(
        "INSERT INTO agentws.messages (team, agent, request, kind, signature)"
        " SELECT %s, %s, %s, 'approved', 'x' FROM generate_series(1, 100)",
        *(GARDEN, workspace.stores.manifest.agent_id, asked.id),
    )
    shipped(ana, workspace)
    assert town.owner("SELECT count(*) FROM agentws.messages WHERE outcome IS NULL") == [(80,)]
