"""The lines in which is looked for what stands and what matters."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentws.formats import markdown
from agentws.planning.lines import Line, bare
from tests.planning.standing import lines_of

TUE, WED = "2026-09-15", "2026-09-16"


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("- [ ] **Call** the bank", "Call the bank"),
        ("  1. [x] call the bank", "call the bank"),
        ("* [~] call the bank", "call the bank"),
        ("#### 2. Call the bank", "Call the bank"),
        ("> - **Rule:** call the bank", "Rule: call the bank"),
        ("| call | the bank |", "call | the bank |"),
        ("- **Rule:** never `rm **/old`", "Rule: never `rm **/old`"),
        ("- --force is never used", "--force is never used"),
        ("- -5 degrees at night", "-5 degrees at night"),
        ("- #shop is the channel", "#shop is the channel"),
        ("- 2026 was wet", "2026 was wet"),
        ("银行", "银行"),
        ("", ""),
    ],
)
def test_a_line_is_bare_without_its_marks(line: str, says: str) -> None:
    assert bare(line) == says


@given(st.text(alphabet="-*+>|#[] x1.)_`a\t", max_size=40))
def test_what_is_bare_has_nothing_that_the_line_has_not(line: str) -> None:
    says = bare(line)

    assert says == says.strip()
    assert len(says) <= len(line)
    rest = iter(line)
    assert all(char in rest for char in says)


def test_lines_know_their_day_and_how_many_logged_days_ago_it_was() -> None:
    lines = lines_of({WED: "- new", "2026-09-01": "- old"}, memory="- kept")

    assert [(line.day, line.age) for line in lines] == [(WED, 0), ("2026-09-01", 1), ("", None)]


def test_a_date_in_a_heading_of_memory_is_the_day_of_what_stands_below_it() -> None:
    lines = lines_of({WED: "- new"}, memory="## 2026-09-10 · the move\n### Boxes\n- forty\n\n## Else\n- kept\n")

    assert [(line.day, line.age) for line in lines] == [(WED, 0), ("2026-09-10", 1), ("", None)]


def test_a_day_to_come_makes_no_log_older() -> None:
    lines = lines_of({WED: "- new", TUE: "- old"}, memory="## Trip 2026-12-24\n- pack\n")

    assert [line.age for line in lines] == [0, 1, 0]


@pytest.mark.parametrize("date", ["2026-02-31", "2026-19-39", "2026-00-00"])
def test_a_day_that_is_none_is_no_day(date: str) -> None:
    (line,) = lines_of(memory=f"## {date}\n- pack\n")

    assert (line.day, line.age) == ("", None)


def test_a_child_knows_its_parent_and_stands_below_it() -> None:
    parent, child, grandchild = lines_of({WED: "## Shop\n- parent\n  - child\n    - [x] grandchild\n"})

    assert (parent.parent, child.parent, grandchild.parent) == (None, 0, 0)
    assert child.path == ("Shop", "parent")
    assert (parent.done, child.done, grandchild.done) == (None, None, True)


def test_a_label_stands_above_the_list_below_it_and_nothing_else() -> None:
    lines = lines_of({WED: "## Shop\n**Next:**\n- one\n- two\n\nA paragraph.\n- three\n\n## Bank\n- four\n"})

    assert {line.text: line.path[-1] for line in lines if line.form == markdown.ITEM} == {
        "- one": "Next",
        "- two": "Next",
        "- three": "Shop",
        "- four": "Bank",
    }


@pytest.mark.parametrize(
    ("text", "is_label"),
    [("**Next:**", True), ("Next:", True), ("- Next: tea", False), ("x" * 200 + ":", False), ("", False)],
)
def test_a_label_only_says_what_is_below_it(text: str, is_label: bool) -> None:
    assert Line(text, age=0).is_label is is_label


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("- 07:15 paid 300 to shop 12", ("300", "12")),
        ("- [07:15] paid 300 EUR", ("300", "EUR")),
        ("- paid at 07:15", ("07:15",)),
        ("- none", ()),
    ],
)
def test_the_time_of_day_it_begins_with_is_no_number_of_a_line(text: str, numbers: tuple[str, ...]) -> None:
    assert Line(text, age=0).exact == numbers


@given(st.text(max_size=300), st.text(max_size=300))
def test_every_line_with_words_is_there_once_and_parents_come_first(log: str, memory: str) -> None:
    lines = lines_of({WED: log}, memory=memory)

    for index, line in enumerate(lines):
        assert line.text.strip()
        assert "\n" not in line.text
        if line.parent is not None:
            assert line.parent < index
            assert lines[line.parent].parent is None
            assert lines[line.parent].entry == line.entry


def test_what_stands_in_quotes_is_a_name_of_the_line_whole() -> None:
    named = Line("- they call it \"blue kettle\" and 'tin'", age=0).exact

    assert {"blue kettle", "tin"} <= set(named)
