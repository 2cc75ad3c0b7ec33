"""`session show` says what reached the model: its boot by section, and the memories added to its prompts."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentws.workspace import Workspace
from tests.features.hosts import payloads
from tests.features.hosts.entry.test_hook import agentws, context, hook, said
from tests.features.search import test_recall
from tests.forked import run_text

yard = test_recall.yard


def start(root: Path, host: str, session: str = "s1") -> str:
    event = payloads.event(host, "started")
    return context(hook(root, host, event, said(host, event, session_id=session)))


@pytest.mark.parametrize("host", ["claude-code", "qwen"])
def test_a_session_is_shown_with_the_tokens_of_its_boot_by_section(workspace: Workspace, host: str) -> None:
    root = Path(workspace.root)
    workspace.remember("The mill stands at the weir")
    start(root, host)

    told = agentws(root, "session", "show", "s1")
    sections = {section["source"]: section["tokens"] for section in told["boot"]["sections"]}
    lines = run_text("session", "show", "s1", "-C", str(root)).stdout

    assert sections["MEMORY.md"] > 0
    assert sum(sections.values()) <= told["boot"]["tokens"] <= told["boot"]["budget"] == 8000
    assert f"{told['boot']['tokens']:,} of 8,000 tokens" in lines
    assert "  MEMORY.md" in lines
    assert told["recalled"] == []


def test_a_session_without_hooks_has_no_boot_that_is_known(workspace: Workspace) -> None:
    workspace.session.start("By hand", session="s1")

    assert workspace.session.show("s1").boot is None


def test_memories_added_to_prompts_are_shown_with_their_places(yard: Workspace) -> None:
    root = Path(yard.root)
    start(root, "claude-code")
    hook(
        root, "claude-code", "UserPromptSubmit",
        said("claude-code", "UserPromptSubmit", session_id="s1", prompt=test_recall.ASKED),
    )  # fmt: skip

    told = agentws(root, "session", "show", "s1")

    assert [entry["path"] for row in told["recalled"] for entry in row["entries"]] == [test_recall.PLACE.split(":")[0]]
    assert "recalled  memories: 1, prompts: 1, tokens: " in run_text("session", "show", "s1", "-C", str(root)).stdout
