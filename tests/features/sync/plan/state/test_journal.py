"""Journals of two sides united: nothing that was acknowledged is gone, nothing that was purged comes back."""

from __future__ import annotations

import pytest

from agentws.core.formats.journal import segment
from agentws.features.sync import state
from agentws.features.sync.plan import tree
from tests.features.sync.plan.journals import ONE, OTHER, Journal, blob, reference
from tests.features.sync.plan.trees import Files, Store, merged


def both(base: Files, ours: Files, theirs: Files, *, own: str = "") -> Files:
    """The files that come out, whichever side is ours."""
    after, plan = merged(base, ours, theirs, own=own)
    assert merged(base, theirs, ours, own=own)[0] == after
    assert merged(base, after, theirs, own=own)[1].changes == {}
    assert not plan.conflicts
    assert not plan.apart
    return after


def test_the_journals_of_two_writers_stand_side_by_side() -> None:
    ours, theirs = Journal(ONE).add("a", "b").files(), Journal(OTHER).add("c").files()
    assert both({}, ours, theirs) == {**ours, **theirs}


def test_the_longer_copy_is_taken_also_where_this_writer_lost_events() -> None:
    made = Journal().add("a", "b")
    short = made.files()
    made.add("c").add("d", fresh=True)
    long = made.files()
    for base in ({}, short, long):
        assert both(base, short, long) == long
    plan = merged(long, short, long, own=ONE)[1]
    assert plan.notices == [f"journal/{ONE}: events of this machine that were missing here came back."]
    assert merged(short, long, short, own=ONE)[1].notices == []


def test_a_compressed_segment_is_taken_for_the_plain_one_of_the_same_lines() -> None:
    made = Journal().add("a").add("b", fresh=True)
    plain, packed = made.files(), made.files(pack=[1])
    assert both(plain, plain, packed) == packed
    assert both({}, {**plain, **packed}, plain) == packed


def test_what_a_side_has_purged_does_not_come_back_from_any_copy() -> None:
    made = Journal().add("a", "b", "c").add("d", fresh=True)
    whole, one, other = made.files(), made.files(purge=[2]), made.files(purge=[3, 6])
    every = made.files(purge=[2, 3, 6])
    for base in ({}, whole):
        assert both(base, whole, one) == one
        assert both(base, one, other) == every
        assert both(base, made.files(pack=[1]), other) == made.files(purge=[3, 6], pack=[1])
    made.add("e")
    assert both(whole, one, made.files()) == made.files(purge=[2])


@pytest.mark.parametrize("pack", [[], [1]], ids=["plain", "compressed"])
def test_a_commit_holds_the_open_segment_that_the_other_side_purged(pack: list[int]) -> None:
    made = Journal().add("a", "b")
    whole, purged = made.files(), made.files(purge=[2], pack=pack)
    after, plan = merged({}, whole, purged, own=ONE)
    assert after == whole
    assert {path: oid for path, oid in plan.apart.items() if oid} == Store().tree(purged)


@pytest.mark.parametrize("pack", [[], [1]], ids=["plain", "compressed"])
def test_a_segment_behind_which_the_other_side_has_a_newer_one_of_this_writer_is_purged(pack: list[int]) -> None:
    made = Journal().add("a", "b").add("c", fresh=True)
    purged = made.files(purge=[2], pack=pack)
    first = {segment.path(ONE, 1): made.files()[segment.path(ONE, 1)]}
    after, plan = merged({}, first, purged, own=ONE)
    assert (after, plan.apart) == (purged, {})


def test_the_blob_of_a_purged_event_goes_and_others_stay() -> None:
    made = Journal().add("a", reference(b"large"), reference(b"larger"))
    blobs = dict([blob(ONE, b"large"), blob(ONE, b"larger")])
    whole = {**made.files(), **blobs}
    purged = {**made.files(purge=[3]), **dict([blob(ONE, b"larger")])}
    for base in ({}, whole):
        assert both(base, whole, purged) == purged
    # The purge was killed before the blob went, and another run has taken it away since.
    assert both({**purged, **blobs}, {**purged, **blobs}, purged) == purged


def test_a_blob_that_one_side_lost_is_there_again() -> None:
    made = Journal().add(reference(b"large"))
    whole = {**made.files(), **dict([blob(ONE, b"large")])}
    assert both(whole, made.files(), whole) == whole


def test_a_blob_whose_line_is_not_written_yet_stays_with_its_writer() -> None:
    made = Journal().add("a")
    ours = {**made.files(), **dict([blob(ONE, b"large")])}
    assert merged({}, ours, made.files(), own=ONE)[1].changes == {}


def test_a_retired_beginning_stays_away() -> None:
    made = Journal().add("a").add("b", fresh=True).add("c", fresh=True)
    whole = made.files()
    made.add(made.retirement(2))
    retired = made.files(gone=2)
    for base in ({}, whole):
        assert both(base, whole, retired) == retired
        assert both(base, {**whole, **Journal(OTHER).add("x").files()}, retired).keys() > retired.keys()
    first = {segment.path(ONE, 1): whole[segment.path(ONE, 1)]}
    assert both(first, first, retired) == retired
    assert both(whole, made.files(), retired) == retired


def test_a_beginning_that_is_missing_without_an_event_that_retires_it_comes_back() -> None:
    made = Journal().add("a").add("b", fresh=True).add("c", fresh=True)
    whole = made.files()
    assert both(whole, made.files(gone=1), whole) == whole
    made.add({**made.retirement(1), "hash": "0" * 64})
    assert both(whole, made.files(gone=1), whole) == made.files()


def test_two_histories_of_one_writer_are_both_left_as_they_are() -> None:
    start = Journal().add("a").files()
    ours, theirs = Journal().add("a", "b").files(), Journal().add("a", "c", "d").files()
    for mine, other in [(ours, theirs), (theirs, ours)]:
        after, plan = merged(start, mine, other)
        assert after == mine
        assert "different history" in plan.notices[0]
        store = Store()
        assert plan.apart == store.tree(other)


def test_a_segment_that_does_not_go_on_behind_ours_is_left() -> None:
    one, other = Journal().add("a").add("b", fresh=True), Journal().add("x").add("b", fresh=True)
    ours = {segment.path(ONE, 1): one.files()[segment.path(ONE, 1)]}
    theirs = {segment.path(ONE, 2): other.files()[segment.path(ONE, 2)]}
    assert merged({}, ours, theirs)[1].changes == {}
    damaged = one.files()
    damaged[segment.path(ONE, 1)] = damaged[segment.path(ONE, 1)].replace(b'"text":"a"', b'"text":"z"')
    assert merged({}, one.files(), damaged)[1].changes == {}
    assert merged({}, one.files(), damaged)[1].notices


def test_a_line_that_is_just_being_written_is_neither_cut_off_nor_pushed_to_and_fro() -> None:
    made = Journal().add("a")
    whole = made.files()
    path = segment.path(ONE, 1)
    torn = {path: whole[path] + b'{"agentws":1,'}
    for mine, other in [(whole, torn), (torn, whole)]:
        after, plan = merged({}, mine, other)
        assert after == mine
        assert plan.notices == []
        assert plan.apart[path]
    made.add("b")
    longer = {path: made.files()[path] + b'{"agentws":1,'}
    assert merged({}, longer, whole)[0] == longer
    assert merged({}, torn, longer)[0] == longer


def test_of_long_journals_only_what_differs_is_read() -> None:
    made = Journal()
    for number in range(20):
        made.add(f"{number}", fresh=True)
    short = made.files()
    long = made.add("more").files()
    store = Store()
    ours, theirs = store.tree(short), store.tree(long)
    tree.merge(ours, ours, theirs, store.content, own=ONE, rule=state.of)
    assert {*store.read} <= {ours[segment.path(ONE, 20)], theirs[segment.path(ONE, 20)], ours[segment.path(ONE, 19)]}


def test_of_two_blobs_of_a_name_the_one_is_right_that_has_its_digest() -> None:
    made = Journal().add(reference(b"large"))
    right = dict([blob(ONE, b"large")])
    assert both({}, {**made.files(), **right}, {**made.files(), **dict.fromkeys(right, b"torn")}) == {
        **made.files(), **right,
    }  # fmt: skip


def test_what_is_no_journal_is_left_and_nothing_raises() -> None:
    made = Journal().add("a", reference(b"large")).add("b", fresh=True)
    whole = {**made.files(pack=[1]), **dict([blob(ONE, b"large")])}
    for path, data in whole.items():
        for odd in (b"", b"\n", b"\x00\xff\n", b"{}\n" * 3, data[:-9], data + data, data[::-1]):
            for other in ({**whole, path: odd}, {each: body for each, body in whole.items() if each != path}):
                after, plan = merged(whole, whole, other)
                assert after.keys() >= made.files(pack=[1]).keys()
                assert plan.notices or plan.apart or after == whole


def test_a_beginning_whose_retirement_was_killed_half_way_stays_away_too() -> None:
    made = Journal().add("a").add("b", fresh=True).add("c", fresh=True)
    whole = made.files()
    made.add(made.retirement(2))
    assert both(whole, whole, made.files(gone=1)) == made.files(gone=1)
