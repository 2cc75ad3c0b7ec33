"""What of a document others may hear, told from its text alone."""

from __future__ import annotations

from agentws.core.formats.documents import shared


def test_of_a_document_that_is_tagged_in_part_the_rest_is_heard() -> None:
    data = b"# Work\n\n- for all\n- for one #private\n"

    heard = shared.visible("AGENTS.md", data, ("private",))

    assert b"for all" in heard.data
    assert b"for one" not in heard.data


def test_a_part_of_a_document_keeps_the_numbers_of_its_lines() -> None:
    whole = b"# Work\n\n- for one #private\n- for all\n"

    assert shared.in_place(whole, b"\n# Work\n\n- for all\n") == b"# Work\n\n\n- for all\n"
    assert shared.in_place(whole, b"# Other\n") == b"# Other\n"
