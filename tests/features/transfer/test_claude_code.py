"""The transcripts of Claude Code: the words of the user are asked, those of the program are not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

from agentws.features.transfer.plan.items import Turn
from agentws.features.transfer.sources import claude_code, reader
from agentws.workspace import Environment, Workspace
from tests import table
from tests.conftest import NOW

AT = "2026-11-18T07:15:00.000Z"
NOTE = "<system-reminder>Run the linter.</system-reminder>"
OPENED = "<ide_opened_file>The user opened boat.py.</ide_opened_file>"
REVIEW = "<command-message>review</command-message>\n<command-name>/review</command-name>"


class Case(NamedTuple):
    """A message of the user, and the request that is read from it."""

    content: str | list[str]
    asked: str


def turns(folder: Path, *messages: dict[str, Any], project: str = "") -> list[Turn]:
    rows = [{"timestamp": AT, "uuid": f"u{number}", "sessionId": "s", **row} for number, row in enumerate(messages)]
    (folder / "s.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    files = reader.Files([str(folder / "s.jsonl")], (".jsonl",), besides="")
    items = files.items(claude_code.CLAUDE_CODE.read, project=project, advanced=lambda _: None)
    return [item for item in items if isinstance(item, Turn)]


def user(content: str | list[str]) -> dict[str, Any]:
    parts = content if isinstance(content, str) else [{"type": "text", "text": text} for text in content]
    return {"type": "user", "message": {"role": "user", "content": parts}}


def answer(text: str, **more: Any) -> dict[str, Any]:
    return {"type": "assistant", "message": {"role": "assistant", "content": [{"type": "text", "text": text}]}, **more}


def test_the_words_of_the_user_are_the_request_and_those_of_the_program_are_not(tmp_path: Path) -> None:
    def reads(case: Case) -> None:
        (turn,) = turns(tmp_path, user(case.content), answer("Done."))
        assert (turn.asked, turn.done) == (case.asked, "Done.")

    cases = (
        Case("Rename the spout to beak", "Rename the spout to beak"),
        Case([NOTE, "Rename the spout to beak"], "Rename the spout to beak"),
        Case(f"{NOTE}\nRename the spout", "Rename the spout"),
        Case(f"Rename the spout\n{NOTE}\nto beak", "Rename the spout\n\nto beak"),
        Case(["<system-reminder>cut off", "Rename the spout"], "Rename the spout"),
        Case("Explain the tag <system-reminder> to me", "Explain the tag <system-reminder> to me"),
        Case(f"{OPENED} Look at the lids", "Look at the lids"),
        Case(["<ide_selection>lines 1 to 4:\nlid\n</ide_selection>", "Look at the lids"], "Look at the lids"),
        Case(f"{REVIEW}\n<command-args>look at the lids</command-args>", "/review look at the lids"),
        Case(f"{REVIEW}\n<command-args></command-args>", "/review"),
        Case(NOTE, ""),
        Case("[Request interrupted by user]", ""),
    )
    table.holds(reads, cases)


def test_a_command_of_the_program_itself_is_no_request(tmp_path: Path) -> None:
    clear = user("<command-name>/clear</command-name>\n<command-args></command-args>")
    output = user("<local-command-stdout>(no content)</local-command-stdout>")

    (turn,) = turns(tmp_path, clear, output, user("Paint the gate"), answer("Painted."))

    assert (turn.id, turn.asked) == ("u2", "Paint the gate")


def test_a_request_stays_with_its_session(tmp_path: Path) -> None:
    read = turns(
        tmp_path,
        {**user("Paint the gate"), "sessionId": "a"},
        {**answer("Painted."), "sessionId": "a"},
        {**user("<command-name>/review</command-name>\n<command-args></command-args>"), "sessionId": "a"},
        {**user("Order lids"), "sessionId": "b"},
        {**answer("Ordered."), "sessionId": "c"},
    )

    assert [(turn.session, turn.asked, turn.done) for turn in read] == [
        ("a", "Paint the gate", "Painted."),
        ("b", "Order lids", ""),
        ("c", "", "Ordered."),
    ]


def test_a_session_of_another_project_with_the_same_folder_name_stays_out(tmp_path: Path) -> None:
    read = turns(
        tmp_path,
        {**user("Paint the gate"), "sessionId": "a", "cwd": "/p/my/app"},
        {**user("Order lids"), "sessionId": "b", "cwd": "/p/my-app"},
        {**user("Order hinges"), "sessionId": "b", "cwd": "/p/elsewhere"},
        {**user("Test the lids"), "sessionId": "c", "cwd": "/p/my-app/lids"},
        {**user("Count the lids"), "sessionId": "d"},
        project="/p/my-app",
    )

    assert [turn.asked for turn in read] == ["Order lids", "Order hinges", "Test the lids", "Count the lids"]


def test_a_failure_of_the_model_is_not_an_answer(tmp_path: Path) -> None:
    broken = answer("API Error: 529 overloaded", isApiErrorMessage=True)

    (turn,) = turns(tmp_path, user("Paint the gate"), answer("Half of it."), broken)

    assert (turn.done, turn.failed) == ("Half of it.", ("the model: API Error: 529 overloaded",))


def call(id: str, tool: str, **given: str) -> dict[str, Any]:
    part = {"type": "tool_use", "id": id, "name": tool, "input": given}
    return {"type": "assistant", "message": {"role": "assistant", "content": [part]}}


def failure(id: str, message: str) -> dict[str, Any]:
    part = {"type": "tool_result", "tool_use_id": id, "is_error": True, "content": message}
    return {"type": "user", "message": {"role": "user", "content": [part]}}


def test_a_secret_of_a_failed_call_is_masked_whatever_its_message_quotes(tmp_path: Path) -> None:
    shell = call("c", "Bash", command="PASSWORD: `kdhrwq731")

    (turn,) = turns(tmp_path, user("Paint the gate"), shell, failure("c", "`cat` has no such file"))

    assert turn.failed == ("Bash PASSWORD: `‹redacted:password›: `cat` has no such file",)


def test_a_path_of_any_length_and_a_labelled_decision_fit_in_an_entry(workspace: Workspace, tmp_path: Path) -> None:
    transcript = tmp_path / "s.jsonl"
    turns(
        tmp_path, user("Paint the gate"), call("c", "Write", file_path="/x" * 150_000), answer("Decided: we use oil.")
    )

    done = workspace.memory.import_from("claude-code", str(transcript))

    text = Path(workspace.root, done.paths[0]).read_text()
    assert done.sessions == 1
    assert "  Files: /x/x" in text
    assert max(map(len, text.splitlines())) < 300
    assert "  Decided: we use oil.\n" in text


def test_a_time_that_some_zone_cannot_have_is_no_time(tmp_path: Path) -> None:
    zone = Environment(now=NOW, timezone="Europe/Berlin")
    workspace = Workspace.init(str(tmp_path / "ws"), environment=zone)
    far = {**user("Paint the gate"), "timestamp": "9999-12-31T23:30:00Z"}
    turns(tmp_path, far, user("Oil the hinge"))

    done = workspace.memory.import_from("claude-code", str(tmp_path / "s.jsonl"))

    assert (done.sessions, dict(done.reasons)) == (1, {"no time": 1})
