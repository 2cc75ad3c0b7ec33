"""What was forgotten on a machine does not come back to it from any remote, and goes from those named later too."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from pathlib import Path

import pytest

from agentws.core.disk import lock
from agentws.core.disk.files import Files
from agentws.core.installation import own_records
from agentws.core.states import private
from agentws.errors import LockHeldError
from agentws.features.sync import renewal
from agentws.features.sync.store.remote import Remote
from agentws.features.sync.store.repo import Repo
from agentws.workspace import Workspace
from tests.features.sync.conftest import Machines


def holds(folder: Path, word: bytes) -> bool:
    """Return whether any object of the one repository in a folder, or file of a workspace, holds a word."""
    from agentws.core.states import plumbing

    place = next(folder.glob("*.git"))
    names = plumbing.ask(
        "cat-file", "--batch-all-objects", "--batch-check=%(objectname)", cwd=str(place), git_dir=str(place)
    )
    ids = [name for name in names.decode().split() if name]
    return any(word in plumbing.ask("cat-file", "-p", each, cwd=str(place), git_dir=str(place)) for each in ids)


def text(machines: Machines, name: str) -> bytes:
    return b"".join(data for path, data in machines.files(name).items() if path.startswith("memory/"))


def holds_word(machines: Machines, name: str) -> bool:
    return b"zebra" in text(machines, name)


def two(machines: Machines) -> tuple[Workspace, Workspace]:
    desk = machines.first()
    desk.log("The zebra came")
    desk.log("The post came")
    desk.sync(str(machines.stick))
    other = machines.another("attic")
    desk.sync()
    return desk, other


def test_words_forgotten_while_the_remote_was_detached_stay_away(machines: Machines) -> None:
    desk, attic = two(machines)
    desk.sync.detach(str(machines.stick))
    desk.memory.forget(matching=["zebra"], confirm=True)
    assert not holds_word(machines, "desk")

    done = desk.sync(str(machines.stick))[0]
    assert done.renewed
    attic.sync()
    desk.sync()
    for name in ("desk", "attic"):
        assert b"zebra" not in text(machines, name)
        assert text(machines, name).count(b"post") == 1
    assert not holds(machines.stick, b"zebra")


def test_detached_before_the_forgotten_words_went_out_it_is_renewed_all_the_same(machines: Machines) -> None:
    desk, _ = two(machines)
    desk.memory.forget(matching=["zebra"], confirm=True)
    desk.sync.detach(str(machines.stick))
    desk.sync(str(machines.stick))
    assert not holds_word(machines, "desk")
    assert not holds(machines.stick, b"zebra")
    assert not desk.sync()[0].renewed


def with_two_remotes(machines: Machines) -> tuple[Workspace, Workspace, Workspace, Path]:
    """A desk between two remotes; the attic syncs with the one, the barn with the other."""
    desk = machines.first()
    for words in ("The zebra came", "The heron came", "The post came"):
        desk.log(words)
    later = machines.stick.parent / "later"
    later.mkdir()
    desk.sync(str(machines.stick))
    desk.sync(str(later))
    attic = machines.another("attic")
    barn = machines.another("barn", remote=str(later))
    barn.sync()
    desk.sync()
    attic.sync()
    return desk, attic, barn, later


def test_between_two_remotes_what_either_side_has_forgotten_stays_away(machines: Machines) -> None:
    desk, attic, barn, later = with_two_remotes(machines)
    attic.memory.forget(matching=["zebra"], confirm=True)
    attic.sync()
    barn.memory.forget(matching=["heron"], confirm=True)
    barn.sync()
    for workspace in (desk, attic, barn, desk):
        workspace.sync()
    for name in ("desk", "attic", "barn"):
        assert b"zebra" not in text(machines, name)
        assert b"heron" not in text(machines, name)
        assert text(machines, name).count(b"post") == 1
    kept = machines.root("desk") / ".agentws" / "sync"
    assert not any(holds(folder, word) for folder in (machines.stick, later, kept) for word in (b"zebra", b"heron"))


def test_what_is_kept_for_a_remote_that_is_away_goes_once_it_is_detached(machines: Machines) -> None:
    desk, attic, _, later = with_two_remotes(machines)
    attic.memory.forget(matching=["zebra"], confirm=True)
    attic.sync()
    later.rename(later.with_name("away"))
    desk.sync()
    assert not holds_word(machines, "desk")
    kept = machines.root("desk") / ".agentws" / "sync"
    assert holds(kept, b"zebra")  # what the other remote was last given
    desk.sync.detach(str(later))
    desk.sync()
    assert not holds(kept, b"zebra")
    assert [one.epoch for one in desk.sync.list()] == [2]


def test_a_remote_that_is_named_later_is_renewed_for_what_was_forgotten_before(machines: Machines) -> None:
    desk, attic = two(machines)
    later = machines.stick.parent / "later"
    later.mkdir()
    attic.sync(str(later))
    desk.memory.forget(matching=["zebra"], confirm=True)
    desk.sync(str(later))
    assert not holds(later, b"zebra")
    assert not holds_word(machines, "desk")
    desk.sync()
    attic.sync()
    assert not holds_word(machines, "attic")


@pytest.mark.parametrize("first", ["desk", "attic"])
def test_a_remote_that_was_put_back_to_before_a_forget_is_renewed_again(
    machines: Machines, tmp_path: Path, first: str
) -> None:
    desk, attic = two(machines)
    attic.sync()
    desk.sync()
    shutil.copytree(machines.stick, tmp_path / "saved")
    desk.memory.forget(matching=["zebra"], confirm=True)
    for workspace in (desk, attic, desk):
        workspace.sync()
    shutil.rmtree(machines.stick)
    shutil.copytree(tmp_path / "saved", machines.stick)
    attic.log("The survey came")

    order = [desk, attic] if first == "desk" else [attic, desk]
    (told,) = order[0].sync()
    for workspace in (*order[1:], *order):
        workspace.sync()

    assert told.renewed
    assert any("put back" in notice for notice in told.notices)
    assert not holds(machines.stick, b"zebra")
    assert [holds_word(machines, name) for name in ("desk", "attic")] == [False, False]
    assert text(machines, "desk").count(b"survey") == 1
    assert machines.files("desk") == machines.files("attic")
    assert not any("put back" in notice for notice in desk.sync()[0].notices)


def test_a_machine_that_joined_after_a_forget_renews_what_was_put_back(machines: Machines, tmp_path: Path) -> None:
    desk, _ = two(machines)
    shutil.copytree(machines.stick, tmp_path / "saved")
    desk.memory.forget(matching=["zebra"], confirm=True)
    desk.sync()
    late = machines.another("late")
    shutil.rmtree(machines.stick)
    shutil.copytree(tmp_path / "saved", machines.stick)

    (told,) = late.sync()

    assert told.renewed
    assert not holds(machines.stick, b"zebra")
    assert not holds_word(machines, "late")


def test_killed_before_it_had_cleared_up_the_next_run_does(machines: Machines, monkeypatch: pytest.MonkeyPatch) -> None:
    desk, attic = two(machines)
    attic.remember("The zebra lives in the barn")
    attic.sync()
    desk.sync()
    attic.sync()
    attic.remember("The post comes at ten")
    attic.sync()
    desk.sync()
    desk.memory.forget(matching=["zebra"], confirm=True)
    desk.sync()

    with monkeypatch.context() as patch:
        patch.setattr(renewal, "clear", interrupted)
        with pytest.raises(KeyboardInterrupt):
            attic.sync()
    machines.opened("attic").sync()

    assert [
        path for path in machines.root("attic").rglob("*") if path.is_file() and b"zebra" in path.read_bytes()
    ] == []


def interrupted(*_: object) -> None:
    raise KeyboardInterrupt


def test_an_empty_remote_is_not_renewed(machines: Machines) -> None:
    desk = machines.first()
    desk.log("The zebra came")
    desk.memory.forget(matching=["zebra"], confirm=True)
    first = desk.sync(str(machines.stick))[0]
    assert first.made
    assert not first.renewed
    assert not desk.sync()[0].renewed


@pytest.mark.parametrize("syncs_before", [True, False])
def test_a_remote_that_is_new_gets_nothing_that_was_forgotten(machines: Machines, syncs_before: bool) -> None:
    desk = machines.first()
    desk.log("The zebra came")
    desk.sync(str(machines.stick))
    other = machines.stick.with_name("other")
    other.mkdir()
    desk.memory.forget(matching=["zebra"], confirm=True)
    if syncs_before:
        desk.sync()

    desk.sync(str(other))
    desk.sync()

    assert not holds(other, b"zebra")
    assert not holds(machines.stick, b"zebra")


def test_what_is_kept_for_a_remote_whose_first_sync_was_killed_goes_with_its_next_one(
    machines: Machines, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk = machines.first()
    desk.log("The zebra came")
    desk.sync(str(machines.stick))
    other = machines.stick.with_name("other")
    other.mkdir()
    desk.memory.forget(matching=["zebra"], confirm=True)
    with monkeypatch.context() as patch:
        patch.setattr(Remote, "push", interrupted)
        with pytest.raises(KeyboardInterrupt):
            desk.sync(str(other))

    machines.opened("desk").sync()

    kept = machines.root("desk") / ".agentws" / "sync"
    assert not any(holds(folder, b"zebra") for folder in (machines.stick, other, kept))


def test_the_state_says_no_word_and_of_too_many_the_oldest_go(machines: Machines) -> None:
    desk = machines.first()
    desk.log("The zebra came")
    desk.memory.forget(matching=["zebra"], confirm=True)
    (kept,) = machines.stick.parent.rglob("forgotten")
    assert b"zebra" not in kept.read_bytes()

    many = own_records.Forgotten()
    many.add([f"call-{number}" for number in range(70)], [b"- %d" % number for number in range(50_003)])
    assert many.calls[0] == "call-6"
    assert not many.holds(b"- 2")
    assert many.holds(b"  - 3 ")
    assert many.holds(b"- 50002")


def test_notes_that_cannot_be_read_are_none(machines: Machines) -> None:
    desk = machines.first()
    desk.log("The zebra came")
    desk.memory.forget(matching=["zebra"], confirm=True)
    (kept,) = machines.stick.parent.rglob("forgotten")
    kept.write_bytes(b'{"salt": 3}')
    assert desk.sync(str(machines.stick))[0].made


def test_a_forget_elsewhere_leaves_the_undo_of_what_has_nothing_to_do_with_it(machines: Machines) -> None:
    desk = machines.first()
    page = machines.root("desk") / "MEMORY.md"
    page.write_text("# Memory\n\n- tea\n- The zebra came\n")
    desk.sync(str(machines.stick))
    attic = machines.another("attic")
    desk.sync()

    settings = machines.root("desk") / "agentws.toml"
    settings.write_text(f"{settings.read_text()}# - teapots are blue\n")
    desk = machines.opened("desk")
    desk.sync()
    attic.sync()
    desk.config.set("boot.budget", "9000")
    other = machines.root("attic") / "MEMORY.md"
    other.write_text(other.read_text().replace("- tea\n", ""))
    attic.memory.forget(matching=["zebra"], confirm=True)
    attic.sync()
    before = settings.read_text()
    desk.sync()
    assert "zebra" not in page.read_text()
    desk.undo()
    assert settings.read_text() != before


def test_a_line_is_told_from_one_that_goes_on_and_from_one_that_moved() -> None:
    from agentws.features.sync import renewal

    assert renewal._has_line(b"# A\n- tea\n- b", b"- tea")
    assert renewal._has_line(b'{"text":"- a\\n- tea\\n- b"}', b"- tea")
    assert renewal._has_line(b"- teapot\n  - tea", b"- tea")
    assert not renewal._has_line(b"- teapot\n- tea for two\n", b"- tea")

    class Blobs:
        def blob(self, oid: str) -> bytes:
            return oid.encode()

    before, after = {"a.md": "- went\n- moved", "b.md": "- b"}, {"a.md": "- new", "c.md": "- moved", "b.md": "- b"}
    assert renewal.gone(Blobs(), before, after) == {b"- went"}  # type: ignore[arg-type]


@pytest.mark.parametrize("is_back_first", [False, True])
def test_what_was_forgotten_goes_also_where_it_was_made_private_meanwhile(
    machines: Machines, is_back_first: bool
) -> None:
    desk, attic = two(machines)
    for told in (desk, attic):
        memory = machines.root("desk" if told is desk else "attic") / "MEMORY.md"
        memory.write_bytes(memory.read_bytes() + b"\n- The zebra is called Zenobia\n- The dog is called Rex\n")
    desk.sync()
    attic.sync()
    desk.sync()
    memory = machines.root("attic") / "MEMORY.md"
    memory.write_bytes(memory.read_bytes().replace(b"Zenobia\n", b"Zenobia #private\n"))
    if is_back_first:
        memory = machines.root("desk") / "MEMORY.md"
        memory.write_bytes(memory.read_bytes().replace(b"Zenobia\n", b"Zenobia #private\n"))

    machines.opened("desk").memory.forget(matching=["Zenobia"], confirm=True)
    machines.opened("desk").sync()
    machines.opened("attic").sync()
    machines.opened("desk").sync()

    for name in ("desk", "attic"):
        assert not [path for path, data in machines.files(name).items() if b"Zenobia" in data]
        assert b"Rex" in machines.files(name)["MEMORY.md"]
        assert machines.opened(name).sync.conflicts().records == []
    assert not holds(machines.stick, b"Zenobia")


def test_what_was_edited_where_another_machine_has_forgotten_it_waits_for_a_decision(machines: Machines) -> None:
    desk, attic = two(machines)
    memory = machines.root("desk") / "MEMORY.md"
    memory.write_bytes(memory.read_bytes() + b"\n- The zebra is called Zoe\n- The dog is called Rex\n")
    desk.sync()
    attic.sync()
    memory = machines.root("attic") / "MEMORY.md"
    memory.write_bytes(memory.read_bytes().replace(b"is called Zoe\n", b"is called Ada\n"))

    machines.opened("desk").memory.forget(matching=["Zoe"], confirm=True)
    machines.opened("desk").sync()
    machines.opened("attic").sync()

    assert b"Ada" in machines.files("attic")["MEMORY.md"]
    assert [one.what for one in machines.opened("attic").sync.conflicts().records] == ["removal"]


def test_the_name_of_a_task_that_came_and_was_renamed_stays_nowhere(machines: Machines) -> None:
    desk = machines.first()
    desk.tasks.add("Call the zebra")
    desk.sync(str(machines.stick))
    attic = machines.another("attic")
    attic.tasks.rename("call-the-zebra", "Call the keeper")
    done = attic.memory.forget(matching=["zebra"], confirm=True)
    assert done.left == []
    assert not [
        path for path in (machines.root("attic") / ".agentws" / "sync").glob("*.json") if b"zebra" in path.read_bytes()
    ]


@pytest.mark.parametrize("words", ["Järvi 🦓 kävi", "Она сказала «да»", 'He said "zebra\\crossing"'])
def test_what_was_forgotten_elsewhere_goes_from_the_record_of_changes_in_any_language(
    machines: Machines, words: str
) -> None:
    desk = machines.first()
    desk.sync(str(machines.stick))
    attic = machines.another("attic")
    attic.log(words)
    attic.log("The post came")
    attic.sync()
    desk.sync()
    desk.memory.forget(matching=[words], confirm=True)
    desk.sync()
    attic.sync()
    kept = (machines.root("attic") / ".agentws" / "changes.jsonl").read_text()
    told = [json.loads(line).get("text", "") for line in kept.splitlines()]
    assert not any(words in text for text in told)
    assert any("The post came" in text for text in told)


def test_what_was_forgotten_in_a_file_that_went_then_does_not_come_back_with_it(machines: Machines) -> None:
    desk, attic = two(machines)
    (path,) = machines.root("desk").glob("memory/2*.md")
    attic.log("The heron came")
    attic.sync()
    desk.memory.forget(matching=["zebra"], confirm=True)
    path.unlink()

    machines.opened("desk").sync()
    attic.sync()
    machines.opened("desk").sync()

    assert holds_heron(machines, "desk")
    assert holds_heron(machines, "attic")
    assert not holds_word(machines, "desk")
    assert not holds_word(machines, "attic")
    assert not holds(machines.stick, b"zebra")


def test_a_line_that_was_written_again_after_it_was_forgotten_stays(machines: Machines) -> None:
    desk, _ = two(machines)
    memory = machines.root("desk") / "MEMORY.md"
    memory.write_bytes(memory.read_bytes() + b"\n- The zebra is called Zoe\n")
    desk.sync()
    desk.memory.forget(matching=["called Zoe"])
    memory.write_bytes(memory.read_bytes() + b"\n- The zebra is called Zoe\n")

    machines.opened("desk").sync()

    assert memory.read_bytes().count(b"called Zoe") == 1


def holds_heron(machines: Machines, name: str) -> bool:
    return b"heron" in text(machines, name)


def test_what_another_machine_made_of_forgotten_lines_by_compaction_goes_too(machines: Machines) -> None:
    desk, attic = two(machines)
    day = machines.root("desk") / "memory" / "2026-09-01.md"
    day.write_text(
        "# 2026-09-01\n\n- 09:00 [decision] The hyena sleeps outside\n- 10:00 [decision] The gate stays open\n"
    )
    desk.sync()
    attic.sync()
    machines.opened("desk").memory.forget(matching=["hyena"], confirm=True)
    machines.opened("attic").memory.compact(agreed=True)
    assert b"hyena" in machines.files("attic")["MEMORY.md"]
    machines.opened("attic").sync()

    machines.opened("desk").sync()
    machines.opened("attic").sync()

    for name in ("desk", "attic"):
        assert not [path for path, data in machines.files(name).items() if b"hyena" in data]
        assert b"gate stays open" in machines.files(name)["MEMORY.md"]
        assert machines.opened(name).memory.verify().faults == []
    assert not holds(machines.stick, b"hyena")


def test_forgotten_lines_that_what_both_came_from_lacks_are_no_new_ones(machines: Machines) -> None:
    desk, _ = two(machines)
    desk.memory.forget(matching=["zebra"], confirm=True)
    repo = Repo(desk.stores.files)
    day = next(path for path in machines.files("desk") if path.startswith("memory/2"))
    line = b"- 07:15 The zebra came"
    assert own_records.read_forgotten(
        desk.stores.files, desk.stores.manifest.agent_id, desk.stores.environment.state
    ).holds(line)
    old, now, there = repo.store([b"# day\n", b"# day\n\n- 08:00 x\n", b"# day\n\n%s\n- 08:30 y\n" % line])
    (before,) = repo.store([b"# day\n\n%s\n" % line])

    as_new, words = renewal.without(desk.stores, repo, {day: now}, {day: there}, {day: old})
    as_known, none = renewal.without(desk.stores, repo, {day: now}, {day: there}, {day: before})

    assert (repo.blob(as_new[day]), words) == (b"# day\n\n\n- 08:30 y\n", {line})
    assert (as_known, none) == ({day: there}, set())
    repo.close()


def test_a_forget_leaves_what_a_running_sync_notes_of_tasks_that_it_is_about_to_put_here(
    machines: Machines, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk = machines.first()
    desk.tasks.add("Call the zebra")
    desk.sync(str(machines.stick))
    attic = machines.another("attic")
    desk.tasks.add("Oil the hinge")
    desk.sync()
    forgets, noted = machines.opened("attic"), []
    note = private.note
    monkeypatch.setattr(lock, "TIMEOUT_S", 0.0)

    def meanwhile(files: Files, digests: Mapping[str, str]) -> None:
        note(files, digests)
        with pytest.raises(LockHeldError):
            forgets.memory.forget(matching=["giraffe"], confirm=True)
        noted.append(private.holds(files, *next(iter(digests.items()))))

    monkeypatch.setattr(private, "note", meanwhile)
    attic.sync()

    assert noted == [True]


def test_what_another_machine_has_forgotten_does_not_come_back_from_a_remote_that_is_met_later(
    machines: Machines, tmp_path: Path
) -> None:
    desk, attic = two(machines)
    disk = tmp_path / "disk"
    disk.mkdir()
    attic.sync(str(disk))  # with the zebra
    barn = machines.another("barn")
    desk.memory.forget(matching=["zebra"], confirm=True)
    desk.sync()
    barn.sync(str(machines.stick))

    barn.sync(str(disk))
    attic.sync()
    desk.sync()

    for name in ("desk", "attic", "barn"):
        assert not holds_word(machines, name)
    assert not holds(machines.stick, b"zebra")
    assert not holds(disk, b"zebra")


def test_the_history_of_one_remote_carries_nothing_forgotten_into_another_of_the_same_epoch(
    machines: Machines, tmp_path: Path
) -> None:
    desk, attic = two(machines)
    attic.memory.forget(matching=["post"], confirm=True)
    attic.sync()
    desk.sync()
    disk = tmp_path / "disk"
    disk.mkdir()
    desk.sync(str(disk))
    barn = machines.another("barn", remote=str(disk))
    barn.memory.forget(matching=["zebra"], confirm=True)
    barn.sync()

    desk.log("The cat came")
    desk.sync()
    attic.sync()
    desk.sync()

    for name in ("desk", "attic", "barn"):
        assert not holds_word(machines, name)
    assert not holds(disk, b"zebra")
    assert not holds(machines.stick, b"zebra")
