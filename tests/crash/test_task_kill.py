"""P1, P2, P3: a task verb that is killed at any file operation leaves the old file or the new one, and its event is
told by the next."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from agentws.formats import task
from agentws.workspace import Workspace
from tests.crash import harness, journal_reader, scenarios
from tests.crash.harness import AFTER, BEFORE, HALF, ZEROS, Kill
from tests.crash.scenarios import THOROUGH, Ack, Stage

ROOF = "tasks/roof.md"


@dataclass(frozen=True)
class Verb:
    """A verb that is killed: what stands before it, the verb, and what the file may say in between."""

    name: str
    prepare: Callable[[Workspace], Any]
    act: Callable[[Workspace], Any]
    between: tuple[bytes, ...] = ()


def _added(workspace: Workspace) -> None:
    workspace.add_task("Roof", steps=["ask", "pay"], start=True)


def _waiting(workspace: Workspace) -> None:
    _added(workspace)
    workspace.wait_task("roof", path="notes.txt")


def _add_and_finish(workspace: Workspace) -> None:
    _added(workspace)
    workspace.finish_task("roof")


STAMP = b"2026-11-20T12:00:00+00:00"
ACTIVE = b"---\nstatus: active\ncreated: %s\nupdated: %s\n---\n# Roof\n\n- [ ] ask\n- [ ] pay\n" % (STAMP, STAMP)
VERBS = [
    Verb("step", _added, lambda workspace: workspace.step_task("roof", "now", done=[1])),
    Verb("done", _added, lambda workspace: workspace.finish_task("roof")),
    Verb("add and done", lambda workspace: workspace.event("note"), _add_and_finish, (ACTIVE,)),
    Verb("due", _waiting, lambda workspace: workspace.wake_tasks()),
]


def _scenario(verb: Verb) -> scenarios.Scenario:
    def prepare(root: str) -> None:
        scenarios._workspace(root)
        verb.prepare(scenarios.opened(root))

    def act(root: str, ack: Ack) -> None:
        verb.act(scenarios.opened(root))
        ack(verb.name)

    return scenarios.Scenario(f"task {verb.name}", prepare, act, act)


def _points(stage: Stage, verb: Verb) -> list[Kill]:
    changing = stage.whole.changing
    torn = [Kill(at, how) for at, name in enumerate(changing) if "write" in name for how in (HALF, ZEROS)]
    found = [*(Kill(at, BEFORE) for at in range(len(changing))), Kill(len(changing) - 1, AFTER), *torn]
    return found if THOROUGH or verb.name == "done" else found[::3]


@pytest.mark.parametrize("verb", VERBS, ids=lambda verb: verb.name)
def test_a_killed_task_verb_leaves_old_or_new_and_the_next_one_tells_it(verb: Verb, tmp_path: Path) -> None:
    stage = Stage(_scenario(verb), str(tmp_path))

    for point in _points(stage, verb):
        root = stage.fresh()
        outcome = harness.run(stage.scenario.act, root, point)

        assert outcome.killed, point
        try:
            _check(stage, verb, root, acknowledged=bool(outcome.acks))
        except AssertionError as error:
            raise AssertionError(f"{point} ({stage.whole.changing[point.at]}): {error}") from error


def _check(stage: Stage, verb: Verb, root: str, *, acknowledged: bool) -> None:
    states = [stage.before.get(ROOF), *verb.between, stage.after[ROOF]]
    there = harness.documents(root).get(ROOF)
    assert there in states, f"neither old nor new: {there!r}"
    another = harness.run(_another, root)
    assert another.error is None, another.error[3]
    now = harness.documents(root).get(ROOF)
    assert now in states, f"neither old nor new after the next verb: {now!r}"
    assert now == stage.after[ROOF] or not acknowledged, "acknowledged and lost"
    told = _told(stage, root)
    found = task.decode(now, slug="roof", where=ROOF) if now else None
    assert (told[-1]["after"] if told else None) == (found.status if found else None)
    assert (told[-1]["checked"] if told else None) == (list(found.steps) if found else None)
    _is_a_chain([(one["before"], one["after"], one["checked"]) for one in told])


def _told(stage: Stage, root: str) -> list[dict[str, Any]]:
    """The bodies of the events of the task; a copy of a workspace is another writer, which comes after the first."""
    (first,) = {path.split("/")[1] for path in stage.before if path.endswith(".jsonl") and path.startswith("journal/")}
    found = [one for one in journal_reader.events(root) if one.body and one.body.get("task") == "roof"]
    found.sort(key=lambda one: one.writer != first)
    return [one.body for one in found]


def _is_a_chain(moves: list[tuple[str | None, str | None, list[int]]]) -> None:
    """Each move begins where the one before has ended, and the first one with nothing; none is told twice."""
    befores, afters = [before for before, _, _ in moves], [status for _, status, _ in moves]
    assert befores == [None, *afters][: len(moves)], moves
    assert all(one[1:] != other[1:] for one, other in pairwise(moves)), f"told twice: {moves}"


def _another(root: str, ack: Ack) -> None:
    """The next task verb, of another task."""
    scenarios.opened(root).add_task("Another")
    ack(None)
