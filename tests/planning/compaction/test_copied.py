"""Whose words a log holds."""

from __future__ import annotations

import pytest

from agentws.planning.compaction import copied
from tests.planning.compaction.values import day


def kinds_of(text: str) -> dict[str, str | None]:
    return {unit.text: unit.kind for unit in copied.of([day(text)])}


@pytest.mark.parametrize(
    "above",
    [
        '## 12. "Borrow my recipe" (@kestrel_baker)',
        "## Article: how harbors work",
        "## Harbors\n\n**Source:** https://example.com/harbors",
        "## Harbors\n\nhttps://x.com/kestrel/status/17",
        "# Identity and role\n\nYou are a harbor master who watches all day.\n\n## Boundaries",
    ],
)
def test_a_must_in_what_was_copied_is_nobodys_rule(above: str) -> None:
    found = kinds_of(f"{above}\n\n- NEVER sail before the tide turns\n- Lesson: sails tear in the north wind\n")

    assert found["NEVER sail before the tide turns"] == "done"
    assert found["Lesson: sails tear in the north wind"] == "done"


def test_a_takeaway_is_no_lesson_of_ours_wherever_it_stands() -> None:
    found = kinds_of('## Gene tests\n\n- Takeaway: "Gulls are the crew of the harbor."\n')

    assert set(found.values()) <= {None, "done"}


def test_what_the_log_marks_as_its_own_is_its_own() -> None:
    found = kinds_of("## Article: harbors\n\n- [decision] we sail from Porto\n- Decision: Ana sails in May\n")

    assert set(found.values()) == {"decision"}


def test_a_section_behind_a_copied_one_is_our_own_again() -> None:
    found = kinds_of("## Article: harbors\n\n- NEVER sail early\n\n## Rules\n\n- NEVER sail without Ana\n")

    assert (found["NEVER sail early"], found["NEVER sail without Ana"]) == ("done", "preference")


def test_our_own_post_and_a_link_in_passing_copy_nothing() -> None:
    text = (
        "## Published tweet\n\n- NEVER post twice a day\n\n## Harbor\n\n- NEVER trust https://example.com/map blindly\n"
    )

    assert set(kinds_of(text).values()) == {"preference"}


def test_a_row_of_a_table_has_the_kind_of_its_own_heading() -> None:
    table = "| Machine | Owner |\n|---|---|\n| kestrel | Ana of Porto |\n"
    found = kinds_of(
        f"## Read this first\n\n### Known machines\n\n{table}\n### Open items\n\n{table.replace('k', 'o')}"
    )

    assert sorted(found.values(), key=str) == [None, "todo"]


def test_a_sign_off_is_no_decision() -> None:
    found = kinds_of("## Decisions\n\n- Kestrel sails from Porto\n\n*Next tide decides it, says the harbor*\n")

    assert list(found.values()) == ["decision", None]


def test_what_an_article_decided_is_no_decision_of_ours_though_no_heading_says_so() -> None:
    found = kinds_of("## Articles reviewed\n\n- OSPREY: Tomas approved the purchase of Kestrel\n")

    assert list(found.values()) == ["done"]


def test_an_order_for_one_day_is_no_preference() -> None:
    found = kinds_of("## Rules\n\n- Stories of Kestrel go out this evening\n- Stories of Osprey go out at noon\n")

    assert list(found.values()) == [None, "preference"]


def test_what_somebody_wants_to_do_is_no_preference() -> None:
    found = kinds_of("## Harbor\n\n- Tomas wants to put money into Kestrel\n- Ana wants short answers\n")

    assert list(found.values()) == [None, "preference"]


def test_what_was_copied_is_a_mere_record_whatever_it_tells() -> None:
    log = day("## Bookmarks\n\n- Kestrel made $20K in a month\n\n## Harbor\n\n- Osprey made $20K in a month\n")

    assert [unit.is_low for unit in copied.of([log])] == [True, False]
