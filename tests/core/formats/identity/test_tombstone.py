"""The tombstone and the retirement, as the bytes that docs/format/identity.md shows."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from agentws.core.formats.identity import tombstone
from agentws.core.formats.identity.tombstone import Retirement, Tombstone

PAGE = Path(__file__).parents[4] / "docs/format/identity.md"
HEAD = {"006b0070611a6f64": {"seq": 412, "hash": "8a" * 32}}


def made(**more: object) -> Tombstone:
    given = {"to": "sam@vps:robin", "at": "2026-11-20T21:40:00Z", "head": HEAD, "by": "006b0070611a6f64", **more}
    return Tombstone(**given)  # type: ignore[arg-type]


def test_a_tombstone_comes_back_as_it_was_with_what_nobody_understood() -> None:
    again = tombstone.decode(tombstone.encode(made(signature="signed", rest={"migration": "m1", "later": [1]})))

    assert (again.to, again.at, again.by, again.head) == (made().to, made().at, made().by, HEAD)
    assert again.signature == "signed"
    assert again.rest == {"migration": "m1", "later": [1]}


def test_what_is_signed_names_agent_writer_place_moment_and_heads() -> None:
    words = tombstone.message("an-agent", made()).decode()

    assert words == (
        'agentws-moved-1 an-agent 006b0070611a6f64 2026-11-20T21:40:00Z "sam@vps:robin" '
        f"006b0070611a6f64:412:{'8a' * 32}\n"
    )


def test_a_name_with_a_line_break_cannot_speak_for_another() -> None:
    assert tombstone.message("a", made(to="x\ny")).count(b"\n") == 1


@pytest.mark.parametrize(
    "data", [b"", b"{", b"[]", b"{}", b'{"to":"x","at":"","by":"","head":{"w":1}}', b"[" * 9_999, b"\xff"]
)
def test_what_is_none_says_so(data: bytes) -> None:
    with pytest.raises(ValueError, match=r"."):
        tombstone.decode(data)


def test_a_retirement_comes_back_as_it_was() -> None:
    line = tombstone.retired_line(Retirement(at="2026-11-20T21:40:00Z", by="w", host="desk", reason="done"))

    again = tombstone.retired(b"# of another day\n" + line)

    assert (again.at, again.by, again.host, again.reason) == ("2026-11-20T21:40:00Z", "w", "desk", "done")


def test_the_page_shows_both() -> None:
    blocks = re.findall(r"^```(?:json|jsonl)\n(.*?)^```$", PAGE.read_text(), re.DOTALL | re.MULTILINE)
    stones = [block for block in blocks if '"head"' in block]
    retirements = [block for block in blocks if '"reason"' in block]

    assert stones
    assert retirements
    for block in stones:
        assert tombstone.decode(block.encode()).to
    for block in retirements:
        assert tombstone.retired(block.encode()).by
