"""Steps whose beginning cannot be read, or is gone: nobody knows whether they were done, and none is repeated."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from agentws.workspace import Workspace
from tests.core.journal import journals
from tests.features.approvals import people
from tests.features.workflow.test_steps import Effects, dies, effects, opened, run  # noqa: F401


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
    (request,) = opened(workspace).approvals.list(pending=True)
    opened(workspace).approvals.decide(request.id, approve=True, typed=True)
    for _ in range(2):
        assert not run(workspace, effects, "assess", "pay")[1].is_paused
    assert effects.done == ["assess", "pay", "pay"]


def test_a_person_may_say_that_it_was_done(workspace: Workspace, effects: Effects) -> None:  # noqa: F811
    dies(workspace, effects, "pay")
    workspace.event("note", "later")
    alter(workspace, '"step":"pay"', '"step":"pby"')
    assert run(workspace, effects, "pay")[1].is_paused

    people.at(workspace).workflow.resolve("loan-7", "pay", result="paid")

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

    opened(workspace).identity.take_over()
    assert not run(workspace, effects, "assess")[1].is_paused


def beginning(workspace: Workspace) -> Path:
    """The segment in which a step began."""
    (path,) = [one for one in Path(workspace.root, "journal").glob("*/*.jsonl") if b'"step.began"' in one.read_bytes()]
    return path


def cut(path: Path) -> None:
    """Take away the end of a segment, from where a step began on."""
    data = path.read_bytes()
    path.write_bytes(data[: data.rfind(b"\n", 0, data.find(b'"step.began"')) + 1])


def zeroed(path: Path) -> None:
    path.write_bytes(b"\0" * path.stat().st_size)


def emptied(path: Path) -> None:
    path.write_bytes(b"")


@pytest.fixture
def long(workspace: Workspace, monkeypatch: pytest.MonkeyPatch, effects: Effects) -> Workspace:  # noqa: F811
    """A journal of several segments; in one of the middle a step was done."""
    journals.small(monkeypatch)
    for what in ("before", "after"):
        for number in range(40):
            journals.record(workspace, "note", text=f"{what} {number} {'x' * 300}")
        if what == "before":
            run(workspace, effects, "pay")
    return workspace


@pytest.mark.parametrize("lose", [Path.unlink, emptied, zeroed, cut])
def test_where_a_part_of_the_journal_is_gone_no_step_is_repeated(
    long: Workspace,
    effects: Effects,  # noqa: F811
    lose: Callable[[Path], None],
) -> None:
    path = beginning(long)
    before = path.read_bytes()
    lose(path)

    for _ in range(2):
        _, flow = run(long, effects, "pay")
        assert flow.is_paused
        assert any("lacks events" in notice for notice in flow.notices)
    assert effects.done == ["pay"]

    path.write_bytes(before)
    assert not run(long, effects, "pay")[1].is_paused
    assert effects.done == ["pay"]


def test_who_renews_the_journal_goes_on_without_what_is_gone(long: Workspace, effects: Effects) -> None:  # noqa: F811
    beginning(long).unlink()
    assert run(long, effects, "pay", "tell")[1].is_paused

    opened(long).journal.renew()

    assert not run(long, effects, "other")[1].is_paused


@pytest.mark.parametrize("keeps_newline", [True, False])
def test_a_line_of_which_nothing_is_left_may_be_the_beginning_of_a_step(
    workspace: Workspace,
    effects: Effects,  # noqa: F811
    keeps_newline: bool,
) -> None:
    dies(workspace, effects, "pay")
    workspace.event("note", "later")
    (path,) = Path(workspace.root, "journal").glob("*/000001.jsonl")
    data = path.read_bytes()
    start = data.rfind(b"\n", 0, data.find(b'"step.began"')) + 1
    end = data.find(b"\n", start) + (not keeps_newline)
    path.write_bytes(data[:start] + b"\0" * (end - start) + data[end:])

    assert run(workspace, effects, "pay")[1].is_paused
    assert effects.done == ["pay"]
