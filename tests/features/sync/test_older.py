"""Files that were put back to an older state take nothing away from the other machines."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from agentws.features.sync.guards import missing_files
from agentws.workspace import Workspace
from tests.features.sync.conftest import Machines


def put_back(saved: Path, root: Path) -> None:
    """What a person does with a copy of the files: `.agentws/` stays as it is."""
    for path in saved.rglob("*"):
        if path.is_file():
            shutil.copy2(path, root / path.relative_to(saved))


def said(workspace: Workspace) -> str:
    days = "".join(path.read_text() for path in sorted(Path(workspace.root, "memory").glob("2*.md")))
    return Path(workspace.root, "MEMORY.md").read_text() + days


@pytest.mark.parametrize("writes", [False, True], ids=["sync", "log-then-sync"])
def test_an_older_copy_in_its_place_gets_what_it_lacks(machines: Machines, tmp_path: Path, writes: bool) -> None:
    desk = machines.first(git=False)
    desk.sync(str(machines.stick))
    lap = machines.another("lap")
    desk.remember("Ada likes herons")
    desk.sync()
    shutil.copytree(desk.root, tmp_path / "saved", ignore=shutil.ignore_patterns(".agentws", ".git"))
    for number in range(3):
        desk.remember(f"Ada likes terns of kind {number}")
        desk.log(f"The tide was {number} m high")
    desk.sync()
    lap.sync()
    put_back(tmp_path / "saved", machines.root("desk"))
    desk = machines.opened("desk")
    if writes:
        desk.log("Back again")
    done = desk.sync()[0]
    assert missing_files.NOTICE in done.notices
    lap.sync()
    for workspace in (desk, lap):
        text = said(workspace)
        assert all(f"terns of kind {number}" in text and f"tide was {number} m" in text for number in range(3))
        assert ("Back again" in text) is writes
    assert missing_files.NOTICE not in desk.sync()[0].notices


def test_what_was_removed_by_hand_is_removed_everywhere(machines: Machines) -> None:
    desk = machines.first(git=False)
    desk.sync(str(machines.stick))
    lap = machines.another("lap")
    desk.remember("Ada likes herons")
    desk.sync()
    lap.sync()
    at = Path(desk.root, "MEMORY.md")
    at.write_text("".join(line for line in at.read_text().splitlines(keepends=True) if "herons" not in line))
    assert missing_files.NOTICE not in desk.sync()[0].notices
    lap.sync()
    assert "herons" not in Path(lap.root, "MEMORY.md").read_text()


@pytest.mark.parametrize(
    ("ours", "before", "is_older"),
    [
        ({"000001.jsonl": b"a\n"}, {"000001.jsonl": b"a\nb\n"}, True),
        ({"000001.jsonl": b"a\nb\nc\n"}, {"000001.jsonl": b"a\nb\n"}, False),
        ({"000001.jsonl": b"x\n"}, {"000001.jsonl": b"a\nb\n"}, False),
        ({}, {"000001.jsonl": b"a\n"}, True),
        ({"000001.jsonl": b"a\n"}, {"000001.jsonl": b"a\n", "000002.jsonl": b"b\n"}, True),
        ({"000002.jsonl": b"b\n"}, {"000001.jsonl": b"a\n"}, False),
        ({"packed/000001.jsonl.gz": b"z"}, {"000001.jsonl": b"a\n"}, False),
        ({"1000000.jsonl": b"b\n"}, {"999999.jsonl": b"a\n"}, False),
        ({}, {"packed/000001.jsonl.gz": b"z"}, False),
    ],
)
def test_a_journal_that_ends_too_soon(
    machines: Machines, ours: dict[str, bytes], before: dict[str, bytes], is_older: bool
) -> None:
    class Repo:
        def blob(self, oid: str) -> bytes:
            return bytes.fromhex(oid)

    def tree(files: dict[str, bytes]) -> dict[str, str]:
        return {f"journal/006b/{name}": data.hex() for name, data in files.items()}

    assert missing_files.is_older(Repo(), tree(ours), tree(before)) is is_older  # type: ignore[arg-type]
