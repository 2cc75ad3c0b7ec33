"""The manifest of a backup: the example of its page, there and back, and what is none."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from agentws.formats.travel import backup
from agentws.formats.travel.inventory import FILE, FOLDER, TreeEntry

PAGE = Path(__file__).parents[3] / "docs" / "format" / "backup.md"
HEADER = backup.Header(
    agent="0f3c9a52d4e84c6f9b7a1d2e3f405162",
    name="Róbin",
    host="desk",
    root="/home/sam/robin",
    at="2026-11-20T06:15:00.000000Z",
    mode=0o755,
    heads={"006afff37486b241": (8, "ab" * 32)},
    files=1,
    bytes=3,
)
ENTRIES = [TreeEntry("memory", FOLDER, 0o755, 1, 0, ""), TreeEntry("memory/\udcff.md", FILE, 0o644, 2, 3, "cd" * 32)]


def test_the_line_of_the_page_is_an_entry() -> None:
    line = PAGE.read_text(encoding="utf-8").partition("```json\n")[2].partition("\n```")[0]
    encoded = backup.encode(HEADER, [], {}) + line.encode() + b"\n"

    found = backup.decode(encoded)

    assert found.entries["memory/2026-11-20.md"].size == 41
    assert found.marks["memory/2026-11-20.md"] == (1310724, 1795158900123456789)


def test_what_is_written_is_read() -> None:
    data = backup.encode(HEADER, ENTRIES, {"memory": (7, 9)})

    found = backup.decode(data)

    assert found.header == HEADER
    assert found.header.events == 8
    assert [entry.plain() for entry in found.entries.values()] == [entry.plain() for entry in ENTRIES]
    assert found.marks == {"memory": (7, 9)}
    assert backup.header(data.partition(b"\n")[0]) == HEADER
    assert data.isascii()


def test_what_is_cut_or_something_else_is_no_manifest() -> None:
    data = backup.encode(HEADER, ENTRIES, {})
    last = data[:-1].rfind(b"\n") + 1
    for wrong in (
        b"",
        b"{}\n",
        b"[]\n",
        data[:-1],
        data[:-40],
        data[:last],
        data.replace(b'"backup": 1', b'"backup": 2'),
    ):
        with pytest.raises(backup.NotABackupError):
            backup.decode(wrong)
    deep = b"[" * 100_000
    for wrong in (deep, data.partition(b"\n")[0] + b"\n" + deep + b"\n"):
        with pytest.raises(backup.NotABackupError):
            backup.decode(wrong)
    assert json.loads(data.partition(b"\n")[0])["agentws"] == 1


def test_names_are_ordered_by_number_and_known_by_the_agent() -> None:
    name = backup.name_of(12, datetime(2026, 11, 20, 6, 15, tzinfo=UTC))

    assert (name, backup.number_of(name)) == ("0012-2026-11-20T061500Z", 12)
    assert backup.moment_of(name) == datetime(2026, 11, 20, 6, 15, tzinfo=UTC)
    assert [backup.number_of(wrong) for wrong in (f".{name}", f"{name}~", "0012", f".part-{name}")] == [0] * 4
    assert backup.folder_of(HEADER.agent, "../Röb in/") == "r-b-in-0f3c9a52"
    for agent in (HEADER.agent, "../../etc", "ä"):
        folder = backup.folder_of(agent, "x")
        assert "/" not in folder
        assert backup.is_folder_of(agent, folder)
        assert not backup.is_folder_of("f" * 32, folder)
