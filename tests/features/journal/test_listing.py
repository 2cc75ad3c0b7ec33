"""journal list and follow: what is asked for, each event once, from any point on."""

from __future__ import annotations

import itertools
import os
import shutil
import threading
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from agentws.core.disk import files as _files
from agentws.core.journal import read, select, sync_failure
from agentws.errors import UsageError
from agentws.features.forget.purge import purge as purge_events
from agentws.features.journal import listing
from agentws.features.journal.seal import seal
from agentws.workspace import Environment, Workspace
from tests.conftest import NOW
from tests.core.journal import journals

needs_keys = pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="ssh-keygen is not here")


@pytest.fixture
def pair(journal: Workspace, tmp_path: Path) -> tuple[Workspace, Workspace]:
    """Two installations that write to one workspace, by turns."""
    other = journals.another(journal, tmp_path)
    for number in range(8):
        journals.record(other if number % 3 else journal, "note", text=f"by turns {number}")
    return journal, other


def at(workspace: Workspace, minutes: int) -> Workspace:
    """The same installation, some minutes later."""
    before = workspace.stores.environment
    later = Environment(now=NOW + timedelta(minutes=minutes), timezone="UTC", state=before.state)
    return Workspace.open(workspace.root, environment=later)


def seqs(events: Iterator[object]) -> list[int]:
    return [event.seq for event in events]  # type: ignore[attr-defined]


def test_everything_is_listed_in_order(journal: Workspace) -> None:
    last = read.last_seq(journal.stores.files, journals.here(journal).writer)

    assert seqs(listing.events(journal.stores)) == list(range(1, last + 1))


def test_a_workspace_without_events_lists_none(workspace: Workspace) -> None:
    assert list(listing.events(workspace.stores, limit=3)) == []
    assert list(listing.events(workspace.stores)) == []


def test_filters_are_met_all_at_once(journal: Workspace) -> None:
    journals.record(journal, "task.started", session="s2", task="trip")
    journals.record(journal, "note", session="s2", input={"task": "trip"})

    def kinds(**wanted: object) -> list[str]:
        return [event.kind for event in listing.events(journal.stores, **wanted)]  # type: ignore[arg-type]

    assert kinds(session="s2") == ["task.started", "note"]
    assert kinds(task="trip") == ["decision", "task.started"]
    assert kinds(task="trip", session="s1") == ["decision"]
    assert kinds(kinds=("task.*", "decision")) == ["decision", "task.started"]
    assert kinds(kinds=("task",)) == []
    assert kinds(kinds=("error",)) == ["error", "error"]


def test_since_compares_moments_not_places(journal: Workspace) -> None:
    later = at(journal, 10)
    journals.record(later, "note", text="later")
    journals.record(at(journal, 5), "note", text="the clock was set back")

    found = listing.events(journal.stores, since=NOW + timedelta(minutes=10), kinds=("note",))

    assert [event.body for event in found] == [{"v": 1, "text": "later"}]
    assert len(list(listing.events(journal.stores, since=NOW + timedelta(minutes=5), kinds=("note",)))) == 2


def test_a_limit_gives_the_newest_and_behind_a_cursor_the_first(journal: Workspace) -> None:
    last = read.last_seq(journal.stores.files, journals.here(journal).writer)

    assert seqs(listing.events(journal.stores, limit=3)) == [last - 2, last - 1, last]
    assert seqs(listing.events(journal.stores, after="4", limit=3)) == [5, 6, 7]
    assert seqs(listing.events(journal.stores, limit=10**6)) == list(range(1, last + 1))


def test_a_cursor_that_is_ahead_of_the_journal_is_refused(journal: Workspace) -> None:
    last = read.last_seq(journal.stores.files, journals.here(journal).writer)

    assert list(listing.events(journal.stores, after=str(last))) == []
    with pytest.raises(UsageError, match="does not exist yet"):
        listing.events(journal.stores, after=str(last + 1))


def test_a_consumer_that_resumes_after_each_event_sees_every_event_once(pair: tuple[Workspace, Workspace]) -> None:
    journal, _ = pair
    whole = [event.cursor for event in listing.events(journal.stores)]

    seen, after = [], ""
    while True:
        found = listing.events(journal.stores, after=after, limit=1)
        event = next(found, None)
        if event is None:
            break
        seen.append(event.cursor)
        after = found.after

    assert sorted(seen) == sorted(whole)
    assert len(set(seen)) == len(whole)


@pytest.mark.parametrize("limit", [1, 3, 7])
def test_a_consumer_of_some_events_sees_each_of_them_once_while_both_go_on(
    pair: tuple[Workspace, Workspace], limit: int
) -> None:
    journal, other = pair
    wanted = {"kinds": ("note",)}

    seen, after = [], listing.events(journal.stores, limit=1, kinds=("decision",)).after
    recorded = [journals.record(one, "note", text="first") for one in (journal, other, other)]
    for turn in range(12):
        found = listing.events(journal.stores, after=after, limit=limit, **wanted)  # type: ignore[arg-type]
        seen += [event.cursor for event in found]
        after = found.after
        if turn < 4:
            recorded.append(journals.record(other if turn % 2 else journal, "note", text=f"{turn}"))

    assert sorted(seen) == sorted({*recorded, *seen})
    assert set(recorded) <= set(seen)


def test_the_cursor_behind_the_newest_events_leaves_older_ones_behind(pair: tuple[Workspace, Workspace]) -> None:
    journal, other = pair
    found = listing.events(journal.stores, limit=2)
    shown = [event.cursor for event in found]

    new = [journals.record(one, "note", text="new") for one in (other, journal)]

    assert len(shown) == 2
    assert sorted(
        event.cursor for event in listing.events(journal.stores, after=found.after, kinds=("note",))
    ) == sorted(new)


def test_one_cursor_of_each_writer_does_as_well_as_their_list(pair: tuple[Workspace, Workspace]) -> None:
    journal, _ = pair
    found = listing.events(
        journal.stores, after="", limit=read.last_seq(journal.stores.files, journals.here(journal).writer) + 2
    )
    list(found)

    by_list = [event.cursor for event in listing.events(journal.stores, after=found.after)]
    one_by_one = [event.cursor for event in listing.events(journal.stores, after=found.after.split(","))]

    assert len(found.after.split(",")) == 2
    assert by_list == one_by_one


def test_a_writer_that_the_cursor_does_not_name_is_told_from_its_beginning(pair: tuple[Workspace, Workspace]) -> None:
    journal, other = pair
    ours, theirs = journals.here(journal).writer, journals.here(other).writer
    end = read.last_seq(journal.stores.files, ours)

    found = [event.cursor for event in listing.events(journal.stores, after=f"{ours}:{end}")]

    assert found == [f"{theirs}:{seq}" for seq in range(1, read.last_seq(journal.stores.files, theirs) + 1)]


def test_writers_are_merged_by_time_but_none_out_of_its_own_order(journal: Workspace, tmp_path: Path) -> None:
    other = journals.another(journal, tmp_path)
    for minutes, one in ((3, other), (1, other), (2, journal), (4, journal)):
        journals.record(at(one, minutes), "note", text=str(minutes))

    found = [event.body for event in listing.events(journal.stores, kinds=("note",))]

    assert [body and body["text"] for body in found] == ["2", "3", "1", "4"]


def test_one_writer_alone(pair: tuple[Workspace, Workspace]) -> None:
    journal, other = pair
    theirs = journals.here(other).writer

    assert {event.writer for event in listing.events(journal.stores, writer=theirs[-6:])} == {theirs}
    with pytest.raises(UsageError):
        listing.events(journal.stores, writer="nobody")


def test_bodies_come_whole_where_they_are_asked_for(journal: Workspace) -> None:
    def outputs(*, whole: bool) -> list[object]:
        found = listing.events(journal.stores, kinds=("result",), whole=whole)
        return [event.body and event.body.get("output") for event in found]

    assert "天気" * 100 in outputs(whole=True)
    assert "天気" * 100 not in outputs(whole=False)


def test_a_blob_that_is_gone_costs_no_event(journal: Workspace) -> None:
    shutil.rmtree(journals.folder(journal) / "blobs")

    found = listing.events(journal.stores, whole=True)

    assert len(list(found)) == read.last_seq(journal.stores.files, journals.here(journal).writer)
    assert len(found.notices) == 1
    assert "the body of an event is missing" in found.notices[0]


def test_a_line_that_is_no_event_is_a_notice(journal: Workspace) -> None:
    path = journals.segments(journal)[0]
    lines = path.read_bytes().split(b"\n")
    path.write_bytes(b"\n".join([*lines[:2], b"what is this?", *lines[2:]]))

    found = listing.events(journal.stores)

    assert seqs(found) == list(range(1, read.last_seq(journal.stores.files, journals.here(journal).writer) + 1))
    assert ["not an event" in notice for notice in found.notices] == [True]


# Signed


@needs_keys
def test_signed_gives_what_a_seal_proves_and_counts_the_rest(journal: Workspace) -> None:
    sealed = seal(journal.stores)
    journals.record(journal, "note", text="after the seal")

    found = listing.events(journal.stores, signed=True)

    assert seqs(found) == list(range(1, (sealed.seq or 0) + 1))
    last = read.last_seq(journal.stores.files, journals.here(journal).writer)
    assert found.left_out == last - (sealed.seq or 0) >= 2
    assert seqs(listing.events(journal.stores, signed=True, limit=2)) == [(sealed.seq or 0) - 1, sealed.seq]
    assert seqs(listing.events(journal.stores, signed=True, after="5", limit=2)) == [6, 7]


@needs_keys
def test_a_consumer_of_signed_events_gets_the_others_when_they_are_sealed(journal: Workspace) -> None:
    seal(journal.stores)
    found = listing.events(journal.stores, signed=True)
    seen = seqs(found)
    journals.record(journal, "note", text="later")

    nothing = listing.events(journal.stores, signed=True, after=found.after)
    assert seqs(nothing) == []
    sealed = seal(journal.stores)

    assert seen + seqs(listing.events(journal.stores, signed=True, after=nothing.after)) == list(
        range(1, (sealed.seq or 0) + 1)
    )


@needs_keys
def test_signed_proves_nothing_through_a_line_that_was_changed(journal: Workspace) -> None:
    sealed = seal(journal.stores)
    path = journals.segments(journal)[0]
    path.write_bytes(path.read_bytes().replace("Zürich 😀 0".encode("ascii", "backslashreplace"), b"Zurich 0"))
    path.write_bytes(path.read_bytes().replace(b"Wetter", b"Better", 1))

    found = listing.events(journal.stores, signed=True)

    assert seqs(found) == list(range(4, (sealed.seq or 0) + 1)), "from the line after the changed one on"
    last = read.last_seq(journal.stores.files, journals.here(journal).writer)
    assert found.left_out == 3 + last - (sealed.seq or 0)


@needs_keys
def test_signed_takes_no_seal_of_an_unknown_key(journal: Workspace) -> None:
    seal(journal.stores)
    Path(journal.root, "identity", "allowed_signers").write_text("")

    found = listing.events(journal.stores, signed=True)

    assert list(found) == []
    assert "does not list" in found.notices[0]


# Following


def test_following_begins_with_what_comes_next(journal: Workspace) -> None:
    found = listing.follow(journal.stores, poll_s=0.001)

    recorded = [journals.record(journal, "note", text=str(number)) for number in range(30)]

    told = list(itertools.islice((event for event in found if event.kind == "note"), 30))
    assert [event.cursor for event in told] == recorded
    assert len(journals.segments(journal)) > 6, "it went through rotations"


def test_following_goes_on_behind_a_cursor_and_ends_at_the_limit(journal: Workspace) -> None:
    last = read.last_seq(journal.stores.files, journals.here(journal).writer)

    assert seqs(listing.follow(journal.stores, after="2", limit=last - 2)) == list(range(3, last + 1))


def test_a_follower_sees_every_event_once_while_others_write(journal: Workspace, tmp_path: Path) -> None:
    other = journals.another(journal, tmp_path)
    found = listing.follow(journal.stores, kinds=("note",), limit=60, poll_s=0.001)
    recorded: list[str] = []

    def write(workspace: Workspace) -> None:
        recorded.extend(journals.record(workspace, "note", text=f"{number}") for number in range(30))

    threads = [threading.Thread(target=write, args=(one,)) for one in (journal, other)]
    for thread in threads:
        thread.start()
    told = [event.cursor for event in found]
    for thread in threads:
        thread.join()

    assert sorted(told) == sorted(recorded)
    for name in {cursor.partition(":")[0] for cursor in recorded}:
        assert [one for one in told if one.startswith(name)] == [one for one in recorded if one.startswith(name)]


def test_a_follower_is_not_led_astray_by_a_purge(journal: Workspace) -> None:
    writer = journals.here(journal).writer
    found = listing.follow(journal.stores, after="", poll_s=0.001)
    told = [next(found).seq for _ in range(read.last_seq(journal.stores.files, writer))]

    purge_events(journal.stores, [f"{writer}:{told[-1]}"], reason="a password")
    recorded = journals.record(journal, "note", text="after")

    while found.after != recorded:
        told.append(next(found).seq)
    assert told == list(range(1, read.last_seq(journal.stores.files, writer) + 1))


@needs_keys
def test_a_follower_who_wants_proof_is_told_each_event_once_a_seal_proves_it(journal: Workspace) -> None:
    found = listing.follow(journal.stores, kinds=("note",), signed=True, poll_s=0.001)
    first = journals.record(journal, "note", text="one")
    journals.record(journal, "thought", text="not wanted")
    second = journals.record(journal, "note", text="two")
    journal.journal.seal()
    journals.record(journal, "note", text="no seal yet")

    told = [next(found).cursor, next(found).cursor]

    assert told == [first, second]
    third = journals.record(journal, "note", text="three")
    journal.journal.seal()
    assert [next(found).body["text"], next(found).cursor] == ["no seal yet", third]  # type: ignore[index]


def test_a_follower_tells_no_line_that_has_no_end_yet(journal: Workspace) -> None:
    path = journals.segments(journal)[-1]
    whole = path.read_bytes()
    start = whole.rindex(b"\n", 0, -1) + 1
    tail = select._Tail(
        journal.stores.files, listing._reader(journal.stores, (), None, None, None), path.parent.name, 0
    )

    for end in range(start, len(whole), 50):
        path.write_bytes(whole[:end])
        told = seqs(tail.fresh())

        assert path.read_bytes() == whole[:end]
        last = told[-1] if told else last  # noqa: F821 - the first round tells all that is whole
    path.write_bytes(whole)

    assert seqs(tail.fresh()) == [last + 1]


def test_a_follower_makes_durable_what_it_tells_before_anybody_said_so(
    journal: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[str] = []
    monkeypatch.setattr(_files, "sync_data", lambda fd: synced.append(os.readlink(f"/proc/self/fd/{fd}")))
    found = listing.follow(journal.stores, after="", poll_s=0.001)
    next(found)
    assert synced == [], "what is known to be durable is not synced again"

    last = read.last_seq(journal.stores.files, journals.here(journal).writer)
    (hint,) = Path(journal.root, ".agentws").glob("*.head")
    before = hint.read_bytes()
    journals.record(journal, "note", text="written, and its writer killed before it could say so")
    hint.write_bytes(before)
    synced.clear()
    while next(found).seq < last + 1:
        pass

    assert synced == [str(journals.segments(journal)[-1])]


def test_a_follower_tells_nothing_that_a_failed_sync_may_have_lost(journal: Workspace) -> None:
    tail = select._Tail(
        journal.stores.files, listing._reader(journal.stores, (), None, None, None), journals.here(journal).writer, 0
    )
    told = seqs(tail.fresh())
    (hint,) = Path(journal.root, ".agentws").glob("*.head")
    before = hint.read_bytes()
    journals.record(journal, "note", text="not durable")
    hint.write_bytes(before)
    mark = Path(journal.root, sync_failure.path(journals.here(journal).writer))

    mark.write_text("{}")
    assert seqs(tail.fresh()) == []
    mark.unlink()

    assert seqs(tail.fresh()) == [told[-1] + 1]


@pytest.mark.parametrize("signed", [False, True])
def test_pages_before_a_cursor_have_each_event_once(pair: tuple[Workspace, Workspace], signed: bool) -> None:
    if signed:
        seal(pair[0].stores)
    stores = pair[0].stores
    whole = [event.cursor for event in listing.events(stores, signed=signed)]
    pages: list[list[str]] = []
    before = None
    while before != "":
        page = listing.events(stores, limit=3, before=before, signed=signed)
        pages.insert(0, [event.cursor for event in page])
        before = page.before

    assert sorted(cursor for page in pages for cursor in page) == sorted(whole)
    assert [len(page) for page in pages[1:]] == [3] * (len(pages) - 1)


def test_the_page_after_an_older_page_is_the_one_that_came_before_it(journal: Workspace) -> None:
    newest = listing.events(journal.stores, limit=3)
    cursors = [event.cursor for event in newest]
    older = listing.events(journal.stores, limit=3, before=newest.before)
    list(older)

    assert [event.cursor for event in listing.events(journal.stores, limit=3, after=older.after)] == cursors
