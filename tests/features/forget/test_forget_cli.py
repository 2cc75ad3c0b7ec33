"""The doors of forget and why: what is shown, who is asked, what scripts get."""

from __future__ import annotations

import json
import os
import pty
import re
from datetime import datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from agentws.features.forget import command as forget_command
from agentws.workspace import Environment, Workspace
from tests import forked
from tests.features.forget.test_forget import compacted
from tests.features.journal.keeping import everywhere, note, tree

NAME = "Sam Tester"


def run(workspace: Workspace, *words: str, code: int = 0, stdin: str = "", cwd: str | None = None) -> tuple[str, str]:
    """(stdout, stderr) of the command."""
    done = forked.run_text("-C", workspace.root, *words, given=stdin, cwd=cwd)
    assert done.returncode == code, done.stderr
    return done.stdout, done.stderr


def on_a_terminal(workspace: Workspace, *words: str, answer: str) -> tuple[int, str]:
    """(exit code, what the terminal shows) of the command."""
    master, terminal = pty.openpty()
    try:
        child = forked.begin("-C", workspace.root, *words, streams=(terminal,) * 3)
        os.write(master, answer.encode())
        return forked.end(child), os.read(master, 1 << 16).decode()
    finally:
        os.close(master)
        os.close(terminal)


@pytest.fixture
def known(workspace: Workspace) -> Workspace:
    """A workspace that holds the name."""
    Path(workspace.root, "USER.md").write_text(f"# User\n\n- {NAME}: \x1b[31mtea\n")
    note(workspace, f"{NAME} called")
    return workspace


def test_nobody_has_agreed_so_nothing_changes_and_it_says_how(known: Workspace) -> None:
    before = tree(known.root)

    out, err = run(known, "forget", "--subject", NAME, code=3)

    assert f"USER.md:3  - {NAME}: \\u{{1b}}[31mtea" in out
    assert f"{NAME} called" in out
    assert "--yes" in err
    assert tree(known.root) == before


def test_a_purge_at_a_terminal_shows_the_events_and_asks(known: Workspace) -> None:
    cursor = next(event.cursor for event in known.journal.list() if event.kind == "note")
    before = tree(known.root)
    words = ("journal", "purge", cursor, "--reason", "asked")

    code, shown = on_a_terminal(known, *words, answer="n\n")

    assert (code, tree(known.root) == before) == (3, True)
    assert f"{cursor}  " in shown
    assert "would be purged" in shown
    assert on_a_terminal(known, *words, answer="y\n")[0] == 0
    assert NAME not in str([event.body for event in known.journal.list(whole=True)])
    assert on_a_terminal(known, *words, "--yes", answer="")[0] == 0


def test_an_agent_keeps_out_no_single_word(known: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAUDECODE", "1")
    before = tree(known.root)

    err = run(known, "forget", "--matching", "called", "--yes", code=3)[1]

    assert "Only a person may keep out every line with one word" in err
    assert tree(known.root) == before


def test_events_are_listed_at_the_time_that_clocks_of_the_workspace_showed(known: Workspace) -> None:
    manifest = Path(known.root, "agentws.toml")
    manifest.write_text(re.sub(r"(?m)^timezone = .*$", 'timezone = "Asia/Tokyo"', manifest.read_text()))
    event = next(each for each in known.journal.list() if f"{NAME} called" in str(each.body))
    shown = datetime.fromisoformat(event.at).astimezone(ZoneInfo("Asia/Tokyo")).strftime("%Y-%m-%d %H:%M")

    for words in (["forget", "--matching", NAME], ["journal", "retract"], ["journal", "purge"]):
        events = [] if words[0] == "forget" else [event.cursor]
        out, _ = run(known, *words, *events, "--reason", "asked", "--dry-run")
        assert f"{event.cursor}  {shown}  note" in out


def test_a_dry_run_lists_and_is_no_failure(known: Workspace) -> None:
    before = tree(known.root)

    out, _ = run(known, "forget", "--subject", NAME, "--dry-run")

    assert "USER.md:3" in out
    assert "Nothing was changed." in out
    assert tree(known.root) == before


def test_what_was_agreed_to_is_done_and_not_said_again(known: Workspace) -> None:
    out, err = run(known, "forget", "--subject", NAME, "--yes")

    assert "USER.md: line 3" in out
    assert NAME not in out + err
    assert everywhere(known.root, NAME) == []
    assert "Not found" in run(known, "forget", "--subject", NAME, "--yes")[0]


def test_a_person_at_a_terminal_is_shown_and_asked(known: Workspace) -> None:
    before = tree(known.root)

    code, shown = on_a_terminal(known, "forget", "--subject", NAME, answer="n\n")
    assert (code, tree(known.root) == before) == (3, True)
    assert "USER.md:3" in shown

    code, _ = on_a_terminal(known, "forget", "--subject", NAME, answer="y\n")
    assert code == 0
    assert everywhere(known.root, NAME) == []


def test_the_text_may_come_from_standard_input(known: Workspace) -> None:
    run(known, "forget", "--matching", "-", "--yes", stdin=f"{NAME}\n")

    assert everywhere(known.root, NAME) == []


def test_scripts_are_told_what_goes_and_afterwards_no_longer_what_it_said(known: Workspace) -> None:
    listed = json.loads(run(known, "forget", "--subject", NAME, "--json", code=3)[0])
    done = json.loads(run(known, "forget", "--subject", NAME, "--json", "--yes")[0])

    assert (listed["schema"], listed["done"], done["done"]) == ("agentws/forget@1", False, True)
    assert [(line["path"], line["line"], line["why"]) for line in listed["lines"]] == [("USER.md", 3, "holds it")]
    assert NAME in listed["lines"][0]["text"]
    assert [row["path"] for row in done["changed"]] == ["USER.md"]
    assert NAME not in json.dumps(done)


def test_what_is_left_is_told_by_the_exit_code_and_in_json_until_it_is_gone(known: Workspace) -> None:
    file = Path(known.root, "tasks", "ring-sam-tester.md")
    file.parent.mkdir(exist_ok=True)
    file.write_text("# Ring\n")

    shown = json.loads(run(known, "forget", "--subject", NAME, "--json", "--dry-run", code=3)[0])
    assert shown["left"][0]["holds"] is True
    told = json.loads(run(known, "forget", "--subject", NAME, "--json", "--yes", code=3)[0])
    assert (told["done"], [one["place"] for one in told["left"]]) == (True, ["tasks/ring-sam-tester.md"])
    out, err = run(known, "forget", "--subject", NAME, "--yes", code=3)
    assert ("Not found" in out, "Some matches remain" in err) == (False, True)
    file.rename(file.with_name("ring.md"))
    run(known, "forget", "--subject", NAME, "--yes")


def test_while_git_history_matches_the_exit_code_is_3(tmp_path: Path, environment: Environment) -> None:
    known = Workspace.init(str(tmp_path / "robin"), environment=environment, name="Robin")
    known.remember(f"{NAME} likes tea")

    for words in (("--dry-run",), ("--yes",), ("--yes",)):
        out, err = run(known, "forget", "--subject", NAME, *words, code=3)

        assert "Past states in git contain matches" in out
        assert "Take the matches out of git history" in err
        assert ("re-run" in err, "would remain" in err) == ((False, True) if words == ("--dry-run",) else (True, False))


@pytest.mark.parametrize("words", [("--dry-run",), ("--yes",)])
def test_what_could_not_be_searched_is_never_called_nothing(known: Workspace, words: tuple[str, ...]) -> None:
    os.mkfifo(Path(known.root, "memory", "2026-01-01.md"))

    out, err = run(known, "forget", "--subject", "Leo Nobody", *words, code=3)
    told = json.loads(run(known, "forget", "--subject", "Leo Nobody", "--json", *words, code=3)[0])

    assert "Not found in the files that could be searched." in out
    assert "1 place could not be searched" in err
    assert (len(told["unread"]), "base64" in told["not_looked_for"][0]) == (1, True)


def test_a_usage_error_is_one(known: Workspace) -> None:
    _, err = run(known, "forget", code=2)
    assert "--subject" in err
    run(known, "forget", "--subject", NAME, "--reason", f"{NAME} asked", "--yes", code=2)


def test_why_takes_places_as_the_present_folder_means_them(workspace: Workspace) -> None:
    compacted(workspace)
    inside = str(Path(workspace.root, "memory"))

    for place, cwd in (("MEMORY.md:10", None), ("../MEMORY.md:10", inside), (f"{workspace.root}/MEMORY.md:10", inside)):
        out, _ = run(workspace, "why", place, cwd=cwd)
        assert "memory/archive/2026/2026-03-02.md:4  2026-03-02  as it was" in out
    out, _ = run(workspace, "why", "archive/2026/2026-03-02.md:4", cwd=inside)
    assert "Became MEMORY.md:10." in out


def test_why_alone_lists_all_memories(workspace: Workspace) -> None:
    compacted(workspace)

    out, _ = run(workspace, "why")
    told = json.loads(run(workspace, "why", "MEMORY.md", "--json")[0])

    assert "MEMORY.md:10  1 source  2026-03-02  The roof has 300 tiles" in out
    assert (told["schema"], [one["line"] for one in told["entries"]]) == ("agentws/why-list@1", [9, 10, 11])


def test_why_of_a_line_that_is_not_there_is_a_usage_error(workspace: Workspace) -> None:
    _, err = run(workspace, "why", "MEMORY.md:999", code=2)
    assert "FILE:LINE" in err
    found = json.loads(run(workspace, "why", "MEMORY.md:1", "--json")[0])
    assert (found["schema"], found["run"], found["line"]) == ("agentws/why@1", None, 1)


@pytest.mark.parametrize(
    ("holds", "waiting", "past", "said"),
    [
        (True, True, True, "Rename or edit"),
        (False, True, True, "agentws sync"),
        (False, False, True, "git history"),
        (False, False, False, "each copy"),
    ],
)
def test_what_is_left_is_told_with_what_takes_it_away(holds: bool, waiting: bool, past: bool, said: str) -> None:
    found: Any = SimpleNamespace(
        left=[SimpleNamespace(holds=holds)],
        events=[SimpleNamespace(line=SimpleNamespace(waiting=waiting))],
        history=object() if past else None,
    )

    assert said in forget_command._next(found)
