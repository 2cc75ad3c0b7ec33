"""The door of schedule: what is shown, who is asked, what scripts get."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from agentws.workspace import Workspace
from tests import forked
from tests.features.automation.schedule.programs import Machine

SCRIPT = Path(sys.executable).parent / "agentws"


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    """A machine with a crontab, which may be a container or not: the place is named in each call."""
    folder = tmp_path / "machine"
    (folder / "bin").mkdir(parents=True)
    monkeypatch.setenv("PATH", os.pathsep.join((str(folder / "bin"), os.environ["PATH"])))
    found = Machine(folder)
    found.has(crontab=True)
    return found


def run(workspace: Workspace, *words: str, code: int = 0) -> tuple[str, str]:
    """(stdout, stderr) of the command."""
    done = forked.run_text("-C", workspace.root, "schedule", *words)
    assert done.returncode == code, done.stderr
    return done.stdout, done.stderr


def on_a_terminal(workspace: Workspace, *words: str, answer: str) -> tuple[int, str]:
    """(exit code, what the terminal shows) of the command."""
    return forked.on_a_terminal("-C", workspace.root, "schedule", *words, typed=answer)


INSTALL = ("install", "doctor", "--with", "crontab", "--at", "03:30")


def test_where_nobody_can_be_asked_the_change_is_shown_and_not_made(workspace: Workspace, machine: Machine) -> None:
    shown, said = run(workspace, *INSTALL, code=3)

    assert f"+ 30 3 * * * {SCRIPT} -C {workspace.root} doctor # agentws schedule doctor" in shown
    assert "Re-run with --yes" in said
    assert machine.crontab is None


def test_yes_agrees(workspace: Workspace, machine: Machine) -> None:
    shown, _ = run(workspace, *INSTALL, "--yes")
    assert machine.crontab is not None
    assert "now" in shown

    shown, _ = run(workspace, *INSTALL)
    assert "already" in shown

    run(workspace, "remove", "doctor", code=3)
    run(workspace, "remove", "doctor", "--yes")
    assert machine.crontab is None
    assert "not scheduled" in run(workspace, "remove", "doctor")[0]


def test_a_dry_run_shows_and_is_no_question(workspace: Workspace, machine: Machine) -> None:
    shown, _ = run(workspace, *INSTALL, "--dry-run", "--yes")

    assert "+ 30 3" in shown
    assert "Nothing was changed" in shown
    assert machine.crontab is None


@pytest.mark.parametrize(("answer", "code"), [("y\n", 0), ("n\n", 3), ("\n", 3)])
def test_a_person_at_a_terminal_is_asked_once_the_change_is_shown(
    workspace: Workspace, machine: Machine, answer: str, code: int
) -> None:
    done, shown = on_a_terminal(workspace, *INSTALL, answer=answer)

    assert done == code, shown
    assert shown.index("+ 30 3 * * *") < shown.index("Continue?")
    assert shown.count("+ 30 3 * * *") == 1
    assert (machine.crontab is not None) == (code == 0)


def test_the_line_alone_is_printed_where_it_is_asked_for(workspace: Workspace, machine: Machine) -> None:
    shown, _ = run(workspace, "install", "doctor", "--with", "print", "--at", "03:30")

    assert shown.startswith("30 3 * * * ")
    assert shown.endswith(f"doctor # agentws schedule doctor {workspace.stores.manifest.agent_id}\n")
    assert shown.count("\n") == 1
    assert machine.crontab is None


def test_scripts_get_fields_and_are_never_asked(workspace: Workspace, machine: Machine) -> None:
    refused = json.loads(run(workspace, *INSTALL, "--json", code=3)[0])
    done = json.loads(run(workspace, *INSTALL, "--json", "--yes")[0])
    shown = json.loads(run(workspace, "show", "--json")[0])
    gone = json.loads(run(workspace, "remove", "doctor", "--json", "--yes")[0])

    assert (refused["schema"], refused["changed"]) == ("agentws/schedule-install@1", False)
    assert (done["job"], done["where"], done["when"], done["changed"]) == ("doctor", "crontab", "30 3 * * *", True)
    assert done["changes"] == refused["changes"]
    assert done["changes"][0]["after"].startswith("30 3 * * * ")
    assert done["command"] == f"{SCRIPT} -C {workspace.root} doctor"
    assert shown["schema"] == "agentws/schedule-show@1"
    assert shown["jobs"][0]["command"] == done["command"]
    assert (gone["schema"], gone["changed"], gone["where"]) == ("agentws/schedule-remove@1", True, None)


def test_what_cron_runs_is_this_program_on_this_workspace(workspace: Workspace, machine: Machine) -> None:
    """Nothing of a login shell is needed: no PATH, no HOME, no present folder."""
    run(workspace, *INSTALL, "--yes")
    assert machine.crontab is not None
    command = machine.crontab.decode().split(" ", 5)[5].replace("doctor #", "status --json #").replace("\\%", "%")

    done = subprocess.run(["/bin/sh", "-c", command], env={}, cwd="/", capture_output=True, text=True, check=False)

    assert json.loads(done.stdout)["schema"] == "agentws/status@1", done.stderr


def test_a_scheduled_compaction_runs_and_is_agreed_to(workspace: Workspace, machine: Machine) -> None:
    run(workspace, "install", "compact", "--with", "crontab", "--at", "03:30", "--yes")
    assert machine.crontab is not None
    command = machine.crontab.decode().split(" ", 5)[5].replace("\\%", "%")
    old = Path(workspace.root, "memory/2026-01-01.md")
    old.write_text("## Decisions\n- [decision] Decided to move server 4 to Lisbon with Maria Keller\n")

    done = subprocess.run(["/bin/sh", "-c", command], env={}, cwd="/", capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stderr
    assert not old.exists()
    assert "server 4" in Path(workspace.root, "MEMORY.md").read_text()


def test_a_program_that_is_not_installed_cannot_be_scheduled(
    workspace: Workspace, machine: Machine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As where the package lies beside a Python that has no script for it."""
    (tmp_path / "python").mkdir()
    python = tmp_path / "python" / "python"
    python.symlink_to(sys.executable)
    code = f"import sys; sys.executable = {str(python)!r}; from agentws.cli import main; main.main()"
    monkeypatch.setenv("PATH", os.path.dirname(shutil.which("sh") or ""))

    done = subprocess.run(
        [sys.executable, "-c", code, "-C", workspace.root, "schedule", "install", "doctor"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip

    assert (done.returncode, "pipx install agentws" in done.stderr) == (1, True), done.stderr
