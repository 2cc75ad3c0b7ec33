"""Kinds between brackets in any language, and in a workspace's own words: for compaction and for curation."""

from __future__ import annotations

from pathlib import Path

from agentws.core.formats.documents import managed
from agentws.core.notes import reading, vocabulary
from agentws.workspace import Workspace
from tests import table

DAY = "memory/2026-10-01.md"
OWN = '\n[vocabulary.kinds]\ndecision = ["vedtatt"]\nrule = ["fast regel"]\n'
KINDS = (
    ("- [entscheidung] SQLite für das Register von Petrel\n", "decision"),
    ("- 09:12 [regel] Nie ohne Ines zum Pier 9\n", "rule"),
    ("- [decisión] SQLite para el registro de Petrel\n", "decision"),
    ("- [решение] SQLite для реестра Petrel\n", "decision"),
    ("- [vedtatt] SQLite for the register of Petrel\n", "decision"),
    ("- [rule] SQLite for the register of Petrel\n", "rule"),
    ("- [zorp] SQLite for the register of Petrel\n", "zorp"),
)


def test_a_word_between_brackets_is_the_kind_that_a_vocabulary_gives_it() -> None:
    words = vocabulary.extended({"kinds.decision": ["vedtatt"]})

    def check(row: tuple[str, str]) -> None:
        line, kind = row
        (entry,) = reading.read(line, path=DAY, day="2026-10-01", words=words)
        assert (entry.kind, entry.state) == (kind, None)

    table.holds(check, KINDS)


def test_compaction_and_curation_keep_to_the_vocabulary_of_a_workspace(workspace: Workspace) -> None:
    root = Path(workspace.root)
    (root / DAY).parent.mkdir(exist_ok=True)
    (root / DAY).write_text("- [vedtatt] SQLite for the register of Petrel\n- [regel] Nie ohne Ines zum Pier 9\n")
    (root / "agentws.toml").write_text((root / "agentws.toml").read_text() + OWN)
    workspace = Workspace.open(workspace.root, environment=workspace.stores.environment)

    offered = workspace.memory.brief().brief.candidates
    workspace.memory.compact(agreed=True)

    assert sorted((one.kind, one.text) for one in offered) == [
        ("decision", "SQLite for the register of Petrel"),
        ("rule", "Nie ohne Ines zum Pier 9"),
    ]
    section = managed.read((root / "MEMORY.md").read_text()).entries
    assert [(one.kind, one.text) for one in section] == [
        ("Rules", "Nie ohne Ines zum Pier 9 (1 Oct)"),
        ("Decisions", "SQLite for the register of Petrel (1 Oct)"),
    ]
