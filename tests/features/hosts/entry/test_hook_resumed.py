"""A resumed conversation still has its boot: it is told only what is new, and the whole boot where that is lost."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentws.workspace import Workspace
from tests.features.hosts.entry.test_hook import agentws, context, hook, killed, said

HOSTS = ("claude-code", "codex")
NOTHING = "Nothing is new since then."
STILL = "- the mill stands beside the weir, number {}\n"
"""Lines of a file that does not change, so that a change is less than half of the boot."""


@pytest.fixture
def root(workspace: Workspace) -> Path:
    Path(workspace.root, "SOUL.md").write_text("# Soul\n\nPatient as a heron.\n")
    Path(workspace.root, "USER.md").write_text("# User\n\n" + "".join(map(STILL.format, range(60))))
    return Path(workspace.root)


def remember(root: Path, *lines: str) -> None:
    (root / "MEMORY.md").write_text("# Memory\n\n" + "".join(f"{line}\n" for line in lines))


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


def test_a_resume_says_what_others_wrote_since_in_whole_sections_and_once(root: Path) -> None:
    start(root)
    agentws(root, "log", "The weir broke")
    (root / "SOUL.md").write_text("# Soul\n\nPatient as a heron.\n\nQuiet at the weir.\n")

    told = start(root, source="resume")

    _, soul, patient, quiet, day, broke = [line for line in told.splitlines() if line]
    assert soul.startswith("## SOUL.md [")
    assert (patient, quiet) == ("Patient as a heron.", "Quiet at the weir.")
    assert ", today [" in day
    assert broke.endswith(" The weir broke")
    assert start(root, source="resume").endswith(f"{NOTHING}\n")


@pytest.mark.parametrize("line", ["# build first", "## Now and later", "#4711 is merged"])
def test_a_line_that_looks_like_a_heading_hides_no_rule_behind_it_from_a_resume(root: Path, line: str) -> None:
    remember(root, "```sh", line, "make", "```")
    start(root)
    remember(root, "```sh", line, "make", "```", "", "All deployments are forbidden.")

    assert "All deployments are forbidden." in start(root, source="resume")


def test_a_resume_shows_a_section_of_which_a_line_was_removed(root: Path) -> None:
    remember(root, "- The key is under the mat", "- You may open the weir without asking")
    start(root)
    remember(root, "- The key is under the mat")

    told = start(root, source="resume")

    assert "The key is under the mat" in told
    assert "without asking" not in told


def test_a_resume_names_what_is_no_longer_in_the_boot(root: Path) -> None:
    start(root)
    (root / "SOUL.md").unlink()

    assert start(root, source="resume").endswith("\nNo longer in the start-up context: SOUL.md.\n")
    assert start(root, source="resume").endswith(f"{NOTHING}\n")


def test_a_resume_says_that_an_edit_of_the_session_was_reverted(root: Path) -> None:
    remember(root, "- Feed the heron at noon")
    start(root)
    change = {"file_path": str(root / "MEMORY.md"), "old_string": "at noon", "new_string": "at dusk"}
    call = {"tool_name": "Edit", "tool_input": change, "tool_use_id": "1"}
    act(root, "PreToolUse", **call)
    remember(root, "- Feed the heron at dusk")
    act(root, "PostToolUse", **call, tool_response="ok")
    assert "at dusk" in start(root, source="resume")
    remember(root, "- Feed the heron at noon")

    assert "Feed the heron at noon" in start(root, source="resume")


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


def test_parts_of_one_resume_do_not_hide_each_other(workspace: Workspace, root: Path) -> None:
    """Whichever hook is first, and though no boot is noted yet."""
    (root / "SOUL.md").write_text("# Soul\n\n" + "".join(f"- heron {at} likes the mill\n" for at in range(500)))
    parts = workspace.boot(host="claude-code", part=1).parts
    assert parts > 1

    said = [start(root, "claude-code", "--part", str(part), source="resume") for part in range(1, parts + 1)]

    assert [f"part {part} of {parts}" in text for part, text in enumerate(said, start=1)] == [True] * parts
    again = [start(root, "claude-code", "--part", str(part), source="resume") for part in range(1, parts + 1)]
    assert again[0].endswith(f"{NOTHING}\n")
    assert set(again[1:]) == {""}


def test_a_part_that_was_not_told_at_the_start_is_told_at_the_resume(workspace: Workspace, root: Path) -> None:
    (root / "SOUL.md").write_text("# Soul\n\n" + "".join(f"- heron {at} likes the mill\n" for at in range(500)))
    start(root, "claude-code", "--part", "1")

    assert start(root, "claude-code", "--part", "1", source="resume").endswith(f"{NOTHING}\n")
    assert "part 2 of " in start(root, "claude-code", "--part", "2", source="resume")


def test_a_host_that_loses_the_boot_gets_the_whole_of_it_again(root: Path) -> None:
    start(root, "gemini")

    assert "Patient as a heron." in start(root, "gemini", source="resume")


def test_a_resume_of_which_most_is_new_brings_the_whole_boot(root: Path) -> None:
    """So nothing of it is cut."""
    start(root)
    (root / "USER.md").write_text("# User\n\n" + "".join(f"- heron {at} likes the weir\n" for at in range(100)))

    told = start(root, source="resume")

    assert "Patient as a heron." in told
    assert "heron 99 likes the weir" in told
    assert start(root, source="resume").endswith(f"{NOTHING}\n")


def test_more_news_than_a_host_loads_brings_the_whole_boot_in_its_parts(workspace: Workspace, root: Path) -> None:
    (root / "USER.md").write_text("# User\n\n" + "".join(map(STILL.format, range(400))))
    for part in ("1", "2", "3", "4"):
        start(root, "claude-code", "--part", part)
    remember(root, *(f"- heron {at} likes the weir and the old mill" for at in range(145)))

    parts = workspace.boot(host="claude-code", part=1).parts
    told = [start(root, "claude-code", "--part", str(part), source="resume") for part in range(1, parts + 1)]

    assert all("start-up context, part " in text for text in told)
    assert [f"heron {at} likes the weir and the old mill" in "".join(told) for at in range(145)] == [True] * 145
