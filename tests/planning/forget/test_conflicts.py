"""The record of a conflict keeps nothing of what was forgotten, and is a record still."""

from __future__ import annotations

from agentws.formats.travel import conflict
from agentws.formats.travel.conflict import Record, Side
from agentws.planning.forget import conflicts
from agentws.planning.forget.wanted import Wanted

SAM = Wanted(subjects=["Sam Tester"])
PATH = conflict.path("0a1b2c3d")


def record(base: str | None, one: str | None, other: Side, where: str = "People") -> bytes:
    return conflict.encode(
        Record(
            "0a1b2c3d", "MEMORY.md", "entry", where, base=Side(base), sides=(Side(one), other), at="", between=("a",),
        )
    )  # fmt: skip


def test_the_texts_of_a_record_lose_the_lines_that_are_forgotten() -> None:
    data = record("- Sam Tester drinks tea\n- two", "- one\n- Sam Tester drinks cocoa", Side("- others drink coffee"))
    found = conflicts.struck(PATH, data, SAM)
    assert found.data == record("\n- two", "- one\n", Side("- others drink coffee"))
    assert [one.text for one in found.lines] == ["- Sam Tester drinks tea", "- Sam Tester drinks cocoa"]


def test_a_place_that_names_it_goes_and_what_is_elsewhere_stays() -> None:
    data = record(None, None, Side(file="conflicts/0a1b2c3d/1-MEMORY.md"), where="People › Sam Tester")
    found = conflicts.struck(PATH, data, SAM)
    assert found.data == record(None, None, Side(file="conflicts/0a1b2c3d/1-MEMORY.md"), where="")
    assert len(found.lines) == 1


def test_a_record_without_it_stays_byte_for_byte_and_an_odd_one_is_a_text() -> None:
    data = record("a", "b", Side("c")) + b"\n"
    assert conflicts.struck(PATH, data, SAM).data == data
    assert conflicts.struck(PATH, data, SAM).lines == ()
    assert b"Sam" not in conflicts.struck(PATH, b"{\n- Sam Tester\n", SAM).data
