"""What `journal audit --recalled` says where nothing was recalled."""

from __future__ import annotations

from datetime import UTC

from agentws.core.terminal.moments import Teller
from agentws.features.journal import render as recall
from agentws.features.journal.receipts import Receipts


def test_who_has_the_setting_on_is_not_sent_to_it() -> None:
    teller = Teller([], UTC)

    (on,) = recall.recalled_lines(teller, Receipts([], []), is_on=True)
    (off,) = recall.recalled_lines(teller, Receipts([], []), is_on=False)

    assert "recall.prompt" not in on
    assert off.endswith("agentws config recall.prompt true")
