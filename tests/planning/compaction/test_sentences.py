"""Where a sentence ends."""

from __future__ import annotations

import pytest

from agentws.planning.compaction import sentences


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("I saw Dr. Smith at noon. He was well.", ["I saw Dr. Smith at noon.", "He was well."]),
        ("Use a list, e.g. Apples and pears. Then stop.", ["Use a list, e.g. Apples and pears.", "Then stop."]),
        ('She said "No!" Then she left.', ['She said "No!"', "Then she left."]),
        ("我搬到了里斯本。妹妹也来了。", ["我搬到了里斯本。", "妹妹也来了。"]),
        ("version 2.0.1 is out", ["version 2.0.1 is out"]),
    ],
)
def test_a_sentence_ends_where_a_reader_would_end_it(text: str, parts: list[str]) -> None:
    assert sentences.split(text) == parts


def test_a_very_long_sentence_is_cut_between_words() -> None:
    parts = sentences.split("word " * 400)

    assert all(len(part) <= 430 for part in parts)
    assert "".join(parts).replace("…", "").count("word") == 400


def test_lines_of_a_paragraph_are_read_as_one_and_tell_all_their_lines() -> None:
    found = list(sentences.of_lines("The disk is full\nand was replaced.\n\n- a new one came", 7))

    assert found == [("The disk is full and was replaced.", 7, 8), ("- a new one came", 10, 10)]


def test_a_fence_that_nothing_closes_hides_nothing_before_it() -> None:
    assert [text for text, _, _ in sentences.of_lines("before it\n```\ninside", 1)] == ["before it"]
