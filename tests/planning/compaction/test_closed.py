"""What a line closed by its reference leaves memory, and nothing that it only looks like."""

from __future__ import annotations

from agentws.planning.compaction import leaving
from agentws.planning.compaction.units import Context
from agentws.planning.notes import reading
from tests.planning.compaction.values import day, keep, old, texts

WRITTEN = old("2026-03-01 Call Tom about the lease ^t3fk", kind="Open")
COMPUTED = old("2026-03-01 Ask the bank about the card", kind="Open")


def ref(length: int) -> str:
    return reading.read(f"- {COMPUTED.text}", path="MEMORY.md")[0].longer_ref(length)


def test_entries_leave_when_a_folded_day_or_another_one_closes_their_reference() -> None:
    later = day(f"- 07:15 [dropped] Sold (closes ^{ref(4)})\n", "2026-03-09")
    both = day(f"- 07:15 [done] Sent it by post (closes ^t3fk ^{ref(8)})\n")

    kept = keep(both, entries=(WRITTEN, COMPUTED))
    assert {one.text: one.reason for one in kept.dropped if one.was_entry} == {
        WRITTEN.text: leaving.CLOSED,
        COMPUTED.text: leaving.CLOSED,
    }
    assert texts(keep(day("- Frost\n"), entries=(COMPUTED,), context=Context(days=[later]))) != [COMPUTED.text]


def test_a_line_of_a_day_that_a_later_one_closed_is_not_kept_as_open() -> None:
    found = keep(
        day("- [todo] Mend the roof of the barn ^x7mp\n"), day("- [done] Ben was here (closes ^x7mp)", "2026-03-03")
    )

    assert not [text for text in texts(found) if "Mend the roof" in text and "closes" not in text]


def test_a_line_closes_nothing_that_was_noted_after_its_day() -> None:
    """References are short: in a thousand of them two are alike."""
    closing = day("- 07:15 [done] Sent it by post (closes ^t3fk)\n", "2026-02-27")
    newer = "Mend the roof of the barn"

    for context in (Context(), Context(days=[closing])):
        for days in ((closing,), (day("- Frost\n", "2026-02-27"), closing)):
            kept = keep(*days, day(f"- [todo] {newer} ^t3fk\n"), entries=(WRITTEN,), context=context)
            assert WRITTEN.text in texts(kept)
            assert [text for text in texts(kept) if newer in text]


def test_what_is_not_closed_stays() -> None:
    for line in (
        "- 07:15 [done] Sent it by post (closes ^zzzz)",
        "- 07:15 He said (closes \\^t3fk)",
        "- 07:15 [done] Sent it (closes ^t3fk) (via net:mail)",
    ):
        assert WRITTEN.text in texts(keep(day(f"{line}\n"), entries=(WRITTEN, COMPUTED))), line
        assert COMPUTED.text in texts(keep(day(f"{line}\n"), entries=(WRITTEN, COMPUTED))), line
