"""What a sentence claims that can be compared."""

from __future__ import annotations

import pytest

from agentws.planning.compaction import claims


@pytest.mark.parametrize(
    ("text", "dates"),
    [
        ("since 2026-03", {(2026, 3, None)}),
        ("on 2026-03-02 at ten", {(2026, 3, 2)}),
        ("on March 2, 2026", {(2026, 3, 2)}),
        ("on 2 March", {(None, 3, 2)}),
        ("on May 3.", {(None, 5, 3)}),
        ("am 3. März", {(None, 3, 3)}),
        ("it may be 5", set()),
        ("in 2024", {(2024, None, None)}),
        ("version 2.0.1", set()),
    ],
)
def test_dates_are_read_as_far_as_they_are_said(text: str, dates: set[claims.Date]) -> None:
    assert claims.dates(text) == dates


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("pays $1,200.50", {"1200.50"}),
        ("three cats and 3 dogs", {"3"}),
        ("agent 007 at 12:30", {"7", "12:30"}),
        ("no one knows", set()),
    ],
)
def test_numbers_have_one_form(text: str, numbers: set[str]) -> None:
    assert claims.numbers(text) == numbers


def test_the_digits_of_a_day_are_no_number_of_a_source() -> None:
    assert claims.known_numbers("2026-05-03 bought 4 apples on May 6") == {"4", "6"}


def test_a_date_holds_where_a_known_one_says_as_much() -> None:
    known = {(2026, 3, 2)}

    assert claims.is_dated((2026, 3, None), known)
    assert claims.is_dated((None, 3, 2), known)
    assert not claims.is_dated((2026, 4, None), known)
    assert not claims.is_dated((2026, 3, 2), {(2026, 3, None)})


def test_a_possessive_is_the_name_itself() -> None:
    assert "maria" in claims.terms("the rent of Maria's flat")


def test_scripts_without_spaces_share_pairs_of_characters() -> None:
    said, theirs = claims.terms("玛丽亚住在里斯本"), claims.terms("玛丽亚搬到了里斯本")

    assert sum(term in theirs for term in said) >= len(said) / 2


@pytest.mark.parametrize(("one", "other"), [("liv", "live"), ("move", "mov"), ("harbor", "harbor")])
def test_forms_of_a_word_are_shared(one: str, other: str) -> None:
    assert claims.shared(one, {other})


def test_other_words_are_not_shared() -> None:
    assert not claims.shared("porto", {"lisbon", "port-au-prince"})


def test_a_denial_is_told_from_what_only_may_be_one() -> None:
    assert claims.denies("I don't drive")
    assert claims.denies("Maria fährt nicht")
    assert not claims.denies("I stopped driving")
    assert claims.may_deny("I stopped driving")
    assert not claims.may_deny("I note what I know")
