"""Whether two texts say nearly the same, in scripts with spaces and without."""

from __future__ import annotations

from agentws.planning.notes import similarity
from tests.table import holds

ROWS: list[tuple[str, str, bool]] = [
    ("Call Tom", "call  TOM!", True),
    ("Call Tom", "Call Tim", False),
    # Four words of five, then three of four.
    ("Oil the old garden gate", "Oil the old gate", True),
    ("Oil the garden gate", "Oil the gate", False),
    ("Pay bill 17 to Kim in the morning", "Pay bill 18 to Kim in the morning", False),
    ("Open `a` on the shelf over there", "Open `b` on the shelf over there", False),
    ("Straße fegen", "STRASSE fegen", True),
    ("给汤姆打电话", "给汤姆打电话。", True),
    ("给汤姆打电话", "给安娜打电话", False),
    ("屋根を直す人を探す", "屋根を直す人を探すこと", True),
    ("ซ่อมหลังคา", "ซ่อมหลังคา!", True),
    ("क़लम ख़रीदना", "क़लम ख़रीदना।", True),
    ("", "", True),
]


def test_nearly_the_same_differs_in_nothing_exact() -> None:
    def check(row: tuple[str, str, bool]) -> None:
        one, other, is_same = row
        assert similarity.same(one, other) == similarity.same(other, one) == is_same

    holds(check, ROWS)


def test_words_of_scripts_without_spaces_are_pairs() -> None:
    assert similarity.words("给汤姆") == ("给汤", "汤姆")
    assert similarity.words("Tom给") == ("tom", "给")
    assert similarity.words("屋根 roof") == ("屋根", "roof")
    assert similarity.words("집세 내기") == ("집세", "내기")
    assert similarity.words("Été, été") == ("été",)


def test_the_share_is_of_the_longer_one() -> None:
    assert similarity.share(("a", "b"), ("a", "b", "c", "d")) == 0.5
    assert similarity.share((), ()) == 0.0
