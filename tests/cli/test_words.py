"""What people type without thinking: bare `agentws`, several words, piped text, a verdict in five lines."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests import forked

NOW = "2026-11-20T07:15:00+00:00"


def run(*words: str, cwd: Path, **more: str) -> subprocess.CompletedProcess[str]:
    return forked.run_text(*words, cwd=cwd, env={**os.environ, "AGENTWS_NOW": NOW, **more})


@pytest.fixture
def robin(tmp_path: Path) -> Path:
    assert run("init", "robin", "--name", "Robin", cwd=tmp_path).returncode == 0
    return tmp_path / "robin"


def piped(text: bytes | None, *words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """The real program, with `text` on a pipe; None: nothing to read at all."""
    command = [sys.executable, "-m", "agentws", *words]
    environment = {**os.environ, "AGENTWS_NOW": NOW}
    if text is None:
        done = subprocess.run(command, cwd=cwd, env=environment, stdin=subprocess.DEVNULL, capture_output=True)
    else:
        done = subprocess.run(command, cwd=cwd, env=environment, input=text, capture_output=True)
    return subprocess.CompletedProcess(command, done.returncode, done.stdout.decode(), done.stderr.decode())


def test_several_words_are_one_text(robin: Path) -> None:
    assert run("log", "Sam", "said", "yes", cwd=robin).stdout == "memory/2026-11-20.md:3\n"
    assert run("log", "--kind", "decision", "Slate", "it", "is", cwd=robin).returncode == 0

    assert "- 07:15 Sam said yes\n- 07:15 [decision] Slate it is\n" in (robin / "memory/2026-11-20.md").read_text()


def test_several_words_are_one_fact_one_title_one_step_and_one_reason(robin: Path) -> None:
    assert run("remember", "Leo", "drinks", "tea", "--section", "People", cwd=robin).returncode == 0
    assert run("task", "add", "Mend", "the", "roof", cwd=robin).stdout.startswith("tasks/mend-the-roof.md")
    assert run("task", "start", "mend", "before", "winter", cwd=robin).returncode == 0
    assert run("task", "step", "mend", "order", "the", "tiles", cwd=robin).returncode == 0

    assert "Leo drinks tea" in (robin / "MEMORY.md").read_text()
    told = (robin / "tasks/mend-the-roof.md").read_text()
    assert "Mend the roof" in told
    assert "order the tiles" in told
    assert "before winter" in run("journal", "list", "--json", cwd=robin).stdout


def test_get_and_set_may_stand_before_a_setting_and_a_slip_is_told_the_near_one(robin: Path) -> None:
    told = run("config", "set", "boot.budget", "500", cwd=robin)

    assert told.stdout.startswith("boot.budget = 500 ")
    assert run("config", "boot.budget", cwd=robin).stdout == run("config", "get", "boot.budget", cwd=robin).stdout
    assert "budget = 500" in (robin / "agentws.toml").read_text()
    for words in ("config set boot.budget", "config get boot.budget 3", "config log.heading The log"):
        refused = run(*words.split(), cwd=robin)
        assert (refused.returncode, "agentws config KEY VALUE" in refused.stderr) == (2, True), words
    near = run("config", "boot.budgt", "3", cwd=robin).stderr
    assert "Did you mean: boot.budget?" in near
    assert "retention" not in near


@pytest.mark.parametrize(
    ("words", "option"),
    [
        ("log use --json for scripts", "--json"),
        ("log the --kind fact entries", "--kind"),
        ("log see --via=user there", "--via"),
        ("log --kind fact now -q and -q", "-q"),
        ("log one -q --json two", "--json"),
        ("log one --nothing -q two", ""),
        ("task rename roof Mend --via user it", "--via"),
        ("task rename --via user roof Mend it", ""),
        ("task rename roof --via user Mend it", ""),
        ("log --kind fact a b --tag c -q", ""),
        ("log a -- --json b", ""),
    ],
)
def test_no_option_is_taken_out_of_a_text(robin: Path, words: str, option: str) -> None:
    run("task", "add", "Roof", cwd=robin)

    done = run(*words.split(), cwd=robin)

    assert (f"{option} is in the middle of the text" in done.stderr) is bool(option)
    assert (done.returncode == 2) is bool(option or "--nothing" in words)
    assert (robin / "memory/2026-11-20.md").exists() is (done.returncode == 0 and "log" in words)


def test_what_is_piped_in_is_the_text(robin: Path) -> None:
    assert piped(b"from a pipe\n", "log", cwd=robin).stdout == "memory/2026-11-20.md:3\n"
    assert piped(b"with a dash\n", "log", "-", cwd=robin).returncode == 0
    assert piped(b"Paint the door\n", "task", "add", "-", cwd=robin).stdout.startswith("tasks/paint-the-door.md")
    nothing = piped(None, "log", cwd=robin)

    assert "from a pipe\n- 07:15 with a dash\n" in (robin / "memory/2026-11-20.md").read_text()
    assert (nothing.returncode, nothing.stderr.split("\n")[0]) == (2, "agentws: Missing text.")


def test_bare_agentws_is_status_inside_and_the_help_outside(robin: Path, tmp_path: Path) -> None:
    inside, status, outside = run(cwd=robin), run("status", cwd=robin), run(cwd=tmp_path)

    assert inside.returncode == status.returncode == 0
    assert inside.stdout == status.stdout
    assert inside.stdout.startswith("No problem found.\nRobin · ")
    assert (outside.returncode, outside.stderr) == (0, "")
    assert "Usage: agentws" in outside.stdout
    assert "agentws start" in outside.stdout
    named = run("-C", "robin", "--json", cwd=tmp_path)
    assert json.loads(named.stdout)["schema"] == "agentws/status@1"
    assert run("--json", cwd=tmp_path).returncode == 10
    assert run("-C", "nowhere", cwd=tmp_path).returncode == 10


def test_bare_agentws_exits_as_status_where_there_is_a_problem(robin: Path) -> None:
    (robin / "USER.sync-conflict-20261119-101112-ABCDEFG.md").write_text("x")

    bare, status = run(cwd=robin), run("status", cwd=robin)

    assert bare.returncode == status.returncode == 3
    assert (bare.stdout, bare.stderr) == (status.stdout, status.stderr)
    assert bare.stdout.startswith("1 problem found")


def test_no_verb_is_called_dashboard(robin: Path) -> None:
    assert run("dashboard", cwd=robin).returncode == 2


def test_a_verdict_is_five_lines_in_status_and_in_full_in_doctor(robin: Path) -> None:
    for name in "abcdef":
        (robin / f"{name}.sync-conflict-20261119-101112-ABCDEFG.md").write_text("x")

    status, doctor = run("status", cwd=robin), run("doctor", cwd=robin)

    for done in (status, doctor):
        assert done.returncode == 3
        assert done.stdout.startswith("6 problems found")
        assert "a.sync-conflict-20261119-101112-ABCDEFG.md: " in done.stdout
        assert done.stderr.split("\n")[0] == "agentws: 6 problems found (see above)."
    assert len(status.stdout.splitlines()) == 5
    assert "more: agentws doctor" in status.stdout
    assert len(run("status", "--full", cwd=robin).stdout.splitlines()) > 15
    assert all(f"{name}.sync-conflict" in doctor.stdout for name in "abcdef")
    assert doctor.stdout.count("→") >= 6


def test_init_ends_with_what_comes_next(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "claude"))
    (tmp_path / "claude").mkdir()

    made = run("init", "robin", cwd=tmp_path)
    told = json.loads(run("init", "wren", "--json", cwd=tmp_path).stdout)

    assert made.stdout.split("\nNext: ")[1].split("\n") == [
        "cd robin                                   into the workspace",
        "      $EDITOR USER.md                            who you are: boot shows it",
        "      agentws install claude-code                Claude Code is on this machine",
        'Try:  agentws todo "feed the cat"                an open item, until it is done',
        '      agentws handoff --next "say good morning"  a note for the next session',
        "      agentws boot                               your agent wakes up and knows both",
        "",
    ]
    assert told["next_steps"] == [
        *("cd wren", "$EDITOR USER.md", "agentws install claude-code", 'agentws todo "feed the cat"'),
        *('agentws handoff --next "say good morning"', "agentws boot"),
    ]
    assert "Next" not in run("init", "robin", cwd=tmp_path).stdout


def test_the_three_commands_that_init_ends_with_do_what_it_says(tmp_path: Path) -> None:
    todo, handoff, boot = json.loads(run("init", "robin", "--json", cwd=tmp_path).stdout)["next_steps"][-3:]

    shown = [run(*shlex.split(command)[1:], cwd=tmp_path / "robin").stdout for command in (todo, handoff, boot)]

    assert "feed the cat" in shown[2]
    assert "say good morning" in shown[2]


def test_a_task_is_edited_and_renamed(robin: Path, tmp_path: Path) -> None:
    run("task", "add", "Mend the roof", "--due", "monday", cwd=robin)
    editor = tmp_path / "editor.sh"
    editor.write_text('#!/bin/sh\nsed -i.bak "s/Mend/Mend and paint/" "$1"\n')
    editor.chmod(0o700)

    assert (
        run("task", "edit", "mend", "--priority", "high", cwd=robin).stdout == "mend-the-roof: open · due 2026-11-23\n"
    )
    assert run("task", "edit", "mend", cwd=robin, EDITOR=str(editor)).returncode == 0
    assert run("task", "edit", "mend", cwd=robin, EDITOR="").returncode == 2
    renamed = run("task", "rename", "mend", "Mend", "the", "gutter", cwd=robin)

    assert renamed.stdout == "tasks/mend-the-gutter.md: Mend the gutter\n"
    assert "due" in run("task", "list", cwd=robin).stdout.split("\n")[0]
    assert "edited: its file" in run("task", "show", "mend", cwd=robin).stdout


def test_a_folder_alone_is_named_in_front_of_a_verb(robin: Path, tmp_path: Path) -> None:
    done = run("-C", str(robin), cwd=tmp_path, CLAUDECODE="1")

    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("No problem found.\nRobin ")


def test_what_is_not_there_is_said_in_words_that_fit_it(robin: Path) -> None:
    empty = piped(None, "handoff", "--stdin", cwd=robin)
    today = run("open", cwd=robin)
    nobody, many = run("task", "step", "roof", cwd=robin), run("task", "show", "roof", "gutter", cwd=robin)

    assert (empty.returncode, empty.stderr.split("\n")[0]) == (
        2,
        "agentws: Nothing to hand over: standard input is empty.",
    )
    assert (today.returncode, today.stderr.split("\n")[0]) == (1, "agentws: There is no log of today yet.")
    assert nobody.stderr.startswith("agentws: No task 'roof'.")
    assert "Usage: agentws task show SLUG." in many.stderr
    assert "no log in memory/" in run("status", cwd=robin).stdout


def test_columns_stand_below_one_another_in_the_list_of_hosts(robin: Path) -> None:
    listed = [line for line in run("install", cwd=robin).stdout.split("\n") if "found" in line]

    assert len({line.replace("not found", "found    ").index("found") for line in listed}) == 1
