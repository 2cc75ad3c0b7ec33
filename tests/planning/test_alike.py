"""Which line tells another one already."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from agentws.planning.alike import Alike
from agentws.planning.lines import Line

SENTENCE = "- Marleen sent the blue map of the harbour to Quentin"


def nearest(*texts: str, either: bool = False, numbers: bool = True) -> int | None:
    """What tells the last of `texts`, where all before it were added."""
    alike = Alike([Line(text, age=0) for text in texts], either=either, numbers=numbers)
    for index in range(len(texts) - 1):
        alike.add(index)
    return alike.nearest(len(texts) - 1)


def test_the_same_words_in_another_order_tell_the_same() -> None:
    assert nearest("- tea", SENTENCE, "- Quentin: the harbour map, blue, sent by Marleen") == 1


def test_one_other_word_of_many_is_nearly_the_same_two_of_few_are_not() -> None:
    assert nearest(SENTENCE, SENTENCE.replace("blue", "green")) == 0
    assert nearest(SENTENCE, "- Marleen sent the green map of the mountain to Quentin") is None


def test_the_nearest_is_taken_and_of_equals_the_first() -> None:
    assert nearest(SENTENCE.replace("blue", "green"), SENTENCE, SENTENCE, SENTENCE) == 1


def test_few_words_are_never_alike() -> None:
    assert nearest("- green tea", "- green tea") is None


def test_another_number_tells_another_thing_unless_numbers_do_not_count() -> None:
    paid = ("- Marleen paid 300 for the map of the harbour", "- Marleen paid 450 for the map of the harbour")

    assert nearest(*paid) is None
    assert nearest(*paid, numbers=False) == 0


def test_the_time_of_day_may_differ() -> None:
    assert nearest("- 10:00 backup of the brain pushed", "- 11:30 backup of the brain pushed") == 0


def test_a_longer_line_tells_a_shorter_one_and_the_other_way_round_only_where_either_counts() -> None:
    longer = SENTENCE + " because his own had become wet in the rain of Tuesday"

    assert nearest(longer, SENTENCE) == 0
    assert nearest(SENTENCE, longer) is None
    assert nearest(SENTENCE, longer, either=True) == 0


def test_what_folds_is_counted_with_the_line_that_stands_for_it() -> None:
    alike = Alike([Line(SENTENCE, age=0) for _ in range(4)])
    alike.add(0)

    assert [alike.folds(index) for index in (1, 2, 3)] == [True, True, True]
    assert alike.folded == {0: 4}


def test_a_line_is_found_among_thousands_that_share_most_of_its_words() -> None:
    crowd = [f"- Marleen sent the blue map of part{n}x to buyer{n * 7}y" for n in range(5000)]

    assert nearest(*crowd, "- Marleen sent the blue map of part42x to buyer294y") == 42
    assert nearest(*crowd, "- Marleen sent the blue map of part42x to buyer295y", either=True) in (42, None)


def test_the_work_for_one_line_has_a_bound_however_many_were_added() -> None:
    words = [f"{a}{b}word" for a in "bcdf" for b in "aeio"]
    lines = [
        Line("- " + " ".join(words[(n * step) % 16] for step in range(1, 9)) + f" {n}", age=0) for n in range(8_000)
    ]
    alike = Alike(lines)

    for index in range(len(lines)):
        if alike.nearest(index) is None:
            alike.add(index)

    assert alike.nearest(len(lines) - 1) is not None


@given(st.lists(st.text(alphabet="abc 1", max_size=30), min_size=1, max_size=8), st.booleans(), st.booleans())
def test_what_is_nearest_was_added_and_shares_most_words(texts: list[str], either: bool, numbers: bool) -> None:
    found = nearest(*texts, either=either, numbers=numbers)

    if found is not None:
        last, other = Line(texts[-1], age=0), Line(texts[found], age=0)
        assert found < len(texts) - 1
        assert len(last.words.keys() & other.words.keys()) >= 3
        assert not numbers or last.numbers <= other.numbers
