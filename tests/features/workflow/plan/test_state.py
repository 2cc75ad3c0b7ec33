"""The state of workflows: the same in whatever order events come, and through the cache."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

from agentws.features.workflow.plan import state

PAGE = Path(__file__).resolve().parents[4] / "docs" / "format" / "workflow.md"
Told = list[tuple[str, dict[str, Any], str]]


def example() -> Told:
    """The events of the page."""
    block = PAGE.read_text().partition("```jsonl\n")[2].partition("```")[0]
    told = [json.loads(line) for line in block.splitlines()]
    return [(one["kind"], one["body"], one["cursor"]) for one in told]


def folded(told: Told) -> state.Workflows:
    found = state.Workflows()
    for kind, body, cursor in told:
        found.take(kind, body, cursor, "2026-11-20T07:15:00.000000Z")
    return found


def statuses(found: state.Workflows, name: str = "w") -> dict[str, str]:
    return {one.shown: one.status for one in found.by_name[name].steps.values()}


def test_the_example_of_the_page_is_a_workflow_of_which_nobody_knows_whether_it_paid() -> None:
    flow = folded(example()).by_name["loan-7"]

    told = {one.name: one.status for one in flow.steps.values()}
    assert told == {"assess": "done", "Pay the deposit?": "done", "pay": "unknown"}
    assert flow.status == "unknown"
    assert folded(example()[:5]).by_name["loan-7"].status == "paused"


def test_a_workflow_that_was_left_before_its_question_was_on_record_waits_all_the_same() -> None:
    body = {"workflow": "w", "step": "Pay?"}
    told: Told = [
        ("step.left", {"workflow": "w", "outcome": "paused"}, "a:1"),
        ("step.began", {**body, "approval": True}, "a:2"),
        ("step.asked", {**body, "approval": "k3x9q2", "action_digest": "sha256:1"}, "a:3"),
    ]
    assert folded(told).by_name["w"].status == "paused"
    assert folded([*told, ("step.began", {"workflow": "w", "step": "pay"}, "a:4")]).by_name["w"].status == "unknown"
    told.append(("step.finished", {**body, "began": "a:2", "result": {}}, "a:5"))
    assert folded(told).by_name["w"].status == "left open"


def test_the_order_of_writers_and_what_is_told_twice_make_no_difference() -> None:
    dice = random.Random(7)
    steps: Told = []
    for number, end in enumerate(("finished", "failed", "resolved", None)):
        body = {"workflow": "w", "step": f"s{number}"}
        steps.append(("step.began", body, f"a:{number}"))
        if end:
            more: dict[str, Any] = {"resolved": {"not_done": True}, "failed": {"error": "no"}}.get(end, {})
            steps.append((f"step.{end}", {**body, **more, "began": [f"a:{number}"]}, "b:1"))
    wanted = {"s0": "done", "s1": "failed", "s2": "new", "s3": "unknown"}
    assert statuses(folded(steps)) == wanted

    for _ in range(50):
        shuffled = dice.sample([*steps, *steps], 2 * len(steps))
        assert statuses(folded(shuffled)) == wanted


def test_an_attempt_that_failed_says_nothing_of_one_that_nobody_knows_of() -> None:
    body = {"workflow": "w", "step": "pay"}
    told: Told = [
        ("step.began", body, "a:1"),
        ("step.began", body, "a:2"),
        ("step.failed", {**body, "began": "a:2", "error": "ValueError"}, "a:3"),
    ]
    assert statuses(folded(told)) == {"pay": "unknown"}
    told.append(("step.resolved", {**body, "began": ["a:1"], "not_done": True}, "a:4"))
    assert statuses(folded(told)) == {"pay": "failed"}
    told.append(("step.resolved", {**body, "began": [], "result": None}, "a:5"))
    assert statuses(folded(told)) == {"pay": "done"}


def test_what_is_kept_in_the_cache_comes_back_and_goes_on_alike() -> None:
    told = example()
    for at in range(len(told) + 1):
        kept = json.loads(json.dumps(folded(told[:at]).plain()))
        back = state.restored(kept)
        for kind, body, cursor in told[at:]:
            back.take(kind, body, cursor, "2026-11-20T07:15:00.000000Z")
        assert back.plain() == folded(told).plain(), at


def test_what_is_no_event_of_a_step_is_passed_over() -> None:
    odd: list[Any] = [None, {}, {"workflow": 3}, {"workflow": ""}, {"workflow": "w", "step": 3, "began": 7}]
    found = state.Workflows()
    for body in odd:
        for kind in ("step.began", "step.finished", "step.resolved", "step.other", "step.left"):
            found.take(kind, body, "a:1", "")
    assert statuses(found) == {}
