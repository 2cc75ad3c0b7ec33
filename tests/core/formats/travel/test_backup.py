"""The manifest of a backup: the example of its page, there and back, and what is none."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from agentws.core.formats.travel import backup
from agentws.core.formats.travel.inventory import FILE, FOLDER, LINK, TreeEntry
from agentws.errors import DamagedError
from tests import table

PAGE = Path(__file__).parents[4] / "docs" / "format" / "backup.md"
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
    encoded = backup.encode(HEADER, ENTRIES[:1], {}) + line.encode() + b"\n"

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


def test_a_name_with_a_moment_that_never_was_is_none() -> None:
    assert backup.number_of("0001-9999-99-99T999999Z") == 0


def _entry(path: str, kind: str = FILE, content: str = "ab" * 32, size: int = 1) -> TreeEntry:
    return TreeEntry(path, kind, 0o644, 1, size, content)


FOLDER_A, LINK_A = _entry("a", FOLDER, ""), _entry("a", LINK, "/etc")


def test_an_entry_that_leads_elsewhere_is_none() -> None:
    table.holds(
        _is_refused,
        [
            ("file above", [_entry("../x")]),
            ("absolute file", [_entry("/x")]),
            ("file above a folder", [FOLDER_A, _entry("a/../x")]),
            ("file beneath a link", [LINK_A, _entry("a/x")]),
            ("folder beneath a link", [LINK_A, _entry("a/x", FOLDER, "")]),
            ("file beneath a file", [_entry("a"), _entry("a/x")]),
            ("file in no folder", [_entry("a/x")]),
            ("twice", [FOLDER_A, _entry("a", LINK, "x")]),
            ("no name", [_entry("")]),
            ("the folder itself", [_entry(".")]),
            ("an empty part", [FOLDER_A, _entry("a//x")]),
            ("NUL", [_entry("x\0y")]),
            ("NUL in a link", [_entry("x", LINK, "y\0z")]),
            ("half a character", [_entry("\ud800")]),
            ("another kind", [_entry("x", "?")]),
            ("less than nothing", [_entry("x", size=-1)]),
            ("more than there is", [_entry("x", size=1 << 70)]),
        ],
    )


def _is_refused(row: tuple[str, list[TreeEntry]]) -> None:
    entries = row[1]
    files = sum(entry.kind != FOLDER for entry in entries)
    with pytest.raises(backup.NotABackupError):
        backup.decode(backup.encode(replace(HEADER, files=files), entries, {}))


def test_numbers_and_moments_that_cannot_be_are_no_manifest() -> None:
    infinite: Any = float("inf")
    table.holds(
        _is_no_manifest,
        [
            ("mode", replace(HEADER, mode=infinite), {}),
            ("heads", replace(HEADER, heads={"x": (infinite, "")}), {}),
            ("negative", replace(HEADER, bytes=-1), {}),
            ("marks", HEADER, {"memory": (infinite, 1)}),
            ("no moment", replace(HEADER, at="yesterday"), {}),
            ("no zone", replace(HEADER, at="2026-11-20T06:15:00"), {}),
        ],
    )


def _is_no_manifest(row: tuple[str, backup.Header, dict[str, Any]]) -> None:
    with pytest.raises(backup.NotABackupError):
        backup.decode(backup.encode(row[1], ENTRIES, row[2]))


def test_the_name_of_the_next_one_is_that_of_a_backup_too_or_none_is_given() -> None:
    at = datetime(2026, 11, 20, 6, 15, tzinfo=UTC)

    assert backup.following([], at) == "0001-2026-11-20T061500Z"
    assert backup.following(["0009-2026-11-19T061500Z", "README.txt", ".part-x"], at) == "0010-2026-11-20T061500Z"
    with pytest.raises(DamagedError, match="999999999"):
        backup.following(["0009-2026-11-19T061500Z", "999999999-2026-11-19T061500Z"], at)
