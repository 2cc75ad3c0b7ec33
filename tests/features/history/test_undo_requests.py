"""undo takes back a request that nobody has answered, and no other; then nobody can answer it."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentws.errors import ApprovalRefusedError, NeedsYouError, NothingToUndoError
from agentws.workspace import Workspace
from tests.features.approvals import people
from tests.features.approvals.people import ACTION


def test_a_request_is_taken_back_and_can_be_neither_answered_nor_used(workspace: Workspace) -> None:
    here = people.at(workspace)
    here.tasks.add("Pay")
    id = here.ask("Pay?", action=ACTION, task="pay").id
    here.tasks.wait("pay", approval=id)
    here.undo()  # the wait

    done = here.undo()

    assert (done.verb, done.paths) == (f"ask {id}", (f"approvals/{id}.md",))
    assert not people.file_of(workspace, id).exists()
    assert (here.approvals.show(id).status, here.approvals.show(id).reason) == (
        "expired",
        "It was taken back with `agentws undo`.",
    )
    assert [*here.approvals.list()] == []
    with pytest.raises(ApprovalRefusedError, match="taken back"):
        here.approvals.decide(id, approve=True, typed=True)
    with pytest.raises(ApprovalRefusedError, match="taken back"):
        here.approvals.use(id, ACTION)
    assert here.ask("Pay?", action=ACTION).id != id


def test_the_next_undo_takes_back_what_came_before(workspace: Workspace) -> None:
    here = people.at(workspace)
    here.log("one")
    here.ask("Pay?", action=ACTION)

    assert [here.undo().verb.split()[0] for _ in range(2)] == ["ask", "log"]


def test_a_request_that_was_taken_back_is_not_made_again(workspace: Workspace) -> None:
    here = people.at(workspace)
    here.ask("Pay?", action=ACTION)
    here.undo()

    with pytest.raises(NothingToUndoError, match="not made again"):
        here.history.redo()


@pytest.mark.parametrize("approve", [True, False])
def test_an_answered_request_stays(workspace: Workspace, approve: bool) -> None:
    here = people.at(workspace)
    here.log("one")
    id = here.ask("Pay?", action=ACTION).id
    here.approvals.decide(id, approve=approve, typed=True)

    with pytest.raises(NeedsYouError, match="which undo does not cover"):
        here.undo()

    assert people.file_of(workspace, id).exists()


def test_an_answer_that_the_file_does_not_know_yet_is_one(workspace: Workspace) -> None:
    here = people.at(workspace)
    here.log("one")
    id = here.ask("Pay?", action=ACTION).id
    file = people.file_of(workspace, id)
    before = file.read_bytes()
    here.approvals.decide(id, approve=True, typed=True)
    file.write_bytes(before)  # as a killed `ask approve` leaves it
    Path(workspace.root, ".agentws", "changes.jsonl").write_bytes(
        b"".join(
            line
            for line in Path(workspace.root, ".agentws", "changes.jsonl").read_bytes().splitlines(keepends=True)
            if b"ask approved" not in line
        )
    )

    with pytest.raises(NeedsYouError, match=f"`ask {id}`, which undo does not cover"):
        here.undo()


def test_a_request_of_a_hook_is_one_too(workspace: Workspace) -> None:
    settings = Path(people.at(workspace).stores.environment.config or "")
    settings.write_text(settings.read_text() + '[[ask.rules]]\nwords = "git push"\n')
    here = people.at(workspace)
    request = here.plumbing.gate("Bash", {"command": "git push"}).request
    assert request is not None

    here.undo()

    again = here.plumbing.gate("Bash", {"command": "git push"}).request
    assert again is not None
    assert again.id != request.id
