"""However many handoffs are open, the next one can be written; what it has no room to name stays open."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from agentws.core.formats.documents import handoff
from tests.features.handoff.broken_sessions import NOW, World

MANY = 400


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


def fill(world: World, *, origin: str, session: str = "claude-code-0c1f8e2a-7d33-4c47-9c1e-") -> list[str]:
    """So many open handoffs, the oldest first; their names."""
    folder = world.root / "handoffs"
    folder.mkdir(exist_ok=True)
    names = []
    for number in range(MANY):
        at = NOW - timedelta(days=30) + timedelta(minutes=number)
        one = f"{session}{number:03}"
        data = handoff.encode(
            f"## Next step\n\n- Thing {number}\n", session=one, at=at.isoformat(), follows=(), origin=origin
        )
        names.append(f"{at:%Y-%m-%d-%H%M%S}-{one}")
        (folder / f"{names[-1]}.md").write_bytes(data)
    return names


def read(world: World, path: str) -> handoff.Handoff:
    return handoff.decode((world.root / path).read_bytes(), path=path)


def open_names(world: World) -> set[str]:
    return {row.name for row in world.open().handoff.list().rows}


@pytest.mark.parametrize("session", ["claude-code-0c1f8e2a-7d33-4c47-9c1e-", "s", "ä\\" * 20])
def test_one_can_be_written_by_hand_beside_as_many_as_there_are(world: World, session: str) -> None:
    names = fill(world, origin=handoff.AGENT, session=session)

    done = world.open().handoff(doing="x", next="y")

    note = read(world, done.path)
    assert names[::-1][: len(note.follows)] == list(note.follows)
    assert open_names(world) == {note.name, *names} - set(note.follows)
    left = MANY - len(note.follows)
    assert [f"{left} older handoffs" in one and "agentws handoff list" in one for one in done.notices] == [True]
    assert list(note.leaves_open) == names[::-1][len(note.follows) :][: len(note.leaves_open)] != []


def test_an_automatic_one_names_first_what_was_meant(world: World) -> None:
    names = fill(world, origin=handoff.AUTO)
    meant = "2026-09-01-070000-sam"
    (world.root / f"handoffs/{meant}.md").write_text("## Doing\n\n- what matters\n")

    world.record("plan", text="Move the importer")
    done = world.open().handoff(auto=True)

    note = read(world, done.path)
    assert note.leaves_open[0] == meant
    assert open_names(world) == {note.name, meant, *names} - set(note.follows)


def test_sessions_that_broke_off_are_named_before_any_note_and_their_notes_with_them(world: World) -> None:
    names = fill(world, origin=handoff.AUTO)
    world.now = NOW - timedelta(days=60)
    own = read(world, world.left("gone", next=["far away"]))
    world.now = NOW
    world.begin("gone")
    world.record("plan", session="gone", text="Move the importer")

    note = read(world, world.open().handoff(doing="x").path)

    assert {"gone", own.name, names[-1]} <= set(note.follows)
    assert "gone" not in open_names(world)
    assert open_names(world) == {note.name, *names} - set(note.follows)
