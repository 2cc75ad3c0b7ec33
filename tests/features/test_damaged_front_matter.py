"""A daily log whose front matter cannot be read: every verb reads its lines, and the fault has a name and a line."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentws.core.formats.documents import document
from agentws.errors import DamagedError
from agentws.workspace import Workspace

DAMAGED = {
    "colon": ("---\ntitle: Friday: pumps\n---\n", 2),
    "not closed": ("---\ntitle: Friday pumps\n\n", 1),
    "a key twice": ("---\ntitle: Pumps\ntitle: Seals\n---\n", 3),
    "template tag": ("---\ntitle: {{title}}\n---\n", 2),
}
LOG = (
    "# Pumps\n\n- [ ] Oil the harbour pump\n- 09:00 [decision] The pump runs at night\n\n"
    "## Next steps\n\n- order seals\n"
)
DAY = "memory/2026-11-18.md"
OLD = "memory/2026-10-20.md"


@pytest.fixture(params=list(DAMAGED))
def harbour(request: pytest.FixtureRequest, workspace: Workspace) -> tuple[Workspace, str]:
    """A workspace with such a log, and where its fault is."""
    header, line = DAMAGED[request.param]
    Path(workspace.root, DAY).write_text(header + LOG)
    return workspace, f"{DAY}:{line}"


def test_its_items_are_listed_at_their_lines_and_the_fault_is_a_notice(harbour: tuple[Workspace, str]) -> None:
    workspace, fault = harbour

    listed = workspace.todos()

    lines = Path(workspace.root, DAY).read_text().splitlines()
    assert [(row.text, lines[row.line - 1]) for row in listed.rows] == [
        ("Oil the harbour pump", "- [ ] Oil the harbour pump")
    ]
    assert [notice for notice in listed.notices if notice.startswith(f"{fault}: ")]


def test_its_items_can_be_closed_and_its_bytes_stay(harbour: tuple[Workspace, str]) -> None:
    workspace, _ = harbour
    before = Path(workspace.root, DAY).read_bytes()

    workspace.done("harbour pump")

    assert workspace.todos().rows == []
    assert Path(workspace.root, DAY).read_bytes() == before


def test_a_line_can_be_appended_to_it(harbour: tuple[Workspace, str]) -> None:
    workspace, _ = harbour
    today = Path(workspace.root, "memory/2026-11-20.md")
    header = Path(workspace.root, DAY).read_text()
    today.write_text(header)

    workspace.log("Went home")

    assert today.read_text().startswith(header)
    assert today.read_text().endswith("- 07:15 Went home\n")


def test_boot_shows_its_lines_and_names_the_fault(harbour: tuple[Workspace, str]) -> None:
    workspace, fault = harbour

    boot = workspace.boot(budget=8_000)

    assert "order seals" in boot.text
    assert "The pump runs at night" in boot.text
    assert f"⚠ {fault}: " in boot.text


def test_status_and_doctor_name_the_fault(harbour: tuple[Workspace, str]) -> None:
    workspace, fault = harbour

    for findings in (workspace.status().findings, workspace.doctor().findings):
        assert [found.where for found in findings if found.name == "front-matter"] == [fault]


def test_search_finds_its_lines(harbour: tuple[Workspace, str]) -> None:
    workspace, _ = harbour

    assert workspace.search("order seals").hits[0].path == DAY


def test_curate_offers_its_lines_and_names_the_fault(harbour: tuple[Workspace, str]) -> None:
    workspace, fault = harbour

    briefed = workspace.memory.brief()

    assert "The pump runs at night" in briefed.brief.text
    assert [notice for notice in briefed.notices if notice.startswith(f"{fault}: ")]


def test_compact_keeps_what_is_open_and_what_is_marked(harbour: tuple[Workspace, str]) -> None:
    workspace, _ = harbour
    Path(workspace.root, DAY).rename(Path(workspace.root, OLD))
    before = Path(workspace.root, OLD).read_bytes()
    listed = [row.text for row in workspace.todos().rows]

    workspace.memory.compact()

    assert [row.text for row in workspace.todos().rows] == listed == ["Oil the harbour pump"]
    assert "- The pump runs at night (20 Oct, Pumps)" in Path(workspace.root, "MEMORY.md").read_text()
    assert "order seals" in Path(workspace.root, "memory/digest.md").read_text()
    assert Path(workspace.root, "memory/archive/2026/2026-10-20.md").read_bytes() == before


@pytest.mark.parametrize("header", [header for header, _ in DAMAGED.values()])
def test_what_is_read_in_spite_of_its_header_is_private_and_its_fields_are_not_changed(header: str) -> None:
    read, damage = document.lenient((header + LOG).encode(), where="a.md")

    assert isinstance(damage, DamagedError)
    assert (read.body, read.body_line) == (header + LOG, 1)
    assert read.fields == {"private": "unreadable"}
    with pytest.raises(DamagedError):
        document.with_fields(read, {"status": "done"}, where="a.md")
