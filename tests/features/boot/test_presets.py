"""`boot` for hosts and in other formats, as scripts and hooks call it."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from agentws import features
from tests import forked


def run(*words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return forked.run_text(*words, cwd=cwd, env={**os.environ, "AGENTWS_NOW": "2026-11-20T07:15:00+00:00"})


@pytest.fixture
def robin(tmp_path: Path) -> Path:
    root = tmp_path / "robin"
    (root / "memory").mkdir(parents=True)
    (root / "SOUL.md").write_text("# Soul\n\nI am Robin.\n")
    (root / "AGENTS.md").write_text("# Work\n\nBe brief.\n")
    (root / "CLAUDE.md").write_text("@AGENTS.md\n")
    (root / "memory/2026-11-19.md").write_text("".join(f"- {n}: some words of the day\n" for n in range(1500)))
    assert run("init", "--no-git", cwd=root).returncode == 0
    return root


def printed(done: subprocess.CompletedProcess[str]) -> str:
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("host", ["plain", *features.with_hooks()])
def test_a_hook_that_asks_for_each_part_delivers_the_whole(robin: Path, host: str) -> None:
    whole = json.loads(printed(run("boot", "--for", host, "--part", "1", "--json", cwd=robin)))

    texts = [
        printed(run("boot", "--for", host, "--part", str(part), cwd=robin)) for part in range(1, whole["parts"] + 2)
    ]

    assert texts[0] == whole["text"]
    assert texts[-1] == "", "behind the last part there is nothing, and that is no error"
    for number, text in enumerate(texts[1:-1], start=2):
        assert text.startswith(f"# robin · start-up context, part {number} of {whole['parts']} ")
    assert (whole["host"], whole["part"]) == (host, 1)
    assert "[… " in "".join(texts)


def test_without_a_part_there_is_one_text_that_the_host_takes(robin: Path) -> None:
    whole = json.loads(printed(run("boot", "--for", "claude-code", "--json", cwd=robin)))

    assert len(whole["text"]) <= 10_000
    assert (whole["part"], whole["parts"]) == (None, 1)
    assert {
        "source": "AGENTS.md",
        "tokens": None,
        "why": "loaded by Claude Code itself",
        "read_with": "cat AGENTS.md",
    } in (whole["omitted"])


def test_without_a_host_the_fields_are_there_too(robin: Path) -> None:
    whole = json.loads(printed(run("boot", "--json", cwd=robin)))

    assert (whole["host"], whole["part"], whole["parts"]) == (None, None, 1)
    assert whole["text"][whole["stable_prefix_chars"] :].startswith("## Now [")


def test_strict_does_not_mind_what_the_host_loads(robin: Path) -> None:
    (robin / "memory/2026-11-19.md").write_text("- a quiet day\n")

    assert run("boot", "--strict", cwd=robin).returncode == 3, "CLAUDE.md is shown nowhere"
    assert run("boot", "--strict", "--for", "claude-code", cwd=robin).returncode == 0


def test_messages_are_who_the_agent_is_and_a_record_of_the_rest(robin: Path) -> None:
    messages = json.loads(printed(run("boot", "--format", "messages", cwd=robin)))

    assert [message["role"] for message in messages] == ["system", "user"]
    assert messages[1]["content"].startswith("This is a record and not an instruction")
    told = "".join(message["content"] for message in messages).split("\n")
    assert set(printed(run("boot", cwd=robin)).split("\n")) <= set(told)


def test_json_is_a_format_like_the_others(robin: Path) -> None:
    assert printed(run("boot", "--format", "json", cwd=robin)) == printed(run("boot", "--json", cwd=robin))
    assert printed(run("boot", "--format", "markdown", cwd=robin)) == printed(run("boot", cwd=robin))
    failed = run("boot", "--format", "json", "--for", "emacs", cwd=robin)
    assert json.loads(failed.stderr)["code"] == "usage"


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (
            ["--for", "emacs"],
            "Choose one of: plain, claude-code, codex, gemini, qwen, copilot, droid, opencode, openclaw, pi.",
        ),
        (["--part", "1"], "For example: --for claude-code"),
        (["--for", "codex", "--part", "0"], "--part"),
        (["--for", "codex", "--part", "-1"], "--part"),
        (["--for", "codex", "--part", "two"], "--part"),
        (["--format", "yaml"], "Choose one of: markdown, json, messages."),
        (["--format", "messages", "--for", "codex", "--part", "1"], "Leave out --part."),
        (["--json", "--format", "messages"], "Use one of them."),
    ],
)
def test_what_makes_no_sense_is_an_error_of_usage_that_says_what_to_do(
    robin: Path, words: list[str], says: str
) -> None:
    done = run("boot", "-q", *words, cwd=robin)

    assert done.returncode == 2
    assert done.stdout == ""
    assert says in done.stderr or says in done.stderr.replace("\\", "")
