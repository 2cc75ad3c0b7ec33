"""The class of a source, and what becomes of several."""

from __future__ import annotations

import pytest

from agentws.core.formats import audience
from agentws.core.text import origin
from tests import table


@pytest.mark.parametrize(
    ("source", "given", "in_a_file"),
    [
        (None, "agent", "unknown"),
        ("user", "user", "unknown"),
        ("user:sam", "user", "unknown"),
        ("agent:heron", "agent", "unknown"),
        ("import:old", "import", "import"),
        ("other:heron", "other", "other"),
        ("tool:web", "tool", "tool"),
        ("net:group", "net", "net"),
        ("Lufthansa", "net", "unknown"),  # a door was told of a channel; in a file it may be a flight
        ("toolbox", "net", "unknown"),
        ("usér", "net", "unknown"),
    ],
)
def test_the_class_of_a_source_is_given_by_a_door_and_read_from_a_file(
    source: str | None, given: str, in_a_file: str
) -> None:
    assert (origin.class_of(source), origin.class_of_mark(source)) == (given, in_a_file)
    assert origin.is_outside(source) == (given in origin.OUTSIDE)


def test_what_is_made_of_several_has_the_lowest_whatever_the_order() -> None:
    order = ["net:group", "tool:web", "other:x", "import:old", "unknown", "agent", "user"]

    for place, one in enumerate(order):
        assert origin.lowest(order[place:]) == origin.lowest(reversed(order[place:])) == one
    assert origin.lowest([]) == origin.lowest([None, "user"]) == "agent"


def test_what_a_door_records_is_read_back_from_a_file_with_its_class() -> None:
    for source in ("slack", "net:group", "tool:web", "import:old", "other:x"):
        assert origin.class_of_mark(origin.named(source)) == origin.class_of(source)
        assert origin.mark(origin.named(source)) == origin.named(source)
    assert [origin.mark(source) for source in (None, "user", "agent:heron", "unknown")] == [None] * 4


def test_an_audience_only_narrows() -> None:
    assert [audience.narrower(*told) for told in [(), ("main", None), ("main", "shared"), ("nobody",)]] == [
        *("main", "main", "shared", "shared")
    ]


def test_a_line_ends_in_the_mark_of_an_outside_source_or_is_not_from_outside() -> None:
    table.holds(
        lambda row: _is(origin.of_line(row[0]), row[1]),
        [
            ("- 09:14 the limit is 60 (via tool:web)", "tool:web"),
            ("the limit is 60 (via net:group)  \r", "net:group"),
            ("(via import:old)", "import:old"),
            ("の上限は60（via tool:web）", ""),
            ("- 09:14 the limit is 60 (via user)", ""),
            ("- flown to Rome (via Lufthansa)", ""),
            ("- said (via tool:web) by hand", ""),
            ("- said \\(via tool:web)", ""),
            ("- said (via tool:web) (via user)", "tool:web"),
            ("- said (via tool:web) (via net:group)", "net:group"),
            ("- said (via net:group) ^t3fk !9 #tag ✅ 2026-11-18", "net:group"),
            ("- said (via tool:web) 2026", ""),
            ("- said (via tool: web)", ""),
            ("- said (via (tool:web)", ""),
            ("- said (via )", ""),
            (")", ""),
            ("", ""),
        ],
    )


def _is(found: str, wanted: str) -> None:
    assert found == wanted
