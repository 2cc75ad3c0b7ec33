"""Work that stands still: status and doctor tell of workflows that are not finished, and of agents given up."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from agentws.core.findings import Check
from agentws.features.doctor import render_verdict as verdict
from agentws.workspace import Workspace
from tests.features.approvals import people

RUNS = ".agentws/task-runs.json"


class Died(BaseException):
    """The process ends here."""


def told(of: Workspace, name: str) -> Check | None:
    return next((check for check in of.status().checks if check.name == name), None)


def die() -> None:
    raise Died


def test_a_workflow_is_told_that_nobody_knows_of_or_that_waits(workspace: Workspace) -> None:
    assert told(workspace, "workflows") is None
    with pytest.raises(Died), people.at(workspace).workflow("gate") as flow:
        flow.step("open", die)

    check = told(workspace, "workflows")
    assert check is not None
    assert (check.ok, "gate: open" in check.says) == (False, True)
    assert ["gate" in one.says for one in workspace.doctor().findings if one.name == "workflows"] == [True]

    workspace.workflow.resolve("gate", "open", result="it opened")
    with people.at(workspace).workflow("loan") as flow:
        flow.approval("Pay?", action={"tool": "pay"})
    check = told(workspace, "workflows")
    assert check is not None
    assert (check.ok, "1 waits" in check.says, "(loan)" in check.says) == (True, True, True)
    assert "(loan)" in verdict.of_workspace(workspace.status())
    assert not [one for one in workspace.doctor().findings if one.name == "workflows"]


def test_an_agent_that_was_given_up_is_told_until_its_task_moves_on(workspace: Workspace) -> None:
    workspace.tasks.add("Roof", start=True)
    path = Path(workspace.root, RUNS)
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps({"roof": {"attempts": 3}}))
    assert told(workspace, "agent") is None

    path.write_text(json.dumps({"roof": {"attempts": 5, "given_up": ".agentws/task-run-1.log"}}))
    check = told(workspace, "agent")
    assert check is not None
    assert (check.ok, "(roof)" in check.says, ".agentws/task-run-1.log" in check.remedy) == (False, True, True)

    workspace.tasks.done("roof")
    assert told(workspace, "agent") is None


def test_notes_that_cannot_be_read_end_no_status(workspace: Workspace) -> None:
    workspace.tasks.add("Roof", start=True)
    for text in ("[1", "[]", '{"roof": 1}'):
        Path(workspace.root, RUNS).write_text(text)
        assert told(workspace, "agent") is None
