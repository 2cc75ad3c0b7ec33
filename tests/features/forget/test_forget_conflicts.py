"""What a sync keeps of both sides loses what is forgotten, as every document does."""

from __future__ import annotations

from pathlib import Path

from agentws.core.formats.travel import conflict
from agentws.core.formats.travel.conflict import Record, Side
from agentws.workspace import Workspace


def test_it_is_in_no_record_of_a_conflict_any_more(workspace: Workspace) -> None:
    folder = Path(workspace.root, "conflicts")
    (folder / "0a1b2c3d").mkdir(parents=True)
    (folder / "0a1b2c3d" / "1-MEMORY.md").write_text("# Memory\n\n- Sam Tester drinks tea\n- the roof leaks\n")
    record = Record(
        "0a1b2c3d", "MEMORY.md", "entry", "", base=Side(), sides=(Side("- Sam Tester drinks tea"), Side("- tea")),
        at="", between=("a", "b"),
    )  # fmt: skip
    (folder / "0a1b2c3d.json").write_bytes(conflict.encode(record))

    done = workspace.memory.forget(subjects=["Sam Tester"])

    assert {path for path, _ in done.lines} == {"conflicts/0a1b2c3d.json", "conflicts/0a1b2c3d/1-MEMORY.md"}
    assert not [path for path in folder.rglob("*") if path.is_file() and b"Sam" in path.read_bytes()]
    assert "roof leaks" in (folder / "0a1b2c3d" / "1-MEMORY.md").read_text()
    assert not (folder / "0a1b2c3d.json").exists()  # of two sides one is left: there is nothing to decide
