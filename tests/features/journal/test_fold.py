"""fold: a projection of one's own is the same in one go and from cursor to cursor."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from agentws.core.formats.journal.event import Event
from agentws.errors import UsageError
from agentws.workspace import Workspace
from tests.core.journal import journals


def taken(state: list[str], one: Event) -> list[str]:
    return [*state, one.cursor]


def counted(state: dict[str, int], one: Event) -> dict[str, int]:
    return {**state, one.kind: state.get(one.kind, 0) + 1}


def test_in_pieces_it_is_as_in_one_go(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    journals.small(monkeypatch)
    state: list[str] = []
    after = None
    for _ in range(4):
        journals.fill(workspace)
        found = workspace.journal.fold(state, taken, after=after)
        state, after = found.state, found.cursor

    whole = workspace.journal.fold([], taken)

    assert whole.state == state
    assert len(state) == len(set(state)) == 4 * 12
    assert (whole.cursor, whole.stale, whole.notices) == (after, [], [])


def test_kinds_are_chosen_and_the_cursor_is_behind_all_the_same(workspace: Workspace) -> None:
    journals.fill(workspace)

    found = workspace.journal.fold({}, counted, kinds=("action", "task.*"))

    assert found.state == {"action": 5}
    assert workspace.journal.fold({}, counted, after=found.cursor).state == {}


def test_what_holds_the_journal_together_is_left_out(workspace: Workspace) -> None:
    journals.fill(workspace)
    workspace.journal.seal()

    assert set(workspace.journal.fold({}, counted).state) == {
        "session.started",
        "action",
        "result",
        "error",
        "decision",
    }


def test_bodies_are_whole(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    journals.small(monkeypatch)
    workspace.event("note", "x" * 5_000)

    assert workspace.journal.fold("", lambda state, one: state + one.body["text"]).state == "x" * 5_000


def test_what_was_purged_counts_for_nothing(workspace: Workspace) -> None:
    first, second = (workspace.event("note", text).cursor for text in ("one", "two"))
    assert first
    assert second
    workspace.journal.purge([first], reason="asked")

    assert workspace.journal.fold([], taken).state == [second]


def test_what_was_retracted_counts_for_nothing_and_is_told_where_it_had_counted(workspace: Workspace) -> None:
    first, second = (workspace.event("note", text).cursor for text in ("one", "two"))
    assert first
    assert second
    before = workspace.journal.fold([], taken)
    workspace.journal.retract([first], reason="measured the wrong room")

    assert workspace.journal.fold([], taken).state == [second]
    later = workspace.journal.fold(before.state, taken, after=before.cursor)
    assert later.state == [first, second]
    assert later.stale == [first]
    assert workspace.journal.fold([], taken).stale == []


def test_a_writer_that_this_machine_does_not_know_counts_for_nothing(workspace: Workspace, tmp_path: Path) -> None:
    own = workspace.event("note", "ours").cursor
    journals.another(workspace, tmp_path).event("note", "theirs")

    found = workspace.journal.fold([], taken)

    assert found.state == [own]
    assert any("not vouched for" in notice for notice in found.notices)


def test_an_altered_event_counts_for_nothing(workspace: Workspace) -> None:
    for text in ("one", "two", "three"):
        workspace.event("note", text)
    path = journals.folder(workspace) / "000001.jsonl"
    path.write_bytes(path.read_bytes().replace(b'"text":"two"', b'"text":"six"'))

    found = workspace.journal.fold([], lambda state, one: [*state, one.body["text"]])

    assert found.state == ["one", "three"]
    assert any("does not match its digest" in notice for notice in found.notices)


@pytest.mark.parametrize("after", ["nobody:3", "99", "x"])
def test_a_cursor_that_is_none_is_refused(workspace: Workspace, after: Any) -> None:
    workspace.event("note", "one")
    with pytest.raises(UsageError):
        workspace.journal.fold([], taken, after=after)
