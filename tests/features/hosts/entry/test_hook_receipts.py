"""`session show` says what reached the model: its boot by section, and the memories added to its prompts."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from agentws.workspace import Workspace
from tests.features.hosts import payloads
from tests.features.hosts.entry.test_hook import AGENTWS, agentws, context, hook, said
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


def test_a_boot_that_could_not_be_written_has_no_receipt(workspace: Workspace) -> None:
    root, given = Path(workspace.root), said("claude-code", "SessionStart", session_id="s1")
    reading, writing = os.pipe()
    os.close(reading)
    words = [AGENTWS, "-C", str(root), "hook", "claude-code", "SessionStart"]

    subprocess.run(words, input=json.dumps(given).encode(), stdout=writing, stderr=subprocess.PIPE, check=False)
    os.close(writing)

    assert workspace.session.show("s1").boot is None
    hook(root, "claude-code", "SessionStart", given)
    assert workspace.session.show("s1").boot is not None


def test_only_the_parts_that_were_given_are_counted(workspace: Workspace) -> None:
    root = Path(workspace.root)
    (root / "MEMORY.md").write_text("".join(f"- Otter {number} swims to the mill\n" for number in range(2000)))
    given = said("claude-code", "SessionStart", session_id="s1")
    tokens, entries = [], []
    for part in (1, 2):
        hook(root, "claude-code", "SessionStart", given, "--part", str(part))
        boot = agentws(root, "session", "show", "s1")["boot"]
        tokens.append(boot["tokens"])
        entries.append({section["source"]: section["tokens"] for section in boot["sections"]}["MEMORY.md"])

    whole = workspace.boot(host="claude-code", part=1)
    assert whole.parts > 2
    assert 0 < tokens[0] < tokens[1] < whole.context.tokens
    assert 0 < entries[0] < entries[1] <= tokens[1]


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
