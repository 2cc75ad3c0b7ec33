"""boot as of an earlier moment: what it said then, from history, byte for byte where states were recorded."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

from agentws.changes import ABSENT, ChangeSet, Move, Write
from agentws.core.formats import digest
from agentws.core.formats.documents import sources
from tests.features.history.worlds import NEEDS_GIT, World

pytestmark = NEEDS_GIT
TOKEN = "ghp_" + "9f3KqLx27VbTn5RzWc8YdHm4PsEj6UaGo1Xi"


def lived(world: World) -> str:
    """Some life; returns what boot said at the hour 30, in the afternoon of the second day."""
    world.open(1).log("the first day")
    world.open(2).remember("Leo likes coffee")
    world.open(5).log("later that day, in no state yet")
    world.open(25).log("the second day began")
    world.open(26).tasks.add("Move the address book")
    world.open(27).log("at eleven")
    world.open(28).event("decision", "Chose SQLite", importance=8)
    told = world.open(30).boot().text
    world.open(31).log("not said yet")
    world.write("SOUL.md", "# Soul\n\nAnother one.\n")
    world.write("IDENTITY.md", "- **Name:** Other\n")
    world.open(32).remember("Leo likes tea now")
    world.open(33).event("decision", "Chose Postgres", importance=8)
    world.open(34).contexts.new("blog")
    world.open(49).log("the third day")
    return told


def test_it_says_what_boot_said_then(world: World) -> None:
    told = lived(world)
    assert "at eleven" in told

    assert world.as_it_was(30, now=50).boot().text == told


def test_it_says_so_too_where_nothing_was_recorded_since(world: World) -> None:
    world.open(1).remember("Leo likes coffee")
    world.open(2).log("one")
    told = world.open(3).boot().text
    world.open(4).log("two")
    world.write("SOUL.md", "# Soul\n\nAnother one.\n")

    assert world.as_it_was(3, now=5).boot().text == told


def test_a_boot_as_of_the_present_or_later_reads_the_documents_as_they_are(world: World) -> None:
    world.write("SOUL.md", "# Soul\n\nAnother one.\n")

    assert "Another one." in world.as_it_was(5, now=5).boot().text
    assert "Another one." in world.as_it_was(9, now=5).boot().text
    assert "Another one." not in world.as_it_was(4, now=5).boot().text


def test_before_the_first_state_it_says_so_and_reads_what_is_there(world: World) -> None:
    booted = world.as_it_was(-1, now=5).boot()

    assert "# Soul" in booted.text or "SOUL.md" in booted.text
    assert any(note.startswith("History begins only at 2026-11-16 08:00") for note in booted.notices)


def test_the_manifest_of_then_counts(world: World) -> None:
    then = world.text("agentws.toml")
    world.record(2, lambda: world.write("agentws.toml", then.replace('name = "Robin"', 'name = "Raven"')))

    assert world.as_it_was(1, now=5).boot().text.startswith("# Robin\n")
    assert world.as_it_was(3, now=5).boot().text.startswith("# Raven\n")


def test_a_task_is_in_the_state_that_it_was_in(world: World) -> None:
    world.open(1).tasks.add("Move the address book")
    world.open(3).tasks.cancel("move-the-address-book")

    def shown(hours: float) -> bool:
        return "tasks/move-the-address-book.md" in world.as_it_was(hours, now=5).boot().text

    assert [shown(0.5), shown(2), shown(4)] == [False, True, False]


def test_a_deleted_document_is_there_again(world: World) -> None:
    told = world.open(1).boot().text
    world.record(2, lambda: (world.root / "USER.md").unlink())

    assert world.as_it_was(1, now=5).boot().text == told


def test_days_that_were_folded_since_are_where_they_were(world: World) -> None:
    world.open(1).log("the first day")
    world.open(25).log("the second day")
    told = world.open(26).boot().text
    rows, changes = [], []
    for day in ("2026-11-16", "2026-11-17"):
        old, new = f"memory/{day}.md", f"memory/archive/2026/{day}.md"
        data = (world.root / old).read_bytes()
        rows.append(sources.Folded(old, new, day=day, size=len(data), digest=digest.of(data), lines="", run="r"))
        changes.append(Move(old, new, expects=digest.of(data)))
    told_of = Write(sources.month_path("2026-11-16"), sources.encode(rows).encode(), expects=ABSENT)
    world.open(60).stores.apply(ChangeSet("compact", (*changes, told_of)))

    assert world.as_it_was(26, now=70).boot().text == told


def test_what_history_never_held_is_read_as_it_is(world: World) -> None:
    world.record(1, lambda: world.write("handoffs/2026-11-16-key.md", f"## Next step\n\nRenew it: {TOKEN}\n"))

    assert "handoffs/2026-11-16-key.md" in world.as_it_was(2, now=5).boot().text


def test_a_log_that_history_never_held_is_cut_at_that_moment(world: World) -> None:
    world.open(1).log("one")
    world.write("memory/2026-11-16.md", world.text("memory/2026-11-16.md") + f"- 09:30 key: {TOKEN}\n")
    world.record(2)
    world.open(3).log("three")

    text = world.as_it_was(2.5, now=5).boot().text

    assert "one" in text
    assert "three" not in text


def test_a_pinned_file_that_history_does_not_keep_is_named(world: World) -> None:
    world.write("plan.txt", "a plan\n")
    manifest = world.text("agentws.toml")
    world.record(1, lambda: world.write("agentws.toml", manifest + '\n[boot]\npinned = ["plan.txt"]\n'))

    booted = world.as_it_was(2, now=5).boot()

    assert "History does not have these files; their current content is shown: plan.txt." in booted.notices


def test_without_history_it_is_as_before(tmp_path: Path) -> None:
    world = World(tmp_path, git=False)
    world.open(1).log("one")
    world.write("SOUL.md", "# Soul\n\nAnother one.\n")

    booted = world.as_it_was(0.5, now=5).boot()

    assert "Another one." in booted.text
    assert booted.notices == []


def test_a_repository_that_cannot_be_asked_costs_a_notice_not_the_boot(world: World) -> None:
    world.open(1).remember("x")
    for path in (world.root / ".git" / "objects").rglob("*"):
        if path.is_file():
            path.chmod(0o600)
            path.write_bytes(b"damaged")

    booted = world.as_it_was(0.5, now=5).boot()

    assert any(note.startswith("History could not be read") for note in booted.notices)
    assert "## MEMORY.md [" in booted.text


def test_a_clone_looks_back_without_writing_anything(world: World, tmp_path: Path) -> None:
    world.open(1).remember("Leo likes coffee")
    told = world.open(2).boot().text
    world.open(3).remember("Leo likes tea")
    shutil.move(world.root, tmp_path / "first")
    subprocess.run(["git", "clone", "-q", str(tmp_path / "first"), str(world.root)], check=True)
    before = sorted(world.root.rglob("*"))

    assert world.as_it_was(2, now=5).boot().text == told
    assert sorted(world.root.rglob("*")) == before


def test_a_usual_boot_never_asks_git(world: World) -> None:
    code = (
        "import sys; from agentws.workspace import Workspace; Workspace.open(sys.argv[1]).boot(); "
        "sys.exit(bool({'git', 'agentws.core.states.plumbing', 'agentws.core.states.past'} & set(sys.modules)))"
    )

    assert subprocess.run([sys.executable, "-c", code, str(world.root)], check=False).returncode == 0
