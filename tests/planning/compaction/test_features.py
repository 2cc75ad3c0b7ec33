"""The columns of a sentence and the weights that belong to them."""

from __future__ import annotations

from agentws.planning.compaction import candidates, features, scoring, weights
from agentws.planning.compaction.counts import Counts
from tests.planning.compaction.values import chat


def likelihoods(*said: tuple[str, str]) -> list[float]:
    units = candidates.of([chat(*said)])
    counts = Counts(units)
    return [scoring.likely(row) for row in features.columns(units, counts, range(len(units)))]


def test_there_is_a_weight_for_each_column() -> None:
    units = candidates.of([chat(("Maria", "I moved to Lisbon in May."))])

    rows = list(features.columns(units, Counts(units), [0]))

    assert len(rows[0]) == len(features.NAMES) == len(weights.WEIGHTS)


def test_what_a_person_says_of_themselves_is_likelier_asked_for_than_small_talk() -> None:
    fact, talk = likelihoods(
        ("Maria", "I bought my first camera, a Leica M6, last week."), ("Tom", "That sounds so great!")
    )

    assert fact > 2 * talk


def test_what_the_user_says_is_likelier_asked_for_than_what_the_machine_says() -> None:
    user, machine = likelihoods(
        ("User", "My sister Ana lives in Porto since last year."),
        ("Assistant", "My sister Ana lives in Porto since last year."),
    )

    assert user > machine
