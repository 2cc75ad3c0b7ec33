"""curate --review: a person decides, and may take up what came from outside."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import typer

from agentws.cli import main
from agentws.core.formats.documents import managed, proposals, sources
from agentws.features.memory.curate.answer import Proposed
from agentws.workspace import Workspace
from tests.features.memory.curate import proposed

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
        proposed.with_added("", [proposals.Proposal("The account is XY 77", "fact", [f"{DAY}:3", "memory/gone.md:1"])])
    )
    return workspace


def decided(workspace: Workspace, decisions: dict[str, tuple[str, str]]) -> list[Proposed]:
    found = workspace.memory.review().proposed
    for one in found:
        one.decision, one.edited = decisions.get(one.text, ("", ""))
    assert {one.text for one in found} >= decisions.keys()
    return found


def entries(workspace: Workspace) -> list[tuple[str, str]]:
    text = Path(workspace.root, "MEMORY.md").read_text()
    return [(one.kind, one.text) for one in managed.read(text).entries]


def test_what_a_person_takes_up_from_outside_is_theirs_and_both_sources_stay_known(noted: Workspace) -> None:
    done = noted.memory.decide(decided(noted, {"The harbour opens at 6": ("y", ""), "The account is XY 77": ("y", "")}))

    assert done.refused == []
    assert entries(noted) == [("Facts", "The harbour opens at 6"), ("Facts", "The account is XY 77")]
    known = sources.decode(Path(noted.root, sources.PATH).read_text())
    row = known.stated[managed.of_text("The account is XY 77")]
    assert (row.src, row.ref_src, [one.line for one in row.sources]) == ("user", "tool:web", [3])
    assert not Path(noted.root, proposals.PATH).exists()
    theirs = noted.memory.brief().brief.rows
    assert [row.is_theirs for row in theirs] == [True, True]
    assert len(noted.memory.curate(f"RETIRE {theirs[0].number} expired\n").refused) == 1
    noted.undo()
    assert entries(noted) == [(managed.HEARD, HEARD)]


def test_why_tells_whose_words_they_were_before_a_person_took_them_up(noted: Workspace) -> None:
    lesson = "Backups need the cable"
    noted.memory.decide(
        decided(noted, {"The harbour opens at 6": ("y", ""), lesson: ("y", "The cable is needed for backups")})
    )

    lines = Path(noted.root, "MEMORY.md").read_text().split("\n")
    told = [noted.memory.why(f"MEMORY.md:{lines.index(f'- {text}') + 1}") for _, text in entries(noted)]
    assert [(one.src, one.stated_from, one.stated_src) for one in told] == [
        ("user", f"{DAY}:2", "unknown"),
        ("user", "memory/archive/superseded.md", "tool:web"),
    ]


def test_no_is_remembered_and_an_edit_is_the_persons(noted: Workspace) -> None:
    noted.memory.decide(
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
    assert [one.text for one in noted.memory.review().proposed] == ["The account is XY 77"]
    known = sources.decode(Path(noted.root, sources.PATH).read_text())
    assert known.stated[managed.of_text(entries(noted)[0][1])].kind == "rule"
    assert known.made[managed.of_text(HEARD)].state == "retired"


def test_the_program_asks_as_git_does(
    noted: Workspace, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main.run(["-C", noted.root, "curate", "--review"]) == 3, "no terminal"
    answers = iter(["s", "?", "y", "s", "e", "Never without Sam", "q"])
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
    assert "propose it again next time" in said


@pytest.fixture
def asked(noted: Workspace, monkeypatch: pytest.MonkeyPatch) -> Callable[..., int]:
    """Run a review with these answers; behind them the input ends, or it is stopped."""

    def run(*answers: str, end: type[BaseException] = typer.Abort) -> int:
        for stream in ("stdin", "stderr"):
            monkeypatch.setattr(f"sys.{stream}.isatty", lambda: True, raising=False)
        left = iter(answers)

        def prompt(*_: object, default: str = "", **__: object) -> str:
            said = next(left, None)
            if said is None:
                raise end
            return said or default

        monkeypatch.setattr(typer, "prompt", prompt)
        return main.run(["-C", noted.root, "curate", "--review"])

    return run


@pytest.mark.parametrize("end", [typer.Abort, KeyboardInterrupt])
def test_nothing_is_lost_where_the_person_stops(
    noted: Workspace, asked: Callable[..., int], capsys: pytest.CaptureFixture[str], end: type[BaseException]
) -> None:
    assert asked("s", "s", "y", end=end) == 0

    assert ("Lessons", "Backups need the cable") in entries(noted)
    said = capsys.readouterr().out
    assert "Stopped. Decisions made so far were saved." in said
    assert "applied: Backups need the cable" in said
    assert "Undo: agentws undo" in said
    assert asked("s", "s", "e", end=end) == 0
    assert "No decision was made; nothing was changed." in capsys.readouterr().out


def test_an_edit_that_is_empty_or_does_not_hold_decides_nothing(
    noted: Workspace, asked: Callable[..., int], capsys: pytest.CaptureFixture[str]
) -> None:
    assert asked("s", "s", "s", "e", "", "e", "[done] Never (via user)", "e", "Ask Sam", "q") == 0

    assert [text for kind, text in entries(noted) if kind == "Rules"] == ["Ask Sam"]
    said = capsys.readouterr().out
    assert "No text was given. Decide again." in said
    assert "Not accepted: the text must be one plain sentence." in said


def test_a_review_names_places_that_open(noted: Workspace) -> None:
    path = Path(noted.root, "memory/archive/2026/2026-11-18.md")
    path.parent.mkdir(parents=True)
    noted.memory.compact(before="2026-11-19", agreed=True)
    assert path.exists()
    (one,) = [each for each in noted.memory.review().proposed if each.text == "The account is XY 77"]
    assert one.sources[0][0] == "memory/archive/2026/2026-11-18.md:3"


def test_a_person_takes_up_an_imported_memory(workspace: Workspace, tmp_path: Path) -> None:
    (tmp_path / "house.md").write_text("- The roof has 300 tiles\n- The gate is green\n")
    workspace.memory.import_from("markdown", str(tmp_path / "house.md"))
    wanted = {"house: The roof has 300 tiles": ("y", ""), "house: The gate is green": ("n", "")}

    done = workspace.memory.decide(decided(workspace, wanted))

    assert done.refused == []
    assert [text for _, text in entries(workspace)] == ["house: The roof has 300 tiles"]
    row = sources.decode(Path(workspace.root, sources.PATH).read_text()).stated[
        managed.of_text("house: The roof has 300 tiles")
    ]
    assert (row.src, row.ref_src) == ("user", "import:markdown")
    assert workspace.memory.review().proposed == []
