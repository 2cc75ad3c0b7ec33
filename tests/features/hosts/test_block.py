"""A block of ours in a Markdown file: put in, renewed and taken out, and nothing else moves by a byte."""

from __future__ import annotations

import pytest

from agentws.core.hosts import block

PAGES = ["", "# Mine\n", "# Mine", "# Mine\n\n", "# Mine\r\n\r\ntext\r\n", "\ufeff# Mine\n", "# Mine\n\n\n  \n"]


@pytest.mark.parametrize("page", PAGES)
def test_a_block_that_is_taken_out_leaves_nothing_of_itself(page: str) -> None:
    edited = block.with_block(page, "claude-code", "Words.\nMore.")

    assert edited.startswith(page)
    assert block.body_of(edited, "claude-code") == "Words.\nMore."
    assert block.without_block(edited, "claude-code") == page


@pytest.mark.parametrize("page", PAGES)
def test_a_second_block_changes_nothing(page: str) -> None:
    once = block.with_block(page, "codex", "Words.")

    assert block.with_block(once, "codex", "Words.") == once


def test_an_older_block_is_renewed_in_its_place() -> None:
    page = block.with_block("# Mine\n", "codex", "Old words.") + "\nWritten below.\n"

    edited = block.with_block(page, "codex", "New words.")

    assert edited == page.replace("Old words.", "New words.")
    assert block.without_block(edited, "codex") == "# Mine\n\nWritten below.\n"


def test_a_block_with_another_beginning_is_read_as_well() -> None:
    page = "# Mine\n\n<!-- agentws:codex begin (of long ago) -->\nWords.\n<!-- agentws:codex end -->\n"

    assert block.body_of(page, "codex") == "Words."
    assert block.without_block(page, "codex") == "# Mine\n"


def test_blocks_for_two_hosts_do_not_meet() -> None:
    page = block.with_block(block.with_block("# Mine\n", "codex", "One."), "claude-code", "Two.")

    assert block.body_of(page, "codex") == "One."
    assert block.without_block(page, "codex") == block.with_block("# Mine\n", "claude-code", "Two.")


def test_line_ends_are_those_of_the_page() -> None:
    edited = block.with_block("# Mine\r\n", "codex", "One.\nTwo.")

    assert "\n" not in edited.replace("\r\n", "")
