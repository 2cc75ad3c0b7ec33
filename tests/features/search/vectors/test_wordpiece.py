"""Text to word pieces, by a vocabulary of a few."""

from __future__ import annotations

from agentws.features.search.vectors.minilm import WordPieces

WORDS = ("[UNK]", "[CLS]", "[SEP]", "garden", "gard", "##s", "##en", "cafe", "2", "##0", ".", "!", "庭", "a", "it")
PIECES = WordPieces({word: number for number, word in enumerate(WORDS)})


def pieces(text: str, most: int = 99) -> list[str]:
    return [WORDS[number] for number in PIECES.of(text, most)]


def test_begin_and_end_are_marked() -> None:
    assert pieces("") == ["[CLS]", "[SEP]"]


def test_a_word_is_told_whole_where_it_is_known() -> None:
    assert pieces("GARDEN a") == ["[CLS]", "garden", "a", "[SEP]"]


def test_else_in_its_longest_known_parts() -> None:
    assert pieces("gardens") == ["[CLS]", "garden", "##s", "[SEP]"]
    assert pieces("20") == ["[CLS]", "2", "##0", "[SEP]"]


def test_one_unknown_part_makes_all_of_a_word_unknown() -> None:
    assert pieces("gardenx") == ["[CLS]", "[UNK]", "[SEP]"]


def test_signs_stand_alone_and_accents_go() -> None:
    assert pieces("Café!!") == ["[CLS]", "cafe", "!", "!", "[SEP]"]


def test_chinese_signs_are_words_of_their_own() -> None:
    assert pieces("庭庭") == ["[CLS]", "庭", "庭", "[SEP]"]


def test_controls_are_nothing() -> None:
    assert pieces("gar\u200bden\x00") == ["[CLS]", "garden", "[SEP]"]


def test_no_more_than_wanted() -> None:
    assert pieces("a a a a a a", 4) == ["[CLS]", "a", "a", "[SEP]"]


def test_a_word_of_endless_length_is_unknown() -> None:
    assert pieces("a" * 101) == ["[CLS]", "[UNK]", "[SEP]"]
