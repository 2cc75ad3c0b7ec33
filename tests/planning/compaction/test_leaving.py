"""What is over: closed by a later line, true for a day, said by MEMORY.md itself."""

from __future__ import annotations

from agentws.planning.compaction import leaving
from agentws.planning.compaction.units import Context
from tests.planning.compaction.values import day, keep, old, texts


def reasons(*days: str, memory: tuple[str, ...] = ()) -> dict[str, str]:
    logs = [day(text, f"2026-03-{n:02d}") for n, text in enumerate(days, 1)]
    return {one.text: one.reason for one in keep(*logs, context=Context(memory=memory)).dropped}


def test_a_problem_leaves_when_a_later_line_says_that_it_is_resolved() -> None:
    found = reasons("- ENOLINK prevents all shells of Kestrel\n", "- MAJOR: **ENOLINK RESOLVED** by a new install\n")

    assert found == {"2026-03-01 ENOLINK prevents all shells of Kestrel": leaving.CLOSED}


def test_an_entry_that_says_what_was_launched_leaves_when_it_was_shut_down() -> None:
    entry = old("2026-01-01 Installed and launched GullPad on port 4180")

    kept = keep(day("- on request of Maria, shut down GullPad and its mast\n"), entries=(entry,))

    assert entry.text not in texts(kept)


def test_an_earlier_line_closes_nothing() -> None:
    assert reasons("- ENOLINK resolved by Kestrel\n", "- ENOLINK prevents all shells again\n") == {}


def test_what_may_be_another_thing_of_that_name_closes_nothing() -> None:
    assert reasons("- Lantern settings are missing in Porto\n", "- Fixed Lantern API version of Kestrel\n") == {}


def test_what_was_true_for_a_day_is_not_kept_unless_it_is_a_rule() -> None:
    found = reasons("- bridge of Kestrel runs as PID 4711\n- NEVER stop the bridge, PID 4711 or not\n")

    assert [reason for text, reason in found.items() if "runs" in text] == [leaving.EXPIRED]
    assert not any("NEVER" in text for text in found)


def test_what_the_owner_wrote_is_not_folded_again() -> None:
    found = reasons("- the Kestrel parser reads invoices\n", memory=("- The Kestrel parser reads all invoices",))

    assert set(found.values()) == {leaving.SAID}
