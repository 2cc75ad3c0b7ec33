"""Files that instructions call current."""

from __future__ import annotations

import pytest

from agentws.features.init.plan import pins

THERE = {"memory/tasks/CURRENT.md", "ACTIVE-TASKS.md", "notes/style.md", "STATE.md", "SOUL.md", "memory/2026-11-19.md"}


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("3. See `memory/tasks/CURRENT.md` — what I work on, THE source of truth", ["memory/tasks/CURRENT.md"]),
        ("See ACTIVE-TASKS.md first thing.", ["ACTIVE-TASKS.md"]),
        ("notes/style.md is the source of truth for tone", ["notes/style.md"]),
        ("Write like notes/style.md says.", []),
        ("Read SOUL.md and resume", []),
        ("Pick up where memory/2026-11-19.md ends", []),
        ("MISSING-STATE.md is current", []),
        ("see https://example.com/STATE.md", []),
        ("see ../STATE.md", []),
    ],
)
def test_only_files_that_are_called_current_are_pinned(line: str, found: list[str]) -> None:
    assert pins.current_files({"AGENTS.md": f"# A\n\n{line}\n"}, THERE) == found


def test_each_file_is_pinned_once_in_the_order_in_which_it_is_named() -> None:
    texts = {"AGENTS.md": "- STATE.md\n- ACTIVE-TASKS.md\n", "HEARTBEAT.md": "- STATE.md\n"}

    assert pins.current_files(texts, THERE) == ["STATE.md", "ACTIVE-TASKS.md"]
