"""What every TokenCounter must hold."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given, strategies as st

from agentws.core.disk.system import shipped
from agentws.core.tokens import counters
from agentws.errors import UsageError

COUNTERS = {name: counters.counter(name, shipped.open_o200k) for name in counters.NAMES}


if TYPE_CHECKING:
    from agentws.core.ports import TokenCounter


@pytest.fixture(params=COUNTERS)
def counter(request: pytest.FixtureRequest) -> TokenCounter:
    return COUNTERS[request.param]


@given(lines=st.lists(st.text().map(lambda text: "- " + text.replace("\n", " ") + "\n"), max_size=5))
@pytest.mark.parametrize("name", COUNTERS)
def test_whole_lines_never_cost_more_together_than_alone(name: str, lines: list[str]) -> None:
    counter = COUNTERS[name]

    assert counter.units("".join(lines)) <= sum(map(counter.units, lines))


@given(text=st.text(min_size=1))
@pytest.mark.parametrize("name", COUNTERS)
def test_any_text_costs_something_and_no_text_costs_nothing(name: str, text: str) -> None:
    assert counters.tokens(COUNTERS[name], text) >= 1
    assert counters.tokens(COUNTERS[name], "") == 0


@given(text=st.text())
@pytest.mark.parametrize("name", COUNTERS)
def test_counting_twice_gives_the_same(name: str, text: str) -> None:
    assert COUNTERS[name].units(text) == COUNTERS[name].units(text)


def test_each_says_what_its_count_is_worth(counter: TokenCounter) -> None:
    assert counter.trust in ("exact", "a bound", "a declared bound", "an estimate")
    assert counter.exact == (counter.trust == "exact")
    assert counter.units_per_token >= 1
    assert COUNTERS[counter.name] is counter


def test_a_line_of_a_hundred_characters_is_the_yardstick(counter: TokenCounter) -> None:
    assert 10 <= counters.of_units(counter, counters.yardstick(counter)) <= 110


@given(text=st.text())
def test_bytes_are_the_bytes_of_utf8(text: str) -> None:
    assert counters.tokens(COUNTERS["bytes"], text) == len(text.encode())


@given(text=st.text())
def test_chars4_is_a_quarter_of_the_characters_rounded_up(text: str) -> None:
    assert counters.tokens(COUNTERS["chars4"], text) == (len(text) + 3) // 4


@given(text=st.text())
def test_no_text_has_more_tokens_than_bytes(text: str) -> None:
    assert COUNTERS["o200k_base"].units(text) <= len(text.encode())


def test_an_unknown_tokenizer_is_refused_with_the_known_ones() -> None:
    with pytest.raises(UsageError) as refused:
        counters.counter("gpt-9", shipped.open_o200k)

    for name in counters.NAMES:
        assert name in str(refused.value.hint)
