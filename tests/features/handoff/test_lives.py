"""What a session did once it was taken up again, after its handoff, or elsewhere is told, and nothing that is over."""

from __future__ import annotations

import shutil
from datetime import timedelta
from pathlib import Path

import pytest

from agentws.core.formats.documents import handoff
from agentws.core.journal import unended
from agentws.core.journal.events import liveness
from agentws.features.handoff import inputs
from agentws.workspace import Environment, Workspace
from tests.core.journal.journals import knows
from tests.features.handoff.broken_sessions import World, sections


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


def broken(world: World) -> list[str]:
    """The sessions that broke off, as `handoff list` has them."""
    return [one.session.id for one in inputs.HandoffInputs(world.open().stores, own=None).broken]


def test_a_session_that_had_ended_and_broke_off_when_it_was_taken_up_again_is_derived(world: World) -> None:
    world.begin("s")
    world.record("decision", session="s", text="In the first life")
    world.open().session.end(session="s")
    world.begin("s")
    world.record("decision", session="s", text="In the second life")
    world.record("action", session="s", call="c1", tool="mail.send")

    assert broken(world) == ["s"]
    told = world.open().boot().text
    assert "In the second life" in told
    derived = world.open().handoff.show("s").body
    assert "In the second life" in derived
    assert "mail.send" in derived
    assert "In the first life" not in derived, "that was over when the session ended"
    assert world.open("s").handoff(auto=True, dry_run=True).text


def test_what_a_session_did_after_its_handoff_in_the_same_second_is_told(world: World) -> None:
    world.begin("s")
    world.record("decision", session="s", text="Before")
    world.open("s").handoff(doing="the first half", session="s")
    world.now -= timedelta(minutes=1)  # the next one stands in the same second
    world.record("decision", session="s", text="Deleted the old table")

    assert broken(world) == ["s"]
    assert "Deleted the old table" in world.open().handoff.show("s").body


@pytest.mark.parametrize("session", ["s", None])
def test_what_was_done_after_a_clock_was_put_back_is_told(world: World, session: str | None) -> None:
    world.begin("s")
    world.now += timedelta(hours=1)
    world.open("s").handoff(doing="the first half", session="s")
    world.now -= timedelta(hours=1)
    world.record("decision", session="s", text="Deleted the old table")

    assert broken(world) == ["s"]
    done = world.open(session).handoff(auto=True, dry_run=True)
    assert "Deleted the old table" in done.text


def test_a_session_that_was_taken_over_long_ago_does_not_come_back(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(unended, "_MOST_HANDED", 4)
    world.record("session.started", session="s", host="elsewhere", boot="b", process=1)
    world.record("decision", session="s", text="Long over")
    done = world.open().handoff(doing="took it over")
    world.open().handoff.ack(done.path)
    (world.root / done.path).unlink()  # compaction moves it away
    for number in range(2):
        world.begin(f"later-{number}")
        later = world.open(f"later-{number}").handoff(doing="something else", session=f"later-{number}")
        world.open().handoff.ack(later.path)
        world.open().session.end(session=f"later-{number}")

    assert broken(world) == []


def test_an_action_that_another_writer_has_ended_is_in_flight_nowhere(world: World, tmp_path: Path) -> None:
    world.begin("s")
    world.record("decision", session="s", text="To write to Sam")
    world.record("action", session="s", call="c1", tool="mail.send")
    shutil.copytree(world.root, tmp_path / "copy", ignore=shutil.ignore_patterns(".agentws"))
    other = Environment(now=world.now + timedelta(minutes=9), timezone="UTC", state=(str(tmp_path / "other"), None))

    def there() -> Workspace:
        return Workspace.open(str(tmp_path / "copy"), environment=other)

    there().event("result", call="c1")

    assert handoff.IN_FLIGHT in world.open().handoff.show("s").sections, "here nobody knows of it"
    assert "In flight" not in there().boot().text
    assert handoff.IN_FLIGHT not in there().handoff.show("s").sections
    assert handoff.IN_FLIGHT not in sections(there().handoff(auto=True, dry_run=True))
    assert [row.in_flight for row in there().session.list().rows] == [0]
    assert list(there().journal.replay().state.actions) == []


def test_an_action_that_another_session_has_ended_is_not_in_flight(world: World) -> None:
    world.begin("s")
    world.record("action", session="s", call="c1", tool="mail.send")
    world.record("action", session="s", call="c2", tool="disk.wipe")
    world.record("result", session="next", call="c1")

    shown = world.open().session.show("s")

    assert [one.call for one in shown.state.actions.values()] == ["c2"]
    assert shown.likely.state == liveness.CRASHED


def test_a_call_whose_name_was_used_and_ended_before_is_in_flight(world: World) -> None:
    for session in ("earlier", "s"):
        world.record("action", session=session, call="c1", tool="mail.send")
        world.record("result", session=session, call="c1")
    world.begin("s")
    world.record("action", session="s", call="c1", tool="disk.wipe")

    (action,) = world.open().session.show("s").state.actions.values()

    assert (action.body or {})["tool"] == "disk.wipe"


def test_a_crash_is_told_without_what_another_writer_has_ended(world: World, tmp_path: Path) -> None:
    world.begin("s")
    world.record("action", session="s", call="c1", tool="mail.send")
    shutil.copytree(world.root, tmp_path / "copy", ignore=shutil.ignore_patterns(".agentws"))
    other = Environment(now=world.now + timedelta(minutes=9), timezone="UTC", state=(str(tmp_path / "other"), None))
    there = Workspace.open(str(tmp_path / "copy"), environment=other)
    there.event("result", call="c1")
    shutil.copytree(tmp_path / "copy" / "journal", world.root / "journal", dirs_exist_ok=True)  # the two are united
    knows(world.open(), there)

    notices = world.open().session.start(session="next").notices

    assert any("Nothing was in flight" in notice for notice in notices)
