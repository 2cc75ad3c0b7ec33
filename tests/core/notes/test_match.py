"""Which open item a reference or a few words name."""

from __future__ import annotations

from agentws.core.notes import closure
from agentws.core.notes.closure import Row
from tests import table

SAID = {
    "t3fk": "Call Tom about the lease",
    "t3fq": "Call Tomoko about the flat",
    "bcdf": "Pay the rent",
    "ghjk": "Pay the rent deposit",
    "mnpq": "Möbelwagen für Samstag buchen",
    "rstv": "田中さんに電話する",
    "wxyz": "اتصل بالطبيب يوم الأحد",
    "2345": "Позвонить врачу",
    "6789": "Merge #183 into main",
    "cdfg": "Offre à M. Lefèvre",
}
ROWS = [Row(ref, text, "memory/2026-11-20.md", line) for line, (ref, text) in enumerate(SAID.items(), 3)]

WORDS = [
    ("call tom lease", ["t3fk"]),
    ("lease call", ["t3fk"]),
    ("LEASE", ["t3fk"]),
    ("call tom", ["t3fk", "t3fq"]),
    ("call tomo", ["t3fq"]),
    ("om lease", []),
    ("pay rent", ["bcdf", "ghjk"]),
    ("Pay the rent", ["bcdf"]),
    ("pay the rent!", ["bcdf"]),
    ("rent dep", ["ghjk"]),
    ("möbel buch", ["mnpq"]),
    ("mobel buch", ["mnpq"]),
    ("wagen", []),
    ("電話", ["rstv"]),
    ("電話 田中", ["rstv"]),
    ("電車", []),
    ("طبيب", ["wxyz"]),
    ("الأحد اتصل", ["wxyz"]),
    ("يب", []),
    ("врачу позв", ["2345"]),
    ("merge 183", ["6789"]),
    ("#183", ["6789"]),
    ("lefevre", ["cdfg"]),
    ("paid rent", []),
    ("paid 300", []),
    ("", []),
    ("  ", []),
]
"""What is given, and the references of what it names: all words, in any order, each as the beginning of one."""


def test_words_name_what_says_all_of_them_in_any_script() -> None:
    def check(case: tuple[str, list[str]]) -> None:
        given, expected = case
        assert [one.ref for one in closure.literally(given, ROWS)] == expected

    table.holds(check, WORDS)


def test_a_reference_names_its_item_alone_and_its_beginning_all_that_share_it() -> None:
    rows = {"t3fk9w": "one", "t3fk2x": "other", "bcdf": "third"}
    longer = [Row(ref, text, "MEMORY.md", line) for line, (ref, text) in enumerate(rows.items(), 3)]

    def check(case: tuple[str, list[str]]) -> None:
        given, expected = case
        assert [one.text for one in closure.by_reference(given, longer)] == expected

    table.holds(
        check,
        [
            ("t3fk9w", ["one"]),
            ("^t3fk9w", ["one"]),
            ("t3fk", ["one", "other"]),
            ("t3f", []),
            ("bcdf", ["third"]),
            ("MEMORY.md:4", ["other"]),
            ("MEMORY.md:6", []),
            ("third", []),
        ],
    )


def test_where_nothing_matches_the_nearest_are_those_that_share_most_words() -> None:
    assert [one.ref for one in closure.nearest("paid rent deposit", ROWS)] == ["ghjk", "bcdf"]
    assert closure.nearest("zebra", ROWS) == []


def test_what_many_lines_say_makes_no_item_near_in_any_language() -> None:
    def check(case: tuple[str, tuple[str, ...], str, list[str]]) -> None:
        common, texts, given, expected = case
        rows = [Row(f"t{at}fk", text, "memory/2026-11-20.md", at) for at, text in enumerate(texts)]
        assert [row.text for row in closure.nearest(given, rows)] == expected
        assert closure.nearest(f"{common} zebra", rows) == []

    english = ("Pay the rent", "Oil the gate", "Ask the bank", "Call Tom")
    german = ("Den Mietvertrag kündigen", "Den Garten gießen", "Den Zaun streichen", "Tom anrufen")
    spanish = ("Regar la huerta", "Pagar la luz", "Pintar la valla", "Llamar a Tom")
    table.holds(
        check,
        [
            ("the", english, "wrote the bank", ["Ask the bank"]),
            ("the", english, "wrote tom", ["Call Tom"]),
            ("den", german, "den Zaun geflickt", ["Den Zaun streichen"]),
            ("la", spanish, "vendí la valla", ["Pintar la valla"]),
        ],
    )
