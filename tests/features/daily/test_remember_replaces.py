"""remember --replaces: an entry gives way to another one, and is kept with what replaced it and until when it held."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentws.core.formats.documents import managed, sources
from agentws.core.stores import stores
from agentws.core.text import origin
from agentws.errors import AgentwsError, AmbiguousError, ChangedUnderneathError, UsageError
from agentws.features.memory import command_why as why
from agentws.workspace import Environment, Workspace
from tests import outside, table
from tests.conftest import NOW
from tests.features.history import worlds

PAIRS = (
    ("Backups run on Sundays", "Backups run on Fridays", "sundays"),
    ("Бэкапы идут по воскресеньям", "Бэкапы идут по средам", "воскресеньям"),
    ("バックアップは日曜日", "バックアップは水曜日", "日曜日"),
    ("النسخ الاحتياطي يوم الأحد", "النسخ الاحتياطي يوم الجمعة", "الأحد"),
    ("Τα αντίγραφα γίνονται Κυριακή", "Τα αντίγραφα γίνονται Τρίτη", "κυριακη"),
    ("백업은 일요일에 실행", "백업은 금요일에 실행", "일요일에"),
    ("Die Sicherung läuft sonntags !8 #home", "Die Sicherung läuft freitags !8 #home", "sonntags"),
)


def memory(workspace: Workspace) -> list[str]:
    return Path(workspace.root, "MEMORY.md").read_text().split("\n")


def rows(workspace: Workspace) -> sources.Sidecar:
    return sources.decode(Path(workspace.root, sources.PATH).read_text())


def everything(workspace: Workspace) -> dict[str, bytes]:
    root = Path(workspace.root)
    return {
        str(path.relative_to(root)): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file() and ".agentws" not in path.parts and "journal" not in path.parts
    }


def test_the_new_entry_takes_its_place_and_the_old_one_is_kept(workspace: Workspace) -> None:
    def holds(row: tuple[tuple[str, str, str], str]) -> None:
        (old, new, word), form = row
        workspace.remember("above")
        first = workspace.remember(old)
        workspace.remember("below")
        before = memory(workspace)
        ref = {"line": f"MEMORY.md:{first.line}", "digest": managed.of_text(old)[:8], "word": word, "text": old}[form]

        done = workspace.remember(new, replaces=ref)

        assert first.line is not None
        expected = [*before]
        expected[first.line - 1] = f"- {new}"
        assert memory(workspace) == expected
        assert (done.line, done.replaced and done.replaced.text) == (first.line, old)
        kept = Path(workspace.root, sources.SUPERSEDED_PATH).read_text()
        assert f"\n## 2026-11-20\n\n- {old} → {new} (until 2026-11-20)\n" in kept
        known = rows(workspace)
        gone, now = known.stated[managed.of_text(old)], known.stated[managed.of_text(new)]
        assert (gone.state, gone.until, gone.by) == ("superseded", "2026-11-20", managed.of_text(new))
        assert (now.state, now.src, now.first) == ("", "agent", "2026-11-20")
        assert known.left[managed.of_text(old)].text == old
        place = next(at for at, line in enumerate(kept.split("\n"), 1) if old in line)
        found = workspace.memory.why(f"{sources.SUPERSEDED_PATH}:{place}")
        assert (found.state, found.until) == ("superseded", "2026-11-20")
        assert "Superseded. It held until 2026-11-20." in why.why_lines(found, NOW)
        assert not workspace.memory.verify().faults
        workspace.undo()
        assert memory(workspace) == before
        assert not rows(workspace).stated[managed.of_text(old)].until
        workspace.history.redo()
        assert memory(workspace) == expected
        workspace.undo()
        for _ in range(3):
            workspace.undo()

    table.holds(holds, [(pair, form) for pair in PAIRS for form in ("line", "digest", "word", "text")])


def test_it_may_go_to_another_section_and_what_stands_already_is_not_written_twice(workspace: Workspace) -> None:
    workspace.remember("one", section="Home")
    workspace.remember("two", section="Home")

    workspace.remember("three", replaces="one", section="Work")
    assert "\n".join(memory(workspace)).endswith("## Home\n\n- two\n\n## Work\n\n- three\n")

    done = workspace.remember("two", replaces="three")
    assert done.is_new is False
    assert "\n".join(memory(workspace)).count("- two") == 1
    assert "three" not in "\n".join(memory(workspace))


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_no_other_byte_changes(workspace: Workspace, end: str) -> None:
    file = Path(workspace.root, "MEMORY.md")
    file.write_bytes(end.join(["# M", "caf\udce9", "", "- a person's own", ""]).encode("utf-8", "surrogateescape"))
    workspace.remember("one\nwith more below")
    before = file.read_bytes()

    workspace.remember("two", replaces="one with more below")

    assert file.read_bytes() == before.replace(f"- one{end}  with more below".encode(), b"- two")


def test_what_a_person_wrote_is_refused_and_nothing_changes(workspace: Workspace) -> None:
    file = Path(workspace.root, "MEMORY.md")
    done = workspace.remember("An entry of the agent")
    workspace.remember("Another entry of the agent")
    text = file.read_text().replace("An entry of the agent", "An entry of the agent, edited by Sam")
    file.write_text(
        f"{text}- Sam's own line\n\nSam's own paragraph\n\n| a | b |\n|---|---|\n| Sam's | table |\n\n## Sam's\n"
    )
    before = everything(workspace)
    refs = (
        f"MEMORY.md:{done.line}",
        "edited by Sam",
        "Sam's own line",
        "own paragraph",
        "table",
        managed.of_text("Sam's own line"),
    )

    def holds(ref: str) -> None:
        with pytest.raises(UsageError, match="not written by agentws"):
            workspace.remember("new", replaces=ref)
        assert everything(workspace) == before

    table.holds(holds, refs)


def test_what_names_no_entry_or_several_is_refused_and_nothing_changes(workspace: Workspace) -> None:
    workspace.remember("The blue door is open")
    workspace.remember("The red door is open")
    workspace.log("The green door is open")
    before = everything(workspace)

    def holds(row: tuple[str, type[AgentwsError]]) -> None:
        ref, error = row
        with pytest.raises(error) as told:
            workspace.remember("new", replaces=ref)
        assert everything(workspace) == before
        if error is AmbiguousError:
            assert "MEMORY.md:5  The blue door" in (told.value.hint or "")

    table.holds(
        holds,
        [
            ("door", AmbiguousError), ("the door is open", AmbiguousError), ("green", UsageError), ("", UsageError),
            (" ", UsageError), ("MEMORY.md:1", UsageError), ("MEMORY.md:99", UsageError), ("MEMORY.md:0", UsageError),
            ("memory/2026-11-20.md:3", UsageError), ("../MEMORY.md:5", UsageError), ("0" * 64, UsageError),
            ("MEMORY.md", UsageError), ("-", UsageError),
        ],
    )  # fmt: skip
    with pytest.raises(UsageError, match="already says this"):
        workspace.remember("The  red door is open", replaces="red")
    with pytest.raises(UsageError):
        workspace.remember("", replaces="red")


def test_what_compaction_made_gives_way_and_no_run_becomes_the_newest(workspace: Workspace) -> None:
    file, entry = Path(workspace.root, "MEMORY.md"), "Chose SQLite"
    file.write_text(f"# Memory\n\n## From the logs\n\n### Decisions\n\n- {entry}\n")
    known = [
        sources.Made(managed.of_text(entry), [], day="2026-10-01", run="r1", src="unknown", kind="decision"),
        sources.Ran("r1", days=1),
        sources.Ran("r2", days=1),
    ]
    Path(workspace.root, sources.PATH).write_text(sources.encode(known))

    workspace.remember("Chose Postgres", replaces="sqlite")

    assert file.read_text() == "# Memory\n\n## From the logs\n\n### Decisions\n\n- Chose Postgres\n"
    assert list(rows(workspace).runs) == ["r1", "r2"]
    assert rows(workspace).made[managed.of_text(entry)].state == "superseded"
    assert rows(workspace).stated[managed.of_text("Chose Postgres")].kind == "decision"
    assert not workspace.memory.verify().faults


def test_what_was_remembered_before_this_was_written_down_gives_way_too(workspace: Workspace) -> None:
    workspace.remember("one")
    Path(workspace.root, sources.PATH).unlink()

    workspace.remember("two", replaces="one")

    assert "- two" in memory(workspace)


@pytest.mark.parametrize("src", outside.SOURCES)
def test_what_is_from_outside_replaces_nothing_of_the_agents_own(workspace: Workspace, src: str) -> None:
    workspace.remember("The account is 17")
    workspace.remember("The shop opens at nine", via=src)
    before = everything(workspace)

    with pytest.raises(UsageError, match="more trusted source"):
        workspace.remember("The account is 66", replaces="account", via=src)
    assert everything(workspace) == before

    done = workspace.remember("The shop opens at ten", replaces="shop", via=src)
    assert memory(workspace)[done.line - 1 if done.line else 0] == f"- The shop opens at ten (via {src})"
    assert (
        origin.of_line(Path(workspace.root, sources.SUPERSEDED_PATH).read_text().rstrip("\n").rpartition("\n")[2])
        == src
    )
    workspace.remember("The shop opens at eleven, I looked", replaces="shop")
    assert "- The shop opens at eleven, I looked" in memory(workspace)


def test_less_trusted_material_replaces_no_better_one(workspace: Workspace) -> None:
    for low in (*outside.SOURCES, "user", "agent"):
        for high in (*outside.SOURCES, "user", "agent"):
            workspace.remember("A thing", via=high)
            may = origin.trust(low) >= origin.trust(high)
            try:
                workspace.remember("Another thing", via=low, replaces="a thing")
            except UsageError:
                assert not may, (low, high)
                workspace.undo()
            else:
                assert may, (low, high)
                workspace.undo()
                workspace.undo()


def test_a_shared_session_replaces_nothing(workspace: Workspace) -> None:
    workspace.remember("one")
    shared = Workspace.open(workspace.root, environment=Environment(now=NOW, timezone="UTC", audience="shared"))
    for ref in ("one", "nothing"):
        with pytest.raises(UsageError, match="shared audience"):
            shared.remember("two", replaces=ref)


def test_an_edit_that_moves_its_line_meanwhile_replaces_no_other_one(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace.remember("one")
    done = workspace.remember("two")
    file = Path(workspace.root, "MEMORY.md")
    real = stores.Stores.apply

    def edited(self: stores.Stores, *args: object, **words: object) -> object:
        monkeypatch.undo()
        file.write_text(file.read_text().replace("- one\n", "- zero\n- one\n"))
        return real(self, *args, **words)  # type: ignore[arg-type]

    monkeypatch.setattr(stores.Stores, "apply", edited)
    workspace.remember("three", replaces=f"MEMORY.md:{done.line}")

    assert "\n".join(memory(workspace)).endswith("- zero\n- one\n- three\n")

    def taken_out(self: stores.Stores, *args: object, **words: object) -> object:
        monkeypatch.undo()
        file.write_text(file.read_text().replace("- three\n", ""))
        return real(self, *args, **words)  # type: ignore[arg-type]

    monkeypatch.setattr(stores.Stores, "apply", taken_out)
    with pytest.raises((UsageError, ChangedUnderneathError)):
        workspace.remember("four", replaces="three")
    assert "four" not in file.read_text()


def test_it_is_told_before_it_is_done(workspace: Workspace) -> None:
    workspace.remember("one")
    before = everything(workspace)

    done = workspace.remember("two", replaces="one", dry_run=True)

    assert (done.replaced and done.replaced.text, everything(workspace)) == ("one", before)


def test_what_was_replaced_is_forgotten_with_all_that_tells_of_it(workspace: Workspace) -> None:
    workspace.remember("Quillfeather owns the house")
    workspace.remember("Leo owns the house", replaces="Quillfeather")
    workspace.remember("Quillfeather rents it", replaces="Leo")

    workspace.memory.forget(subjects=["Quillfeather"], confirm=True)

    digests = [managed.of_text(text) for text in ("Quillfeather owns the house", "Quillfeather rents it")]
    for path, data in everything(workspace).items():
        assert b"Quillfeather" not in data, path
        for one in digests:
            assert one.encode() not in data, path


def test_what_gave_way_does_not_come_back_from_a_log_of_before(workspace: Workspace) -> None:
    root = Path(workspace.root)
    workspace.remember("Backups run on Sundays")
    workspace.remember("Backups run on Fridays", replaces="sundays")
    (root / "memory/2026-11-02.md").write_text("# 2026-11-02\n\n- 09:00 [fact] Backups run on Sundays\n")
    (root / "memory/2026-11-03.md").write_text("# 2026-11-03\n\n- 09:00 [fact] The key hangs in the shed\n")

    workspace.memory.compact(before="2026-11-19")

    assert "- The key hangs in the shed (3 Nov)" in memory(workspace)
    assert "Sundays" not in "\n".join(memory(workspace))


@worlds.NEEDS_GIT
def test_what_is_restored_may_give_way_again_and_boots_of_then_say_nothing_of_now(tmp_path: Path) -> None:
    world = worlds.World(tmp_path)
    world.write("src/x.py", "one\n")
    world.open(1).remember("one", about="src/x.py")
    world.open(2).remember("two", replaces="one", about="src/x.py")
    world.write("src/x.py", "changed\n")
    assert "- two (drifted: src/x.py)" in world.open(3).boot().text
    assert "drifted" not in world.as_it_was(2.5, now=3).boot().text

    world.open(4).history.restore("MEMORY.md", at="2026-11-16T09:30")
    assert world.text("MEMORY.md").endswith("- one\n")
    world.open(5).remember("three", replaces="one")

    assert world.text("MEMORY.md").endswith("- three\n")
    kept = world.text(sources.SUPERSEDED_PATH)
    assert [line for line in kept.split("\n") if line.startswith("- ")] == [
        "- one → two (until 2026-11-16)",
        "- one → three (until 2026-11-16)",
    ]


def test_a_move_takes_all_of_it_along(workspace: Workspace, tmp_path: Path) -> None:
    there = Environment(now=NOW, timezone="UTC", state=(None, str(tmp_path / "state")))
    here = Workspace.open(workspace.root, environment=there)
    (Path(workspace.root) / "x").write_text("one\n")
    here.remember("one")
    here.remember("two", replaces="one", about="x")
    (Path(workspace.root) / "x").write_text("two\n")
    goal = tmp_path / "elsewhere" / "robin"
    goal.parent.mkdir()

    here.copies.migrate(str(goal))

    moved = Workspace.open(str(goal), environment=there)
    assert "- two (drifted: x)" in moved.boot().text
    assert moved.remember("three", replaces="two").replaced is not None
    assert "one → two" in (goal / sources.SUPERSEDED_PATH).read_text()
