"""What is left of an entry of which a summarizer told a part."""

from __future__ import annotations

import pytest

from agentws.planning.compaction import asking, bundling, candidates, untold
from agentws.planning.compaction.asking import Line
from agentws.planning.compaction.checking import Bullet
from agentws.planning.compaction.choice import Kept
from agentws.planning.compaction.units import Day

TEXT = """# 2026-03-02

- 09:00 **Maria:** I moved to Lisbon. I pay 1,200 euros rent.
- 09:02 **Maria:** My sister Anna visits me on May 3.
- 09:03 **Maria:** The printer of the office jams.
"""
DAY = Day("memory/2026-03-02.md", "2026-03-02", TEXT)
MOVED, RENT = "Maria moved to Lisbon", "Maria pays 1200 euros rent"
ANNA, PRINTER = "Anna, Maria's sister, visits on May 3", "Maria's office printer jams"


@pytest.fixture
def entry() -> Kept:
    """All four sentences in one entry, as they are bundled."""
    units = candidates.of([DAY])
    (made,) = bundling.entries(units, range(len(units)), [0.25] * len(units))
    return Kept(made.text, made.kind, "2026-03-02", made.sources, 1000, "chosen")


@pytest.fixture
def lines() -> list[Line]:
    return asking.lines([DAY])


def test_what_nobody_told_stays_as_it_was(entry: Kept, lines: list[Line]) -> None:
    assert untold.of(entry, []) is entry
    assert untold.of(entry, [Bullet("Maria has a printer", (lines[2],))]) is entry


def test_what_is_told_is_cut_out_and_the_rest_names_its_own_sources(entry: Kept, lines: list[Line]) -> None:
    found = untold.of(entry, [Bullet(ANNA, (lines[1],))])

    assert found is not None
    assert found.text.startswith("2026-03-02 Maria: I moved to Lisbon. I pay 1,200 euros rent. … ")
    assert found.text.endswith(" … The printer of the office jams.")
    assert [source.line for source in found.sources] == [3, 5]
    assert 400 < found.worth < 1000


def test_the_beginning_of_an_entry_stays_without_its_first_sentence(entry: Kept, lines: list[Line]) -> None:
    found = untold.of(entry, [Bullet(MOVED, (lines[0],)), Bullet(ANNA, (lines[1],)), Bullet(PRINTER, (lines[2],))])

    assert found is not None
    assert found.text == "2026-03-02 Maria: I pay 1,200 euros rent."
    assert [source.line for source in found.sources] == [3]


def test_an_entry_of_which_all_is_told_goes(entry: Kept, lines: list[Line]) -> None:
    said = [Bullet(f"{MOVED}; {RENT}", (lines[0],)), Bullet(ANNA, (lines[1],)), Bullet(PRINTER, (lines[2],))]

    assert untold.of(entry, said) is None


def test_only_a_bullet_that_cites_its_line_tells_a_sentence(entry: Kept, lines: list[Line]) -> None:
    assert untold.of(entry, [Bullet(ANNA, (lines[2],))]) is entry
