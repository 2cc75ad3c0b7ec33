"""A later decision is found before the earlier one, wherever both are by now."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from agentws.workspace import Environment, Workspace
from tests.features.search.worlds import put

EARLIER, LATER = "Clay comes from the quarry at Holm", "Clay comes from the river and not from the quarry"
QUESTIONS = ("clay", "where does the clay come from", "clay quarry Holm", "quarry")


def said(workspace: Workspace, question: str) -> list[str]:
    """Which of both the hits say, in their order."""
    texts = [hit.text for hit in workspace.search(question, rooms=["logs", "memory"]).hits]
    return ["later" if LATER in text else "earlier" for text in texts if LATER in text or EARLIER in text]


def log(workspace: Workspace, day: str, text: str, kind: str = "decision") -> None:
    put(workspace, f"memory/{day}.md", f"# {day}\n\n- 09:00 Rain, and soup\n- 09:30 [{kind}] {text}\n- 11:00 Tea\n")


@pytest.mark.parametrize(("first", "second"), [("2026-11-17", "2026-11-19"), ("2026-01-05", "2026-11-19")])
@pytest.mark.parametrize("kind", ["decision", "Entscheidung", "決定"])
def test_in_the_logs(workspace: Workspace, first: str, second: str, kind: str) -> None:
    log(workspace, first, EARLIER, kind)
    log(workspace, second, LATER, kind)
    put(workspace, "memory/2026-11-18.md", "# 2026-11-18\n\n- 10:00 Talked about the clay and the quarry at Holm\n")

    for question in QUESTIONS:
        assert said(workspace, question) == ["later", "earlier"], question


@pytest.mark.parametrize(("first", "second"), [("2026-03-01", "2026-11-19"), ("2026-03-01", "2026-04-01")])
def test_when_compaction_added_them_to_memory(workspace: Workspace, first: str, second: str) -> None:
    log(workspace, first, EARLIER)
    log(workspace, second, LATER)
    workspace.memory.compact()

    for question in QUESTIONS:
        found = said(workspace, question)
        assert found == sorted(found, reverse=True), question
        assert {*found} == {"later", "earlier"}


def test_when_one_was_logged_and_the_other_remembered(workspace: Workspace) -> None:
    log(workspace, "2026-11-02", EARLIER)
    workspace.remember(LATER)
    log(workspace, "2026-11-03", "Bowls are sold at the fair and not at the mill")
    with_earlier = Environment(now=datetime(2026, 11, 1, 9, 0, tzinfo=UTC), cache=None)
    Workspace.open(workspace.root, environment=with_earlier).remember("Bowls are sold at the mill in the valley")

    for question in QUESTIONS:
        assert said(workspace, question) == ["later", "earlier"], question
    for question in ("bowls", "where are bowls sold", "bowls sold mill"):
        assert [hit.path for hit in workspace.search(question).hits] == ["memory/2026-11-03.md", "MEMORY.md"], question
