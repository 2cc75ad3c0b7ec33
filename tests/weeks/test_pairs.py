"""What is to be done is closed in two words, though it is said in other words by then: Pay, paid."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentws.workspace import Environment, Workspace
from tests.conftest import NOW
from tests.weeks.player import _rows

PAIRS = (
    ("Pay the electricity bill", "paid electricity"),
    ("Submit the tax form", "submitted tax"),
    ("Book movers for Friday", "movers booked"),
    ("Call Dr. Osei back", "called Osei"),
    ("Send the contract to Lena", "sent contract"),
    ("Buy a birthday present for Tim", "bought present"),
    ("Write the minutes of the board", "minutes written"),
    ("Fix the login timeout", "fixed login"),
    ("Renew the passport", "passport renewed"),
    ("Tell the neighbours about the noise", "told neighbours"),
    ("Cancel the gym membership", "gym cancelled"),
    ("Take the parcel to the post office", "parcel taken"),
    ("Choose a colour for the hall", "colour chosen"),
    ("Get the keys from Yusuf", "got keys"),
    ("Merge the retry branch", "retry merged"),
    ("Find a plumber", "plumber found"),
)


@pytest.mark.slow
def test_sixteen_items_are_closed_in_two_words_each(tmp_path: Path) -> None:
    environment = Environment(now=NOW, timezone="UTC")
    workspace = Workspace.init(str(tmp_path / "robin"), environment=environment, name="Robin", git=False)
    for item, _ in PAIRS:
        workspace.todo(item)
    left = [item for item, _ in PAIRS]
    for item, words in PAIRS:
        workspace.done(*words.split())
        left.remove(item)
        assert sorted(row.text for row in _rows(workspace)) == sorted(left), words
