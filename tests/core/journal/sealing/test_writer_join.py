"""What a killed addition to a file of `identity/` leaves beside it goes with the next; an edit of a person stays."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentws.core.disk.files import Files
from agentws.core.formats import layout
from agentws.core.journal.sealing import writer_join
from agentws.workspace import Workspace


@pytest.mark.parametrize("path", [layout.WRITERS, layout.SIGNERS, layout.KEPT_OUT])
@pytest.mark.parametrize(("before", "is_kept"), [("one\n", False), ("one", False), ("", False), ("edited\n", True)])
def test_the_former_content_is_no_edit(tmp_path: Path, path: str, before: str, *, is_kept: bool) -> None:
    files, file = Files(str(tmp_path)), tmp_path / path
    file.parent.mkdir()
    file.write_text("one\n")
    writer_join.add(files, path, "two")
    (file.parent / f".{file.name}.agentws-old").write_text(before)
    (file.parent / f".{file.name}.agentws-new").write_text("one\ntwo\nthree\n")

    writer_join.settle(files, path)

    kept = f"{file.name}.edited-meanwhile-1"
    assert sorted(each.name for each in file.parent.iterdir()) == sorted([file.name, *[kept] * is_kept])
    assert file.read_text() == "one\ntwo\n"


@pytest.mark.parametrize("path", [layout.WRITERS, layout.SIGNERS, layout.KEPT_OUT])
def test_what_a_killed_addition_left_goes_with_the_next_seal(workspace: Workspace, path: str) -> None:
    workspace.log("one")
    workspace.event("note", "two")
    workspace.journal.seal()
    file = Path(workspace.root, path)
    file.touch()
    before = file.read_bytes()
    for name in ("new", "old"):
        (file.parent / f".{file.name}.agentws-{name}").write_bytes(before[:5])

    workspace.event("note", "three")
    workspace.journal.seal()

    assert not [*file.parent.glob("*.agentws-*")]
    assert file.read_bytes() == before


def test_what_a_killed_first_addition_left_goes_with_the_next_seal(workspace: Workspace) -> None:
    workspace.event("note", "two")
    workspace.journal.seal()
    left = Path(workspace.root, "identity", ".kept-out.jsonl.agentws-new")
    left.write_text("one")

    workspace.event("note", "three")
    workspace.journal.seal()

    assert not left.exists()
    assert not Path(workspace.root, layout.KEPT_OUT).exists()
