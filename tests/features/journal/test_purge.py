"""journal purge: what an event said is gone, that it happened stays."""

from __future__ import annotations

import multiprocessing
from pathlib import Path

import pytest

from agentws.core.formats.journal import chain
from agentws.core.stores import record, seals
from agentws.core.stores.record import Happening
from agentws.errors import MissingFileError, UsageError
from agentws.features.forget.purge import purge
from agentws.workspace import Environment, Workspace
from tests.core.formats.secret_corpus import true_examples
from tests.core.journal.journals import knows
from tests.features.journal.keeping import (
    check_chain,
    elsewhere,
    events,
    everywhere,
    here,
    needs_signing,
    note,
    of_kind,
    reopened,
    stored,
    tree,
)

SECRET = "the words that must go"


def test_the_body_goes_and_the_header_and_the_chain_stay(workspace: Workspace) -> None:
    (cursor,) = note(workspace, SECRET)
    note(workspace, "stays")
    before = stored(workspace)

    done = purge(workspace.stores, [cursor], reason="a test")

    after = stored(workspace)
    (why,) = of_kind(workspace, "purged")
    assert after[1] == chain.header(before[1]) + b',"salt":null,"body":null,"purged":"%s"}' % why.id.encode()
    assert [after[0], *after[2 : len(before)]] == [before[0], *before[2:]]
    assert why.body == {
        "v": 1, "writer": here(workspace).writer, "seq": 2, "digest": events(workspace)[1].digest, "reason": "a test",
    }  # fmt: skip
    assert (done.lines[0].cursor, done.lines[0].why, done.lines[0].waiting) == (cursor, why.id, False)
    assert everywhere(workspace.root, SECRET) == []
    check_chain(workspace)


@needs_signing
def test_what_was_sealed_before_a_purge_stays_sealed(workspace: Workspace) -> None:
    (cursor,) = note(workspace, SECRET)
    seals.seal(workspace.stores)
    (seal,) = of_kind(workspace, "seal")
    assert seal.body is not None

    purge(workspace.stores, [cursor], reason="a test")

    assert chain.hash_of(stored(workspace)[seal.body["seq"] - 1]) == seal.body["hash"]


def test_several_are_purged_at_once_each_with_its_own_reason_on_record(workspace: Workspace) -> None:
    cursors = note(workspace, *[f"{SECRET} {number}" for number in range(5)])

    done = purge(workspace.stores, [cursors[3], cursors[0], cursors[3]], reason="a test")

    assert [line.cursor for line in done.lines] == [cursors[3], cursors[0]]
    assert len(of_kind(workspace, "purged")) == 2
    assert [found.body is None for found in of_kind(workspace, "note")] == [True, False, False, True, False]


def test_purging_again_says_so_and_writes_nothing(workspace: Workspace) -> None:
    (cursor,) = note(workspace, SECRET)
    first = purge(workspace.stores, [cursor], reason="a test")
    before = tree(workspace.root)

    again = purge(reopened(workspace).stores, [cursor], reason="a test")

    assert again.lines[0].already
    assert again.lines[0].why == first.lines[0].why
    assert {**tree(workspace.root), ".agentws/purges": b""} == {**before, ".agentws/purges": b""}


def test_a_dry_run_says_what_would_go_and_changes_nothing(workspace: Workspace) -> None:
    small, large = note(workspace, SECRET, "long " * 20_000)
    before = tree(workspace.root)

    done = purge(workspace.stores, [small, large], reason="a test", dry_run=True)

    assert [(line.kind, line.blob is not None, line.already) for line in done.lines] == [
        ("note", False, False), ("note", True, False),
    ]  # fmt: skip
    assert done.lines[0].size < 200
    assert done.lines[1].size > 100_000
    assert tree(workspace.root) == before


def test_an_event_that_is_not_there_is_named_before_anything_is_written(workspace: Workspace) -> None:
    (cursor,) = note(workspace, SECRET)
    before = tree(workspace.root)

    with pytest.raises(MissingFileError, match=":99"):
        purge(workspace.stores, [cursor, "99"], reason="a test")

    assert tree(workspace.root) == before


@pytest.mark.parametrize(
    ("cursors", "reason"),
    [([], "a test"), (["2"], " "), (["2"], "long " * 300), (["none"], "a test"), (["1"], "a test")],
    ids=["not a cursor", "no reason", "a long reason", "no such cursor", "the segment's first line"],
)
def test_what_cannot_be_purged_is_refused(workspace: Workspace, cursors: list[str], reason: str) -> None:
    note(workspace, "one")
    before = tree(workspace.root)

    with pytest.raises(UsageError):
        purge(workspace.stores, cursors, reason=reason)

    assert tree(workspace.root) == before


@needs_signing
def test_seals_and_purges_themselves_are_refused(workspace: Workspace) -> None:
    (cursor,) = note(workspace, SECRET)
    purge(workspace.stores, [cursor], reason="a test")
    seals.seal(workspace.stores)

    for kind in ("purged", "seal", "segment.opened"):
        with pytest.raises(UsageError, match="The journal needs such events"):
            purge(workspace.stores, [of_kind(workspace, kind)[-1].cursor], reason="a test")


def test_a_secret_in_the_reason_is_taken_out(workspace: Workspace) -> None:
    example = next(each for each in true_examples() if each.kind == "github-token")
    (cursor,) = note(workspace, SECRET)

    done = purge(workspace.stores, [cursor], reason=f"it printed {example.text}")

    assert everywhere(workspace.root, example.secret) == []
    assert everywhere(workspace.root, SECRET) == []
    assert any("Possible secrets" in notice for notice in done.notices)


def test_an_open_segment_of_another_writer_is_said_to_wait(workspace: Workspace, tmp_path: Path) -> None:
    (cursor,) = note(workspace, SECRET)
    other = elsewhere(workspace, tmp_path / "other")

    done = purge(other.stores, [cursor], reason="a test")

    assert done.lines[0].waiting
    assert any("its next sync or seal" in notice for notice in done.notices)
    assert len(of_kind(other, "purged")) == 1

    knows(workspace, other)
    purge(workspace.stores, [cursor], reason="a test")

    assert everywhere(workspace.root, SECRET) == []
    assert len(of_kind(other, "purged")) == 1
    assert of_kind(workspace, "purged") == []


def test_where_the_words_may_live_on_is_said(workspace: Workspace) -> None:
    (cursor,) = note(workspace, SECRET)
    assert purge(workspace.stores, [cursor], reason="a test", dry_run=True).notices == []
    record.record(workspace.stores, [Happening("note", {"text": SECRET}, session="s:1")])
    workspace.handoff(auto=True, session="s:1")
    (quotes,) = purge(workspace.stores, [str(events(workspace)[2].cursor)], reason="a test", dry_run=True).notices
    assert all(name in quotes for name in everywhere(Path(workspace.root, "handoffs"), SECRET))
    assert "s-1.md" in quotes
    quarantine = Path(workspace.root, ".agentws", "quarantine")
    quarantine.mkdir()
    (quarantine / "a.1").write_text("torn")

    assert any("quarantine" in notice for notice in purge(workspace.stores, [cursor], reason="a test").notices)


def test_a_writer_that_was_open_all_the_while_goes_on_behind_the_purge(workspace: Workspace) -> None:
    (cursor,) = note(workspace, SECRET)

    purge(reopened(workspace).stores, [cursor], reason="a test")
    note(workspace, "after")

    assert check_chain(workspace) == len(stored(workspace))
    assert of_kind(workspace, "note")[-1].body == {"v": 1, "text": "after"}


def _write(root: str, environment: Environment, count: int, name: str) -> None:
    workspace = Workspace.open(root, environment=environment)
    for number in range(count):
        record.record(workspace.stores, [Happening("note", {"text": f"{name}-{number}"})])


def test_no_event_is_lost_while_purges_go_on(workspace: Workspace) -> None:
    cursors = note(workspace, *[SECRET] * 12)
    spawned = multiprocessing.get_context("spawn")
    arguments = [(workspace.root, workspace.stores.environment, 150, f"w{number}") for number in range(3)]
    writers = [spawned.Process(target=_write, args=each) for each in arguments]
    for process in writers:
        process.start()

    for cursor in cursors:
        purge(workspace.stores, [cursor], reason="a test")
    for process in writers:
        process.join()

    assert [process.exitcode for process in writers] == [0, 0, 0]
    texts = [found.body["text"] for found in of_kind(workspace, "note") if found.body]
    assert sorted(texts) == sorted(f"w{writer}-{number}" for writer in range(3) for number in range(150))
    assert everywhere(workspace.root, SECRET) == []
    check_chain(workspace)
