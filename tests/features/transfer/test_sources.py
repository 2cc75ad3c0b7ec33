"""Every source of import: each item that is read is added, known or listed with a reason, in damaged files too."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest

from agentws.features.transfer import sources
from agentws.features.transfer.plan.items import Turn
from agentws.features.transfer.sources import reader
from agentws.workspace import Workspace
from tests import table
from tests.features.transfer import material


def test_every_source_has_material() -> None:
    assert list(material.SOURCES) == sources.names()


def written(workspace: Workspace) -> str:
    return "".join(
        path.read_text() for path in sorted(Path(workspace.root, "memory").rglob("*import*/*.md"))
    ) + "".join(path.read_text() for path in sorted(Path(workspace.root, "memory").glob("*-import-*.md")))


@pytest.mark.parametrize("source", material.SOURCES)
def test_what_is_read_is_added_or_listed_with_a_reason(workspace: Workspace, source: str, tmp_path: Path) -> None:
    wanted = material.make(source, tmp_path / "there")

    done = workspace.memory.import_from(source, str(tmp_path / "there"))

    counted = (done.sessions + done.lines, done.memories, len(done.rest))
    assert counted == (wanted.turns, wanted.memories, wanted.rest), done.rest
    assert done.read == sum(counted)
    assert done.known == 0
    text = written(workspace)
    assert not [words for words in wanted.says if words not in text], text
    assert not [item for item in done.rest if not (item.where and item.reason)]


@pytest.mark.parametrize("source", material.SOURCES)
def test_a_second_import_adds_nothing_and_one_undo_takes_all_back(
    workspace: Workspace, source: str, tmp_path: Path
) -> None:
    before = {path: path.read_bytes() for path in Path(workspace.root).rglob("*.md")}
    first = material.make(source, tmp_path / "there") and workspace.memory.import_from(source, str(tmp_path / "there"))
    text = written(workspace)

    again = workspace.memory.import_from(source, str(tmp_path / "there"))

    assert (again.sessions, again.lines, again.memories, again.paths) == (0, 0, 0, [])
    assert again.known == first.sessions + first.lines + first.memories
    assert written(workspace) == text
    workspace.undo()
    assert {path: path.read_bytes() for path in Path(workspace.root).rglob("*.md")} == before


@pytest.mark.parametrize("source", material.SOURCES)
def test_a_damaged_file_costs_no_more_than_its_damaged_parts(workspace: Workspace, source: str, tmp_path: Path) -> None:
    material.make(source, tmp_path / "there")
    for path in sorted((tmp_path / "there").rglob("*")):
        if not path.is_file() or path.suffix not in (*sources.source(source).suffixes, ".md"):
            continue
        whole = path.read_bytes()

        def survives(damage: bytes, path: Path = path) -> None:
            path.write_bytes(damage)
            done = workspace.memory.import_from(source, str(tmp_path / "there"), dry_run=True)
            assert done.read == done.sessions + done.lines + done.memories + done.known + sum(done.reasons.values())

        cuts = [whole[: len(whole) * part // 23] for part in range(23)]
        flips = [
            bytes([*whole[:at], whole[at] ^ 0xFF, *whole[at + 1 :]])
            for at in range(0, len(whole), len(whole) // 23 + 1)
        ]
        table.holds(survives, [*cuts, *flips, b"", b"\0" * 64, b"[" * 100_000, b"{}", b"null\n[]\n", b"\xff\xfe\n"])
        path.write_bytes(whole)


@pytest.mark.parametrize("source", material.SOURCES)
def test_what_can_never_be_imported_is_listed_once_and_counted_later(
    workspace: Workspace, source: str, tmp_path: Path
) -> None:
    material.make(source, tmp_path / "there")
    first = workspace.memory.import_from(source, str(tmp_path / "there"))

    again = workspace.memory.import_from(source, str(tmp_path / "there"))

    assert again.rest == []
    assert sum(again.reasons.values()) == len(first.rest)
    workspace.undo()
    assert workspace.memory.import_from(source, str(tmp_path / "there")).rest == first.rest


def test_a_request_stays_with_its_session_in_every_source(tmp_path: Path) -> None:
    def reads(source: str) -> None:
        path = tmp_path / "chats" / f"{source}.jsonl"
        path.parent.mkdir(exist_ok=True)
        path.write_text(material.two_sessions(source))
        program = sources.source(source)
        files = reader.Files([str(path)], program.suffixes, besides="")
        items = files.items(program.read, project="", advanced=lambda _: None)
        requests = [(item.session, item.asked) for item in items if isinstance(item, Turn)]
        assert requests == [("a", "Paint the gate"), ("b", "Order lids")]

    table.holds(reads, ("codex", "gemini", "qwen", "openclaw"))


def test_the_memories_of_a_list_below_a_key_are_read_one_at_a_time(workspace: Workspace, tmp_path: Path) -> None:
    def reads(case: tuple[str, int, int]) -> None:
        (tmp_path / "export.json").write_text(case[0], errors="surrogateescape")
        done = workspace.memory.import_from("mem0", str(tmp_path / "export.json"), dry_run=True)
        assert (done.memories + done.known, done.unread) == case[1:]

    long = json.dumps("Sam rows. " * (reader.MOST_LINE_BYTES // 10 * 5))
    smile = "\N{SMILING FACE WITH OPEN MOUTH}"
    rows = '{"memory": "Leo rows", "data": []}, {"memory": "Kim \\"]} paints"}'
    cases = (
        (f'{{"count": [2], "note": {{"results": [1]}}, "results" :\n [{rows}], "relations": [1]}}', 2, 0),
        (f'{{"results": [{rows}, {{"memory": {long}}}, {rows}]}}', 2, 1),
        (f'{{"results": [{{"memory": "Ida \udcff rows"}}, {rows}]}}', 2, 1),
        (f'[{{"memory": "{smile * 30_000}"}}, {rows}]', 3, 0),
        (f"[{'7' * 70_000}, {rows}]", 0, 1),
        (f"[{', '.join([rows] * 3000)}]", 6000, 0),
        (f'{{"results": [{rows}, {{"mem', 2, 1),
        (f'{{"note": {" " * 70_000}"x", "data": [{rows}]}}', 2, 0),
        ('{"results": []}', 0, 0),
        ('\N{ZERO WIDTH NO-BREAK SPACE}{"results": [ ]}', 0, 0),
        ('{"memory": "Leo rows"}', 1, 0),
    )
    table.holds(reads, cases)


@pytest.mark.parametrize("source", ["claude-code", "mem0"])
def test_a_row_that_is_not_utf8_is_refused_and_the_others_are_read(
    workspace: Workspace, source: str, tmp_path: Path
) -> None:
    wanted = material.make(source, tmp_path / "there")
    path = next(path for path in (tmp_path / "there").iterdir() if path.is_file())
    rows = b'{"memory": "Kim \xff"}'
    data = path.read_bytes()
    path.write_bytes(rows + b"\n" + data if path.suffix == ".jsonl" else data.replace(b"[", b"[" + rows + b",", 1))

    done = workspace.memory.import_from(source, str(tmp_path / "there"))

    assert (done.sessions, done.memories) == (wanted.turns, wanted.memories)
    assert done.reasons["not a text in UTF-8"] == 1
    assert "\N{REPLACEMENT CHARACTER}" not in written(workspace)


def test_a_value_that_a_database_computes_costs_no_more_than_its_row(workspace: Workspace, tmp_path: Path) -> None:
    material.make("claude-mem", tmp_path / "there")
    with sqlite3.connect(tmp_path / "there/claude-mem.db") as base:
        base.execute("ALTER TABLE observations ADD COLUMN wide TEXT AS (hex(zeroblob((id = 1) * 300000000)))")
        base.execute("INSERT INTO observations (id, title) VALUES (3, 'Two files')")
    base.close()

    done = workspace.memory.import_from("claude-mem", str(tmp_path / "there"))

    assert (done.memories, done.sessions, len(done.rest)) == (1, 1, 2)
    assert "Two files" in written(workspace)


def test_the_summaries_of_two_databases_are_all_kept(workspace: Workspace, tmp_path: Path) -> None:
    for name in ("one", "two"):
        material.make("claude-mem", tmp_path / name)
        with sqlite3.connect(tmp_path / name / "claude-mem.db") as base:
            base.execute("UPDATE session_summaries SET memory_session_id = ?, request = ?", (name, f"Plan {name}"))
        base.close()

        assert workspace.memory.import_from("claude-mem", str(tmp_path / name)).sessions == 1

    assert "Asked: Plan two" in written(workspace)


def test_without_a_path_the_sessions_of_this_project_are_read(workspace: Workspace, tmp_path: Path) -> None:
    slug = "".join(char if char.isalnum() else "-" for char in workspace.root)
    (tmp_path / ".claude/projects").mkdir(parents=True)
    material.make("claude-code", tmp_path / ".claude/projects" / slug)
    material.make("claude-code", tmp_path / ".claude/projects/-elsewhere")
    (tmp_path / ".codex").mkdir()
    material.make("codex", tmp_path / ".codex/sessions")
    home = {"HOME": str(tmp_path)}

    assert workspace.memory.import_from("claude-code", variables=home).sessions == 2
    assert workspace.memory.import_from("codex", variables=home).read == 0
