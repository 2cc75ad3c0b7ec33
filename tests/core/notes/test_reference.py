"""References: written, computed, and those that a line closes."""

from __future__ import annotations

from agentws.core.notes import reading, reference
from tests.table import holds

WRITTEN: list[tuple[str, str]] = [
    ("- [ ] Call Tom ^t3fk", "t3fk"),
    ("- [ ] Call Tom ^t3fk (via net:mail)", "t3fk"),
    ("- [ ] Call Tom ^t3fk !7 #home", "t3fk"),
    ("- [ ] Call Tom !7 #home ^my-block\nmore ^x7mp", "my-block"),
    ("- [ ] grep ^t3fk in all files", ""),
    ("- [ ] Call Tom \\^t3fk", ""),
    ("- [ ] Call Tom ^", ""),
    ("- [ ] Call Tom ^été", ""),
    ("2^8", ""),
    ("", ""),
]
CLOSES: list[tuple[str, tuple[str, ...]]] = [
    ("- [done] Call Tom (closes ^t3fk)", ("t3fk",)),
    ("- [done] Both (closes ^t3fk ^x7mp) (via user)", ("t3fk", "x7mp")),
    ("- [done] Both (closes ^t3fk, ^x7mp, ^t3fk)", ("t3fk", "x7mp")),
    ("the shop closes at six (closes early)", ()),
    ("(closes ^t3fk", ("t3fk",)),
]


def test_a_written_reference_ends_the_first_line() -> None:
    def check(row: tuple[str, str]) -> None:
        assert reference.written(row[0]) == row[1]

    holds(check, WRITTEN)


def test_what_a_line_closes() -> None:
    def check(row: tuple[str, tuple[str, ...]]) -> None:
        assert reference.closes(row[0]) == row[1]

    holds(check, CLOSES)


def test_a_computed_reference_has_no_vowel_begins_with_a_letter_and_grows() -> None:
    for number in range(300):
        refs = [reference.computed("MEMORY.md", "", f"item {number}", length=length) for length in range(4, 30)]
        assert [len(ref) for ref in refs] == [*range(4, 25), *[24] * 5]
        assert all(refs[-1].startswith(ref) for ref in refs)
        assert refs[0] == reference.computed("MEMORY.md", "", f"item {number}")
        assert refs[0][0].isalpha()
        assert not set(refs[-1]) & set("aeiou01")


def test_references_are_those_of_always() -> None:
    # They stand in files: `(closes ^…)` must find the same entry next year.
    assert reference.computed("memory/2026-11-20.md", "2026-11-20", "Call Tom", length=8) == "ryddrlw9"


def test_a_reference_stays_when_a_box_is_ticked_the_file_moves_or_the_time_is_added() -> None:
    def ref(text: str, path: str = "memory/2026-11-20.md") -> str:
        (entry,) = reading.read(text, path=path, day="2026-11-20")
        return entry.ref

    assert ref("- [ ] Call Tom") == ref("- [x] Call Tom") == ref("- 07:20 [todo] Call Tom !7 #home")
    assert ref("- [ ] Call Tom", "memory/archive/2026-11-20.md") == ref("- [ ] Call Tom")
    assert ref("- [ ] Call Tim") != ref("- [ ] Call Tom")
