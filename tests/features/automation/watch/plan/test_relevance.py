"""Which changes wake a watcher."""

from __future__ import annotations

from agentws.core.disk import watcher
from agentws.core.formats import layout
from tests import table

FILES = (
    *(("MEMORY.md", True), ("agentws.toml", True), ("memory/2026-11-20.md", True), ("tasks/a.md", True)),
    *(("memory/archive/2026/10/2026-10-01.md", True), ("memory/sources.jsonl", True), ("identity/writers.jsonl", True)),
    # What editors, rsync and sed leave for a moment.
    *((".MEMORY.md.swp", False), ("4913", False), ("MEMORY.md~", False), ("sedAb12Cd", False), ("#MEMORY.md#", False)),
    *((".MEMORY.md.Ab12Cd", False), ("memory/.2026-11-20.md.swp", False), ("MEMORY.md.agentws-new", False)),
    # What agentws and git write.
    *((".agentws/undo/000001", False), (".git/index", False), ("journal/a/000001.jsonl", False), ("src/a.md", False)),
)
FOLDERS = (("memory", True), ("tasks", True), ("memory/archive", True), (".git", False), ("src", False))


def test_documents_matter_and_nothing_else() -> None:
    table.holds(lambda row: _is(watcher.matters(row[0], is_folder=False), row[1]), FILES)


def test_folders_of_documents_matter() -> None:
    table.holds(lambda row: _is(watcher.matters(row[0], is_folder=True), row[1]), (*FOLDERS, ("memory/.x", False)))


def test_every_folder_that_may_hold_a_document_is_watched() -> None:
    assert all(layout.is_document(f"{folder}/a.md") for folder in watcher.FOLDERS)
    assert {f"{folder}/" for folder in watcher.FOLDERS} == {*layout._VERSIONED_FOLDERS}


def test_where_others_kernels_write_nobody_waits_for_events() -> None:
    assert all(map(watcher.needs_polling, ("nfs4", "cifs", "9p", "virtiofs", "fuse.sshfs", "fuse")))
    assert not any(map(watcher.needs_polling, ("ext4", "xfs", "btrfs", "overlay", "tmpfs", "zfs", "")))


def _is(found: bool, wanted: bool) -> None:
    assert found == wanted
