"""`task list` and `context list` name the files that they cannot read and exit 3: unreadable is not absent."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests import forked

DAMAGE = {
    "front matter": b"---\ntags: [a\n---\n# Roof\n",
    "UTF-16": "# Roof\n".encode("utf-16"),
}


@pytest.mark.parametrize("folder", ["tasks", "contexts"])
@pytest.mark.parametrize("damage", ["front matter", "UTF-16"])
def test_a_listing_names_what_it_cannot_read_and_exits_3(tmp_path: Path, folder: str, damage: str) -> None:
    assert forked.run_text("init", "robin", cwd=tmp_path).returncode == 0
    robin = tmp_path / "robin"
    verb = folder.removesuffix("s")
    (robin / folder).mkdir(exist_ok=True)
    (robin / folder / "roof.md").write_bytes(DAMAGE[damage])

    alone = forked.run_text(verb, "list", cwd=robin)
    (robin / folder / "oak.md").write_text("---\nstatus: open\n---\n# Oak\n")
    both = forked.run_text(verb, "list", cwd=robin)
    told = forked.run_text(verb, "list", "--json", cwd=robin)

    for done in (alone, both):
        assert done.returncode == 3
        assert f"{folder}/roof.md:" in done.stderr
        assert "1 file could not be read (see above)." in done.stderr
    assert "Create one" not in alone.stdout
    assert "oak" in both.stdout
    assert told.returncode == 3
    assert any(f"{folder}/roof.md" in notice for notice in json.loads(told.stdout)["notices"])
