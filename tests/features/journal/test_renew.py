"""journal renew: the worst minute, in which nothing can be recorded any more, ends with one command."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from agentws.core.formats.journal import chain
from agentws.core.installation import installation
from agentws.core.stores import seals
from agentws.errors import DamagedError, UsageError
from agentws.features.forget.purge import purge
from agentws.features.journal.renew import renew
from agentws.workspace import Workspace
from tests.crash import harness
from tests.features.journal.keeping import (
    check_chain,
    copies,
    events,
    everywhere,
    here,
    journal,
    needs_signing,
    note,
    of_kind,
    reopened,
    stored,
)
from tests.thorough import some


@pytest.fixture
def damaged(workspace: Workspace) -> Workspace:
    """A workspace whose journal was cut behind what is known to be durable: no event can be recorded."""
    note(workspace, "one", "two", "three")
    path = journal(workspace) / "000001.jsonl"
    data = path.read_bytes()
    path.write_bytes(data[: data.rindex(b"\n", 0, -1) + 1].replace(b'"two"', b'"2wo"'))
    fresh = reopened(workspace)
    with pytest.raises(DamagedError):
        note(fresh, "four")
    return fresh


def test_a_new_journal_begins_and_says_where_the_old_one_broke_off(damaged: Workspace) -> None:
    old = here(damaged).writer
    before = {path: path.read_bytes() for path in journal(damaged).iterdir()}
    good = stored(damaged, old)[1]

    done = renew(damaged.stores, reason="the disk was failing")

    new = here(damaged).writer
    assert (done.writer, done.before) == (new, old)
    assert new > old or new != old
    assert [found.kind for found in events(damaged, new)] == ["segment.opened", "writer.joined"]
    assert events(damaged, new)[1].body == {
        "v": 1, "after": {old: {"seq": 2, "hash": chain.hash_of(good)}}, "reason": "the disk was failing",
    }  # fmt: skip
    assert {path: path.read_bytes() for path in journal(damaged, old).iterdir()} == before


def test_everything_can_be_recorded_again_by_this_process_and_others(damaged: Workspace) -> None:
    old = here(damaged).writer

    renew(damaged.stores)
    note(damaged, "four")
    note(reopened(damaged), "five")

    assert [found.body for found in of_kind(damaged, "note")] == [{"v": 1, "text": "four"}, {"v": 1, "text": "five"}]
    assert check_chain(damaged) == 4
    assert here(damaged).writer != old


def test_the_record_of_the_old_writer_is_kept(damaged: Workspace) -> None:
    folder = Path(here(damaged).folder)
    before = (folder / "writer").read_bytes()
    old = here(damaged).writer

    renew(damaged.stores)

    assert (folder / "writer.1").read_bytes() == before
    assert installation.former(here(damaged)) == [old]


def test_a_journal_that_is_not_damaged_is_not_renewed(workspace: Workspace) -> None:
    note(workspace, "one")
    writer = here(workspace).writer

    with pytest.raises(UsageError, match="nothing to renew"):
        renew(workspace.stores)

    assert here(workspace).writer == writer
    assert not Path(here(workspace).folder, "writer.1").exists()


def test_renewing_twice_refuses_the_second_time(damaged: Workspace) -> None:
    renew(damaged.stores)

    with pytest.raises(UsageError, match="nothing to renew"):
        renew(reopened(damaged).stores)


def test_a_second_damage_is_renewed_again(damaged: Workspace) -> None:
    first = here(damaged).writer
    renew(damaged.stores)
    note(damaged, "four")
    second = here(damaged).writer
    (journal(damaged) / "000001.jsonl").write_bytes(b"")

    renew(reopened(damaged).stores)

    assert installation.former(here(damaged)) == [first, second]
    joined = of_kind(damaged, "writer.joined")[0].body
    assert joined is not None
    assert joined["after"][second]["seq"] == 0


@needs_signing
def test_the_new_journal_is_sealed_with_the_key_of_the_installation(workspace: Workspace) -> None:
    note(workspace, "one")
    first = seals.seal(workspace.stores)
    (journal(workspace) / "000001.jsonl").write_bytes(b"")
    renew(workspace.stores)

    done = seals.seal(workspace.stores)

    signers = (Path(workspace.root) / "identity" / "allowed_signers").read_text().splitlines()
    assert done.key == first.key
    assert done.writer == here(workspace).writer
    assert [line.split()[0] for line in signers] == [first.writer, done.writer]


def test_words_in_the_old_journal_can_still_be_forgotten(workspace: Workspace) -> None:
    words = "the words that must go"
    (cursor,) = note(workspace, words)
    old = here(workspace).writer
    note(workspace, "two")
    path = journal(workspace) / "000001.jsonl"
    data = path.read_bytes()
    path.write_bytes(data[: data.rindex(b"\n", 0, -1) + 1])
    renew(reopened(workspace).stores)

    done = purge(reopened(workspace).stores, [cursor], reason="a test")

    assert not done.lines[0].waiting
    assert everywhere(workspace.root, words) == []
    assert events(workspace, old)[1].purged is not None


def test_killed_at_any_moment_it_is_finished_by_running_it_again(damaged: Workspace, tmp_path: Path) -> None:
    old = here(damaged).writer

    def act(root: str, ack: Callable[..., None]) -> None:
        ack(renew(reopened(damaged).stores).writer)

    fresh = copies(damaged.root, tmp_path)
    next(fresh)
    whole = harness.run(act, damaged.root)
    assert whole.acks, whole.error
    for point in some(harness.kills(whole.changing, harness.HALF), 16):
        next(fresh)
        harness.run(act, damaged.root, point)

        again = reopened(damaged)
        try:
            renew(again.stores)
        except UsageError:
            pass  # it was complete
        note(again, "four")

        where = (point, whole.changing[point.at])
        assert installation.former(here(again)) == [old], where
        joined = of_kind(again, "writer.joined")
        assert [list((found.body or {})["after"]) for found in joined] == [[old]], where
        check_chain(again)
