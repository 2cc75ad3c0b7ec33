"""A resumed conversation still has its boot: it is told only what is new, and the whole boot where that is lost."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentws.workspace import Workspace
from tests import forked
from tests.features.hosts.entry.test_hook import agentws, context, hook, killed, said

HOSTS = ("claude-code", "codex")
NOTHING = "Nothing is new since then."


@pytest.fixture
def root(workspace: Workspace) -> Path:
    Path(workspace.root, "SOUL.md").write_text("# Soul\n\nPatient as a heron.\n")
    return Path(workspace.root)


def start(root: Path, host: str = "claude-code", *words: str, source: str = "startup", session: str = "s1") -> str:
    return context(
        hook(root, host, "SessionStart", said(host, "SessionStart", source=source, session_id=session), *words)
    )


def act(root: Path, event: str, **more: object) -> None:
    assert context(hook(root, "claude-code", event, said("claude-code", event, session_id="s1", **more))) == ""


def run(root: Path, command: str, output: str = "ok") -> None:
    """A finished call of the session."""
    more = {"tool_name": "Bash", "tool_input": {"command": command}, "tool_use_id": command}
    act(root, "PreToolUse", **more)
    act(root, "PostToolUse", **more, tool_response=output)


@pytest.mark.parametrize("host", HOSTS)
def test_a_resume_repeats_no_line_of_the_boot(root: Path, host: str) -> None:
    assert "Patient as a heron." in start(root, host)

    assert start(root, host, source="resume").endswith(f"{NOTHING}\n")


def test_a_resume_says_what_others_wrote_since_under_its_heading_and_once(root: Path) -> None:
    start(root)
    agentws(root, "log", "The weir broke")
    (root / "SOUL.md").write_text("# Soul\n\nPatient as a heron.\n\nQuiet at the weir.\n")

    told = start(root, source="resume")

    assert "Patient" not in told
    _, soul, quiet, day, broke = [line for line in told.splitlines() if line]
    assert soul.startswith("## SOUL.md [")
    assert quiet == "Quiet at the weir."
    assert ", today [" in day
    assert broke.endswith(" The weir broke")
    assert start(root, source="resume").endswith(f"{NOTHING}\n")


def test_a_resume_leaves_out_what_the_session_itself_did_and_wrote(root: Path) -> None:
    start(root)
    act(root, "UserPromptSubmit", prompt="Count the herons at the weir")
    run(root, "count-herons --all", "seven")
    run(root, "agentws log 'Seven herons are at the weir'")
    agentws(root, "log", "Seven herons are at the weir")
    act(root, "SessionEnd")
    assert list((root / "handoffs").iterdir())

    assert start(root, source="resume").endswith(f"{NOTHING}\n")


def test_a_resume_says_what_another_session_handed_over(root: Path) -> None:
    start(root, session="s2")
    start(root)
    run(root, "count-herons")
    act(root, "SessionEnd")

    told = start(root, session="s2", source="resume")

    assert "count-herons" in told
    assert "session s1" in told


def test_a_resume_after_a_crash_says_how_far_the_session_was_and_what_is_in_flight(root: Path) -> None:
    killed(root)

    told = start(root, source="resume", session="killed")

    assert "Patient" not in told
    assert "session killed ended without one" in told
    assert "Count the herons" in told
    assert "In flight: 1 action" in told


@pytest.mark.parametrize("source", ["startup", "compact", "clear", "fork"])
def test_any_other_start_brings_the_whole_boot(root: Path, source: str) -> None:
    start(root)

    assert "Patient as a heron." in start(root, source=source)


def test_a_resume_after_a_compaction_counts_from_the_boot_that_followed_it(root: Path) -> None:
    start(root)
    agentws(root, "log", "The weir broke")
    start(root, source="compact")

    assert start(root, source="resume").endswith(f"{NOTHING}\n")


def test_a_resume_of_an_unknown_session_brings_the_whole_boot(root: Path) -> None:
    start(root, session="another")

    assert "Patient as a heron." in start(root, source="resume")


def test_a_resume_behind_a_compaction_that_nobody_answered_brings_the_whole_boot(
    workspace: Workspace, root: Path
) -> None:
    start(root)
    workspace.plumbing.remind_of_boot("s1")

    assert "Patient as a heron." in start(root, source="resume")


def test_what_a_resume_knows_of_the_boot_is_gone_after_forget(root: Path) -> None:
    start(root)
    agentws(root, "forget", "--matching", "Patient as a heron.", "--yes")

    assert NOTHING not in start(root, source="resume")


def test_only_the_first_part_of_a_resume_says_anything(root: Path) -> None:
    start(root, "claude-code", "--part", "1")

    assert start(root, "claude-code", "--part", "1", source="resume").endswith(f"{NOTHING}\n")
    assert start(root, "claude-code", "--part", "2", source="resume") == ""


def test_a_host_that_loses_the_boot_gets_the_whole_of_it_again(root: Path) -> None:
    start(root, "gemini")

    assert "Patient as a heron." in start(root, "gemini", source="resume")


def test_more_news_than_a_host_may_take_ends_in_the_command_for_the_rest(root: Path) -> None:
    start(root)
    (root / "USER.md").write_text(
        "# User\n\n" + "".join(f"- heron {at} likes the weir and the mill\n" for at in range(400))
    )

    told = start(root, source="resume")

    assert len(told) < 7_000
    assert told.splitlines()[-1].startswith("The rest: ")
    assert told.endswith(" boot\n")
    assert "heron 0 likes" in told
    assert forked.run_text("boot", "-C", str(root)).stdout.count("likes the weir") > told.count("likes the weir") > 50
