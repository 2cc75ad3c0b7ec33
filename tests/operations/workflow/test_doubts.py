"""Steps whose beginning cannot be read, or is gone: nobody knows whether they were done, and none is repeated."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from agentws.workspace import Workspace
from tests.operations.ask import people
from tests.operations.workflow.test_steps import Effects, dies, effects, opened, run  # noqa: F401


def alter(workspace: Workspace, old: str, new: str) -> None:
    """Change the line of the beginning of a step, and nothing else."""
    (path,) = Path(workspace.root, "journal").glob("*/000001.jsonl")
    lines = path.read_text().splitlines(keepends=True)
    (at,) = [number for number, line in enumerate(lines) if '"kind":"step.began"' in line and '"step":"pay"' in line]
    assert old in lines[at]
    lines[at] = lines[at].replace(old, new, 1)
    path.write_text("".join(lines))


ALTERED = [
    ('"step":"pay"', '"step":"pby"'),
    ('"workflow":"loan-7"', '"workflow":"loan-8"'),
    ('"kind":"step.began"', '"kind":"step.bfgan"'),
    ('"kind":"step.began"', '"kind":"stfp.began"'),
    ('"body":{', '"body":['),
]


@pytest.mark.parametrize(("old", "new"), ALTERED)
def test_a_step_whose_beginning_was_altered_is_asked_about(
    workspace: Workspace,
    effects: Effects,  # noqa: F811
    old: str,
    new: str,
) -> None:
    dies(workspace, effects, "assess", "pay")
    workspace.event("note", "later")  # an altered newest line stops every write
    alter(workspace, old, new)

    for _ in range(2):
        _, flow = run(workspace, effects, "assess", "pay")
        assert flow.is_paused
    assert effects.done == ["assess", "pay"]
    (request,) = opened(workspace).approvals(pending=True)
    opened(workspace).decide(request.id, approve=True, typed=True)
    for _ in range(2):
        assert not run(workspace, effects, "assess", "pay")[1].is_paused
    assert effects.done == ["assess", "pay", "pay"]


def test_a_person_may_say_that_it_was_done(workspace: Workspace, effects: Effects) -> None:  # noqa: F811
    dies(workspace, effects, "pay")
    workspace.event("note", "later")
    alter(workspace, '"step":"pay"', '"step":"pby"')
    assert run(workspace, effects, "pay")[1].is_paused

    people.at(workspace).resolve_step("loan-7", "pay", result="paid")

    assert run(workspace, effects, "pay")[0] == ["paid"]


def test_a_beginning_whose_end_is_known_is_of_no_other_step(workspace: Workspace, effects: Effects) -> None:  # noqa: F811
    run(workspace, effects, "pay")
    alter(workspace, '"step":"pay"', '"step":"pby"')

    assert not run(workspace, effects, "pay", "thank")[1].is_paused
    assert effects.done == ["pay", "thank"]


def test_an_older_copy_of_the_journal_repeats_no_step(workspace: Workspace, effects: Effects) -> None:  # noqa: F811
    workspace.event("note", "before")
    copy = Path(workspace.root).parent / "copy"
    shutil.copytree(Path(workspace.root, "journal"), copy)
    run(workspace, effects, "assess")
    shutil.rmtree(Path(workspace.root, "journal"))
    copy.rename(Path(workspace.root, "journal"))

    for _ in range(2):
        _, flow = run(workspace, effects, "assess")
        assert flow.is_paused
        assert any("lacks events" in notice for notice in flow.notices)
    assert effects.done == ["assess"]

    opened(workspace).take_over()
    assert not run(workspace, effects, "assess")[1].is_paused
