"""handoff, list, show, ack: what one session leaves for the next, and what becomes of it."""

from __future__ import annotations

import json
import os
import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from agentws.changes import ChangeSet
from agentws.core.formats.documents import document, handoff
from agentws.core.stores import record as recording
from agentws.core.stores.stores import Stores
from agentws.errors import (
    AgentwsError,
    DamagedError,
    DiskError,
    MissingFileError,
    NoWorkspaceError,
    SecretRefusedError,
    TooLargeError,
    UsageError,
)
from agentws.features.handoff.write import Written
from agentws.workspace import Workspace
from tests.features.handoff import broken_sessions

NOW = datetime(2026, 11, 20, 7, 15, tzinfo=UTC)
TOKEN = "ghp_9f3KqLx27VbTn5RzWc8YdHm4PsEj6UaGo1Xi"


class World(broken_sessions.World):
    """The same workspace, and its handoff events."""

    def crash(self, session: str, *kinds: str) -> None:
        """A session of an earlier start of this machine, without an end."""
        self.begin(session)
        for kind in kinds or ("note",):
            self.record(kind, session=session, text=f"{session} did {kind}")

    def events(self) -> list[dict[str, object]]:
        found = [
            json.loads(line)
            for path in sorted(self.root.glob("journal/*/0*"))
            for line in path.read_text().splitlines()
        ]
        return [one for one in found if one["kind"].startswith("handoff.")]


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


def read(world: World, done: Written) -> handoff.Handoff:
    return handoff.decode((world.root / done.path).read_bytes(), path=done.path)


# Writing


def test_a_handoff_is_a_note_an_event_and_a_seal(world: World) -> None:
    done = world.open("evening").handoff(doing="the roof", next="nails", decided=["oak"], failed=["glue"])

    note = read(world, done)
    assert done.path == "handoffs/2026-11-20-071600-evening.md"
    assert (note.session, note.at, note.origin, note.closed) == ("evening", "2026-11-20T07:16:00+00:00", "agent", False)
    assert handoff.sections(note.body) == {
        handoff.DOING: "- the roof\n", handoff.DECISIONS: "- oak\n", handoff.NEXT: "- nails\n",
        handoff.FAILED: "- glue\n",
    }  # fmt: skip
    (event,) = world.events()
    assert (event["kind"], event["session"]) == ("handoff.written", "evening")
    assert event["body"]["path"] == done.path  # type: ignore[index]
    if shutil.which("ssh-keygen"):
        assert '"kind":"seal"' in next(world.root.glob("journal/*/0*")).read_text()


def test_words_markdown_and_json_come_together_under_the_same_headings(world: World) -> None:
    markdown = world.open().handoff(doing="a", text="## READ THIS FIRST\n\n- b\n\n## Roses\n\nred\n")
    plain = world.open().handoff(text='\ufeff{"next": "c", "pending": ["d", "e"]}')

    assert handoff.sections(read(world, markdown).body) == {
        handoff.DOING: "- a\n", handoff.NEXT: "- b\n", "Roses": "red\n",
    }  # fmt: skip
    assert handoff.sections(read(world, plain).body) == {handoff.PENDING: "- d\n- e\n", handoff.NEXT: "- c\n"}


def test_front_matter_that_is_given_is_not_text_and_what_is_private_stays_so(world: World) -> None:
    done = world.open("morning").handoff(
        text="\n---\nsession: evening\nstatus: closed\nprivate: true\nmood: {now: fine}\nnext: b\n---\n## Doing\n- a\n"
    )

    note = read(world, done)
    assert (note.session, note.closed, note.labels) == ("morning", False, ("private",))
    assert document.decode((world.root / done.path).read_bytes(), where="x").fields["mood"] == {"now": "fine"}
    assert handoff.sections(note.body) == {handoff.DOING: "- a\n", handoff.NEXT: "- b\n"}
    assert "session, status" in done.notices[0]


@pytest.mark.parametrize("text", ["---\nmood: fine\n---\n", "---\n\nhello\n\n---\n\nmore\n", "---\n"])
def test_rules_and_lone_front_matter_are_words_too(world: World, text: str) -> None:
    done = world.open().handoff(text=text)

    assert read(world, done).body.strip() == text.strip()


def test_front_matter_that_cannot_be_read_is_refused_and_replaces_nothing(world: World) -> None:
    good = world.open().handoff(doing="the hedge")

    with pytest.raises(DamagedError, match=r"the handoff given:4: .*front matter"):
        world.open().handoff(text="---\nprivate: true\nmood: {x\nnext: b\n---\nThe vet comes at four\n")

    assert [row.path for row in world.open().handoff.list(all=True).rows] == [good.path]
    assert world.open().handoff.list().rows[0].status == "open"


@pytest.mark.parametrize(
    ("words", "error"),
    [
        ({}, UsageError),
        ({"text": f"---\nkey: {TOKEN}\n---\nhello\n"}, SecretRefusedError),
        ({"text": "  \n"}, UsageError),
        ({"text": "## Doing\n\n"}, UsageError),
        ({"text": "{broken"}, UsageError),
        ({"text": '{"next": 7}'}, UsageError),
        ({"text": "x" * 1_100_000}, TooLargeError),
        ({"doing": f"the token is {TOKEN}"}, SecretRefusedError),
        ({"text": f"## Next\n\n{TOKEN}\n"}, SecretRefusedError),
        ({"doing": "x", "max_tokens": 3}, UsageError),
        ({"doing": "x", "session": TOKEN}, SecretRefusedError),
        ({"doing": "x", "session": "two words"}, UsageError),
    ],
)
def test_what_is_none_is_refused_and_nothing_is_written(
    world: World, words: dict[str, object], error: type[AgentwsError]
) -> None:
    with pytest.raises(error):
        world.open().handoff(**words)  # type: ignore[arg-type]

    assert not (world.root / "handoffs").exists()
    assert not (world.root / "journal").exists()


def test_a_folder_that_was_not_adopted_is_not_written(tmp_path: Path) -> None:
    (tmp_path / "MEMORY.md").write_text("- old\n")

    with pytest.raises(NoWorkspaceError):
        Workspace.open(str(tmp_path)).handoff(doing="x")
    assert os.listdir(tmp_path) == ["MEMORY.md"]


def test_a_dry_run_says_what_it_would_write_and_writes_nothing(world: World) -> None:
    before = sorted(world.root.rglob("*"))

    done = world.open().handoff(doing="x", auto=True, dry_run=True)

    assert "- x\n" in done.text
    assert sorted(world.root.rglob("*")) == before


def test_two_in_one_second_are_two_files(world: World) -> None:
    workspace = world.open("s")

    first, second = workspace.handoff(doing="a"), workspace.handoff(doing="b")

    assert second.path == first.path.replace(".md", "-2.md")
    assert second.follows == ("2026-11-20-071600-s",)


def test_names_that_other_processes_take_at_that_moment_cost_nothing(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    really = Stores.apply

    def raced(stores: Stores, changes: ChangeSet) -> object:
        (world.root / "handoffs").mkdir(exist_ok=True)
        if len(list(world.root.glob("handoffs/*"))) < 3:
            (world.root / changes.paths[0]).write_text("Another one.\n")
        return really(stores, changes)

    monkeypatch.setattr(Stores, "apply", raced)

    done = world.open("s").handoff(doing="a")

    assert done.path == "handoffs/2026-11-20-071600-s-4.md"
    assert "- a" in (world.root / done.path).read_text()
    assert (world.root / "handoffs/2026-11-20-071600-s.md").read_text() == "Another one.\n"


def test_a_size_is_kept_and_what_is_left_out_is_said(world: World) -> None:
    done = world.open().handoff(pending=[f"thing {n} to be done some day" for n in range(90)], next="x", max_tokens=99)

    assert done.left_out > 50
    assert "- x\n" in done.text
    assert any("left out to fit 99 tokens" in notice for notice in done.notices)


def test_a_journal_that_takes_no_event_costs_no_handoff(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise DiskError("The disk is full.")

    monkeypatch.setattr(recording, "record", full)

    done = world.open().handoff(doing="a")

    assert (world.root / done.path).exists()
    assert any("event was not recorded: The disk is full." in notice for notice in done.notices)


@pytest.mark.parametrize("session", ["", "s"])
@pytest.mark.parametrize("times", [1, 3])
def test_a_handoff_that_is_repeated_after_a_full_disk_stays_one_file(
    world: World, monkeypatch: pytest.MonkeyPatch, session: str, times: int
) -> None:
    def full(*_: object) -> None:
        raise DiskError("The disk is full.")

    earlier = world.open().handoff(doing="the gate")
    with monkeypatch.context() as patch:
        patch.setattr(recording, "record", full)
        paths = {world.open(session).handoff(doing="the roof", next="tiles").path for _ in range(times)}

    done = world.open(session).handoff(doing="the roof", next="tiles")

    assert {done.path} == paths
    assert f"{done.path} says the same already, so no other file was written." in done.notices
    assert len(list((world.root / "handoffs").glob("*.md"))) == 2
    assert [row.path for row in world.open().handoff.list().rows] == [done.path]
    (event,) = [
        one for one in world.open().journal.list(kinds=["handoff.written"]) if (one.body or {})["path"] == done.path
    ]
    assert (event.body or {})["follows"] == [earlier.path.removeprefix("handoffs/").removesuffix(".md")]


@pytest.mark.parametrize(("session", "doing"), [("", "the fence"), ("t", "the roof")])
def test_another_handoff_after_a_full_disk_is_another_file(
    world: World, monkeypatch: pytest.MonkeyPatch, session: str, doing: str
) -> None:
    def full(*_: object) -> None:
        raise DiskError("The disk is full.")

    with monkeypatch.context() as patch:
        patch.setattr(recording, "record", full)
        first = world.open().handoff(doing="the roof")

    done = world.open(session).handoff(doing=doing)

    assert done.path != first.path
    assert len(list((world.root / "handoffs").glob("*.md"))) == 2


def test_undo_takes_a_handoff_back(world: World) -> None:
    done = world.open().handoff(doing="a")

    world.open().undo()

    assert not (world.root / done.path).exists()


# From what was recorded


def test_auto_shows_what_the_session_did_since_its_last_handoff_on_purpose(world: World) -> None:
    world.record("session.started", session="s")
    world.record("decision", session="s", text="before")
    world.open("s").handoff(doing="mine")
    world.record("decision", session="s", text="after")
    world.record("decision", session="t", text="elsewhere")

    done = world.open("s").handoff(auto=True, doing="mine too")

    assert "after" in done.text
    assert "before" not in done.text
    assert "elsewhere" not in done.text
    assert "- mine too\n" in done.text


def test_an_automatic_one_takes_the_place_of_the_automatic_one_before_it(world: World) -> None:
    world.record("session.started", session="s")
    world.record("decision", session="s", text="before")
    first = world.open("s").handoff(auto=True)
    world.record("decision", session="s", text="after")

    second = world.open("s").handoff(auto=True)

    assert second.follows == (Path(first.path).stem,)
    assert "before" in second.text
    assert "after" in second.text


def test_auto_without_a_session_tells_of_all(world: World) -> None:
    world.record("decision", text="one")
    world.record("decision", session="t", text="two")

    done = world.open().handoff(auto=True)

    assert "- two (07:17)\n- one (07:16)\n" in done.text


def test_auto_leaves_out_what_holds_a_secret_and_says_so(world: World) -> None:
    world.record("decision", text=f"use {TOKEN}")
    world.record("decision", text="water the roses")

    done = world.open().handoff(auto=True)

    assert TOKEN not in done.text
    assert "redacted" not in done.text
    assert "water the roses" in done.text
    assert any("Hidden as possible secrets" in notice for notice in done.notices)


# Which ones it takes over


def test_a_later_handoff_takes_over_and_the_earlier_one_is_open_no_more(world: World) -> None:
    first = world.open("one").handoff(doing="a")
    second = world.open("two").handoff(doing="b")

    assert second.follows == (read(world, first).name,)
    assert [row.name for row in world.open().handoff.list().rows] == [read(world, second).name]
    assert [row.status for row in world.open().handoff.list(all=True).rows] == ["open", "closed"]


def test_what_came_after_a_session_began_it_cannot_have_read(world: World) -> None:
    world.record("session.started", session="early")
    other = world.open("other").handoff(doing="a")
    world.crash("broken")

    done = world.open("early").handoff(doing="b")

    assert done.follows == ()
    assert {row.name for row in world.open().handoff.list().rows} >= {read(world, other).name, "broken"}


def test_a_passing_cron_session_does_not_close_it(world: World) -> None:
    done = world.open("evening").handoff(doing="a")
    world.open().session.start(session="cron")
    world.open().session.end(session="cron")

    assert [row.name for row in world.open().handoff.list().rows] == [read(world, done).name]
    assert "- a\n" in world.open().boot().text


def test_a_session_that_broke_off_is_taken_over_by_whoever_hands_over_next(world: World) -> None:
    world.crash("broken")
    done = world.open().handoff(doing="went on with it")

    assert done.follows == ("broken",)
    assert done.session == ""
    assert [row.name for row in world.open().handoff.list().rows] == [read(world, done).name]
    assert "Recovered handoff" not in world.open().boot().text


# Listing, showing, closing


def test_a_session_that_began_after_a_handoff_is_not_taken_over_by_it_also_in_the_same_second(world: World) -> None:
    world.open().handoff(doing="a")
    world.now -= timedelta(minutes=2)
    world.crash("broken", "plan")

    assert [row.name for row in world.open().handoff.list().rows] == ["broken", "2026-11-20-071600-handoff"]


def test_those_that_nobody_wrote_are_listed_first(world: World) -> None:
    done = world.open("evening").handoff(doing="a")
    world.crash("broken")

    first, second = world.open().handoff.list().rows

    assert (first.name, first.origin, first.path, first.status) == ("broken", "derived", "", "open")
    assert (second.name, second.origin, second.path) == (read(world, done).name, "agent", done.path)


@pytest.mark.parametrize(
    "name", ["handoffs/2026-11-20-071600-evening.md", "2026-11-20-071600-evening", "evening", "2026-1", "vening"]
)
def test_a_handoff_goes_by_its_path_its_name_its_session_or_a_part(world: World, name: str) -> None:
    world.open("evening").handoff(doing="a")

    shown = world.open().handoff.show(name)

    assert shown.sections == {handoff.DOING: "- a\n"}


def test_names_that_mean_none_or_several_are_refused(world: World) -> None:
    with pytest.raises(MissingFileError, match="open"):
        world.open().handoff.show()
    world.open("evening").handoff(doing="a")
    world.open("evening-2").handoff(doing="b")

    with pytest.raises(MissingFileError):
        world.open().handoff.show("nobody")
    with pytest.raises(UsageError):
        world.open().handoff.show("2026-11")
    assert "- b\n" in world.open().handoff.show().body


def test_one_that_nobody_wrote_is_shown_with_its_actions_in_flight(world: World) -> None:
    world.crash("broken", "plan")
    world.record("action", session="broken", tool="send_mail", call="c1")

    shown = world.open().handoff.show("broken")

    assert "broken did plan" in shown.sections[handoff.DOING]
    assert "send_mail · call c1" in shown.sections[handoff.IN_FLIGHT]
    assert "handoff ack broken" in shown.body


def test_acknowledging_closes_a_note_and_changes_nothing_else_of_it(world: World) -> None:
    done = world.open("evening").handoff(doing="a")
    before = (world.root / done.path).read_bytes()

    closed = world.open().handoff.ack()

    assert (world.root / done.path).read_bytes() == before.replace(b"status: open", b"status: closed")
    assert (closed.path, closed.already) == (done.path, False)
    assert [event["kind"] for event in world.events()] == ["handoff.written", "handoff.closed"]
    assert world.open().handoff.list().rows == []


def test_acknowledging_twice_is_the_same_as_once(world: World) -> None:
    world.open("evening").handoff(doing="a")
    world.open().handoff.ack("evening")

    assert world.open().handoff.ack("evening").already
    assert len(world.events()) == 2


def test_acknowledging_one_that_nobody_wrote_keeps_it_and_never_derives_it_again(world: World) -> None:
    world.crash("broken", "decision")

    closed = world.open().handoff.ack("broken")

    note = handoff.decode((world.root / closed.path).read_bytes(), path=closed.path)
    assert (note.origin, note.closed, note.session) == ("derived", True, "broken")
    assert "broken did decision" in note.body
    assert world.events()[-1]["body"] == {"v": 1, "text": "broken", "path": closed.path, "session": "broken"}
    assert world.open().handoff.list().rows == []
    shutil.rmtree(world.root / "handoffs")
    assert world.open().handoff.list().rows == []  # the journal alone tells it too


def test_a_session_that_is_known_to_be_gone_has_ended_by_that(world: World) -> None:
    world.crash("one")
    world.open().handoff.ack("one")
    world.crash("two")
    world.open().handoff(doing="went on with two")

    assert [row.likely.why for row in world.open().session.list().rows] == ["crashed", "crashed"]


def test_one_that_may_still_run_has_not_and_is_derived_anew_when_it_went_on(world: World) -> None:
    world.record("session.started", session="far", host="elsewhere")
    world.record("note", session="far", text="x")
    world.open().handoff.ack("far")
    assert world.open().handoff.list().rows == []

    world.record("decision", session="far", text="and yet it moves")

    assert [row.name for row in world.open().handoff.list().rows] == ["far"]


def test_a_dry_run_of_closing_changes_nothing(world: World) -> None:
    world.open("evening").handoff(doing="a")
    world.crash("broken")
    before = {path: path.read_bytes() for path in world.root.rglob("*") if path.is_file()}

    for name in ("evening", "broken"):
        assert world.open().handoff.ack(name, dry_run=True).dry_run

    assert {path: path.read_bytes() for path in world.root.rglob("*") if path.is_file()} == before


def test_odd_notes_are_no_reason_to_fail(world: World) -> None:
    folder = world.root / "handoffs"
    folder.mkdir()
    (folder / "2026-11-01-a.md").write_text("---\nsession: [\n---\nx\n")
    (folder / "2026-11-02-b.md").write_bytes(b"\xff\xfe\x00")
    (folder / "2026-11-03-c.md").symlink_to("/etc/passwd")
    (folder / "2026-11-04-d.md").mkdir()

    found = world.open().handoff.list(all=True)

    assert {row.name for row in found.rows} == {"2026-11-01-a"}
    assert any("handoffs/2026-11-02-b.md: UTF-16, so not read" in notice for notice in found.notices)
    assert world.open("s").handoff(doing="x").follows
