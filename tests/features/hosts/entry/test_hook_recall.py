"""Memories at a prompt, from end to end: through real hooks, in time or not at all, and nothing while it is off."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from agentws.features.hosts import call
from agentws.features.hosts.entry import actions
from agentws.workspace import Workspace
from tests.features.hosts import payloads
from tests.features.hosts.entry.test_hook import agentws, context, hook, kinds, said
from tests.features.search import test_recall
from tests.test_imports import CODE

ASKED, FACT, PLACE = test_recall.ASKED, test_recall.FACT, test_recall.PLACE
TAKING = (("claude-code", "UserPromptSubmit"), ("codex", "UserPromptSubmit"), ("gemini", "BeforeAgent"))
TAKING += (("qwen", "UserPromptSubmit"), ("droid", "UserPromptSubmit"), ("pi", "before_agent_start"))


NO_DEADLINE = "import _signal; _signal.setitimer = lambda *_: (0.0, 0.0)\n"
"""Before a hook that must not end early since the machine is slow."""


@pytest.fixture(autouse=True)
def slow_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """What these tests are about does not depend on how long the search takes; the test of SLOW sets its own bound."""
    assert actions._RECALL_S == 1.0
    monkeypatch.setattr(actions, "_RECALL_S", 600.0)


@pytest.fixture
def root(yard: Workspace) -> Path:
    return Path(yard.root)


yard = test_recall.yard


def prompt(root: Path, host: str, event: str, words: str = ASKED, **variables: str) -> str:
    given = said(host, event, prompt=words)
    if "submitted_prompt" in given:
        given["submitted_prompt"] = words
    return context(hook(root, host, event, given, **variables))


@pytest.mark.parametrize(("host", "event"), TAKING)
def test_a_host_that_takes_a_text_at_a_prompt_gets_the_memory_once(root: Path, host: str, event: str) -> None:
    start = payloads.event(host, call.STARTED)
    started = context(hook(root, host, start, said(host, start)))
    assert FACT not in started

    told = prompt(root, host, event)

    assert PLACE in told
    assert FACT in told
    assert prompt(root, host, event) == ""
    (row,) = agentws(root, "journal", "audit", "--recalled")["recalled"]
    assert [f"{one['path']}:{one['line']}" for one in row["entries"]] == [PLACE]
    assert kinds(root).count("memory.recalled") == 1
    assert kinds(root).index("memory.recalled") > kinds(root).index("note")


def test_a_prompt_that_a_program_made_is_told_nothing(root: Path) -> None:
    hook(root, "claude-code", "SessionStart", said("claude-code", "SessionStart"))

    assert prompt(root, "claude-code", "UserPromptSubmit", f"<system-reminder>{ASKED}</system-reminder>") == ""


def test_a_host_that_takes_no_text_there_is_told_nothing(root: Path) -> None:
    before = of_recall(root)
    hook(root, "copilot", "SessionStart", said("copilot", "SessionStart"))

    assert prompt(root, "copilot", "UserPromptSubmit") == ""
    assert of_recall(root) == before


def of_recall(root: Path) -> set[Path]:
    """The marks without those of boots, which resumes and receipts need."""
    folder = root / ".agentws/recall"
    return {path for path in folder.iterdir() if path.name != "shown" and not path.suffix.startswith(".boot-")}


def test_the_session_leaves_nothing_behind(root: Path) -> None:
    before = of_recall(root)
    hook(root, "claude-code", "SessionStart", said("claude-code", "SessionStart"))
    prompt(root, "claude-code", "UserPromptSubmit")
    assert len(of_recall(root) - before) == 2

    hook(root, "claude-code", "SessionEnd", said("claude-code", "SessionEnd"))

    assert of_recall(root) == before


SLOW = """
import agentws.features.search.recall.recall as recall
from agentws.features.hosts import call
from agentws.features.hosts.entry import actions
actions._RECALL_S = 0.05
def slow(*_, **__):
    try:
        while True:
            pass
    except Exception:
        pass
recall._search = slow
"""
BROKEN = f"""{NO_DEADLINE}
import agentws.features.search.recall.recall as recall
def broken(*_, **__):
    raise ValueError("a broken index")
recall._search = broken
"""


@pytest.mark.parametrize(("code", "words"), [(SLOW, "took longer"), (BROKEN, "a broken index")])
def test_a_search_that_fails_or_is_slow_breaks_no_prompt_and_is_recorded(
    root: Path, tmp_path: Path, code: str, words: str
) -> None:
    (tmp_path / "patched").mkdir()
    (tmp_path / "patched/sitecustomize.py").write_text(code)
    hook(root, "claude-code", "SessionStart", said("claude-code", "SessionStart"))

    assert prompt(root, "claude-code", "UserPromptSubmit", PYTHONPATH=str(tmp_path / "patched")) == ""

    events = agentws(root, "journal", "list", "--kind", "hook.failed")["events"]
    assert [words in one["body"]["text"] for one in events] == [True]
    assert "note" in kinds(root)
    assert "memory.recalled" not in kinds(root)


def test_while_it_is_off_a_prompt_imports_nothing_of_it(root: Path) -> None:
    manifest = root / "agentws.toml"
    on = manifest.read_text()
    found = {}
    for name, text in (("on", on), ("off", on.replace("prompt = true", "prompt = false")), ("lacking", _without(on))):
        manifest.write_text(text)
        hook(root, "claude-code", "SessionStart", said("claude-code", "SessionStart", session_id=name))
        done = subprocess.run(
            [sys.executable, "-c", CODE, "-C", str(root), "hook", "claude-code", "UserPromptSubmit"],
            input=json.dumps(said("claude-code", "UserPromptSubmit", session_id=name)), capture_output=True, text=True,
            check=True, env={**os.environ},
        )  # fmt: skip
        found[name] = {each for each in done.stderr.split() if "recall" in each or "search" in each or "sqlite" in each}

    assert found["off"] == found["lacking"] == set()
    assert "agentws.features.search.recall.recall" in found["on"]
    assert [path.name.rpartition(".")[2] for path in (root / ".agentws/recall").iterdir()].count("1") == 2


def _without(text: str) -> str:
    return text.replace("\n[recall]\nprompt = true\n", "")
