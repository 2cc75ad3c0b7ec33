"""Of very many units only those are looked at closely that could be chosen."""

from __future__ import annotations

import pytest

from agentws.planning.compaction import candidates, scoring, shortlist
from agentws.planning.compaction.counts import Counts
from agentws.planning.compaction.units import Context, Unit
from tests.planning.compaction.values import day, keep, old, texts

NOTES = "".join(
    f"- {'[decision] Chose' if n % 10 == 0 else 'Saw'} kite {n} over harbor {n % 7} with Osprey{n % 50}\n\n"
    for n in range(900)
)


def scored(units: list[Unit]) -> scoring.Scores:
    return scoring.Scores(units, Counts(units), Context())


def test_few_units_are_all_looked_at() -> None:
    units = candidates.of([day(NOTES)])

    assert shortlist.of(units, scored(units), 10) == list(range(len(units)))


def test_of_many_the_best_what_is_in_memory_and_the_best_decision_of_each_day(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shortlist, "_FEWEST", 50)
    dull = day("- [decision] The plan is so and was so, and will be so for all of us, as ever\n", "2026-03-05")
    units = [*candidates.of_entries([old("2026-01-01 the the of it")]), *candidates.of([day(NOTES), dull])]
    scores = scored(units)

    chosen = shortlist.of(units, scores, 1)

    assert len(chosen) < 150 < len(units)
    assert chosen == sorted(chosen)
    assert {0, len(units) - 1} <= {*chosen}
    best = max(range(len(units)), key=lambda index: scores.of[index] / (len(units[index].text) + 60))
    assert best in chosen


def test_what_is_kept_is_the_same_with_a_short_list(monkeypatch: pytest.MonkeyPatch) -> None:
    logs = [day(NOTES), day(NOTES.replace("kite", "boat").replace("Osprey", "Heron"), "2026-03-04")]
    whole = [texts(keep(*logs, budget=budget)) for budget in (60, 200, 600)]

    monkeypatch.setattr(shortlist, "_FEWEST", 300)
    short = [texts(keep(*logs, budget=budget)) for budget in (60, 200, 600)]

    assert short == whole
