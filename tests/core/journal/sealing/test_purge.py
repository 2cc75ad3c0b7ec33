"""Purges carried out: by whom, when, and what is left after a kill."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from agentws.core.formats.journal import purge as purge_format
from agentws.core.journal.sealing import purge
from agentws.core.stores import order_trust, record, seals
from agentws.core.stores.record import Happening
from agentws.features.forget import purge as purging_verb
from agentws.workspace import Workspace
from tests.core.journal import journals
from tests.crash import harness
from tests.features.journal.keeping import (
    check_chain,
    copies,
    elsewhere,
    events,
    everywhere,
    here,
    journal,
    note,
    of_kind,
    reopened,
)
from tests.thorough import THOROUGH, some

SECRET = "the words that must go"


def carry_out(workspace: Workspace, *, again: bool = False) -> purge.Carried:
    """What `seals` does before it seals, where nobody is a stranger."""
    trust = order_trust.OrderTrust(workspace.stores)
    return purge.carry_out(workspace.stores.files, here(workspace), trust.is_good, is_over=trust.is_over, again=again)


def order(by: Workspace, of: Workspace, seq: int, /, **changed: object) -> None:
    """Record a `purged` event alone, as a kill right after it would leave it."""
    target = events(of)[seq - 1]
    body = purge_format.body(writer=target.writer, seq=seq, digest=target.digest, reason="a test")
    record.record(by.stores, [Happening("purged", {**body, **changed})])


def bodies(workspace: Workspace, writer: str | None = None) -> list[str | None]:
    """The texts of the notes, None for each that was purged."""
    return [found.body and found.body["text"] for found in of_kind(workspace, "note", writer)]


def test_an_order_that_nobody_carried_out_is_carried_out_by_the_next_seal(workspace: Workspace) -> None:
    note(workspace, SECRET, "stays")
    order(workspace, workspace, 2)

    seals.seal(workspace.stores)

    assert everywhere(workspace.root, SECRET) == []
    assert bodies(workspace) == [None, "stays"]
    (found,) = of_kind(workspace, "purged")
    assert events(workspace)[1].purged == found.id
    check_chain(workspace)


def test_another_writers_closed_segment_is_purged_by_whoever_has_the_order(
    workspace: Workspace, tmp_path: Path
) -> None:
    note(workspace, SECRET, *["long " * 12_000] * 20)
    other = elsewhere(workspace, tmp_path / "other")
    order(other, workspace, 2)

    carried = carry_out(other)

    assert carried.done == [f"{here(workspace).writer}:2"]
    assert everywhere(workspace.root, SECRET) == []
    check_chain(workspace)
    note(workspace, "and it goes on")
    check_chain(workspace)


def test_another_writers_open_segment_waits_for_that_writer(workspace: Workspace, tmp_path: Path) -> None:
    other = elsewhere(workspace, tmp_path / "other")
    note(other, "a writer that is known")
    note(workspace, SECRET)
    journals.knows(workspace, other)
    seq = events(workspace)[-1].seq
    order(other, workspace, seq)
    seals.seal(other.stores)
    before = (journal(workspace) / "000001.jsonl").read_bytes()

    carried = carry_out(other)
    again = carry_out(other)

    assert carried.waiting == again.waiting == [f"{here(workspace).writer}:{seq}"]
    assert (journal(workspace) / "000001.jsonl").read_bytes() == before

    seals.seal(workspace.stores)

    assert everywhere(workspace.root, SECRET) == []
    assert carry_out(other).waiting == []
    check_chain(workspace)


def test_an_order_for_a_line_that_has_not_arrived_waits(workspace: Workspace, tmp_path: Path) -> None:
    note(workspace, "one")
    other = elsewhere(workspace, tmp_path / "other")
    order(other, workspace, 2, seq=7)
    order(other, workspace, 2, seq=7, writer="0" * 16)

    carried = carry_out(other)

    assert carried.waiting == [f"{here(workspace).writer}:7", f"{'0' * 16}:7"]


@pytest.mark.parametrize(
    "changed",
    [{"digest": "0" * 64}, {"digest": None}, {"seq": "2"}, {"seq": 1}, {"writer": "../../../etc"}, {"writer": 5}],
)
def test_an_order_that_names_something_else_takes_nothing_away(
    workspace: Workspace, changed: dict[str, object]
) -> None:
    note(workspace, "one", "two")
    order(workspace, workspace, 2, **changed)

    carried = carry_out(workspace, again=True)

    assert carried.done == []
    assert bodies(workspace) == ["one", "two"]


def test_no_order_takes_away_what_holds_the_journal_together(workspace: Workspace) -> None:
    note(workspace, "one")
    order(workspace, workspace, 1)

    carried = carry_out(workspace)

    assert (carried.done, carried.waiting) == ([], [])
    assert events(workspace)[0].body is not None


def test_what_was_looked_at_is_not_read_again(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    note(workspace, "one", *["long " * 12_000] * 40)
    order(workspace, workspace, 2)
    carry_out(workspace)
    read: list[int] = []
    lines = purge.read.lines
    monkeypatch.setattr(
        purge.read,
        "lines",
        lambda files, name, number, **start: (read.append(number), lines(files, name, number))[1],
    )

    carry_out(workspace)

    assert len(list(journal(workspace).glob("*.jsonl"))) > 2
    assert len(read) == 1


@pytest.mark.parametrize("text", ["", "{", "[]", '{"seen":{"a":"b"},"waiting":[]}', '{"seen":{},"waiting":[[1,2]]}'])
def test_a_lost_memory_of_what_was_looked_at_costs_nothing_but_time(workspace: Workspace, text: str) -> None:
    note(workspace, SECRET)
    order(workspace, workspace, 2)
    Path(workspace.root, ".agentws", "purges").write_text(text)

    carried = carry_out(workspace)

    assert len(carried.done) == 1
    assert everywhere(workspace.root, SECRET) == []


# Blobs


def blob_names(workspace: Workspace) -> list[str]:
    return sorted(os.listdir(journal(workspace) / "blobs"))


def test_a_blob_goes_with_its_last_reference(workspace: Workspace) -> None:
    one, two = note(workspace, f"{SECRET} " * 5_000, f"{SECRET} " * 5_000)
    note(workspace, "another " * 20_000)
    assert len(blob_names(workspace)) == 2

    purging_verb.purge(workspace.stores, [one], reason="a test")
    assert len(blob_names(workspace)) == 2

    purging_verb.purge(workspace.stores, [two], reason="a test")
    assert len(blob_names(workspace)) == 1
    assert everywhere(workspace.root, SECRET) == []


def test_a_blob_that_a_new_event_names_again_stays_or_comes_back(workspace: Workspace) -> None:
    (one,) = note(workspace, f"{SECRET} " * 5_000)
    note(workspace, f"{SECRET} " * 5_000)

    purging_verb.purge(workspace.stores, [one], reason="a test")

    found = of_kind(workspace, "note")[-1].body
    assert found is not None
    assert blob_names(workspace) == [found["blob"]]


# After a kill


def test_killed_at_any_moment_a_purge_is_finished_by_running_it_again(workspace: Workspace, tmp_path: Path) -> None:
    first, blob, *_ = note(workspace, SECRET, f"{SECRET} " * 4_000, "stays")
    workspace.stores.environment.seals = False  # the seal that follows is not what is killed here

    def act(root: str, ack: Callable[..., None]) -> None:
        purging_verb.purge(reopened(workspace).stores, [first, blob], reason="a test")
        ack()

    fresh = copies(workspace.root, tmp_path)
    next(fresh)
    whole = harness.run(act, workspace.root)
    assert whole.acks == [None], whole.error
    for point in some(harness.kills(whole.changing, harness.HALF, harness.ZEROS), 16):
        next(fresh)
        where = (point, whole.changing[point.at])
        killed = harness.run(act, workspace.root, point).killed
        # Taking away what is not there fails, as making what is, and nothing comes after it.
        assert killed or (point.how == harness.AFTER and where[1] in ("unlink", "mkdir")), where

        again = reopened(workspace)
        check_chain(again)  # whatever had happened, the chain holds
        done = purging_verb.purge(again.stores, [first, blob], reason="a test")

        left = [path for path in everywhere(again.root, SECRET) if "quarantine" not in path]
        assert left == [], where
        assert bodies(again) == [None, None, "stays"], where
        named = [found.purged for found in of_kind(again, "note")[:2]]
        assert named == [line.why for line in done.lines], where
        orders = of_kind(again, "purged")
        assert set(named) <= {found.id for found in orders}, where
        assert len(orders) == 2, where
        note(again, "and it goes on")
        check_chain(again)


def test_after_a_power_cut_the_words_do_not_come_back(workspace: Workspace, tmp_path: Path) -> None:
    first, blob, *_ = note(workspace, SECRET, f"{SECRET} " * 4_000, "stays")

    def act(root: str, ack: Callable[..., None]) -> None:
        purging_verb.purge(reopened(workspace).stores, [first, blob], reason="a test")
        ack()

    model = harness.Model(workspace.root)
    done = harness.run(act, workspace.root)
    assert done.acks, done.error
    for happened in done.events:
        model.apply(happened)

    for how in ("lost", "names", "data", *["mixed"] * 5):
        cut = tmp_path / f"cut-{how}-{len(list(tmp_path.iterdir()))}"
        model.cut(str(cut), how, seed=len(list(tmp_path.iterdir())))
        assert everywhere(str(cut), SECRET) == [], how


def test_a_disk_that_fails_anywhere_leaves_the_line_whole_or_purged(workspace: Workspace, tmp_path: Path) -> None:
    first, *_ = note(workspace, SECRET, "stays")
    workspace.stores.environment.seals = False  # the seal that follows is not what fails here

    def act(root: str, ack: Callable[..., None]) -> None:
        purging_verb.purge(reopened(workspace).stores, [first], reason="a test")
        ack()

    fresh = copies(workspace.root, tmp_path)
    next(fresh)
    points = len(harness.run(act, workspace.root).every)
    step = 1 if THOROUGH else 23
    for code, first_point in ((errno.ENOSPC, 0), (errno.EIO, 5)):
        for at in range(first_point, points, step):
            next(fresh)
            done = harness.run(act, workspace.root, harness.Fail(at, code, sticky=True))

            assert done.error is None or done.error[1], (at, code, done.error)
            assert bool(done.acks) == (done.error is None), (at, code)
            check_chain(workspace)
            if done.acks:
                assert everywhere(workspace.root, SECRET) == [], (at, code)
            else:
                purging_verb.purge(reopened(workspace).stores, [first], reason="a test")
                left = [path for path in everywhere(workspace.root, SECRET) if "quarantine" not in path]
                assert left == [], (at, code)
