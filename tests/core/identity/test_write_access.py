"""The standing of an installation, judged from facts alone."""

from __future__ import annotations

import pytest

from agentws.core.identity import write_access
from agentws.core.identity.write_access import Facts


class Met:
    """A writer that was met."""

    def __init__(self, host: str = "desk", at: str = "2026-11-19T21:40:00.000000Z", wrote: bool = True) -> None:
        self.writer = "006b0070611a6f64"
        self.host = host
        self.at = at
        self.wrote = wrote


def test_who_wrote_here_alone_is_told_nothing() -> None:
    for facts in (Facts(writer=None), Facts(writer="w", admitted="first"), Facts(writer="w", met=[Met()])):
        found = write_access.judge(facts)

        assert (found.kind, found.said, found.may_write) == (write_access.SAME, "", True)


@pytest.mark.parametrize("writer", [None, "w"])
def test_a_new_one_is_told_who_wrote_last_and_what_to_do(writer: str | None) -> None:
    found = write_access.judge(Facts(writer=writer, joins=write_access.NEW, met=[Met("old"), Met("desk")]))

    assert found.kind == write_access.NEW
    assert found.may_write
    assert "desk wrote last, 2026-11-19 21:40 UTC" in found.said
    assert "identity takeover" in found.remedy


@pytest.mark.parametrize("admitted", ["takeover", "vouched", "first"])
def test_it_is_said_until_somebody_has_answered(admitted: str) -> None:
    facts = Facts(writer="w", joins=write_access.NEW, met=[Met()], admitted=admitted)

    assert write_access.judge(facts).said == ""


def test_a_writer_without_a_name_is_told_by_its_id_and_one_of_this_machine_as_that() -> None:
    nameless = write_access.judge(Facts(writer=None, met=[Met(host="")]))
    same = write_access.judge(Facts(writer=None, met=[Met(host="desk")], host="desk"))

    assert "another installation (611a6f64)" in nameless.said
    assert "another installation on this machine" in same.said


def test_a_writer_whose_journal_is_not_here_is_told_as_such() -> None:
    found = write_access.judge(Facts(writer=None, met=[Met(wrote=False)]))

    assert "wrote last" not in found.said
    assert "desk has written before, since 2026-11-19 21:40 UTC" in found.said


def test_under_require_a_new_one_may_not_write() -> None:
    found = write_access.judge(Facts(writer=None, met=[Met()], required=True))

    assert not found.may_write
    assert "identity vouch, or agentws identity takeover" in found.remedy


def test_what_is_missing_is_named() -> None:
    found = write_access.judge(Facts(writer="w", admitted="first", lost=[("006b0070611a6f64", 12)]))

    assert found.kind == write_access.STALE
    assert found.may_write
    assert "611a6f64:12" in found.said
    assert "identity takeover" in found.remedy


def test_another_history_is_no_older_copy_and_a_shorter_journal_alone_may_have_been_cut() -> None:
    gone = [("006b0070611a6f64", 12)]
    remade = write_access.judge(Facts(writer="w", admitted="first", lost=gone, remade=gone))
    cut = write_access.judge(Facts(writer="w", admitted="first", lost=gone))
    older = write_access.judge(
        Facts(writer="w", admitted="first", lost=gone, missing_changes=[("log", "2026-11-20T21:40:00Z")])
    )

    assert (remade.kind, cut.kind, older.kind) == (write_access.STALE,) * 3
    assert "older" not in remade.said
    assert "journal verify" in remade.remedy
    assert "older" in cut.said
    assert "was cut" in cut.said
    assert "was cut" not in older.said


def test_having_moved_comes_before_all_else_and_being_retired_next() -> None:
    everything = Facts(
        writer="w", moved=("sam@vps:robin", "2026-11-20T21:40:00Z"), retired=("", ""), lost=[("w", 1)], met=[Met()]
    )
    moved = write_access.judge(everything)
    everything.moved = None
    retired = write_access.judge(everything)

    assert (moved.kind, moved.may_write) == (write_access.MOVED, False)
    assert "sam@vps:robin, 2026-11-20 21:40 UTC" in moved.said
    assert (retired.kind, retired.may_write) == (write_access.RETIRED, False)
    assert retired.remedy.endswith("identity revive")


def test_a_machine_of_a_sync_is_told_what_to_do_where_no_earlier_one_is_left() -> None:
    found = write_access.judge(Facts(writer="w", joins=write_access.NEW, synced=True, met=[Met()]))

    assert "identity vouch w" in found.remedy
    assert found.remedy.endswith("agentws identity takeover")


@pytest.mark.parametrize(
    "facts",
    [
        Facts(writer=None, met=[Met("h" * 64)]),
        Facts(writer=None, met=[Met("h" * 64, wrote=False)], required=True),
        Facts(writer="006b0070611a6f64", joins=write_access.NEW, synced=True, met=[Met("h" * 64, wrote=False)]),
        Facts(writer="006b0070611a6f64", joins=write_access.NEW, synced=True, met=[Met("h" * 64)], logged="2026 " * 9),
        Facts(writer="w", lost=[("006b0070611a6f64", 123_456_789)]),
        Facts(writer="w", lost=[("006b0070611a6f64", 123_456_789)], remade=[("006b0070611a6f64", 123_456_789)]),
        Facts(writer="w", moved=("user@" + "h" * 200, "2026-11-20T21:40:00Z")),
        Facts(writer="w", moved=("", "")),
        Facts(writer="w", retired=("2026-11-20T21:40:00Z", "h" * 64)),
    ],
)
def test_what_is_said_fits_into_a_notice_of_boot(facts: Facts) -> None:
    found = write_access.judge(facts)

    assert len(f"{found.said} {found.remedy}.") <= 200
