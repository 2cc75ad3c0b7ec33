"""What a watcher has seen, kept and lost."""

from __future__ import annotations

from pathlib import Path

from agentws.core.disk import local_dir
from agentws.core.disk.files import Files
from agentws.features.automation.watch import poll
from agentws.features.automation.watch.poll import Position
from tests import table

DAMAGED = (b"", b"[]", b"{", b'{"state": "a"}', b'{"state": "a", "change": "x", "apart": {}}', b"\xff", b"null")


def test_it_comes_back_as_it_was_left(tmp_path: Path) -> None:
    files = Files(str(tmp_path))
    local_dir.prepare(files)

    for change in (1, 2):
        poll.write(files, Position("a1", change, {"memory/a.md": ("=b2", 7)}))

    found = poll.read(files)
    assert found is not None
    assert (found.state, found.change, found.apart) == ("a1", 2, {"memory/a.md": ("=b2", 7)})


def test_one_that_is_damaged_or_lost_is_none(tmp_path: Path) -> None:
    files = Files(str(tmp_path))
    local_dir.prepare(files)
    assert poll.read(files) is None

    def check(data: bytes) -> None:
        (tmp_path / poll.PATH).write_bytes(data)
        assert poll.read(files) is None

    table.holds(check, DAMAGED)
