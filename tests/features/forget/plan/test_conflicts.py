"""The record of a conflict keeps nothing of what was forgotten, and is a record still."""

from __future__ import annotations

import pytest

from agentws.core.formats.travel import conflict
from agentws.core.formats.travel.conflict import Record, Side
from agentws.features.forget.plan import sidecars
from agentws.features.forget.plan.wanted import Wanted

SAM = Wanted(subjects=["Sam Tester"])
PATH = conflict.path("0a1b2c3d")


def record(base: str | None, one: str | None, other: Side, where: str = "People", what: str = "entry") -> bytes:
    return conflict.encode(
        Record(
            "0a1b2c3d", "MEMORY.md", what, where, base=Side(base), sides=(Side(one), other), at="", between=("a",),
        )
    )  # fmt: skip


def test_the_texts_of_a_record_lose_the_lines_that_are_forgotten() -> None:
    data = record("- Sam Tester drinks tea\n- two", "- one\n- Sam Tester drinks cocoa", Side("- others drink coffee"))
    found = sidecars.struck(PATH, data, SAM)
    assert found.data == record("\n- two", "- one\n", Side("- others drink coffee"))
    assert [one.text for one in found.lines] == ["- Sam Tester drinks tea", "- Sam Tester drinks cocoa"]


@pytest.mark.parametrize(("one", "other", "what"), [
    ("- Sam Tester drinks cocoa", "- others drink coffee", "entry"),
    ("- Sam Tester drinks cocoa\n", None, "removal"),
    ("owner: Sam Tester", "who: Sam Tester", "field"),
])  # fmt: skip
def test_of_a_conflict_with_nothing_left_to_decide_nothing_stays(one: str, other: str | None, what: str) -> None:
    found = sidecars.struck(PATH, record("a", one, Side(other), what=what), SAM)
    assert found.data == b""
    assert found.lines


def test_a_value_that_stands_in_no_file_is_kept_in_its_record() -> None:
    found = sidecars.struck(PATH, record("a", "owner: Sam Tester", Side("owner: Lee"), what="field"), SAM)
    assert found.data == record("a", "", Side("owner: Lee"), what="field")


def test_a_place_that_names_it_goes_and_what_is_elsewhere_stays() -> None:
    data = record(None, None, Side(file="conflicts/0a1b2c3d/1-MEMORY.md"), where="People › Sam Tester")
    found = sidecars.struck(PATH, data, SAM)
    assert found.data == record(None, None, Side(file="conflicts/0a1b2c3d/1-MEMORY.md"), where="")
    assert len(found.lines) == 1


def test_a_record_without_it_stays_byte_for_byte_and_an_odd_one_is_a_text() -> None:
    data = record("a", "b", Side("c")) + b"\n"
    assert sidecars.struck(PATH, data, SAM).data == data
    assert sidecars.struck(PATH, data, SAM).lines == ()
    assert b"Sam" not in sidecars.struck(PATH, b"{\n- Sam Tester\n", SAM).data
