"""journal retract: an event counts as if it had not been, and nothing is deleted."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from agentws.core.disk.files import Files
from agentws.core.journal import retractions
from agentws.errors import MissingFileError, UsageError
from agentws.workspace import Environment, Workspace
from tests.core.journal import journals
from tests.features.journal.keeping import of_kind, stored

WHY = "measured the wrong room"
WORDS = "The wall is four metres"


def said(workspace: Workspace, kind: str = "decision", text: str = WORDS, **words: object) -> str:
    cursor = workspace.event(kind, text, **words).cursor  # type: ignore[arg-type]
    assert cursor
    return cursor


READERS: dict[str, Callable[[Workspace], str]] = {
    "replay": lambda ws: repr([one.body for one in ws.journal.replay().state.decisions]),
    "boot": lambda ws: ws.boot(budget=4_000).text,
    "handoff": lambda ws: ws.handoff(auto=True, session="s", dry_run=True).text,
    "fold": lambda ws: ws.journal.fold("", lambda state, one: state + repr(one.body)).state,
    "search": lambda ws: repr([hit.unit.text for hit in ws.search("wall metres").hits]),
    "session": lambda ws: repr([one.body for one in ws.session.show("s").decisions]),
}


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("again", [False, True], ids=["in-its-segment", "long-ago"])
def test_no_reader_tells_it(workspace: Workspace, reader: str, again: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if again:
        journals.small(monkeypatch)
    workspace.session.start(session="s")
    said(workspace, text="Take the train", session="s")
    cursor = said(workspace, session="s")
    if again:
        journals.fill(workspace)
    assert WORDS in READERS[reader](workspace)

    workspace.journal.retract([cursor], reason=WHY)

    assert WORDS not in READERS[reader](workspace)
    if again:
        journals.fill(workspace)
        assert WORDS not in READERS[reader](workspace)


def test_list_and_audit_show_it_marked_and_verify_sees_no_difference(workspace: Workspace) -> None:
    cursor = said(workspace)
    (by,) = (one.by for one in workspace.journal.retract([cursor], reason=WHY).events)

    (listed,) = (one for one in workspace.journal.list() if one.kind == "decision")
    assert (listed.retracted, listed.plain()["retracted"]) == (by, by)
    (row,) = (row for row in workspace.journal.audit().rows if row.kind == "decision")
    assert (row.outcome, row.result_text) == ("retracted", f"by {by}")
    assert any(row.cursor == by and WHY in row.what for row in workspace.journal.audit().rows)
    assert workspace.journal.verify().sound
    assert any(WORDS.encode() in line for line in stored(workspace))


def test_an_action_is_no_longer_in_flight_and_one_whose_result_goes_is_again(workspace: Workspace) -> None:
    workspace.session.start(session="s")
    first = said(workspace, "action", "order paint", call="c1", session="s")
    said(workspace, "action", "order brushes", call="c2", session="s")
    result = said(workspace, "result", "done", call="c2", session="s")

    workspace.journal.retract([first, result], reason=WHY)

    assert [one.call for one in workspace.journal.replay().state.actions.values()] == ["c2"]
    text = workspace.boot(budget=4_000).text
    assert "call c2" in text
    assert "order paint" not in text
    assert "order brushes" in workspace.handoff(auto=True, dry_run=True).text
    (row,) = (row for row in workspace.session.list().rows if row.run.id == "s")
    assert row.in_flight == 1


def test_an_error_that_is_retracted_is_none(workspace: Workspace) -> None:
    cursor = said(workspace, "error", "The oven is broken")
    workspace.journal.retract([cursor], reason=WHY)

    assert workspace.journal.replay().state.error is None
    assert "oven" not in workspace.boot(budget=4_000).text


def test_what_agentws_itself_recorded_is_refused_and_then_nothing_is_written(workspace: Workspace) -> None:
    workspace.tasks.add("Paint the fence")
    workspace.session.start(session="s")
    good = said(workspace)
    workspace.journal.retract([good], reason=WHY)
    refused = [one.cursor for one in workspace.journal.list() if one.kind not in ("decision", "note")]
    before = stored(workspace)

    assert len(refused) >= 4
    for cursor in refused:
        with pytest.raises(UsageError, match="agentws recorded"):
            workspace.journal.retract([good, cursor], reason=WHY)
    assert stored(workspace) == before


def test_the_same_twice_is_said_and_not_recorded_again(workspace: Workspace) -> None:
    cursor = said(workspace)
    first = workspace.journal.retract([cursor, cursor], reason=WHY)
    second = workspace.journal.retract([cursor], reason="again")

    assert len(first.events) == 1
    assert (second.events[0].already, second.events[0].by) == (True, first.events[0].by)
    assert len(of_kind(workspace, "retracted")) == 1


def test_a_dry_run_writes_nothing(workspace: Workspace) -> None:
    cursor = said(workspace)
    before = stored(workspace)

    done = workspace.journal.retract([cursor], reason=WHY, dry_run=True)

    assert (done.events[0].by, stored(workspace)) == ("", before)


def test_an_event_is_named_by_its_id_too(workspace: Workspace) -> None:
    done = workspace.event("decision", WORDS)
    assert done.id
    assert workspace.journal.retract([done.id], reason=WHY).events[0].cursor == done.cursor
    with pytest.raises(MissingFileError):
        workspace.journal.retract([done.id.replace(done.id[-4:], "0000")], reason=WHY)


@pytest.mark.parametrize(("events", "reason"), [([], WHY), (["1"], " "), (["1"], "x" * 1_001)])
def test_a_call_without_events_or_reason_is_refused(workspace: Workspace, events: list[str], reason: str) -> None:
    said(workspace)
    with pytest.raises(UsageError):
        workspace.journal.retract(events, reason=reason)


def test_a_stranger_retracts_nothing_and_a_known_writer_does(workspace: Workspace, tmp_path: Path) -> None:
    cursor = said(workspace)
    other = journals.another(workspace, tmp_path)
    other.event("note", "hello")
    journals.knows(other, workspace)
    other.journal.retract([cursor], reason=WHY)

    assert WORDS in READERS["fold"](workspace)
    assert WORDS in READERS["replay"](workspace)

    journals.knows(workspace, other)
    for reader in ("fold", "replay", "boot"):
        assert WORDS not in READERS[reader](workspace)


def test_the_cache_is_not_believed_where_a_segment_is_another_one(
    workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    journals.small(monkeypatch)
    surroundings = Environment(now=workspace.stores.environment.now, timezone="UTC", cache=str(tmp_path / "cache"))
    workspace = Workspace.open(workspace.root, environment=surroundings)
    cursor = said(workspace)
    for _ in range(3):
        journals.fill(workspace)
    workspace.journal.retract([cursor], reason=WHY)
    journals.fill(workspace)
    workspace.stores.cache.clear()

    def count() -> int:
        looked: list[int] = []
        with monkeypatch.context() as patch:
            found = retractions._within
            patch.setattr(retractions, "_within", lambda *args: looked.append(args[2]) or found(*args))
            assert WORDS not in READERS["fold"](workspace)
        return len(looked)

    segments = len(journals.segments(workspace))
    assert (count(), count()) == (segments, 1)
    (held,) = (path for path in journals.segments(workspace)[:-1] if b'"kind":"retracted"' in path.read_bytes())
    held.write_bytes(held.read_bytes())
    assert count() == 2


def test_of_many_segments_none_is_asked_for_by_itself(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    journals.small(monkeypatch)
    for _ in range(4):
        journals.fill(workspace)
    *closed, _ = (os.path.relpath(path, workspace.root) for path in journals.segments(workspace))
    asked: list[str] = []
    found = Files.status

    def status(self: Files, path: str) -> os.stat_result:
        asked.append(path)
        return found(self, path)

    monkeypatch.setattr(Files, "status", status)
    retractions.of(Files(workspace.root), workspace.stores.cache, [workspace.stores.appender().writer])
    assert len(closed) > 2
    assert not {*closed} & {*asked}


def _retract(root: str, environment: Environment, cursor: str) -> None:
    Workspace.open(root, environment=environment).journal.retract([cursor], reason=WHY)


def test_several_processes_retract_an_event_once(workspace: Workspace) -> None:
    cursor = said(workspace)
    spawned = multiprocessing.get_context("spawn")
    arguments = (workspace.root, workspace.stores.environment, cursor)
    several = [spawned.Process(target=_retract, args=arguments) for _ in range(4)]
    for process in several:
        process.start()
    for process in several:
        process.join()

    assert [process.exitcode for process in several] == [0] * 4
    assert len(of_kind(workspace, "retracted")) == 1
