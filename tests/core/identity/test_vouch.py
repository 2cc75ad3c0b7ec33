"""Who is known to a copy by a chain of vouches: each link is looked at once, and none is believed for itself."""

from __future__ import annotations

from typing import Any

import pytest

from agentws.core.formats.identity.writer import WriterLine
from agentws.core.identity import vouch as vouching
from agentws.core.journal.sealing.seal import Signers
from tests import table

KNOWN = Signers({"home": {"k-home"}})
NOBODY = Signers({})


def line(name: str, by: str, *, good: bool = True, **more: Any) -> WriterLine:
    """The line of a writer that another one has vouched for."""
    vouch = {"by": by, "key": f"k-{by}", "signature": "good" if good else "bad", **more}
    return WriterLine({"writer": name, "key": f"k-{name}", "vouched_by": vouch})


TOKEN = {"arrival": {"migration": "0a1b2c3d", "word": "w", "until": "2026-12-20", "place": ""}}
CHAINS = [
    ("home", [], True),
    ("away", [line("away", "home")], True),
    ("away", [line("away", "b"), line("b", "c"), line("c", "home")], True),
    ("away", [line("away", "b"), line("away", "home")], True),
    ("away", [line("away", "home", **TOKEN)], True),
    ("away", [], False),
    ("away", [line("b", "home")], False),
    ("away", [line("away", "away")], False),
    ("away", [line("away", "b"), line("b", "away")], False),
    ("away", [line("away", "home", good=False)], False),
    ("away", [line("away", "b"), line("b", "home", good=False)], False),
    ("away", [line("first", "home", **TOKEN), line("away", "home", **TOKEN)], False),
    ("away", [line("away", "home", arrival={**TOKEN["arrival"], "migration": "ffffffff"})], False),
    ("away", [WriterLine({"writer": "away", "key": "k-away", "took_over": {"proof": "none"}})], False),
]


@pytest.fixture(autouse=True)
def judged(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The writers whose vouches were looked at."""
    seen: list[str] = []

    def judge(agent: str, line: WriterLine, signers: Signers) -> str:
        seen.append(line.writer)
        assert line.vouched_by is not None
        return "" if line.vouched_by.signature == "good" else "bad"

    monkeypatch.setattr(vouching, "judge", judge)
    return seen


def known(name: str, lines: list[WriterLine]) -> bool:
    return vouching.is_known("agent", lines, NOBODY, name, f"k-{name}", known=KNOWN, void={"ffffffff"})


def test_only_a_chain_of_good_vouches_from_who_is_known_makes_known() -> None:
    def check(row: tuple[str, list[WriterLine], bool]) -> None:
        name, lines, wanted = row
        assert known(name, lines) is wanted

    table.holds(check, CHAINS)


def test_of_many_that_vouch_for_each_other_few_are_looked_at(judged: list[str]) -> None:
    names = [f"w{number}" for number in range(60)]
    lines = [line(name, by) for name in names for by in names]

    assert not known("w0", lines)
    assert len(judged) <= 200


HOME = WriterLine({"writer": "home", "key": "k-home"})
"""The first one that was here."""


def trusted(name: str, lines: list[WriterLine], key: str = "") -> bool:
    return vouching.is_trusted("agent", lines, NOBODY, name, key or f"k-{name}", void={"ffffffff"})


def test_who_is_trusted_leads_to_the_first_or_to_one_that_took_over() -> None:
    def check(row: tuple[str, list[WriterLine], bool]) -> None:
        name, lines, expected = row
        took_over = any(one.took_over is not None for one in lines)
        assert trusted(name, [HOME, *lines]) is (expected or took_over)

    beside = WriterLine({"writer": "beside", "key": "k-home", "after": {"home": {"seq": 1, "hash": "0"}}})
    recovered = line("away", "recovery")
    table.holds(check, [*CHAINS, ("away", [recovered], True), ("recovery", [recovered], False)])
    assert trusted("beside", [HOME, beside], "k-home"), "whoever goes on beside an older copy keeps its key"
    assert not trusted("other", [HOME, beside], "k-home"), "a key alone is nobody"


def test_writers_who_all_vouch_for_each_other_are_looked_at_once(judged: list[str]) -> None:
    names = [f"w{number}" for number in range(8)]
    lines = [HOME, *(line(one, other) for one in names for other in names if one != other)]

    assert not trusted("w0", lines)
    assert len(judged) < len(lines)
    assert trusted("w0", [*lines, line("w7", "home")])


def test_of_any_number_of_vouches_so_many_are_judged(judged: list[str]) -> None:
    lines = [HOME, *(line("away", f"w{number}") for number in range(1_000))]

    assert not trusted("away", lines)
    assert len(judged) <= 200
