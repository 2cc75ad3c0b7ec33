"""A person at the terminal is asked: what they say, what is asked again, and where they stop."""

from __future__ import annotations

import io

import pytest

from agentws.core.terminal import dialog
from agentws.core.terminal.invocation import Run


def says(monkeypatch: pytest.MonkeyPatch, *lines: str) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{line}\n" for line in lines)))


@pytest.mark.parametrize(("said", "agreed"), [("y", True), ("Yes", True), ("n", False), ("", False)])
def test_only_a_yes_is_one(monkeypatch: pytest.MonkeyPatch, said: str, agreed: bool) -> None:
    says(monkeypatch, said)

    assert dialog.confirm("Go on?") is agreed


def test_a_name_in_a_question_does_nothing_to_the_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    says(monkeypatch, "y", "x")

    dialog.confirm("Apply this to a\nnotice: all is well\x1b[2J?")
    dialog.prompt("The name [a\nnotice: all is well]", "")

    shown = capsys.readouterr().err
    assert "\nnotice" not in shown
    assert "\x1b" not in shown


def test_what_is_usual_need_not_be_written(monkeypatch: pytest.MonkeyPatch) -> None:
    says(monkeypatch, "", "  two words ")

    assert dialog.prompt("Text", "s") == "s"
    assert dialog.prompt("Text", "s") == "two words"


def test_the_end_of_input_is_as_ctrl_c(monkeypatch: pytest.MonkeyPatch) -> None:
    says(monkeypatch)

    with pytest.raises(KeyboardInterrupt):
        dialog.confirm("Go on?")


def test_nobody_is_asked_who_reads_json_or_is_no_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    run = Run()
    for stream in ("stdin", "stderr"):
        monkeypatch.setattr(f"sys.{stream}.isatty", lambda: True, raising=False)
    monkeypatch.setattr("sys.stdout.isatty", lambda: False, raising=False)

    assert dialog.is_terminal(run, but_stdout=True)
    assert not dialog.is_terminal(run)
    run.as_json = True
    assert not dialog.is_terminal(run, but_stdout=True)
    monkeypatch.setattr("sys.stdin", None)
    run.as_json = False
    assert not dialog.is_terminal(run, but_stdout=True)
