"""Text to terms: what is written in two ways is one term, and a word of any script is whole."""

from __future__ import annotations

from agentws.features.search.plan import passage, query, terms
from tests import table

_SAME = (
    ("déjeuner", "dejeuner"),
    ("de\u0301jeuner", "DÉJEUNER"),
    ("Nguyễn", "nguyen"),
    ("Đặng", "dang"),
    ("Łódź", "lodz"),
    ("smørrebrød", "smorrebrod"),
    ("œuf", "oeuf"),
    ("İstanbul", "istanbul"),
    ("ırmak", "IRMAK"),
    ("Straße", "STRASSE"),
    ("παιδί", "ΠΑΙΔΙ"),
    ("Фёдором", "Федором"),
    ("за\u0301мок", "замок"),
    ("שָׁלוֹם", "שלום"),
    ("مُحَمَّد", "محمد"),
    ("أحمد", "احمد"),
    ("ガス", "ｶﾞｽ"),
)
_WHOLE = (
    ("हिन्दी", ["हिन्दी"]),
    ("यह किताब।", ["यह", "किताब"]),
    ("தமிழ்", ["தமிழ்"]),
    ("ที่นา", ["ที", "ี่", "่น", "นา"]),
    ("мой", ["мой"]),
    ("v2.3", ["v2.3", "v2", "3"]),
)


def test_accents_points_and_case_make_no_other_word() -> None:
    table.holds(_same, _SAME)


def _same(row: tuple[str, str]) -> None:
    assert terms.of(row[0]) == terms.of(row[1])
    assert len(terms.of(row[0])) == 1


def test_a_word_is_not_torn_apart_at_its_vowel_signs() -> None:
    table.holds(_whole, _WHOLE)


def _whole(row: tuple[str, list[str]]) -> None:
    assert terms.of(row[0]) == row[1]


def test_a_word_is_marked_where_it_stands_with_its_accents() -> None:
    for text, asked in (("nach dem de\u0301jeuner", "dejeuner"), ("यह किताब है", "किताब"), ("am Łódźer Tor", "lodz*")):
        ((start, end),) = passage.matches(text, query.parse(asked))
        assert text[start:end] == text.split()[-1 if asked == "dejeuner" else 1]
