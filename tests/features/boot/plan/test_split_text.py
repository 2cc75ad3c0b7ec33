"""One text as several, each within a cap."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from agentws.core.disk.system import shipped
from agentws.core.text import sizes
from agentws.core.tokens import counters
from agentws.features.boot.plan import fit_host

O200K = counters.counter("o200k_base", shipped.open_o200k)
SIZES = {
    "characters": sizes.utf16_units,
    "tokens": O200K.units,
    "codex": lambda text: max(sizes.utf8_bytes(text), 4 * O200K.units(text)),
}
LINES = st.sampled_from(
    [
        "", "## Section", "### Sub", "- an item of some words", "  - a child", "text", "```", "| a | b |", "|---|---|",
        "/usr/bin", "- 🦊🦊🦊 naïve 日本語", "x" * 90, "word " * 40, "---", "\r",
    ]
)  # fmt: skip
TEXTS = st.lists(LINES, max_size=60).map("\n".join) | st.text()


def section(name: str, lines: int) -> str:
    return f"## {name}\n" + "".join(f"- line {number} of {name}\n" for number in range(lines)) + "\n"


@pytest.mark.parametrize("unit", SIZES)
@given(text=TEXTS, most=st.integers(80, 400))
def test_parts_joined_are_the_text_and_each_keeps_the_cap(unit: str, text: str, most: int) -> None:
    size = SIZES[unit]

    found = fit_host.split_at_cap(text, most=most, size=size)

    assert "".join(found) == text
    assert all(found)
    for part in found:
        assert size(part) <= most


@pytest.mark.parametrize("unit", SIZES)
@given(text=TEXTS, most=st.integers(100, 400))
def test_there_are_at_most_twice_as_many_as_full_ones_would_be(unit: str, text: str, most: int) -> None:
    size = SIZES[unit]

    found = fit_host.split_at_cap(text, most=most, size=size)

    summed = sum(map(size, found))
    assert (len(found) - 1) * most <= 2 * summed + 8 * len(found)


def test_a_text_within_the_cap_is_one_part_and_no_text_is_none() -> None:
    text = section("A", 5)

    assert fit_host.split_at_cap(text, most=len(text), size=len) == [text]
    assert fit_host.split_at_cap("", most=100, size=len) == []


def test_a_part_ends_where_a_section_ends() -> None:
    text = section("A", 10) + section("B", 10) + section("C", 10)

    found = fit_host.split_at_cap(text, most=380, size=len)

    assert [part.split("\n")[0] for part in found] == ["## A", "## C"]


def test_a_heading_below_is_second_choice_and_a_block_third() -> None:
    text = "## A\n" + "### one\n" + "- one\n" * 40 + "### two\n" + "- two\n" * 40

    found = fit_host.split_at_cap(text, most=330, size=len)

    assert found[0].endswith("- one\n")
    assert found[1].startswith("### two\n")
    long = fit_host.split_at_cap("## A\n" + "- item\n" * 100, most=400, size=len)
    assert all(part.endswith("- item\n") for part in long)
    assert len(long[0]) > 390


def test_a_part_is_not_left_half_empty_for_the_sake_of_a_section() -> None:
    text = section("A", 24) + section("B", 60)

    found = fit_host.split_at_cap(text, most=600, size=len)

    assert len(found[0]) > 550
    assert "## B" in found[0]


def test_a_heading_is_not_torn_from_what_it_is_for_nor_a_table_from_its_head_nor_code_apart() -> None:
    filler = "- filler of thirty characters\n" * 10
    for kept in ("### Heading\n\n- its item\n", "| a | b |\n|---|---|\n| 1 | 2 |\n", "```\none\n\ntwo\n```\n"):
        found = fit_host.split_at_cap(f"{filler}\n{kept}", most=len(filler) + 1 + len(kept) - 1, size=len)

        assert found == [f"{filler}\n", kept]


def test_a_line_is_torn_only_where_it_alone_is_too_long_and_then_at_a_space() -> None:
    found = fit_host.split_at_cap("- short\n" + "word " * 100 + "\n" + "x" * 150 + "\n", most=100, size=len)

    assert found[0] == "- short\n"
    assert found[1] == "word " * 20
    assert found[-2:] == ["x" * 100, "x" * 50 + "\n"]


def test_characters_are_counted_as_the_host_counts_them() -> None:
    found = fit_host.split_at_cap("🦊\n" * 100, most=30, size=sizes.utf16_units)

    assert max(map(sizes.utf16_units, found)) == 30
    assert len(found) == 10


def test_a_very_long_line_is_split_in_good_time() -> None:
    found = fit_host.split_at_cap("ab" * 100_000 + "\n", most=2_500, size=O200K.units)

    assert "".join(found) == "ab" * 100_000 + "\n"
    assert max(map(O200K.units, found)) <= 2_500
