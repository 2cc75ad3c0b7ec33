"""Which line tells another one already."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentws.planning.compaction import lines
from agentws.planning.compaction.alike import Alike
from agentws.planning.compaction.lines import Line

SENTENCE = "- Marleen sent the blue map of the harbour to Quentin"


def nearest(*texts: str, either: bool = False) -> int | None:
    """What tells the last of `texts`, where all before it were added."""
    alike = Alike([Line(text, age=0) for text in texts], either=either)
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


@pytest.mark.parametrize("either", [False, True])
@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("300", "450"),
        ("300 EUR", "300 USD"),
        ("5 GB", "5 MB"),
        ("€300", "$300"),
        ("-3", "3"),
        ("1.2.3", "1.2.4"),
        ("1.5", "15"),
        ("3 of 4", "4 of 3"),
        ("2026-11-18", "2026-11-19"),
        ("٣٠٠", "٤٥٠"),  # Arabic-Indic
        ("३००", "४५०"),  # Devanagari
        ("３００", "４５０"),  # full width
        ("½", "¾"),
        ("#183", "#184"),
        ("ABC-12", "ABC-13"),
        ("a91f3c2", "a91f3c4"),
        ("abcdefa", "abcdefb"),
        ("docs/harbour.md", "docs/mountain.md"),
        ("harbour.md", "mountain.md"),
        ("kim@harbour", "sam@harbour"),
        ("`blue`", "`green`"),
        ('"Blue Map"', '"Green Map"'),
        ("„Blau“", "„Rot“"),
        ("«bleu»", "«vert»"),
        ("「青」", "「緑」"),
        ("300", ""),
    ],
)
def test_another_number_amount_version_path_or_quoted_name_tells_another_thing(
    one: str, other: str, either: bool
) -> None:
    said = "- Marleen paid {} for the map of the harbour and the lamp of the pier"

    assert nearest(said.format(one), said.format(other), either=either) is None
    assert nearest(said.format(other), said.format(one), either=either) is None
    assert nearest(said.format(one), said.format(one), either=either) == 0


def test_marks_of_a_line_are_no_numbers_of_what_it_says() -> None:
    said = "- Marleen sent the blue map of the harbour"

    assert nearest(f"{said} !7 (via cron:3)", f"{said} ^t3fk") == 0


def test_the_place_in_a_list_is_no_number_of_what_a_line_says_but_two_places_are_two_lines() -> None:
    said = "Marleen sent the blue map of the harbour at 5"

    assert nearest(f"2. {said}", f"- {said}") == 0
    assert nearest(f"- 10:30 {said}", f"  12) 11:45 {said}") == 0
    assert nearest(f"2. {said}", f"2. {said}") == 0
    assert nearest(f"2. {said}", f"3. {said}") is None


def test_thousands_of_quotation_marks_that_nothing_closes_are_read_in_linear_time() -> None:
    looked_at: list[int] = []

    class Counted(str):
        __slots__ = ()

        def find(self, *given: Any) -> int:
            looked_at.append(1)
            return super().find(*given)

    assert lines.exact(Counted("“「『" * 5000)) == ()
    assert len(looked_at) < 10


def test_lines_that_differ_in_a_number_are_read_once_however_many_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    said = [Line(f"- Marleen paid {number} for the map of the harbour", age=0) for number in range(200)]
    alike = Alike(said)
    read: list[str] = []
    whole = lines.markdown.marker
    monkeypatch.setattr(lines.markdown, "marker", lambda line: read.append(line) or whole(line))

    for index in range(len(said)):
        assert alike.nearest(index) is None
        alike.add(index)

    assert len(read) <= 3 * len(said)


def test_two_lines_of_very_many_numbers_are_compared_in_linear_time() -> None:
    compared: list[int] = []

    class Counted(str):
        __slots__ = ()
        __hash__ = str.__hash__

        def __eq__(self, other: object) -> bool:
            compared.append(1)
            return str.__eq__(self, other)

    numbers = [str(number) for number in range(2_000)]

    assert lines.is_named([*map(Counted, numbers)], " ".join(numbers))
    assert len(compared) <= 2 * len(numbers)


def test_the_time_of_day_may_differ() -> None:
    assert nearest("- 10:00 backup of the brain pushed", "- 11:30 backup of the brain pushed") == 0


def test_a_longer_line_tells_a_shorter_one_and_the_other_way_round_only_where_either_counts() -> None:
    longer = SENTENCE + " because his own had become wet in the rain of Tuesday"

    assert nearest(longer, SENTENCE) == 0
    assert nearest(SENTENCE, longer) is None
    assert nearest(SENTENCE, longer, either=True) == 0


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


@given(st.lists(st.text(alphabet=st.sampled_from("abc 1٣३３"), max_size=30), min_size=1, max_size=8), st.booleans())
def test_what_is_nearest_was_added_and_shares_most_words_and_all_numbers(texts: list[str], either: bool) -> None:
    found = nearest(*texts, either=either)

    if found is not None:
        last, other = Line(texts[-1], age=0), Line(texts[found], age=0)
        assert found < len(texts) - 1
        assert len(last.words.keys() & other.words.keys()) >= 3
        assert numbers_of(last.text) == numbers_of(other.text)


def numbers_of(text: str) -> list[str]:
    """The numbers in a text, found in another way than the program does."""
    return re.findall(r"\d+", text)


def test_of_many_likely_ones_only_the_best_are_compared_in_full(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    says_again = Line.says_again
    monkeypatch.setattr(Line, "says_again", lambda line, other: asked.append(other.text) or says_again(line, other))

    assert nearest(*[SENTENCE] * 200, SENTENCE) == 0
    assert len(asked) == 1
