"""One bullet more in MEMORY.md, and not another byte changed."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from agentws.core.formats.documents import memory
from agentws.errors import UsageError

SECTIONS = (
    "# Memory\n\nFacts.\n\n## People\n\n- Sam\n  from Berlin\n\n### Family\n\n- Anna\n\n## Machines\n\n| a |\n|---|\n"
)


@pytest.mark.parametrize(
    ("before", "section", "after", "line"),
    [
        ("", None, "- x\n", 1),
        ("# Memory\n", None, "# Memory\n\n- x\n", 3),
        ("# Memory\n- old", None, "# Memory\n- old\n- x\n", 3),
        ("# Memory\n- old\n\n\n", None, "# Memory\n- old\n- x\n", 3),
        ("# M\n\nprose", None, "# M\n\nprose\n\n- x\n", 5),
        ("# M\r\n- old\r\n", None, "# M\r\n- old\r\n- x\r\n", 3),
        ("# M\n- a\n## B\n- b\n", None, "# M\n- a\n## B\n- b\n\n## Remembered\n\n- x\n", 8),
        (SECTIONS, "people", SECTIONS.replace("- Anna\n", "- Anna\n- x\n"), 13),
        (SECTIONS, "## Family", SECTIONS.replace("- Anna\n", "- Anna\n- x\n"), 13),
        (SECTIONS, "Machines", SECTIONS + "\n- x\n", 19),
        ("```\n## no heading\n```\n- a\n", None, "```\n## no heading\n```\n- a\n- x\n", 5),
        ("# M\n````\n```\n## B\n```\n````\n- a\n", "B", "# M\n````\n```\n## B\n```\n````\n- a\n\n## B\n\n- x\n", 11),
        ("# M\n~~~\n```\n## B\n~~~\n- a\n", "B", "# M\n~~~\n```\n## B\n~~~\n- a\n\n## B\n\n- x\n", 10),
        ("# M\n- a\n  ````\n  ```\n  ````\n", None, "# M\n- a\n  ````\n  ```\n  ````\n- x\n", 6),
    ],
)
def test_a_bullet_goes_to_the_end_of_its_section(before: str, section: str | None, after: str, line: int) -> None:
    placed = memory.with_bullet(before, "- x", section=section)

    assert placed.text == after
    assert (placed.line, placed.is_new) == (line, True)
    assert placed.text.replace("\r\n", "\n").split("\n")[line - 1] == "- x"


def test_what_stands_there_already_is_not_said_twice() -> None:
    placed = memory.with_bullet(SECTIONS, "- Anna")

    assert (placed.text, placed.line, placed.is_new) == (SECTIONS, 12, False)
    assert memory.with_bullet(SECTIONS, "- Sam").is_new, "Sam stands there with more words"


def test_a_text_of_several_lines_is_indented_below_its_bullet() -> None:
    assert memory.bullet(" a\r\nb\n\nc \n") == "- a\n  b\n\n  c"
    with pytest.raises(UsageError):
        memory.bullet(" \n")


@given(st.text(alphabet="#- ab\n`~", max_size=60), st.sampled_from([None, "a", "b"]))
def test_no_line_that_was_there_is_lost(before: str, section: str | None) -> None:
    placed = memory.with_bullet(before, "- new fact", section=section)

    kept = iter(placed.text.split("\n"))
    assert all(line in kept for line in before.split("\n") if line.strip())
    assert placed.text.split("\n")[placed.line - 1] == "- new fact"
    assert not memory.with_bullet(placed.text, "- new fact", section=section).is_new
