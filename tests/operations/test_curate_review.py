"""curate --review: a person decides, and may take up what came from outside."""

from __future__ import annotations

from pathlib import Path

import pytest
import typer

from agentws.cli import main
from agentws.formats import managed, sources
from agentws.operations.curate.review import Proposed
from agentws.planning.curation import proposals
from agentws.workspace import Workspace

DAY = "memory/2026-11-18.md"
HEARD = "The harbour opens at 6 (via tool:web)"


@pytest.fixture
def noted(workspace: Workspace) -> Workspace:
    root = Path(workspace.root)
    (root / "memory").mkdir(exist_ok=True)
    (root / DAY).write_text(
        "- [rule] Never touch production without Sam\n- [lesson] Backups need the cable\n"
        "- The account is XY 77 (via tool:web)\n"
    )
    (root / "MEMORY.md").write_text(f"# Memory\n\n## From the logs\n\n### {managed.HEARD}\n- {HEARD}\n")
    row = sources.Made(managed.of_text(HEARD), [], day="2026-11-01", run="", src="tool:web")
    (root / sources.PATH).write_text(sources.encode([row]))
    (root / proposals.PATH).write_text(
        proposals.with_added("", [proposals.Proposal("The account is XY 77", "fact", [f"{DAY}:3", "memory/gone.md:1"])])
    )
    return workspace


def decided(workspace: Workspace, decisions: dict[str, tuple[str, str]]) -> list[Proposed]:
    found = workspace.curation_review().proposed
    for one in found:
        one.decision, one.edited = decisions.get(one.text, ("", ""))
    assert {one.text for one in found} >= decisions.keys()
    return found


def entries(workspace: Workspace) -> list[tuple[str, str]]:
    text = Path(workspace.root, "MEMORY.md").read_text()
    return [(one.kind, one.text) for one in managed.read(text).entries]


def test_what_a_person_takes_up_from_outside_is_theirs_and_both_sources_stay_known(noted: Workspace) -> None:
    done = noted.decide_curation(
        decided(noted, {"The harbour opens at 6": ("y", ""), "The account is XY 77": ("y", "")})
    )

    assert done.refused == []
    assert entries(noted) == [("Facts", "The harbour opens at 6"), ("Facts", "The account is XY 77")]
    known = sources.decode(Path(noted.root, sources.PATH).read_text())
    row = known.stated[managed.of_text("The account is XY 77")]
    assert (row.src, row.ref_src, [one.line for one in row.sources]) == ("user", "tool:web", [3])
    assert proposals.proposals(Path(noted.root, proposals.PATH).read_text()) == []
    theirs = noted.curation_brief().brief.rows
    assert [row.is_theirs for row in theirs] == [True, True]
    assert len(noted.curate(f"RETIRE {theirs[0].number} expired\n").refused) == 1
    noted.undo()
    assert entries(noted) == [(managed.HEARD, HEARD)]


def test_why_tells_whose_words_they_were_before_a_person_took_them_up(noted: Workspace) -> None:
    lesson = "Backups need the cable"
    noted.decide_curation(
        decided(noted, {"The harbour opens at 6": ("y", ""), lesson: ("y", "The cable is needed for backups")})
    )

    lines = Path(noted.root, "MEMORY.md").read_text().split("\n")
    told = [noted.why(f"MEMORY.md:{lines.index(f'- {text}') + 1}") for _, text in entries(noted)]
    assert [(one.src, one.stated_from, one.stated_src) for one in told] == [
        ("user", f"{DAY}:2", "unknown"),
        ("user", "memory/archive/superseded.md", "tool:web"),
    ]


def test_no_is_remembered_and_an_edit_is_the_persons(noted: Workspace) -> None:
    noted.decide_curation(
        decided(
            noted,
            {
                "The harbour opens at 6": ("n", ""),
                "Backups need the cable": ("n", ""),
                "Never touch production without Sam": ("y", "Ask Sam or Kim before touching production"),
            },
        )
    )

    assert entries(noted) == [("Rules", "Ask Sam or Kim before touching production")]
    assert [one.text for one in noted.curation_review().proposed] == ["The account is XY 77"]
    known = sources.decode(Path(noted.root, sources.PATH).read_text())
    assert known.stated[managed.of_text(entries(noted)[0][1])].kind == "rule"
    assert known.made[managed.of_text(HEARD)].state == "retired"


def test_the_program_asks_as_git_does(
    noted: Workspace, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main.run(["-C", noted.root, "curate", "--review"]) == 3, "no terminal"
    answers = iter(["s", "e", "Never without Sam", "s", "?", "y", "q"])
    monkeypatch.setattr(typer, "prompt", lambda *_, **__: next(answers))
    for stream in ("stdin", "stderr"):
        monkeypatch.setattr(f"sys.{stream}.isatty", lambda: True, raising=False)

    assert main.run(["-C", noted.root, "curate", "--review"]) == 0

    assert entries(noted) == [
        ("Rules", "Never without Sam"),
        ("Facts", "The account is XY 77"),
        (managed.HEARD, HEARD),
    ]
    said = capsys.readouterr().out
    assert f"{DAY}:3 (from outside: tool:web)" in said
    assert "it is offered again" in said
