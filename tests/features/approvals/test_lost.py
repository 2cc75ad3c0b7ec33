"""A request whose file is gone: the journal is believed."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentws.errors import ApprovalPendingError, ApprovalRefusedError
from agentws.features.approvals import render
from agentws.workspace import Workspace
from tests.features.approvals.people import ACTION, at, file_of, kinds
from tests.features.approvals.test_gate import PAY, asked, only, ruled


def lines(workspace: Workspace) -> list[str]:
    return [*render.list_lines(at(workspace).approvals.list())]


@pytest.mark.parametrize("how", ["deleted", "damaged", "archived"])
def test_a_rejected_call_stays_rejected_whatever_becomes_of_its_file(workspace: Workspace, how: str) -> None:
    here = ruled(workspace)
    asked(here)
    id = only(here)
    here.approvals.decide(id, approve=False, message="Not this month.")
    file = file_of(workspace, id)
    if how == "damaged":
        file.write_text("nothing\n")
    elif how == "archived":
        to = file.parent / "archive" / "2026" / file.name
        to.parent.mkdir(parents=True)
        file.rename(to)
    else:
        file.unlink()

    answer = asked(here)

    assert answer.may is False
    assert "Not this month." in answer.says
    assert kinds(workspace) == ["asked", "decided"]
    with pytest.raises(ApprovalRefusedError, match="rejected"):
        at(workspace).approvals.use("", {"tool": "Bash", "input": {"command": PAY["command"]}})
    assert len(lines(workspace)) == 1
    assert ("file gone" in lines(workspace)[0]) == (how == "deleted")
    assert lines(workspace)[0].startswith(id) == (how != "archived")


def test_a_request_that_waits_is_answered_and_used_without_its_file(workspace: Workspace) -> None:
    id = at(workspace).ask("Pay the deposit?", action=ACTION, expires="2d").id
    before = at(workspace).approvals.show(id)
    file_of(workspace, id).unlink()

    with pytest.raises(ApprovalPendingError):
        at(workspace).approvals.use("", ACTION)
    found = at(workspace).approvals.show(id[:3])
    assert found.is_gone
    for name in ("question", "action", "action_digest", "risk", "expires", "status"):
        assert getattr(found, name) == getattr(before, name)
    assert "file gone" in lines(workspace)[0]
    assert id in at(workspace).approvals.list(pending=True).notices[0]
    assert at(workspace).ask("Pay the deposit?", action=ACTION, expires="2d").id == id

    at(workspace).approvals.decide(id, approve=True, typed=True)
    assert at(workspace).approvals.use("", ACTION).status == "used"
    assert not at(workspace).approvals.list()
    with pytest.raises(ApprovalRefusedError, match="used already"):
        at(workspace).approvals.use(id, ACTION)


def test_whoever_asks_again_for_what_was_rejected_is_told(workspace: Workspace) -> None:
    here = at(workspace)
    id = here.ask("Pay the deposit?", action=ACTION).id
    here.approvals.decide(id, approve=False)
    file_of(workspace, id).unlink()

    done = here.ask("Pay the deposit, please?", action=ACTION)

    assert done.id != id
    assert any("rejected" in notice and id in notice for notice in done.notices)
    assert not any("rejected" in notice for notice in here.ask("Another?", action=1).notices)


def test_what_a_file_said_otherwise_comes_back_with_no_deletion(workspace: Workspace) -> None:
    id = at(workspace).ask("Pay the deposit?", action=ACTION).id
    file = file_of(workspace, id)
    file.write_text(file.read_text().replace("250", "950"))
    assert at(workspace).approvals.show(id).status == "disputed"
    Path(file).unlink()

    assert at(workspace).approvals.show(id).action == ACTION


def test_an_archived_request_is_shown_where_it_lies(workspace: Workspace) -> None:
    id = at(workspace).ask("Pay the deposit?", action=ACTION).id
    at(workspace).approvals.decide(id, approve=False)
    file = file_of(workspace, id)
    to = file.parent / "archive" / "2026" / file.name
    to.parent.mkdir(parents=True)
    file.rename(to)

    found = at(workspace).approvals.show(id)

    assert (found.path, found.is_gone, found.status) == (f"approvals/archive/2026/{id}.md", False, "rejected")


def test_an_answer_without_a_file_stands_in_the_journal_alone(workspace: Workspace) -> None:
    id = at(workspace).ask("Pay the deposit?", action=ACTION).id
    file_of(workspace, id).unlink()

    done = at(workspace).approvals.decide(id, approve=False)

    assert done.notices == [f"approvals/{id}.md is missing: recorded in the journal alone."]


def test_whoever_edited_a_request_is_told_how_it_can_be_answered(workspace: Workspace) -> None:
    id = at(workspace).ask("Pay the deposit?", action=ACTION).id
    file = file_of(workspace, id)
    file.write_text(file.read_text().replace("250", "950"))

    (found,) = [one for one in workspace.doctor().findings if one.name == "approval-disputed"]
    assert (found.path, found.says) == (f"approvals/{id}.md", "is not what was asked: it was edited.")
    with pytest.raises(ApprovalRefusedError, match="was edited") as refused:
        at(workspace).approvals.decide(id, approve=False)
    assert refused.value.hint == found.remedy
    assert "delete the file" in found.remedy
    file.unlink()
    assert at(workspace).approvals.decide(id, approve=False).status == "rejected"
    assert not [one for one in workspace.doctor().findings if one.name.startswith("approval")]
