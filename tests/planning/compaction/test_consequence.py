"""What weighs more for what follows from it."""

from __future__ import annotations

import pytest

from agentws.planning.compaction import consequence


@pytest.mark.parametrize(
    "text",
    [
        "🔴 stories never through the API",
        "⚠️ a forced reset wiped the database of Kestrel",
        "TOP PRIORITY: keep both systems apart",
        "Ana pays $7,000 when it ships",
        "seven filings are overdue",
        "recurring violation: simple tasks went to the dear model",
    ],
)
def test_warnings_losses_money_and_complaints_weigh_more(text: str) -> None:
    assert consequence.weight(text) > 1.0
    assert consequence.weight("Kestrel sails", about=text) > 1.0


@pytest.mark.parametrize(
    "text",
    [
        "Ada, Basic, Forth, Logo, Occam, Pascal, Prolog, Ruby",
        "4.17ms at 200K, 512K per s, 0.39m",
        "Cron job: letter draft (job ID: e518c270)",
    ],
)
def test_lists_numbers_and_ids_weigh_less(text: str) -> None:
    assert consequence.weight(text) < 1.0


def test_a_sentence_weighs_what_it_weighs_and_the_day_of_an_entry_is_no_number_of_it() -> None:
    assert consequence.weight("Kestrel reads invoices from Porto") == 1.0
    assert consequence.weight("2026-01-01 Heron met Egret at noon") == 1.0


def test_a_small_sum_is_one_measurement_among_others() -> None:
    assert consequence.weight("the box of Kestrel was sent for $95 on Monday") == 1.0
