"""compact among files that are no plain logs: they stay and are named, and the others are folded all the same."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from agentws.core.disk import files
from agentws.core.formats.documents import managed
from agentws.core.stores import marks
from agentws.errors import DamagedError
from agentws.workspace import Environment, Workspace
from tests.features.memory.compact.test_compacting import DAYS, everything, memory, put

ODD = "memory/2026-10-04.md"


def folded(workspace: Workspace) -> set[str]:
    return {path for path, _ in workspace.memory.compact().days}


@pytest.fixture
def full(workspace: Workspace) -> Workspace:
    for day in DAYS:
        put(workspace, day)
    return workspace


def link(path: Path) -> None:
    path.with_name("elsewhere.txt").write_text("- Chose the cellar\n")
    path.symlink_to("elsewhere.txt")


def dangling(path: Path) -> None:
    path.symlink_to("nowhere.md")


def large(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(files.DOCUMENT_LIMIT_BYTES + 1)


ODDITIES = {
    "a symbolic link": link,
    "a symbolic link to nothing": dangling,
    "a FIFO": os.mkfifo,
    "a folder": os.mkdir,
    "too large": large,
    "not UTF-8": lambda path: path.write_bytes("# Tag\n- Chose the caf\u00e9 for good\n".encode("latin-1")),
    "UTF-16": lambda path: path.write_bytes("- Chose the cellar\n".encode("utf-16-le")),
}


@pytest.mark.parametrize("name", ODDITIES)
def test_what_is_no_log_stays_and_is_named_and_the_other_days_are_folded(full: Workspace, name: str) -> None:
    path = Path(full.root, ODD)
    ODDITIES[name](path)

    done = full.memory.compact()

    assert {day for day, _ in done.days} == {f"memory/2026-10-0{day}.md" for day in DAYS}
    assert [skipped for skipped, _ in done.skipped] == [ODD]
    assert any(notice.startswith(f"{ODD} is unchanged: ") for notice in done.notices)
    assert os.path.lexists(path)
    assert marks.failures(full.stores.files, marks.COMPACTION) == []
    assert full.memory.verify().faults == []
    assert full.memory.compact().changes.changes == ()


def test_a_day_that_is_not_utf_8_is_folded_once_it_is(full: Workspace) -> None:
    path = Path(full.root, ODD)
    path.write_bytes("- [decision] Chose the caf\u00e9 for good\n".encode("latin-1"))
    assert any("line 1 is not UTF-8" in notice for notice in full.memory.compact().notices)
    path.write_text("- [decision] Chose the caf\u00e9 for good\n")

    assert folded(full) == {ODD}
    assert "caf\u00e9" in memory(full)


def test_an_empty_day_is_folded(full: Workspace) -> None:
    Path(full.root, ODD).touch()

    assert ODD in folded(full)
    assert Path(full.root, "memory/archive/2026/2026-10-04.md").read_bytes() == b""
    assert full.memory.verify().faults == []


@pytest.mark.parametrize("name", ["2026-10-04-standup.md", "2026-10-04.2.md"])
def test_other_names_of_days_are_folded_and_come_back(full: Workspace, name: str) -> None:
    path = Path(full.root, f"memory/{name}")
    path.write_text("## Decisions\n- [decision] Chose the cellar for the server\n")
    before = everything(full)

    assert f"memory/{name}" in folded(full)
    assert "cellar" in memory(full)
    assert Path(full.root, f"memory/archive/2026/{name}").exists()

    full.memory.undo()
    assert everything(full) == before


@pytest.mark.parametrize("name", ["notes.md", "2026-02-31.md", ".2026-10-04.md.swp", "2026-10-04.txt", "archive.md"])
def test_what_is_not_named_as_a_day_is_none(full: Workspace, name: str) -> None:
    path = Path(full.root, f"memory/{name}")
    path.write_text("- Chose the cellar\n")

    assert f"memory/{name}" not in folded(full)
    assert path.exists()


def test_a_memory_with_line_ends_of_windows_and_a_byte_order_mark_stays_byte_for_byte(full: Workspace) -> None:
    own = "\ufeff## From the logs\r\n- mine\r\n\n## Mixed\r\n- one\n- two\r\n\r\n".encode()
    file = Path(full.root, "MEMORY.md")
    file.write_bytes(own)

    full.memory.compact()
    full.memory.compact()

    text = file.read_bytes()
    assert text.startswith(b"\xef\xbb\xbf## From the logs\r\n- mine\r\n\n### ")
    assert text.endswith(b"\n## Mixed\r\n- one\n- two\r\n\r\n")
    assert text.count(b"From the logs") == 1
    assert b"SQLite" in text


@pytest.mark.parametrize("own", ["# Memory\r\n- a\n\n\n", "- a", "\n", "# M\n\n```\nunclosed code fence\n- x\n"])
def test_a_memory_is_as_it_was_when_its_only_run_is_taken_back(full: Workspace, own: str) -> None:
    file = Path(full.root, "MEMORY.md")
    file.write_bytes(own.encode())
    full.memory.compact()
    assert file.read_bytes().startswith(own.encode())

    full.memory.undo()

    assert file.read_bytes() == own.encode()


def test_a_memory_that_has_the_section_twice_is_written_in_the_first_one_alone(full: Workspace) -> None:
    second = "\n## From the logs\n\n- 2026-01-01 an older fact of mine\n"
    file = Path(full.root, "MEMORY.md")
    file.write_text(f"# Memory\n\n## From the logs\n\n- mine\n{second}")

    full.memory.compact()

    assert memory(full).endswith(second)
    assert "SQLite" in memory(full).removesuffix(second)
    assert full.memory.compact().changes.changes == ()


def test_a_code_block_that_is_never_closed_does_not_make_the_section_grow_each_night(full: Workspace) -> None:
    file = Path(full.root, "MEMORY.md")
    file.write_text("# Memory\n\n```\nunclosed code fence\n")

    full.memory.compact()
    put(full, 4, "## Decisions\n- [decision] Chose the cellar for the server\n")
    full.memory.compact()

    assert memory(full).count("## From the logs") == 1
    assert "cellar" in memory(full)


def test_a_memory_that_is_utf_16_is_refused_and_loud(full: Workspace) -> None:
    file = Path(full.root, "MEMORY.md")
    file.write_bytes("# Memory\n".encode("utf-16"))
    before = everything(full)

    with pytest.raises(DamagedError, match="UTF-8"):
        full.memory.compact()

    assert everything(full) == before
    assert len(marks.failures(full.stores.files, marks.COMPACTION)) == 1


def test_bytes_of_a_memory_that_are_no_utf_8_are_kept(full: Workspace) -> None:
    file = Path(full.root, "MEMORY.md")
    file.write_bytes(b"# Memory\n\n- caf\xe9\n")

    full.memory.compact()

    assert file.read_bytes().startswith(b"# Memory\n\n- caf\xe9\n")
    assert full.memory.verify().faults == []


@pytest.mark.parametrize(
    "heading", ["C#", "  From   the\\nlogs ", "", "###", "## Logs", "Logs #", "`x` *y*", "x" * 2000, "\ufeff"]
)
def test_the_section_is_found_again_whatever_the_manifest_calls_it(
    full: Workspace, environment: Environment, heading: str
) -> None:
    manifest = Path(full.root, "agentws.toml")
    manifest.write_text(f'{manifest.read_text()}\n[compaction]\nsection = "{heading}"\n')
    named = Workspace.open(full.root, environment=environment)

    named.memory.compact()
    once = memory(named)
    put(named, 4, "## Decisions\n- [decision] Chose the cellar for the server\n")
    named.memory.compact()

    assert named.memory.verify().entries == named.memory.verify().sourced > 0
    assert memory(named).count("\n## ") == once.count("\n## ") == 1
    assert managed.rewritten(once, heading=heading) == once


class TestRetention:
    """Files in the way of the rules of retention."""

    @pytest.fixture
    def strict(self, full: Workspace, environment: Environment) -> Workspace:
        manifest = Path(full.root, "agentws.toml")
        manifest.write_text(f'{manifest.read_text()}\n[retention]\narchive = "30d"\nhandoffs = "9d"\ntasks = "9d"\n')
        for folder in ("tasks", "handoffs"):
            Path(full.root, folder).mkdir(exist_ok=True)
        return Workspace.open(full.root, environment=environment)

    def test_a_task_that_is_over_since_nobody_knows_when_stays(self, strict: Workspace) -> None:
        Path(strict.root, "tasks/over.md").write_text("---\nstatus: done\n---\nx\n")
        Path(strict.root, "handoffs/odd.md").write_text("---\nstatus: closed\n---\nx\n")

        assert strict.memory.compact().moved == []
        assert Path(strict.root, "tasks/over.md").exists()

    def test_a_task_called_archive_is_a_task_as_any_other(self, strict: Workspace) -> None:
        Path(strict.root, "tasks/archive.md").write_text("---\nstatus: done\nupdated: 2026-01-02\n---\nx\n")

        assert strict.memory.compact().moved == [("tasks/archive.md", "tasks/archive/2026/archive.md")]

    @pytest.mark.parametrize("place", ["tasks/archive", "tasks/archive/2026"])
    def test_a_file_where_the_archive_would_be_keeps_only_that_from_moving(self, strict: Workspace, place: str) -> None:
        Path(strict.root, "tasks/over.md").write_text("---\nstatus: done\nupdated: 2026-01-02\n---\nx\n")
        Path(strict.root, place).parent.mkdir(exist_ok=True)
        Path(strict.root, place).write_text("mine\n")

        done = strict.memory.compact()

        assert len(done.days) == len(DAYS)
        assert done.moved == []
        assert done.skipped == [("tasks/over.md", f"{place} is not a folder")]

    def test_an_archived_day_that_is_no_file_any_more_is_not_deleted(self, strict: Workspace) -> None:
        strict.memory.compact()
        odd = Path(strict.root, "memory/archive/2026/2026-10-01.md")
        odd.unlink()
        odd.symlink_to("2026-10-02.md")

        done = strict.memory.compact()

        assert len(done.deleted) == len(DAYS) - 1
        assert odd.is_symlink()
        assert [path for path, _ in done.skipped] == ["memory/archive/2026/2026-10-01.md"]

    def test_what_was_deleted_stays_deleted_when_the_run_is_taken_back_and_is_no_fault(self, strict: Workspace) -> None:
        strict.memory.compact()
        assert strict.memory.compact().deleted

        done = strict.memory.undo()

        assert done.days == []
        assert all("deleted" in why for _, why in done.left)
        assert strict.memory.verify().faults == []
        assert strict.memory.undo().run != done.run
