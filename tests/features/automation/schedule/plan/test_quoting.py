"""What cron and systemd run is what was meant, whatever characters a path has: sh itself says so."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from agentws.errors import UsageError
from agentws.features.automation.schedule.plan import crontab, jobs, units
from agentws.features.automation.schedule.plan.jobs import Command

AGENT = "0f3c9a52d4e84c6f9b7a1d2e3f405162"
ODD = (
    "/plain/robin",
    "/with blanks/my robin",
    "/it's/'quoted'",
    '/say "robin"/"',
    "/50%/a%%b/%",
    "/50% of it's",
    "/back\\slash/two\\\\of/three\\\\\\x",
    "/back\\%slash/'\\%'/\\\\%",
    "/ends in a backslash\\",
    "/dollar/$HOME/$(id)/`id`/${X}",
    "/# agentws schedule doctor 123",
    "/-C/;&|<>*?[!]~{a,b}",
    "/grün/日本/🤖/e\u0301",
    "/a=b/c",
    "",
)


def old_vixie(command: str) -> str:
    """The command as a cron reads it that leaves the backslash before `%` to sh."""
    return _read(command, strips="")


def cronie(command: str) -> str:
    """The command as a cron reads it that takes the backslash before `%` away."""
    return _read(command, strips="%")


def debian(command: str) -> str:
    """The command as a cron reads it that takes the backslash before `%` and before a backslash away."""
    return _read(command, strips="%\\")


def busybox(command: str) -> str:
    """The command as a cron reads it to which `%` means nothing."""
    return command


CRONS = (old_vixie, cronie, debian, busybox)


def _read(command: str, *, strips: str) -> str:
    found, escaped = "", False
    for char in command:
        if escaped:
            found = found[:-1] + char if char in strips else found + char
            escaped = False
        elif char == "%":
            return found  # what follows would be the standard input
        else:
            found += char
            escaped = char == "\\"
    return found


@pytest.fixture
def echo(tmp_path: Path) -> str:
    """A program that prints the words it is called with, in a folder with an odd name."""
    folder = tmp_path / "50% of it's \\\\ $HOME=1"
    folder.mkdir()
    program = folder / "agentws"
    program.write_text(f"#!{sys.executable}\nimport os, sys\nprint(ascii((sys.argv[1:], os.environ.get('STATE'))))\n")
    program.chmod(0o755)
    return str(program)


def said(words: list[str]) -> object:
    return eval(subprocess.run(words, capture_output=True, check=True).stdout)


@pytest.mark.parametrize("cron", CRONS)
def test_what_cron_runs_is_what_was_meant(cron: Callable[[str], str], echo: str) -> None:
    command = Command((echo, "-C", *ODD, "doctor"))

    line = crontab.entry(command, job="doctor", agent=AGENT, when="30 3 * * *").line

    run = line.split(" ", 5)[5]
    assert said(["sh", "-c", cron(run)]) == (["-C", *ODD, "doctor"], None)


@pytest.mark.parametrize("cron", CRONS)
@pytest.mark.parametrize("value", ODD)
def test_a_variable_is_carried_whatever_it_holds(cron: Callable[[str], str], echo: str, value: str) -> None:
    command = Command((echo, "doctor"), (("STATE", value),))

    line = crontab.entry(command, job="doctor", agent=AGENT, when="30 3 * * *").line

    assert said(["sh", "-c", cron(line.split(" ", 5)[5])]) == (["doctor"], value)


def test_no_two_backslashes_and_no_bare_percent_sign_stand_in_a_line() -> None:
    """What crons disagree about does not occur."""
    line = crontab.entry(Command(("/x", *ODD)), job="doctor", agent=AGENT, when="30 3 * * *").line

    assert "\\\\" not in line
    assert "%" not in line.replace("\\%", "")


@pytest.mark.parametrize("path", ["/a\n* * * * * id", "/a\rb", "/a\tb", "/a\x1b[2J", "/a\x7fb"])
def test_a_path_with_a_control_character_is_refused(path: str) -> None:
    with pytest.raises(UsageError, match="control character"):
        jobs.check_words(Command(("/bin/agentws", "-C", path)))


def test_a_line_that_some_crons_would_cut_is_refused() -> None:
    with pytest.raises(UsageError, match="too long"):
        crontab.entry(Command(("/x", "-C", "/" + "x" * 1000)), job="doctor", agent=AGENT, when="30 3 * * *")


def words_of(line: str) -> list[str]:
    """The words of `ExecStart=` as systemd reads them: quotes, backslashes, `%%` and `$$`."""
    words, word, quoted, at = [], "", False, 0
    while at < len(line):
        pair = line[at : at + 2]
        if pair in ("%%", "$$") or (pair[0] == "\\" and pair in ("\\\\", '\\"')):
            word, at = word + pair[1], at + 1
        elif line[at] == '"':
            quoted = not quoted
        elif line[at] == " " and not quoted:
            words, word = [*words, word], ""
        else:
            assert line[at] not in "%$\\", f"systemd would replace something at {line[at:]}"
            word += line[at]
        at += 1
    return [*words, word]


def test_what_systemd_runs_is_what_was_meant(echo: str) -> None:
    text = units.service(Command((echo, "-C", *ODD, "doctor")), jobs.named("doctor"))

    words = words_of(units.command_of(text))

    assert said(words) == (["-C", *ODD, "doctor"], None)
    assert words[0] == "/bin/sh", "systemd refuses a program with such a path"


def test_a_plain_path_is_called_as_it_is() -> None:
    text = units.service(
        Command(("/home/sam/my tools/agentws", "-C", "/home/sam/robin", "doctor")), jobs.named("doctor")
    )

    assert units.command_of(text) == '"/home/sam/my tools/agentws" -C /home/sam/robin doctor'


def test_a_unit_holds_no_bytes_that_are_no_text() -> None:
    with pytest.raises(UsageError, match="not UTF-8"):
        units.service(Command(("/bin/agentws", "-C", "/\udce4", "doctor")), jobs.named("doctor"))


def test_findings_of_doctor_are_no_failure_to_systemd() -> None:
    assert "\nSuccessExitStatus=3\n" in units.service(Command(("/bin/agentws",)), jobs.named("doctor"))
