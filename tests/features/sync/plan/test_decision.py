"""A person's decision about a conflict, in the text of the file."""

from __future__ import annotations

import pytest

from agentws.errors import ChangedUnderneathError
from agentws.features.sync.plan import decision

TEXT = "# Memory\n\n- Anna drinks cocoa\n- Anna drinks coffee\n- Sam sings\n"
SIDES = ("- Anna drinks cocoa", "- Anna drinks coffee")


@pytest.mark.parametrize(
    ("take", "left"),
    [
        ("1", "# Memory\n\n- Anna drinks cocoa\n- Sam sings\n"),
        ("2", "# Memory\n\n- Anna drinks coffee\n- Sam sings\n"),
        ("both", TEXT),
        ("neither", "# Memory\n\n- Sam sings\n"),
    ],
)
def test_what_is_not_taken_goes(take: str, left: str) -> None:
    assert decision.decided(TEXT, SIDES, take, path="MEMORY.md") == left


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize(
    ("take", "left"),
    [
        ("1", "# Soul\n\nBe bold.\n\n## More\n"),
        ("2", "# Soul\n\nBe calm.\n\n## More\n"),
        ("neither", "# Soul\n\n## More\n"),
    ],
)
def test_of_the_blank_lines_around_what_goes_those_of_one_place_stay(take: str, left: str, end: str) -> None:
    text = "# Soul\n\nBe bold.\n\nBe calm.\n\n## More\n".replace("\n", end)

    assert decision.decided(text, ("Be bold.", "Be calm."), take, path="SOUL.md") == left.replace("\n", end)


def test_a_side_is_whole_lines() -> None:
    text = "- Anna drinks coffee with milk\n- Anna drinks coffee\n"

    assert decision.decided(text, (None, "- Anna drinks coffee"), "1", path="t.md") == text.split("\n")[0] + "\n"


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize(
    ("take", "left"),
    [
        ("1", "- Anna drinks cocoa #private\n- Sam sings\n"),
        ("2", "- Anna drinks coffee #private\n- Sam sings\n"),
        ("both", "- Anna drinks cocoa #private\n- Anna drinks coffee #private\n- Sam sings\n"),
        ("neither", "- Sam sings\n"),
    ],
)
def test_what_was_made_private_since_is_the_same_line_and_stays_private(take: str, left: str, end: str) -> None:
    text = "- Anna drinks cocoa #private\n- Anna drinks coffee #private\n- Sam sings\n".replace("\n", end)

    assert decision.decided(text, SIDES, take, path="MEMORY.md") == left.replace("\n", end)


def test_what_takes_the_place_of_a_line_that_was_made_private_is_private() -> None:
    text = "- Anna drinks cocoa #private\n- Sam sings\n"

    assert decision.decided(text, SIDES, "2", path="MEMORY.md") == "- Anna drinks coffee #private\n- Sam sings\n"


def test_a_line_that_goes_on_otherwise_is_another_one_whatever_its_tags() -> None:
    text = "- Anna drinks cocoa #private\n  with milk\n"
    sides = ("- Anna drinks cocoa\n  with sugar", None)

    with pytest.raises(ChangedUnderneathError, match="edited since"):
        decision.decided(text, sides, "1", path="MEMORY.md")


def test_where_neither_side_stands_any_more_nothing_is_changed() -> None:
    with pytest.raises(ChangedUnderneathError, match="edited since"):
        decision.decided("# Memory\n", SIDES, "1", path="MEMORY.md")
