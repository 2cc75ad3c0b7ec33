"""What somebody wrote on purpose, and what a crashed session left: no automatic handoff makes less of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentws.core.formats.documents import handoff
from tests.features.handoff.broken_sessions import World, sections

TOKEN = "ghp_9f3KqLx27VbTn5RzWc8YdHm4PsEj6UaGo1Xi"


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


def open_sessions(world: World) -> list[str]:
    return [row.session for row in world.open().handoff.list().rows]


def crash(world: World) -> None:
    world.begin("gone")
    world.record("plan", session="gone", text="Move the importer to version 2")
    world.record("decision", session="gone", text="Use the streaming parser")
    world.record("action", session="gone", tool="edit", call="c1", input={"path": "src/importer.py"})
    world.record("result", session="gone", call="c1", output="ok")
    world.record("action", session="gone", tool="push", call="c2", input={"branch": "main"})
    world.record("error", session="gone", call="c2", tool="push", text="rejected: not a fast-forward")


# On purpose


def test_an_automatic_handoff_closes_none_that_another_session_wrote_on_purpose(world: World) -> None:
    world.open("eve").handoff(
        doing="300 of 412 contacts are in", decided=["SQLite"], failed=["vCard"], next="Ask Sam", session="eve"
    )

    done = world.auto("passing")

    assert done.follows == ()
    assert open_sessions(world) == ["passing", "eve"]


def test_what_comes_from_outside_follows_only_its_like(world: World) -> None:
    world.open().handoff(doing="the letters", session="eve")
    world.open().handoff(doing="the first mail", via="net:mail", session="post-1")

    outside = world.open().handoff(doing="the second mail", via="net:mail", session="post-2")
    own = world.open().handoff(doing="the roof", session="ada")

    assert len(outside.follows) == 1
    assert len(own.follows) == 2
    assert open_sessions(world) == ["ada"]


def test_a_note_of_a_person_without_an_origin_is_on_purpose(world: World) -> None:
    (world.root / "handoffs").mkdir()
    (world.root / "handoffs/2026-11-18-evening.md").write_text("## Doing\n\n- the roof\n")

    assert world.auto("passing").follows == ()


def test_the_origin_tells_what_was_made_automatically_from_what_somebody_meant(world: World) -> None:
    first = world.auto("a")
    second = world.open("b").handoff(auto=True, session="b", doing="mine")
    third = world.open("c").handoff(doing="mine", session="c")

    told = [handoff.decode(done.text.encode(), path=done.path).origin for done in (first, second, third)]
    assert told == ["auto", "agent", "agent"]
    assert (first.follows, len(second.follows), len(third.follows)) == ((), 1, 1)


def test_a_handoff_on_purpose_takes_over_all_that_is_open(world: World) -> None:
    world.open("eve").handoff(doing="the roof", session="eve")
    world.auto("passing")

    assert len(world.open("next").handoff(doing="on with it", session="next").follows) == 2


def test_a_handoff_that_the_session_wrote_stays_and_later_calls_are_below_it(world: World) -> None:
    world.begin("a")
    mine = world.open("a").handoff(doing="300 are in", decided=["SQLite"], next="Ask Sam", session="a")
    world.record("note", session="a", src="user", text="And the phones?")
    world.record("action", session="a", tool="import", call="c1")
    world.record("result", session="a", call="c1")
    world.record("action", session="a", tool="push", call="c2")
    world.record("error", session="a", call="c2", tool="push", text="rejected")

    done = world.open("a").handoff(auto=True, session="a")

    assert (done.path, done.follows) == (mine.path, ())
    text = (world.root / mine.path).read_text()
    assert text.startswith(mine.text.rstrip())
    assert sections(done)[handoff.SINCE].splitlines() == [
        "- Asked, 07:18: And the phones?",
        "- 2 tool calls until 07:21, last: push → rejected",
        "- 07:22: push → rejected",
    ]
    assert open_sessions(world) == ["a"]


def test_what_is_below_it_is_written_anew_each_time_and_once(world: World) -> None:
    world.begin("a")
    world.open("a").handoff(doing="300 are in", session="a")
    for call in ("c1", "c2"):
        world.record("action", session="a", tool="import", call=call)
        world.record("result", session="a", call=call)
        done = world.open("a").handoff(auto=True, session="a")

    assert done.text.count("## Since then") == 1
    assert "2 tool calls until" in done.text


def test_where_nothing_came_after_it_the_file_stays_as_it_is(world: World) -> None:
    world.begin("a")
    mine = world.open("a").handoff(doing="300 are in", session="a")
    world.record("note", session="a", src="user", text="thanks, great")
    before = (world.root / mine.path).read_bytes()

    assert world.open("a").handoff(auto=True, session="a").path == mine.path
    assert (world.root / mine.path).read_bytes() == before


def test_a_long_one_stays_whole_too(world: World) -> None:
    world.begin("a")
    mine = world.open("a").handoff(text="## Doing\n\n" + "- a line of many\n" * 40_000, session="a")
    world.record("action", session="a", tool="import", call="c1")

    done = world.open("a").handoff(auto=True, session="a")

    assert (world.root / mine.path).read_text() == done.text
    assert done.text.startswith(mine.text.rstrip())
    assert "1 tool call until" in done.text[-300:]


def test_of_a_session_that_breaks_off_after_its_handoff_that_comes_first_and_whole(world: World) -> None:
    world.begin("a")
    mine = world.open("a").handoff(doing="300 are in", next="Ask Sam", session="a")
    world.record("action", session="a", tool="push", call="c1")
    world.record("error", session="a", call="c1", tool="push", text="rejected")

    shown = world.open().handoff.show("a").body
    told = world.open().boot().text

    for text in (shown, told):
        assert text.index("- 300 are in") < text.index("1 tool call until") < text.index("push → rejected")
    assert told.count("300 are in") == 1
    assert world.open().handoff.ack("a").path == mine.path
    assert open_sessions(world) == []


def test_an_automatic_one_leaves_what_broke_off_as_it_is(world: World) -> None:
    world.begin("eve")
    world.open("eve").handoff(doing="the roof", session="eve")
    world.record("plan", session="eve", text="The gutters too")

    done = world.auto("passing")

    assert done.follows == ()
    assert open_sessions(world) == ["eve", "passing", "eve"]


def test_an_automatic_one_of_a_later_session_that_worked_replaces_a_crash_once_its_calls_are_done(world: World) -> None:
    world.begin("gone")
    world.record("action", session="gone", tool="push", call="c1", input={"branch": "main"})

    def works(session: str) -> tuple[str, ...]:
        world.begin(session)
        world.record("action", session=session, tool="look", call=f"{session}-1")
        world.record("result", session=session, call=f"{session}-1", output="ok")
        done = world.open(session).handoff(auto=True, session=session)
        world.open().session.end(session=session)
        return done.follows

    assert works("first") == ()
    world.open().done(call="c1", note="It was not pushed")
    assert "gone" in open_sessions(world)
    assert "gone" in works("second")
    assert open_sessions(world) == ["second"]
    assert "Recovered handoff" not in world.open().boot().text


def test_an_automatic_one_of_a_session_that_only_talked_takes_the_place_of_none(world: World) -> None:
    world.auto("a")

    assert world.auto("b").follows == ()
    world.begin("c")
    world.record("action", session="c", tool="read", call="c1")
    assert len(world.open("c").handoff(auto=True, session="c").follows) == 2


def test_what_a_session_meant_is_open_though_somebody_took_it_for_broken_before(world: World) -> None:
    world.record("session.started", session="far", host="elsewhere")
    world.record("plan", session="far", text="Move the importer")
    world.open("next").handoff(doing="on with it", session="next")

    world.open("far").handoff(doing="the importer is moved", session="far")

    assert open_sessions(world) == ["far", "next"]


def test_boot_names_it_however_many_automatic_ones_came_since(world: World) -> None:
    world.open("eve").handoff(doing="the roof", next="Ask Sam", session="eve")
    for number in range(22):
        world.auto(f"cron{number}")

    told = world.open().boot().text

    assert "-eve" in told
    assert "session cron21" in told


def test_one_written_on_purpose_comes_before_a_session_that_broke_off_earlier(world: World) -> None:
    world.begin("roof")
    for session, plan in (("early", "Sort the seeds"), ("night", "Count the hives")):
        world.begin(session)
        world.record("plan", session=session, text=plan)
    world.open("roof").handoff(doing="the ridge tiles", session="roof")

    told = world.open().boot().text

    assert told.index("the ridge tiles") < told.index("session night ended without one")
    assert "1 more session without a handoff: agentws handoff list" in told
    assert open_sessions(world) == ["roof", "night", "early"]
    assert "the ridge tiles" in world.open().handoff.show().body


# What happens after a crash is not what the session did


def test_a_task_that_somebody_moves_later_is_not_done_by_a_session_that_is_gone(world: World) -> None:
    world.begin("gone")
    world.record("plan", session="gone", text="Move the importer")
    before = [row.at for row in world.open().handoff.list().rows]

    world.open().tasks.add("Roof", start=True)

    assert [row.at for row in world.open().handoff.list().rows] == before
    assert [one.session for one in world.open().journal.list() if one.kind == "task.added"] == [None]
    assert "session:" not in (world.root / "tasks/roof.md").read_text()


def test_one_that_may_run_did_it(world: World) -> None:
    world.record("session.started", session="far", host="elsewhere")

    world.open().tasks.add("Roof", start=True)

    assert [one.session for one in world.open().journal.list() if one.kind == "task.added"] == ["far"]


def test_upkeep_by_cron_is_no_work_of_a_session_that_had_handed_over(world: World) -> None:
    world.begin("eve")
    world.record("plan", session="eve", text="The roof")
    world.open("eve").handoff(doing="the roof", session="eve")
    world.record("compaction.finished", session="eve")

    assert open_sessions(world) == ["eve"]
    assert [row.origin for row in world.open().handoff.list().rows] == ["agent"]
    assert "Recovered handoff" not in world.open().boot().text


# Secrets


def test_an_action_in_flight_whose_input_held_a_secret_is_shown_and_kept(world: World) -> None:
    world.begin("gone")
    world.record("action", session="gone", tool="deploy", call="c1", input={"target": "prod", "token": TOKEN})
    world.record("action", session="gone", tool="mail", call="c2", input={"to": "sam@example.org"})

    shown = world.open().handoff.show("gone")
    closed = world.open().handoff.ack("gone")

    note = (world.root / closed.path).read_text()
    for text in (shown.body, note):
        assert "deploy" in text
        assert "[hidden]" in text
        assert "· call c1" in text
        assert "· call c2" in text
        assert "redacted" not in text
    for notices in (shown.notices, closed.notices):
        assert "Hidden as possible secrets: secret-assignment (1 place)." in notices


def test_a_session_of_which_all_words_held_a_secret_leaves_its_handoff(world: World) -> None:
    world.begin("a")
    world.record("note", session="a", src="user", text=f"Roll it out with {TOKEN} and tell Sam")

    done = world.open("a").handoff(auto=True, session="a")

    assert "Roll it out with [hidden] and tell Sam" in sections(done)[handoff.DOING]


# Undo


def test_undo_brings_back_what_a_handoff_took_over_where_that_may_still_run(world: World) -> None:
    world.record("session.started", session="far", host="elsewhere")
    world.record("plan", session="far", text="Move the importer")
    for take_over in (lambda: world.open("x").handoff(doing="oops"), lambda: world.open("x").handoff.ack("far")):
        take_over()
        assert "far" not in open_sessions(world)

        world.open().undo()

        assert open_sessions(world) == ["far"]
        assert "session far may still be running" in world.open().boot().text


def test_undo_says_that_a_session_stays_ended_and_how_to_see_what_it_did(world: World) -> None:
    crash(world)
    world.open().handoff(doing="oops")

    told = world.open().undo(dry_run=True).notices
    done = world.open().undo().notices

    assert told == done
    assert any("gone stays ended" in one and "agentws session show gone" in one for one in done)


def test_a_closed_handoff_that_was_moved_away_still_took_over(world: World) -> None:
    world.record("session.started", session="far", host="elsewhere")
    world.record("plan", session="far", text="Move the importer")
    closed = world.open().handoff.ack("far")

    (world.root / closed.path).unlink()

    assert open_sessions(world) == []
    assert "ended without one" not in world.open().boot().text
