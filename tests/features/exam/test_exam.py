"""The exam of a workspace: what passes, what fails, and what an expression without end does."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentws.errors import DamagedError, MissingFileError, UsageError
from agentws.features.exam import matcher
from agentws.workspace import Environment, Workspace


def put(workspace: Workspace, text: str, path: str = "exam.toml") -> None:
    (Path(workspace.root) / path).write_text(text, encoding="utf-8")


def test_each_question_is_answered_by_boot_or_search(workspace: Workspace) -> None:
    workspace.remember("Sam lives in Lisbon")
    put(
        workspace,
        """\
[[must]]
boot = '^.*Sam lives in \\w+'
[[must]]
boot = 'Sam lives in Porto'
[[must]]
search = "where does Sam live"
expect = 'Lisbon'
[[must]]
search = "where does Sam live"
expect = 'Porto'
[[must_not]]
search = "where does Sam live"
expect = 'Lisbon'
[[must_not]]
boot = 'Porto'
""",
    )

    done = workspace.exam()

    assert [answer.passed for answer in done.answers] == [True, False, True, False, False, True]
    assert [answer.question.line for answer in done.failed] == [3, 8, 11]
    assert done.failed[0].says == "boot does not match Sam lives in Porto."
    assert done.failed[2].says.startswith("MEMORY.md:")
    assert not done.well


def test_the_audience_of_a_question_is_that_of_its_boot_and_its_search(workspace: Workspace) -> None:
    workspace.remember("Sam earns little #private")
    ask = """\
[[must_not]]
boot = 'earns little'
audience = "{0}"
[[must_not]]
search = "earns"
expect = "earns little"
audience = "{0}"
"""

    put(workspace, ask.format("shared"))
    assert workspace.exam().well
    put(workspace, ask.format("main"))
    assert [answer.passed for answer in workspace.exam().answers] == [False, False]


def test_the_budget_of_a_question_is_that_of_its_boot(workspace: Workspace) -> None:
    put(workspace, "\n\n".join(f"Day {number} was quiet." for number in range(2000)), "SOUL.md")
    put(workspace, "[[must]]\nboot = 'of 700 tokens'\nbudget = 700\n")

    assert workspace.exam().well


def test_a_budget_that_boot_refuses_fails_its_question_alone(workspace: Workspace) -> None:
    put(workspace, "[[must]]\nboot = 'tokens'\nbudget = 1\n[[must]]\nboot = 'tokens'\n")

    done = workspace.exam()

    assert [answer.passed for answer in done.answers] == [False, True]
    assert "budget" in done.failed[0].says


def test_an_expression_without_end_is_stopped_and_the_others_are_answered() -> None:
    endless = "(a+)+$"
    texts = ["a" * 64 + "!"]

    answers = matcher.first_matches([("a!", texts), (endless, texts), ("b", texts), (endless, texts)], seconds=0.2)

    assert answers == [0, None, -1, None]


def test_a_question_whose_expression_is_stopped_has_failed(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    first_matches = matcher.first_matches
    monkeypatch.setattr(matcher, "first_matches", lambda wanted: first_matches(wanted, seconds=0.2))
    put(workspace, "a" * 64 + "!\n", "SOUL.md")
    put(workspace, "[[must_not]]\nboot = '(a+)+$'\n")

    assert [answer.says for answer in workspace.exam().failed] == [
        "It or those before it took too long (2 s each): simplify them."
    ]


def test_an_expression_that_takes_long_to_compile_is_stopped() -> None:
    slow = "(?i)" + "[A-\U0010ffff]" * 1000

    assert matcher.first_matches([(slow, ["b"]), ("b", ["b"])], seconds=0.1) == [None, 0]


def test_all_expressions_together_have_a_time() -> None:
    endless = ("(a+)+$", ["a" * 64 + "!"])

    assert matcher.first_matches([endless] * 8 + [("a", ["a"])], seconds=0.1) == [None] * 9


def test_an_expression_that_is_none_is_an_error_with_its_line(workspace: Workspace) -> None:
    put(workspace, '[[must]]\nboot = "a"\n\n[[must]]\nboot = "(b"\n')

    with pytest.raises(DamagedError, match=r"^exam\.toml:4: \[\[must\]\]: '\(b' is not a regular expression: missing"):
        workspace.exam()


def test_without_a_file_the_error_names_the_command_that_writes_one(workspace: Workspace) -> None:
    with pytest.raises(MissingFileError, match="agentws exam --suggest"):
        workspace.exam()


def test_a_suggested_exam_passes_in_the_workspace_that_it_was_made_of(workspace: Workspace) -> None:
    workspace.remember("[rule] Never write to Sam before noon")

    made = workspace.exam.suggest()

    assert (Path(workspace.root) / "exam.toml").read_text(encoding="utf-8") == made.text
    assert "Never" in made.text
    assert made.exam.well, made.exam.failed
    assert workspace.exam().well


def test_a_dry_run_writes_nothing_and_an_exam_is_never_overwritten(workspace: Workspace) -> None:
    assert workspace.exam.suggest(dry_run=True).text
    assert not (Path(workspace.root) / "exam.toml").exists()
    put(workspace, "[[must]]\nboot = 'Robin'\n")

    with pytest.raises(UsageError, match="already exists"):
        workspace.exam.suggest()

    assert (Path(workspace.root) / "exam.toml").read_text(encoding="utf-8") == "[[must]]\nboot = 'Robin'\n"


def test_one_undo_removes_a_suggested_exam(workspace: Workspace) -> None:
    workspace.exam.suggest()

    workspace.undo()

    assert not (Path(workspace.root) / "exam.toml").exists()


def test_doctor_warns_of_each_question_that_fails_and_of_a_damaged_file(workspace: Workspace) -> None:
    put(workspace, "[[must]]\nboot = 'Robin'\n[[must]]\nboot = 'the moon'\n")
    found = [finding for finding in workspace.doctor().findings if finding.name == "exam"]
    assert [(finding.path, finding.line, finding.severity) for finding in found] == [("exam.toml", 3, "warning")]

    put(workspace, "[[must]]\nboot = '('\n")
    with pytest.raises(DamagedError):
        workspace.exam()
    found = [finding for finding in workspace.doctor().findings if finding.path == "exam.toml"]
    assert [(finding.line, finding.severity) for finding in found] == [(1, "warning")]


def test_history_keeps_an_exam(tmp_path: Path, environment: Environment) -> None:
    made = Workspace.init(str(tmp_path / "robin"), environment=environment, name="Robin")

    made.exam.suggest()

    assert made.history("exam.toml").changes
