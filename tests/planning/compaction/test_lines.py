"""The lines in which is looked for what stands and what matters."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentws.planning.compaction.lines import Line, bare


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


def test_what_stands_in_quotes_is_a_name_of_the_line_whole() -> None:
    named = Line("- they call it \"blue kettle\" and 'tin'", age=0).exact

    assert {"blue kettle", "tin"} <= set(named)
