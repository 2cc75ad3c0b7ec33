"""The door: options before and after the verb, exit codes, errors in words and as JSON."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from agentws import errors
from agentws.cli import commands, main
from tests import forked

NOW = {"AGENTWS_NOW": "2026-11-20T07:15:00+00:00"}


def run(*words: str, cwd: Path | str | None = None, **more: str) -> subprocess.CompletedProcess[str]:
    return forked.run_text(*words, cwd=cwd, env={**os.environ, **NOW, **more})


@pytest.fixture
def robin(tmp_path: Path) -> Path:
    run("init", str(tmp_path / "robin"), "--name", "Robin", "--no-git")
    return tmp_path / "robin"


def test_the_first_minute(tmp_path: Path) -> None:
    steps = {"init robin": tmp_path, "log Chose-SQLite": tmp_path / "robin", "boot": tmp_path / "robin"}
    made, logged, booted = (
        subprocess.run(
            [forked.AGENTWS, *words.split()], cwd=cwd, env={**os.environ, **NOW}, capture_output=True, text=True
        )
        for words, cwd in steps.items()
    )

    assert made.returncode == logged.returncode == booted.returncode == 0
    assert "Next: cd robin " in made.stdout
    assert "      $EDITOR USER.md " in made.stdout
    assert logged.stdout == "memory/2026-11-20.md:3\n"
    assert "Chose-SQLite" in booted.stdout


def test_common_options_stand_before_or_behind_the_verb(robin: Path, tmp_path: Path) -> None:
    before = run("-C", str(robin), "--json", "status", cwd=tmp_path)
    behind = run("status", "-C", str(robin), "--json", cwd=tmp_path)

    assert before.stdout == behind.stdout
    assert json.loads(before.stdout)["schema"] == "agentws/status@1"


def test_the_workspace_is_found_upwards_and_by_the_environment(robin: Path, tmp_path: Path) -> None:
    assert run("boot", cwd=robin / "memory").stdout.startswith("# Robin\n")
    assert run("boot", cwd=tmp_path, AGENTWS_WORKSPACE=str(robin)).stdout.startswith("# Robin\n")


def test_without_a_workspace_it_says_what_to_do(tmp_path: Path) -> None:
    done = run("boot", cwd=tmp_path)

    assert done.returncode == 10
    assert "agentws init" in done.stderr
    assert done.stdout == ""


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("boot", "--budget", "10"), 2),
        (("boot", "--tokenizer", "nope"), 2),
        (("boot", "--audience", "nobody"), 2),
        (("boot", "--no-such-option"), 2),
        (("no-such-verb",), 2),
        (("log",), 2),
        (("log", ""), 2),
        (("log", "-"), 2),
        (("context", "show", "nope"), 1),
        (("boot", "--strict", "--budget", "300"), 3),
        (("boot", "--now", "whenever"), 2),
        (("boot", "-C", "/no/such/folder"), 10),
    ],
)
def test_failures_have_their_exit_code_and_a_json_form(robin: Path, words: tuple[str, ...], code: int) -> None:
    plain = run(*words, cwd=robin)
    as_json = run(*words, "--json", cwd=robin)

    assert (plain.returncode, as_json.returncode) == (code, code)
    assert plain.stderr.startswith("agentws: ")
    failure = json.loads(as_json.stderr.strip().split("\n")[-1])
    assert (failure["schema"], failure["exit_code"]) == ("agentws/error@1", code)


def test_an_unexpected_error_is_a_bug_with_a_way_to_report_it(
    robin: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from agentws.workspace import Workspace

    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError("boom")

    monkeypatch.setattr(Workspace, "status", broken)

    assert main.run(["status", "-C", str(robin)]) == 70
    assert "--debug" in capsys.readouterr().err
    with pytest.raises(ZeroDivisionError):
        main.run(["status", "-C", str(robin), "--debug"])


def test_a_multi_line_text_comes_through_standard_input(robin: Path) -> None:
    done = forked.run_text("log", "-", cwd=robin, given="one\ntwo\n")

    assert done.returncode == 0
    assert "one\n  two\n" in next((robin / "memory").glob("2*.md")).read_text()


def test_quiet_silences_notices_and_not_results(tmp_path: Path) -> None:
    (tmp_path / "SOUL.md").write_text("I am.\n")

    assert run("status", "-q", cwd=tmp_path).returncode == 3
    assert run("boot", "-q", cwd=tmp_path).stderr == ""


def test_every_verb_helps_with_examples() -> None:
    for words in (
        ["init"],
        ["boot"],
        ["log"],
        ["status"],
        ["undo"],
        *(["context", v] for v in ("list", "new", "show", "use")),
    ):
        done = run(*words, "--help")

        assert done.returncode == 0
        assert "Examples" in done.stdout
        assert "--json" in done.stdout


def test_without_words_it_shows_its_help() -> None:
    assert "boot" in run().stdout + run().stderr


def test_the_version_is_told() -> None:
    assert run("--version").stdout.startswith("agentws 0.")


@pytest.mark.parametrize("words", [["task", "add"], ["task"], ["event"], ["boot"], []], ids=" ".join)
def test_help_of_a_verb_is_what_the_verb_says_itself(words: list[str]) -> None:
    assert run("help", *words).stdout == run(*words, "--help").stdout != ""


def test_what_help_is_asked_of_and_is_not_there_is_said() -> None:
    done = run("help", "frobnicate")

    assert done.returncode == 2
    assert "frobnicate" in done.stderr


def _listed(page: str) -> list[str]:
    return re.findall(r"^. (\w[\w-]*)  +[A-Z]", page, re.MULTILINE)


def test_the_first_help_lists_the_most_used_commands_and_names_the_full_list() -> None:
    page = run("--help").stdout

    assert _listed(page) == list(commands.FIRST)
    assert "agentws help --all" in page


@pytest.mark.parametrize("family", [*commands.families()])
def test_a_family_without_a_command_lists_what_there_is(family: str, robin: Path) -> None:
    command = commands.list_of(family)
    if not command:
        assert family in commands.of(family)
        return
    listed = run(*command.split(), "--json", cwd=robin)

    bare = run(family, "--json", cwd=robin)

    assert (bare.returncode, bare.stdout) == (listed.returncode, listed.stdout)
    assert bare.returncode == 0
    assert run("-C", str(robin), family).returncode == 0


def test_the_full_help_has_panels_and_no_plumbing() -> None:
    page = run("help", "--all").stdout
    listed = _listed(page)

    assert listed == [name for panel, names in commands.panels().items() if panel != "Plumbing" for name in names]
    assert [panel for panel in commands.GROUPS if f" {panel} " in page] == list(commands.GROUPS[:-1])


def test_shell_completion_knows_the_verbs() -> None:
    done = run(_AGENTWS_COMPLETE="complete_bash", COMP_WORDS="agentws st", COMP_CWORD="1")

    assert "status" in done.stdout


def test_whoever_asks_todo_for_its_list_writes_nothing(robin: Path) -> None:
    done = run("todo", "list", cwd=robin)

    assert (done.returncode, "To list the open items" in done.stderr) == (2, True)
    assert not list((robin / "memory").glob("2*.md"))
    assert run("todo", "--due", "monday", cwd=robin).returncode == 2
    assert run("todo", "--stale", "Call Tom", cwd=robin).returncode == 2


def test_shell_completion_knows_the_references_of_what_is_open_and_gives_a_shell_nothing_to_run(robin: Path) -> None:
    refs = [
        run("todo", text, cwd=robin).stdout.split()[0]
        for text in ("Call Tom", 'Say $(date) `date`; "it\'s" <done> \\ and: [so] | on')
    ]

    told = {
        shell: run(cwd=robin, _AGENTWS_COMPLETE=f"complete_{shell}", **words).stdout
        for shell, words in (
            ("bash", {"COMP_WORDS": "agentws done ", "COMP_CWORD": "2"}),
            ("zsh", {"_TYPER_COMPLETE_ARGS": "agentws done "}),
        )
    }

    assert told["bash"].split() == refs
    assert all(f'"{ref}":"' in told["zsh"] for ref in refs)
    assert "Say date date it s done and so on" in told["zsh"]


@pytest.mark.parametrize("words", [["boot"], ["boot", "--explain"], ["status"], ["log", "x"], ["--help"]])
def test_a_reader_that_goes_away_is_no_error_of_ours(robin: Path, words: list[str]) -> None:
    reading, writing = os.pipe()
    os.close(reading)

    done = subprocess.run([forked.AGENTWS, *words], cwd=robin, stdout=writing, stderr=subprocess.PIPE, text=True)

    os.close(writing)
    assert done.returncode == 141
    assert done.stderr == ""


def test_exit_codes_are_unique_to_their_meaning() -> None:
    classes = [value for value in vars(errors).values() if isinstance(value, type)]
    slugs = [kind.code for kind in classes if issubclass(kind, errors.AgentwsError)]

    assert len(slugs) == len(set(slugs))


def test_python_m_agentws_is_the_same(robin: Path) -> None:
    done = subprocess.run([sys.executable, "-m", "agentws", "boot"], cwd=robin, capture_output=True, text=True)

    assert done.stdout.startswith("# Robin\n")


def test_no_verb_waits_until_the_interpreter_is_taken_apart(robin: Path) -> None:
    code = "import atexit; atexit.register(print, 'taken apart'); from agentws import cli; cli.start()"
    for words, exits in ((["boot"], 0), (["status"], 0), (["context", "show", "nowhere"], 1)):
        done = subprocess.run(
            [sys.executable, "-c", code, *words], cwd=robin, capture_output=True, text=True, check=False
        )

        assert done.returncode == exits, done.stderr
        assert done.stdout or exits
        assert "taken apart" not in done.stdout


@pytest.mark.parametrize("is_locked", [True, False])
def test_what_git_says_counts_also_where_whoever_started_it_ignores_its_end(tmp_path: Path, is_locked: bool) -> None:
    robin = tmp_path / "robin"
    run("init", str(robin))
    code = (
        "import os, signal, sys; signal.signal(signal.SIGCHLD, signal.SIG_IGN);"
        "os.execv(sys.executable, [sys.executable, '-m', 'agentws', 'task', 'add', 'Mend the roof'])"
    )
    if is_locked:
        (robin / ".git/refs/heads/main.lock").touch()

    done = subprocess.run([sys.executable, "-c", code], cwd=robin, capture_output=True, text=True, check=False)

    assert (done.returncode, done.stdout) == (0, "tasks/mend-the-roof.md\n")
    assert ("History was not recorded" in done.stderr) is is_locked


def test_in_a_folder_that_is_gone_that_is_said(robin: Path) -> None:
    script = 'mkdir x && cd x && rmdir ../x && exec "$0" -m agentws -C .. boot'

    done = subprocess.run(["sh", "-c", script, sys.executable], cwd=robin, capture_output=True, text=True, check=False)

    assert (done.returncode, done.stderr.split("\n")[0]) == (1, "agentws: The current folder was deleted.")
