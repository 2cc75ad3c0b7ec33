"""The words of a line that can carry meaning."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentws.planning.compaction.words import stems, words


def names(line: str) -> set[str]:
    return {word for word, is_name in words(line).items() if is_name}


def test_words_are_stemmed_and_small_words_say_nothing() -> None:
    assert list(words("- The maps were printed for all of the buyers")) == ["map", "print", "buyer"]


@pytest.mark.parametrize(
    ("one", "other"), [("map", "maps"), ("printed", "prints"), ("pushing", "pushed"), ("Harbour", "HARBOUR")]
)
def test_forms_of_a_word_are_one_word(one: str, other: str) -> None:
    assert words(one).keys() == words(other).keys()


def test_a_word_keeps_three_letters_of_itself() -> None:
    assert list(words("thing bus uses wing")) == ["thing", "bus", "use", "wing"]


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("- called Marleen about the map", "marleen"),
        ("- moved it to ops.example.com", "example"),
        ("- read notes/harbour", "harbour"),
        ("- see `harbour` for more", "harbour"),
        ("- mailed @harbour about it", "harbour"),
        ("- the label is #harbour there", "harbour"),
        ("- wrote harbourMap in the evening", "harbourmap"),
        ("- ticket 47114 is closed", "47114"),
        ("- it needs harbour2 to run", "harbour2"),
    ],
)
def test_proper_nouns_paths_and_identifiers_are_names(line: str, name: str) -> None:
    assert name in names(line)


@pytest.mark.parametrize(
    "line",
    [
        "- Harbour is closed",
        "1. Harbour is closed",
        "**Harbour** is closed",
        "> Harbour is closed",
        "09:15 Harbour is closed",
    ],
)
def test_a_capital_at_the_beginning_makes_no_name(line: str) -> None:
    assert words(line)["harbour"] is False


def test_a_name_anywhere_is_a_name() -> None:
    assert words("- Harbour is closed, says the Harbour")["harbour"] is True


@pytest.mark.parametrize("number", ["7", "42", "300", "2026"])
def test_small_numbers_and_years_say_nothing(number: str) -> None:
    assert not words(f"- {number}")


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("银行 的 访问令牌", ["银行", "访问令牌"]),
        ("банк открыт", ["банк", "открыт"]),
        ("🔴 ✅ — … !!", []),
        ("", []),
    ],
)
def test_other_scripts_have_words_too(line: str, found: list[str]) -> None:
    assert list(words(line)) == found


@given(st.text(max_size=200))
def test_any_text_has_words_without_spaces_in_lower_case(text: str) -> None:
    for word in words(text):
        assert word
        assert not any(char.isspace() for char in word)
        assert word == word.lower()


def test_a_very_long_line_is_read_in_time() -> None:
    for part in ("harbour ", "x", "'", "#", "A.", "银", "1", "`a`"):
        words(part * 100_000)


@given(st.lists(st.text(alphabet="aAéß'7.-_/ \tMaps ing"), max_size=5))
def test_the_stems_of_many_lines_are_the_words_of_each(lines: list[str]) -> None:
    assert stems("\n".join(lines)) == {word for line in lines for word in words(line)}


def test_names_numbers_and_paths_are_told_from_plain_words() -> None:
    found = words("- Deployed widget to ops.example.com with Robin, ticket 4711")

    assert found["robin"]
    assert found["4711"]
    assert found["example"]
    assert not found["widget"]
