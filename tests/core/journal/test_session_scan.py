"""What the sessions of a journal did, found without parsing it: the same as all its events say."""

from __future__ import annotations

import random
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from agentws.core.disk.files import Files
from agentws.core.formats.journal import event
from agentws.core.formats.journal.event import Event
from agentws.core.journal import read, select, session_scan
from agentws.core.journal.events import replay
from agentws.core.journal.events.replay import Run
from agentws.core.stores import record
from agentws.workspace import Environment, Workspace
from tests.conftest import NOW
from tests.core.journal import journals

KINDS = ("session.started", "session.ended", "note", "action", "result", "decision", "handoff.written")


def by_all(workspace: Workspace) -> list[tuple[Any, ...]]:
    """The sessions as all events say."""
    files = Files(workspace.root)
    reader = select.Reader(files, select.Wanted())
    state = replay.replay(select.merged([reader.behind(one, 0) for one in read.writers(files)]))
    return [told(run) for run in state.runs.values()]


def by_headers(workspace: Workspace, notices: list[str] | None = None) -> list[tuple[Any, ...]]:
    files, state = Files(workspace.root), replay.Projection()
    for one in session_scan.merged(files, read.writers(files), [] if notices is None else notices):
        state.skim(one.first, one.newest, one.between)
    return [told(run) for run in state.runs.values()]


def told(run: Run) -> tuple[Any, ...]:
    ends = [one and (one.cursor, one.body) for one in (run.first, run.newest, run.started, run.ended)]
    return (run.id, run.writer, *ends, dict(run.counts), run.earlier, run.unended)


@pytest.mark.parametrize("seed", range(8))
def test_sessions_are_what_all_their_events_say(
    workspace: Workspace, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    journals.small(monkeypatch)
    chance = random.Random(seed)
    for _ in range(12):
        name, many = chance.choice(("a", "b", "c", None)), chance.randrange(1, 9)
        record.record(workspace.stores, [record.told(chance.choice(KINDS), session=name) for _ in range(many)])

    assert len(journals.segments(workspace)) > 1
    assert by_headers(workspace) == by_all(workspace)


def test_two_writers_of_one_session_are_told_apart(workspace: Workspace, tmp_path: Path) -> None:
    states = [workspace.stores.environment.state, (str(tmp_path / "elsewhere"), None)]
    for minute, which in enumerate((0, 1, 0, 1, 1, 0)):
        now = NOW + timedelta(minutes=minute)
        one = Workspace.open(workspace.root, environment=Environment(now=now, timezone="UTC", state=states[which]))
        one.session.start(session="both")
        one.event("note", "words", session="both")
        one.event("note", "words", session="only")

    found, wanted = (sorted(made(workspace), key=lambda one: one[:2]) for made in (by_headers, by_all))
    assert [(*one[:3], *one[4:]) for one in found] == [(*one[:3], *one[4:]) for one in wanted]
    (only,) = [one for one in found if one[0] == "only"]
    assert str(only[3]).startswith(f"('{only[1]}:10'")  # the newest by its time, whichever writer's stands last


def test_lines_of_another_shape_are_read_and_those_that_are_none_are_told(workspace: Workspace) -> None:
    workspace.session.start(session="a")
    (path,) = Path(workspace.root).glob("journal/*/000001.jsonl")
    line = path.read_bytes().splitlines()[-1].replace(b'"kind":', b'"new":1,"kind":')
    odd = [line.replace(b'"a"', b'"b"'), line.replace(b'"session.started"', b"5"), line.replace(b'"a"', b"[1]")]
    path.write_bytes(journals.linked(path.read_bytes(), odd) + b'{"agentws":1,"seq":9\n')
    notices: list[str] = []

    found = by_headers(workspace, notices)

    assert [one[0] for one in found] == ["a", "b"]
    assert len(notices) == 1
    assert "not an event" in notices[0]


def test_what_happened_in_between_is_not_parsed(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    workspace.session.start(session="a")
    for number in range(50):
        workspace.event("note", f"word {number}", session="a")
    parsed: list[bytes] = []
    decode = event.decode

    def watched(stored: bytes, **more: Any) -> Event:
        parsed.append(stored)
        return decode(stored, **more)

    monkeypatch.setattr(event, "decode", watched)

    (found,) = by_headers(workspace)

    assert found[6] == {"session.started": 1, "note": 50}
    assert len(parsed) == 2
