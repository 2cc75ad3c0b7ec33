"""Boot's header says once a day that several days of notes wait for the author of MEMORY.md."""

from __future__ import annotations

from pathlib import Path

from agentws.workspace import Workspace

WAITS = "for MEMORY.md: agentws curate"


def header(workspace: Workspace, audience: str = "main") -> str:
    return workspace.boot(audience=audience).text.partition("## Now")[2][:400]


def log(workspace: Workspace, *days: str) -> None:
    for day in days:
        Path(workspace.root, f"memory/{day}.md").write_text("- [decision] Paint the fence white\n")


def test_days_are_counted_in_a_main_session_until_the_day_has_its_first_line(workspace: Workspace) -> None:
    log(workspace, "2026-11-17", "2026-11-18")
    Path(workspace.root, "memory/sources.jsonl").write_text("")
    assert WAITS not in header(workspace)

    log(workspace, "2026-11-16")
    assert f"3 days of notes {WAITS}" in header(workspace)
    assert WAITS not in header(workspace, audience="shared")

    workspace.log("Good morning")
    assert WAITS not in header(workspace)


def test_days_since_the_last_answer_are_counted_where_memory_is_curated(workspace: Workspace) -> None:
    log(workspace, "2026-11-16", "2026-11-17", "2026-11-18")
    assert WAITS not in header(workspace), "nothing here has been curated or compacted"

    Path(workspace.root, "memory/sources.jsonl").write_text("")
    assert f"3 days of notes {WAITS}" in header(workspace)

    workspace.memory.brief()
    workspace.memory.curate("ADD [decision] Paint the fence white {memory/2026-11-18.md:1}\n")
    assert WAITS not in header(workspace)


def test_what_is_left_there_is_never_a_reason_to_fail(workspace: Workspace) -> None:
    log(workspace, "2026-11-16", "2026-11-17", "2026-11-18")
    Path(workspace.root, "memory/sources.jsonl").write_text("")
    for left in ("[]", "{", "nonsense", '{"day": 7}'):
        Path(workspace.root, ".agentws/curation").write_text(left)
        assert WAITS in header(workspace)
        assert workspace.memory.brief().brief.candidates
