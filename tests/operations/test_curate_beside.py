"""curate --apply tells what MEMORY.md says of the same, and holds back what it says already."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import typer

from agentws.cli import main
from agentws.formats.documents import managed
from agentws.operations.curate.answer import Curated
from agentws.workspace import Workspace
from tests import table

DAY = "memory/2026-11-18.md"
OWN = "# Memory\n\nMine: never edit this line.\n\n- A fact of mine\n"


@pytest.fixture
def noted(workspace: Workspace) -> Workspace:
    Path(workspace.root, "memory").mkdir(exist_ok=True)
    Path(workspace.root, "MEMORY.md").write_text(OWN)
    return workspace


def number(workspace: Workspace, text: str) -> int:
    return next(row.number for row in workspace.curation_brief().brief.rows if text in row.entry.text)


def refused(done: Curated) -> list[str]:
    return [why for _, why in done.refused]


def test_what_comes_tells_which_lines_of_memory_speak_of_the_same(noted: Workspace) -> None:
    Path(noted.root, "MEMORY.md").write_text(OWN + "- The shed by the quay: roof of tin\n")
    Path(noted.root, DAY).write_text(
        "- [fact] The shed by the quay is let to Ines Alvarez\n- [fact] Ines Alvarez pays for the quay\n"
        "- [fact] Low water is at 12\n"
    )
    noted.curate(f"ADD [fact] Ines Alvarez pays for the quay {{{DAY}:2}}\n")

    done = noted.curate(f"ADD [fact] The shed by the quay is let to Ines Alvarez {{{DAY}:1}}\n")

    shown = [each.shown for each in done.beside[1]]
    assert shown == [
        "beside MEMORY.md:11 “Ines Alvarez pays for the quay” (both: alvarez, ines, quay, the)",
        "beside MEMORY.md:6 “The shed by the quay: roof of tin” (both: by, shed, quay, the)",
    ]
    assert not noted.curate(f"ADD [fact] Low water is at 12 {{{DAY}:3}}\n").beside[1]


def test_numbers_alone_put_no_line_beside_another(noted: Workspace) -> None:
    Path(noted.root, "MEMORY.md").write_text(OWN + "- Charts: 23 of 2026\n")
    Path(noted.root, DAY).write_text("- [fact] Ferry fares rose on 23 May 2026\n")

    done = noted.curate(f"ADD [fact] Ferry fares rose on 23 May 2026 {{{DAY}:1}}\n")

    assert done.beside == {1: []}


def test_an_update_tells_which_other_entry_it_touches(noted: Workspace, capsys: pytest.CaptureFixture[str]) -> None:
    Path(noted.root, DAY).write_text(
        "- [decision] The harbour lease runs out in May\n- [rule] Lamps burn until dawn on pier 9\n"
        "- [decision] The harbour lease was signed by Ines on pier 9\n"
    )
    noted.curate(
        f"ADD [decision] The harbour lease runs out in May {{{DAY}:1}}\n"
        f"ADD [rule] Lamps burn until dawn on pier 9 {{{DAY}:2}}\n"
    )
    lamps = number(noted, "Lamps")
    capsys.readouterr()
    answer = Path(noted.root, "answer")
    answer.write_text(f"UPDATE {lamps} Lamps of the harbour lease burn until dawn {{{DAY}:1}}\n")

    main.run(["-C", noted.root, "curate", "--dry-run", "--apply", str(answer)])

    lines = capsys.readouterr().out.split("\n")
    assert lines[1] == "  was: Lamps burn until dawn on pier 9"
    assert lines[2].startswith("  beside MEMORY.md:")
    assert lines[2].endswith("“The harbour lease runs out in May” (both: harbour, lease, the)")


RESTATED = (
    ("ADD [fact] The boat shed key hangs at the office of Ines {{{}:1}}", True),
    ("ADD [fact] The boat shed key hangs at the office, hook 4 {{{}:2}}", False),  # a number that stands nowhere
    ("ADD [fact] Ola keeps the ferry at Alm {{{}:3}}", False),
    ("ADD [fact] Tar for Petrel comes from Alm, rope from Oland {{{}:4}}", True),  # said by two lines of one section
    ("ADD! [fact] The boat shed key hangs at the office of Ines {{{}:1}}", False),
)


def test_what_memory_says_already_waits_for_a_second_yes(noted: Workspace) -> None:
    Path(noted.root, "MEMORY.md").write_text(
        "# Memory\n\n## Shed\n\n- The key of the boat shed hangs at the office, Ines has another\n\n"
        "## Petrel\n\n- Tar comes from Alm\n- Rope comes from Oland\n"
    )
    Path(noted.root, DAY).write_text(
        "- [fact] The boat shed key hangs at the office of Ines\n"
        "- [fact] The boat shed key hangs at the office, hook 4\n"
        "- [fact] Ola keeps the ferry at Alm\n- [fact] Tar for Petrel comes from Alm, rope from Oland\n"
    )

    def check(row: tuple[str, bool]) -> None:
        line, is_held = row
        done = noted.curate(line.format(DAY) + "\n", dry_run=True)
        assert (done.held == {1}) == is_held, done.refused
        assert not is_held or refused(done)[0].startswith("already said at MEMORY.md:")

    table.holds(check, RESTATED)


def test_what_leaves_by_the_same_answer_holds_no_addition_back(noted: Workspace) -> None:
    Path(noted.root, DAY).write_text(
        "- [decision] The boat shed key hangs at the office\n- [decision] The boat shed key hangs with Ines\n"
    )
    noted.curate(f"ADD [decision] The boat shed key hangs at the office {{{DAY}:1}}\n")
    addition = f"ADD [decision] The boat shed key hangs with Ines {{{DAY}:2}}\n"
    assert noted.curate(addition, dry_run=True).held == {1}

    done = noted.curate(f"{addition}RETIRE {number(noted, 'boat')} superseded: Ines {{{DAY}:2}}\n")

    assert refused(done) == []


def reviewed(noted: Workspace, monkeypatch: pytest.MonkeyPatch, *answers: str) -> list[str]:
    """What stands in the section after a person has answered so."""
    said: Iterator[str] = iter(answers)
    monkeypatch.setattr(typer, "prompt", lambda *_, **__: next(said))
    for stream in ("stdin", "stderr"):
        monkeypatch.setattr(f"sys.{stream}.isatty", lambda: True, raising=False)
    main.run(["-C", noted.root, "curate", "--review"])
    assert list(said) == []
    return [one.text for one in managed.read(Path(noted.root, "MEMORY.md").read_text()).entries]


def test_a_person_is_asked_twice_about_what_memory_says_already(
    noted: Workspace, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    key = "Ask Ines Alvarez of the harbour office first about the shed key"
    Path(noted.root, "MEMORY.md").write_text(
        f"{OWN}- The key of the shed hangs at the office; the lamp of the shed is with Ines Alvarez\n"
    )
    Path(noted.root, DAY).write_text(f"- [fact] {key}\n")

    assert reviewed(noted, monkeypatch, "y", "n", "s") == []
    assert "Already said at MEMORY.md:6 “The key of the shed hangs" in (said := capsys.readouterr().out)
    assert "    beside MEMORY.md:6 “The key of the shed hangs" in said
    assert reviewed(noted, monkeypatch, "e", "The key of the shed hangs at the office", "n", "s") == []
    assert reviewed(noted, monkeypatch, "e", "The key of the shed hangs at the office", "y") == [
        "The key of the shed hangs at the office"
    ]
    noted.undo()
    assert reviewed(noted, monkeypatch, "y", "y") == [key]
