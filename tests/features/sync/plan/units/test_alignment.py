from __future__ import annotations

from collections import Counter

from hypothesis import given, strategies as st

from agentws.features.sync.plan.units import alignment

keys = st.lists(st.sampled_from("abcd") | st.text(max_size=2), max_size=20)


@given(keys, keys)
def test_each_key_is_paired_as_often_as_both_have_it(one: list[str], other: list[str]) -> None:
    pairs = alignment.align(one, other)

    assert all(one[at] == other[place] for at, place in pairs.items())
    assert len(set(pairs.values())) == len(pairs)
    assert Counter(one[at] for at in pairs) == Counter(one) & Counter(other)


def test_what_stands_in_order_is_paired_in_order() -> None:
    assert alignment.align("a-b-c", "x-a-b-c") == {0: 2, 1: 3, 2: 4, 3: 5, 4: 6}
    assert alignment.align("abcd", "dabc") == {0: 1, 1: 2, 2: 3, 3: 0}
