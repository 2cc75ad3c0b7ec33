"""After a crash boot tells the handoff that nobody wrote, the same every time, until somebody took over its work."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from agentws.core.disk import read_trace
from agentws.core.disk.files import Files
from agentws.core.formats.journal.segment_index import Outline
from agentws.core.installation import host_info
from agentws.core.stores import record as recording
from agentws.core.stores.record import Happening
from agentws.features.boot import assembly
from agentws.features.boot.result import BootOptions
from agentws.workspace import Environment, Workspace
from tests.core.journal import journals

NOW = datetime(2026, 11, 20, 7, 15, tzinfo=UTC)
BIG = "x" * 60_000


class World:
    """A workspace of which events are recorded at moments of one's own choice."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.root = folder / "robin"
        Workspace.init(str(self.root), environment=self.surroundings(), name="Robin", git=False)

    def surroundings(
        self, ago: int = 0, *, cache: bool = True, session: str | None = None, as_of: bool = False
    ) -> Environment:
        return Environment(
            now=NOW - timedelta(minutes=ago),
            timezone="UTC",
            state=(str(self.folder / "state"), None),
            cache=str(self.folder / "cache") if cache else None,
            session=session,
            as_of=as_of,
        )

    def open(self, ago: int = 0, **more: Any) -> Workspace:
        return Workspace.open(str(self.root), environment=self.surroundings(ago, **more))

    def record(self, *what: tuple[str, dict[str, Any]], session: str | None = "s", ago: int = 700) -> None:
        recording.record(self.open(ago).stores, [Happening(kind, body, session=session) for kind, body in what])

    def begin(self, session: str = "s", *, ago: int = 720, boot: str = "an earlier one", process: int = 1) -> None:
        body: dict[str, object] = {"host": host_info.name(), "boot": boot, "namespace": host_info.namespace()}
        self.record(("session.started", {**body, "process": process, "started": 1}), session=session, ago=ago)

    def text(self, **more: Any) -> str:
        """What boot says; the same with all that it remembers and without."""
        told = self.open(**more).boot().text
        assert told == self.open(**{**more, "cache": False}).boot().text
        return told


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


def section(text: str, title: str = "## Recovered handoff") -> str:
    """The section of this title, empty where there is none."""
    found = text.find(title)
    return text[found:].partition("\n## ")[0] if found >= 0 else ""


@pytest.fixture
def child() -> Iterator[subprocess.Popen[bytes]]:
    """A process that lives until it is killed."""
    started = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    yield started
    started.kill()
    started.wait()


# That it is there


def test_a_session_that_was_killed_is_told_and_one_that_runs_is_not(
    world: World, child: subprocess.Popen[bytes]
) -> None:
    world.open(20).session.start(session="s", process=child.pid)
    world.record(("plan", {"text": "Move the address book"}), ago=19)

    running = world.text()
    child.send_signal(signal.SIGKILL)
    child.wait()
    killed = world.text()

    assert section(running) == ""
    assert "session s ended without one at 2026-11-20 06:56" in section(killed)
    assert "Made from the journal." in section(killed)
    assert "Move the address book" in section(killed)


def test_what_boot_remembers_of_a_running_session_does_not_outlive_it(
    world: World, child: subprocess.Popen[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    world.open(20).session.start(session="s", process=child.pid)
    world.record(("plan", {"text": "Move the address book"}), ago=19)
    world.open().boot()

    with monkeypatch.context() as patch:
        patch.setattr(assembly, "assemble", None)
        assert section(world.open().boot().text) == ""  # remembered while it lives
    child.kill()
    child.wait()
    told = world.open().boot().text
    with monkeypatch.context() as patch:
        patch.setattr(assembly, "assemble", None)
        again = world.open().boot().text

    assert "Move the address book" in section(told)
    assert again == told


def test_a_session_of_a_daemon_is_told_as_quiet_once_it_was_silent_for_long(world: World) -> None:
    world.open(40).session.start(session="s", process=os.getpid(), daemon=True)
    world.record(("plan", {"text": "Move the address book"}), ago=31)

    at_work = world.text(ago=10)
    quiet = section(world.text())

    assert section(at_work) == ""
    assert "session s quiet since 2026-11-20 06:44" in quiet
    assert "ended without one" not in quiet
    assert (
        "if it goes on, this is only its progress so far. Once you have picked this up, run: agentws handoff ack s"
        in quiet
    )
    assert "Move the address book" in quiet
    assert section(world.text(session="s")) == ""


def test_what_boot_remembers_of_a_session_at_work_holds_until_it_is_quiet(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.open(40).session.start(session="s", process=os.getpid(), daemon=True)
    world.record(("plan", {"text": "Move the address book"}), ago=31)
    world.open(10).boot()

    with monkeypatch.context() as patch:
        patch.setattr(assembly, "assemble", None)
        assert section(world.open(2).boot().text) == ""
    assert "Move the address book" in section(world.open().boot().text)


def test_a_quiet_session_that_speaks_again_goes_on(world: World) -> None:
    world.open(90).session.start(session="s", process=os.getpid(), daemon=True)
    world.record(("plan", {"text": "Move the address book"}), ago=80)
    assert section(world.text(ago=45))

    world.record(("note", {"text": "Sam has answered"}), ago=44)

    assert section(world.text(ago=40)) == ""
    assert "session s quiet since 2026-11-20 06:31" in section(world.text())


def test_an_acknowledgement_closes_what_a_quiet_session_left(world: World) -> None:
    world.open(90).session.start(session="s", process=os.getpid(), daemon=True)
    world.record(("plan", {"text": "Move the address book"}), ago=80)

    world.open(10).handoff.ack("s")

    assert section(world.text()) == ""
    assert world.open().session.show("s").run.ended is None  # it may go on


def test_a_handoff_takes_over_a_quiet_session_only_where_its_own_was_told_of_it(world: World) -> None:
    for name in ("s", "t"):
        world.open(90).session.start(session=name, process=os.getpid(), daemon=True)
    world.record(("plan", {"text": "Move the address book"}), session="s", ago=80)
    world.record(("plan", {"text": "Count the herons"}), session="t", ago=50)
    world.open(45).session.start(session="u", process=os.getpid(), daemon=True)
    world.record(("plan", {"text": "Mend the roof"}), session="u", ago=5)

    followed = world.open().handoff(doing="The roof", session="u").follows

    assert list(followed) == ["s"]


def test_whoever_the_session_belongs_to_is_not_told_of_it_while_nobody_knows(world: World) -> None:
    world.begin()
    world.record(("session.started", {"host": "elsewhere"}), ("note", {"text": "x"}), session="t", ago=600)

    assert "session t may still be running" in world.text()
    assert "session t may still be running" not in world.text(session="t")
    assert "session t may still be running" in world.text()


def test_reading_it_stores_nothing_and_loses_nothing(world: World) -> None:
    world.begin()
    world.record(("plan", {"text": "Move the address book"}))
    before = {path: path.read_bytes() for path in world.root.rglob("*") if path.is_file()}

    told = [world.text() for _ in range(3)]

    assert told[0] == told[1] == told[2]
    assert "Move the address book" in section(told[0])
    assert {path: path.read_bytes() for path in world.root.rglob("*") if path.is_file()} == before


def test_a_crash_right_after_reading_it_changes_nothing_of_what_is_told(world: World) -> None:
    world.begin()
    world.record(("plan", {"text": "Move the address book"}))
    told = section(world.text())

    world.begin("next", ago=5)

    assert section(world.text()) == told != ""


# That it costs nothing


def test_sessions_that_ended_change_nothing_and_ask_nothing(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(host_info, "lives", None)
    world.begin()
    world.record(("plan", {"text": "a"}), ("session.ended", {}))

    assert section(world.text()) == ""
    assert world.open().boot().asked == []


def test_nothing_but_the_newest_segment_and_its_references_is_read(world: World) -> None:
    world.begin()
    world.record(("decision", {"text": "Chose SQLite"}), ("action", {"call": "old", "tool": "pay"}))
    for _ in range(60):
        world.record(("note", {"text": BIG}))
    watched = read_trace.Watched(str(world.root))

    text = booted(world.open(), watched)

    first, *middle, last = sorted(str(path.relative_to(world.root)) for path in world.root.glob("journal/*/0*"))
    asked = {(step[0], step[1]) for step in watched.steps if str(step[1]).startswith("journal/")}
    assert asked >= {("part", last), ("piece", first)}
    assert not any(path in middle for _, path in asked)
    assert watched.is_whole
    assert "Chose SQLite" in section(text)
    assert "1 action, result unknown" in section(text)
    assert "The machine has rebooted since" in section(text)


def booted(workspace: Workspace, files: Files) -> str:
    return assembly.assemble(workspace.stores.through(files), NOW, BootOptions(tokenizer="bytes"))[0].text


# However long ago the session began


def rotated(world: World, session: str, *, ago: int, kind: str = "note") -> None:
    """Events of a session, so many that the journal goes on in another segment twice."""
    for number in range(40):
        world.record((kind, {"text": f"{number} {BIG}"}), session=session, ago=ago)
    assert len(list(world.root.glob("journal/*/0*.jsonl"))) >= 3


def test_a_session_of_three_segments_is_known_to_run_and_then_to_be_killed(
    world: World, child: subprocess.Popen[bytes]
) -> None:
    world.open(20).session.start(session="s", process=child.pid)
    rotated(world, "s", ago=19)
    world.record(("plan", {"text": "Move the address book"}), session="s", ago=18)

    running, listed = world.text(), world.open().session.list().rows
    child.send_signal(signal.SIGKILL)
    child.wait()
    killed = section(world.text())

    assert section(running) == ""
    assert [row.likely.state for row in listed] == ["running"]
    assert [row.likely.state for row in world.open().session.list().rows] == ["crashed"]
    assert f"Process {child.pid} exited" in killed
    assert "if it still runs" not in killed
    assert "Move the address book" in killed
    assert world.text() == world.text()


def test_a_segment_of_an_earlier_version_does_not_say_where_a_session_began(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = Outline.plain
    monkeypatch.setattr(
        Outline, "plain", lambda self: {k: v for k, v in told(self).items() if k not in ("begun", "handed")}
    )
    world.begin()
    rotated(world, "s", ago=700)
    world.record(("plan", {"text": "Move the address book"}))
    monkeypatch.undo()

    text = section(world.text())

    assert "too long ago" in text
    assert "Move the address book" in text


def test_a_handoff_of_long_ago_holds_until_the_session_went_on(world: World) -> None:
    world.begin()
    world.record(("plan", {"text": "Move the address book"}))
    world.open(650, session="s").handoff(doing="half of it")
    for note in (world.root / "handoffs").iterdir():
        note.unlink()  # so that the event alone tells of it
    (world.root / "memory/2026-11-19.md").write_text("- the hedge was cut\n")
    rotated(world, "other", ago=600, kind="decision")

    handed = section(world.text())
    world.record(("plan", {"text": "The phones"}), ago=500)
    went_on = section(world.text())

    assert handed == ""
    assert "session s ended without one" in went_on
    assert "The phones" in went_on


# What it says


def test_actions_in_flight_are_told_once(world: World) -> None:
    world.begin()
    world.record(("action", {"call": "mail", "tool": "send_mail", "input": {"to": "sam"}}))

    text = world.text()

    assert text.count("call mail") == 1
    assert "call mail" in section(text, "## In flight: 1 action")
    assert "1 action, result unknown: see the section In flight below" in section(text)


def test_tasks_logs_and_open_items_stay_in_their_own_sections(world: World) -> None:
    world.begin()
    world.record(("note", {"text": "Committed locally (5d1e7a2), NOT pushed"}))
    (world.root / "tasks").mkdir(exist_ok=True)
    (world.root / "tasks/roof.md").write_text("---\nstatus: active\nstep: tiles\n---\n# Roof\n\n- [ ] nails\n")
    (world.root / "memory/2026-11-19.md").write_text("- ask Sam about the gate\n- [todo] water the roses\n")

    derived = section(world.text())

    assert not any(words in derived for words in ("Roof", "ask Sam", "water the roses"))
    assert "5d1e7a2" in derived


def test_the_first_request_of_a_long_session_is_shown(world: World) -> None:
    world.begin()
    recording.record(
        world.open(715).stores,
        [recording.told("note", body={"text": "Move the address book"}, session="s", via="user")],
    )
    for number in range(40):
        world.record(("action", {"call": f"c{number}", "tool": "edit", "input": {"text": BIG}}))
        world.record(("result", {"call": f"c{number}"}))

    assert "Move the address book" in section(world.text())


def test_a_shared_audience_is_told_none_of_it(world: World) -> None:
    world.begin()
    world.record(("plan", {"text": "my own business"}))

    assert "my own business" not in world.open().boot(audience="shared").text


@pytest.mark.parametrize("budget", [200, 300, 500, 1000, 8000])
def test_budgets_are_kept_and_it_has_first_claim(world: World, budget: int) -> None:
    world.begin()
    world.record(
        *[("decision", {"text": f"chose {n} of many things"}) for n in range(30)], ("plan", {"text": "the roof"})
    )
    (world.root / "memory/2026-11-19.md").write_text("- the hedge was cut, all of it\n" * 90)

    done = world.open().boot(budget=budget)

    assert done.tokens <= budget
    assert "Recovered handoff" in done.text


def test_several_that_broke_off_together_are_told_each(world: World) -> None:
    world.begin("main", ago=700)
    world.begin("agent", ago=699)
    world.record(("plan", {"text": "of the agent"}), session="agent", ago=690)
    world.record(("plan", {"text": "of main"}), session="main", ago=680)

    text = world.text()

    assert text.index("session main ended without one") < text.index("session agent ended without one")
    assert "of the agent" in text


# Until somebody took over


def test_a_handoff_of_the_next_session_ends_it(world: World) -> None:
    world.begin()
    world.record(("plan", {"text": "Move the address book"}))

    world.open(session="next").handoff(doing="moved half of it")

    text = world.text()
    assert section(text) == ""
    assert "moved half of it" in text


def test_an_acknowledgement_ends_it_for_good(world: World) -> None:
    world.begin()
    world.record(("plan", {"text": "Move the address book"}))
    world.open().handoff.ack()

    for number in range(60):
        world.record(("decision", {"text": f"{number} {BIG}"}), session="other", ago=1)

    assert section(world.text()) == ""


def test_a_handoff_of_nobody_hides_no_session_that_broke_off_later_in_the_same_second(world: World) -> None:
    world.open(ago=10).handoff(doing="moved half of it")
    world.begin(ago=10)
    world.record(("plan", {"text": "Move the address book"}), ago=10)

    assert "Move the address book" in section(world.text())


def test_ending_the_session_ends_it_too(world: World) -> None:
    world.begin()
    world.record(("plan", {"text": "Move the address book"}))
    world.open().session.end(session="s")

    assert section(world.text()) == ""


@pytest.mark.parametrize("is_found", [True, False])
def test_a_note_by_hand_ends_it_where_it_was_there_when_this_machine_met_the_folder(
    world: World, is_found: bool
) -> None:
    world.begin()
    world.record(("plan", {"text": "Move the address book"}))
    (world.root / "handoffs").mkdir(exist_ok=True)
    (world.root / "handoffs/2026-11-20-me.md").write_text("---\nat: 2026-11-20T07:00:00Z\n---\nAll done by me.\n")
    if is_found:
        journals.knows(world.open())

    assert ("Move the address book" in section(world.text())) != is_found
    assert ("All done by me." if is_found else "agentws handoff show 2026-11-20-me") in world.text()


def test_a_cron_session_that_passes_does_not_end_it(world: World) -> None:
    world.begin()
    world.record(("plan", {"text": "Move the address book"}))
    with world.open().session("cron") as session:
        session.note("all is well")

    assert "Move the address book" in section(world.text())


# Odd things


def test_a_boot_as_of_then_knows_nothing_of_what_came_later(world: World) -> None:
    world.begin(ago=100)
    world.record(("plan", {"text": "early"}), ago=90)
    world.record(("plan", {"text": "late"}), ago=30)

    then = section(world.text(ago=60, as_of=True))

    assert "early" in then
    assert "late" not in then


@pytest.mark.parametrize(
    "line",
    [
        b'{"agentws":1,"seq":x,"kind":"session.started","session":"s"}',
        b'{"agentws":1,"seq":2,"kind":"handoff.written","session":"s","body":7}',
        b'"session":"s"',
        b"\0" * 99 + b'"session":"s"',
    ],
)
def test_damaged_lines_are_counted_once_and_an_agent_starts(world: World, line: bytes) -> None:
    world.begin()
    world.record(("plan", {"text": "Move the address book"}))
    (path,) = world.root.glob("journal/*/0*")
    path.write_bytes(path.read_bytes() + line + b"\n")

    done = world.open(cache=False).boot()

    assert "Move the address book" in section(done.text)
    assert [notice for notice in done.notices if "1 line is not an event" in notice]


@pytest.mark.parametrize(
    "body", [{"host": 7}, {"host": host_info.name(), "boot": ["x"], "process": "no"}, {}, {"process": -1}]
)
def test_a_beginning_of_any_shape_is_taken(world: World, body: dict[str, object]) -> None:
    world.record(("session.started", body), ("plan", {"text": "Move the address book"}))

    assert "Move the address book" in section(world.text())


def test_it_is_told_without_a_cache_a_home_or_a_right_to_write(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    world.begin()
    world.record(("plan", {"text": "Move the address book"}))
    monkeypatch.delenv("HOME")
    for path in (world.root, *world.root.rglob("*")):
        os.chmod(path, 0o555 if path.is_dir() else 0o444)

    text = Workspace.open(str(world.root), environment=Environment(now=NOW)).boot().text

    assert "Move the address book" in section(text)


# A session that is begun again under the same id


@pytest.fixture
def resumed(world: World) -> World:
    """A session that broke off in the middle of its work."""
    world.begin()
    world.record(("plan", {"text": "Move the address book"}), ("action", {"tool": "send_mail", "call": "c1"}))
    return world


def test_a_session_that_begins_again_is_told_how_far_it_was(resumed: World, child: subprocess.Popen[bytes]) -> None:
    resumed.open(5, session="s").session.start(session="s", process=child.pid)

    told = section(resumed.text(session="s"))

    assert "Made from the journal. The session restarted without having ended at 07:10. This was its progress." in told
    assert "Move the address book" in told
    assert "1 action, result unknown: see the section In flight below" in told
    assert "handoff ack" not in told
    assert resumed.text(session="s").count("Recovered handoff") == 1


def test_once_it_goes_on_it_is_told_no_more(resumed: World, child: subprocess.Popen[bytes]) -> None:
    resumed.open(5, session="s").session.start(session="s", process=child.pid)
    resumed.record(("note", {"text": "And now?"}), ago=4)

    assert section(resumed.text(session="s")) == ""


def test_a_session_that_had_ended_or_was_handed_over_is_not_told(
    resumed: World, child: subprocess.Popen[bytes]
) -> None:
    resumed.open(9).handoff.ack("s")
    resumed.open(5).session.start(session="s", process=child.pid)
    assert section(resumed.text(session="s")) == ""

    resumed.record(("note", {"text": "More"}), ago=4)
    resumed.open(3).session.end(session="s")
    resumed.open(2).session.start(session="s", process=child.pid)
    assert section(resumed.text(session="s")) == ""


def test_a_session_that_runs_twice_at_once_did_not_break_off(world: World, child: subprocess.Popen[bytes]) -> None:
    world.open(20).session.start(session="s", process=child.pid)
    world.record(("plan", {"text": "Move the address book"}), ago=19)
    world.open(5, session="s").session.start(session="s", process=os.getpid())

    assert section(world.text(session="s")) == ""


def test_one_that_breaks_off_a_second_time_before_it_did_anything_is_told_once(
    resumed: World, child: subprocess.Popen[bytes]
) -> None:
    resumed.open(5).session.start(session="s", process=child.pid)
    assert "This was its progress" in section(resumed.text())
    child.kill()
    child.wait()

    text = resumed.text()

    assert text.count("Recovered handoff") == 1
    assert "agentws handoff ack s" in section(text)
    assert "Move the address book" in section(text)


def test_a_handoff_of_the_session_that_began_again_leaves_it_running(
    resumed: World, child: subprocess.Popen[bytes]
) -> None:
    resumed.open(5, session="s").session.start(session="s", process=child.pid)

    done = resumed.open(4, session="s").handoff(auto=True, session="s")

    assert "Move the address book" in done.text
    assert done.follows == ()
    assert [row.likely.state for row in resumed.open().session.list().rows] == ["running"]
