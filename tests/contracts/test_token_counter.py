"""What every TokenCounter must hold."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentws.errors import UsageError
from agentws.planning import tokens

COUNTERS = ("bytes", "chars4")


@pytest.mark.parametrize("name", COUNTERS)
@given(text=st.text(), more=st.text())
def test_a_joined_text_never_costs_more_than_its_parts(name: str, text: str, more: str) -> None:
    counter = tokens.counter(name)

    assert counter.units(text + more) <= counter.units(text) + counter.units(more)


@pytest.mark.parametrize("name", COUNTERS)
@given(text=st.text(min_size=1))
def test_any_text_costs_something_and_no_text_costs_nothing(name: str, text: str) -> None:
    counter = tokens.counter(name)

    assert tokens.tokens(counter, text) >= 1
    assert tokens.tokens(counter, "") == 0


@given(text=st.text())
def test_bytes_are_the_bytes_of_utf8_and_a_bound(text: str) -> None:
    counter = tokens.counter("bytes")

    assert counter.is_bound
    assert not counter.exact
    assert tokens.tokens(counter, text) == len(text.encode())


@given(text=st.text())
def test_chars4_is_a_quarter_of_the_characters_rounded_up(text: str) -> None:
    assert tokens.tokens(tokens.counter("chars4"), text) == (len(text) + 3) // 4


def test_an_unknown_tokenizer_is_refused_with_the_known_ones() -> None:
    with pytest.raises(UsageError) as refused:
        tokens.counter("gpt-9")

    assert "bytes" in str(refused.value.hint)
    assert "chars4" in str(refused.value.hint)
