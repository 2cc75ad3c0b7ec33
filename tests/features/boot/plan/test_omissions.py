"""The account of what boot does not show and no gap mark stands for."""

from __future__ import annotations

from agentws.core.notes.request import Omission, cat, footer


def omission(source: str, **more: bool) -> Omission:
    return Omission(source, 9, "not pinned", cat(source), **more)


def test_each_file_without_a_section_is_a_line() -> None:
    text = footer([omission("TOOLS.md"), omission("AGENTS.md", is_marked=True)], 1000, len)

    assert text == "[… 9 tokens, not pinned: cat TOOLS.md]\n"


def test_without_room_they_are_counted() -> None:
    assert footer([omission("TOOLS.md"), omission("NOTES.md")], 40, len) == "[… 2 more: agentws boot --explain]\n"


def test_nothing_left_out_is_said_too() -> None:
    assert footer([], 100, len) == "Nothing was left out.\n"
    assert footer([], 100, len, shared=True) == "Nothing else was left out.\n"


def test_what_the_agent_has_anyway_is_one_line_and_not_left_out() -> None:
    loaded = [Omission(f"file{n}.md", None, "loaded by Heron itself", "cat x", cut=False) for n in range(12)]

    text = footer(loaded, 1000, len)

    assert text.startswith("Loaded by Heron itself: file0.md, ")
    assert text.endswith(" and 2 more.\nNothing was left out.\n")


def test_a_command_is_safe_whatever_the_file_is_called() -> None:
    assert cat("memory/2026-11-20.md") == "cat memory/2026-11-20.md"
    assert cat("it's; rm.md") == "cat 'it'\\''s; rm.md'"
