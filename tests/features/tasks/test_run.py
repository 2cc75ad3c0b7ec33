"""task due --run: each task that woke gets one run of the agent, also across kills; one that fails is tried again."""

from __future__ import annotations

import json
import os
import signal
import time
from datetime import timedelta
from pathlib import Path

import pytest

from agentws.core.disk.lock import Lock
from agentws.core.disk.system import user_programs
from agentws.core.formats import digest
from agentws.errors import LockHeldError
from agentws.workspace import Environment, Workspace
from tests.conftest import NOW
from tests.features.tasks.events import told

NOTES = ".agentws/task-runs.json"


def agent_log(slug: str) -> str:
    return f".agentws/task-run-{digest.quick(slug.encode())}.log"


class Runner:
    """A workspace with a task that waits an hour, and an agent that notes each of its runs in a file."""

    def __init__(self, workspace: Workspace, folder: Path) -> None:
        self.root = workspace.root
        self.folder = folder
        self.settings = folder / "config.toml"
        self.code = folder / "code"
        self.code.write_text("0")
        agent = folder / "agent"
        agent.write_text(f"#!/bin/sh\ncat >> {folder}/prompts\necho run >> {folder}/ran\nexit $(cat {self.code})\n")
        agent.chmod(0o755)
        self.settings.write_text(f'[agent]\ncommand = "{agent}"\nboot = false\n')
        workspace.tasks.add("Roof")
        workspace.tasks.wait("roof", until="1h")

    def at(self, **ahead: int) -> Workspace:
        """The workspace at a later moment."""
        now = NOW + timedelta(**ahead)
        return Workspace.open(self.root, environment=Environment(now=now, timezone="UTC", config=str(self.settings)))

    @property
    def ran(self) -> int:
        path = self.folder / "ran"
        return path.read_text().count("run") if path.exists() else 0

    @property
    def notes(self) -> dict[str, dict[str, object]]:
        found: dict[str, dict[str, object]] = json.loads(Path(self.root, NOTES).read_text())
        return found


@pytest.fixture
def runner(workspace: Workspace, tmp_path: Path) -> Runner:
    return Runner(workspace, tmp_path)


def test_a_task_that_woke_gets_one_run(runner: Runner) -> None:
    assert runner.at().tasks.run_due().runs == []
    done = runner.at(hours=2).tasks.run_due()

    assert [(one.slug, one.code, one.attempt) for one in done.runs] == [("roof", 0, 1)]
    assert runner.at(hours=3).tasks.run_due().runs == []
    assert runner.ran == 1
    assert "The task roof waited until 2026-11-20 08:15." in (runner.folder / "prompts").read_text()
    assert [one["kind"] for one in told(runner.at())][-2:] == ["woken", "ran"]


def test_the_agent_is_told_its_boot_where_the_settings_want_that(runner: Runner) -> None:
    runner.settings.write_text(runner.settings.read_text().replace("false", "true"))
    runner.at(hours=2).tasks.run_due(context=lambda: "THE BOOT")

    assert (runner.folder / "prompts").read_text().startswith("THE BOOT\n")


@pytest.mark.parametrize("approve", [True, False])
def test_the_agent_is_told_what_the_person_answered(runner: Runner, approve: bool) -> None:
    runner.settings.write_text(f"{runner.settings.read_text()}[ask]\ntyped = true\n")
    ws = runner.at()
    request = ws.ask("Sell the ladder?", action={"tool": "sell"})
    ws.tasks.add("Ladder")
    ws.tasks.wait("ladder", approval=request.id)
    ws.approvals.decide(request.id, approve=approve, message="Not below forty", typed=True)

    runner.at().tasks.run_due()

    said = (runner.folder / "prompts").read_text()
    assert "Not below forty" in said
    assert ("A person approved it." in said, "The answer is no: it is rejected." in said) == (approve, not approve)
    assert ("please continue it" in said) is False


def test_a_dry_run_starts_and_wakes_nothing(runner: Runner) -> None:
    done = runner.at(hours=2).tasks.run_due(dry_run=True)

    assert [one.slug for one in done.woken] == ["roof"]
    assert runner.ran == 0
    assert not Path(runner.root, NOTES).exists()


def test_an_agent_that_fails_is_tried_again_later_and_given_up_at_last(runner: Runner) -> None:
    runner.code.write_text("7")
    moments = (120, 124, 126, 135, 137, 156, 158, 197, 199, 300)
    runs = [[one.attempt for one in runner.at(minutes=minute).tasks.run_due().runs] for minute in moments]

    assert runs == [[1], [], [2], [], [3], [], [4], [], [5], []]
    assert runner.notes["roof"]["given_up"] == agent_log("roof")
    assert told(runner.at())[-1]["text"] == "the agent failed: exit code 7; given up after 5 attempts"


def test_an_agent_whose_last_attempt_was_killed_is_given_up(runner: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    def killed(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(user_programs, "run", killed)
        for hour in (2, 4, 6, 8, 10):
            with pytest.raises(KeyboardInterrupt):
                runner.at(hours=hour).tasks.run_due()

    for hour in (30, 60):
        assert runner.at(hours=hour).tasks.run_due().runs == []
    assert runner.notes["roof"]["given_up"] == agent_log("roof")
    assert runner.ran == 0


@pytest.mark.parametrize("odd", ["folder", "link"])
def test_where_no_output_can_be_written_the_run_has_failed_and_the_others_go_on(
    runner: Runner, tmp_path: Path, odd: str
) -> None:
    runner.at().tasks.add("Well")
    runner.at().tasks.wait("well", until="1h")
    log, elsewhere = Path(runner.root, agent_log("roof")), tmp_path / "elsewhere"
    log.mkdir() if odd == "folder" else log.symlink_to(elsewhere)

    done = runner.at(hours=2).tasks.run_due()

    assert [(one.slug, one.is_done) for one in done.runs] == [("roof", False), ("well", True)]
    assert any("roof: the agent failed: its output cannot be written" in one for one in done.notices)
    assert runner.notes["roof"]["attempts"] == 1
    assert not elsewhere.exists()


def test_a_run_that_was_given_up_is_due_again_when_its_task_wakes_again(runner: Runner) -> None:
    runner.code.write_text("7")
    for hour in (2, 3, 4, 5, 6):
        runner.at(hours=hour).tasks.run_due()
    assert "given_up" in runner.notes["roof"]
    runner.code.write_text("0")
    runner.at(hours=7).tasks.wait("roof", until="1h")
    assert runner.at(hours=7).tasks.run_due().runs == []

    assert [one.attempt for one in runner.at(hours=9).tasks.run_due().runs] == [1]
    assert runner.notes == {}


def test_a_clock_that_was_set_back_holds_nothing_up(runner: Runner) -> None:
    runner.code.write_text("7")
    runner.at(days=300).tasks.run_due()

    assert [one.attempt for one in runner.at(hours=2).tasks.run_due().runs] == [2]


@pytest.mark.parametrize("killed_at", ["noted", "woken", "started"])
def test_a_kill_anywhere_leaves_the_run_for_the_next_call(
    runner: Runner, monkeypatch: pytest.MonkeyPatch, killed_at: str
) -> None:
    class KilledError(BaseException):
        pass

    def killed(*_: object, **__: object) -> None:
        raise KilledError

    with monkeypatch.context() as patch:
        if killed_at == "started":
            patch.setattr(user_programs, "run", killed)
        else:
            from agentws.features.tasks import change, run

            where, what = (change.Bench, "apply") if killed_at == "noted" else (run, "TaskStore")
            patch.setattr(where, what, killed)
        with pytest.raises(KilledError):
            runner.at(hours=2).tasks.run_due()
    assert runner.ran == 0

    # The process that noted itself is this one, which lives: it is told from others by being ourselves.
    done = runner.at(hours=3).tasks.run_due()

    assert [one.slug for one in done.runs] == ["roof"]
    assert runner.ran == 1


def test_what_comes_true_while_it_is_looked_at_is_run_too(runner: Runner, tmp_path: Path) -> None:
    flip = tmp_path / "flip"
    flip.write_text(f"#!/bin/sh\n[ -e {tmp_path}/seen ] && exit 0\ntouch {tmp_path}/seen\nexit 1\n")
    flip.chmod(0o755)
    runner.settings.write_text(f'{runner.settings.read_text()}\n[waits.flip]\ncommand = "{flip}"\n')
    runner.at().tasks.add("Gutter")
    runner.at().tasks.wait("gutter", command="flip")

    runs = [[one.slug for one in runner.at().tasks.run_due().runs] for _ in range(3)]

    assert runs == [[], ["gutter"], []]


def test_an_agent_that_outlives_a_killed_call_is_not_started_again(runner: Runner) -> None:
    agent = runner.folder / "long"
    agent.write_text(f"#!/bin/sh\ncat > /dev/null\necho run >> {runner.folder}/ran\nexec sleep 300\n")
    agent.chmod(0o755)
    runner.settings.write_text(f'[agent]\ncommand = "{agent}"\nboot = false\n')
    pid = os.fork()
    if pid == 0:
        runner.at(hours=2).tasks.run_due()
        os._exit(0)
    assert any(_has_run(runner) for _ in range(500))
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    child = runner.notes["roof"]["process"]
    assert isinstance(child, dict)

    done = runner.at(hours=9).tasks.run_due()

    assert done.runs == []
    assert runner.ran == 1
    os.kill(child["process"], signal.SIGKILL)


def test_of_an_agent_whose_call_was_killed_nobody_says_that_it_failed(runner: Runner) -> None:
    runner.at(hours=2).tasks.due()
    note = {"why": "x", "attempts": 1, "last": NOW.isoformat(), "process": {"process": 1 << 22, "started": 1}}
    Path(runner.root, NOTES).write_text(json.dumps({"roof": note}))

    (told,) = runner.at(minutes=1).tasks.run_due().notices

    assert told.startswith("roof: nobody knows how its agent ended; the next attempt is after ")


def test_a_call_that_is_asked_to_end_ends_its_agent(runner: Runner) -> None:
    agent = runner.folder / "long"
    agent.write_text(f"#!/bin/sh\ncat > /dev/null\necho run >> {runner.folder}/ran\nexec sleep 300\n")
    agent.chmod(0o755)
    runner.settings.write_text(f'[agent]\ncommand = "{agent}"\nboot = false\n')
    pid = os.fork()
    if pid == 0:
        try:
            runner.at(hours=2).tasks.run_due()
        finally:
            os._exit(7)
    assert any(_has_run(runner) for _ in range(500))
    child = runner.notes["roof"]["process"]
    assert isinstance(child, dict)
    os.kill(pid, signal.SIGTERM)

    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 7
    assert any(_is_gone(child["process"]) for _ in range(500))


def _has_run(runner: Runner) -> bool:
    time.sleep(0.01)
    return runner.ran == 1


def test_a_run_that_another_process_is_at_is_left_alone(runner: Runner) -> None:
    runner.at(hours=2).tasks.due()
    parent = os.getppid()
    started = int(Path(f"/proc/{parent}/stat").read_text().rpartition(")")[2].split()[19])
    note = {"why": "x", "attempts": 1, "last": NOW.isoformat(), "process": {"process": parent, "started": started}}
    Path(runner.root, NOTES).write_text(json.dumps({"roof": note}))

    done = runner.at(hours=9).tasks.run_due()

    assert done.runs == []
    assert done.notices == [f"roof: its agent still runs, or is being started: process {parent}."]


def test_a_task_that_somebody_moved_on_is_not_run(runner: Runner) -> None:
    runner.code.write_text("7")
    runner.at(hours=2).tasks.run_due()
    runner.at(hours=2).plumbing.pause_task("roof")

    assert runner.at(hours=9).tasks.run_due().runs == []
    assert runner.notes == {}


def test_one_call_at_a_time(runner: Runner) -> None:
    ws = runner.at(hours=2)
    with Lock(ws.stores.files, "task-runs", timeout_s=0.1), pytest.raises(LockHeldError):
        runner.at(hours=2).tasks.run_due()
    assert runner.ran == 0


def test_without_an_agent_no_wake_is_used_up(runner: Runner) -> None:
    settings = runner.settings.read_text()
    runner.settings.unlink()
    done = runner.at(hours=2).tasks.run_due()

    assert ([one.slug for one in done.woken], done.dry_run) == (["roof"], True)
    assert "agent.command" in done.notices[-1]
    runner.settings.write_text(settings)
    assert [one.slug for one in runner.at(hours=3).tasks.run_due().runs] == ["roof"]


def test_a_task_wakes_whose_request_nobody_knows_and_its_agent_is_told(runner: Runner) -> None:
    ws = runner.at()
    request = ws.ask("Sell the ladder?", action={"tool": "sell"})
    ws.tasks.add("Ladder")
    ws.tasks.wait("ladder", approval=request.id)
    file = Path(runner.root, "tasks/ladder.md")
    file.write_text(file.read_text().replace(request.id, "zzzzzz"))

    done = runner.at().tasks.run_due()

    assert [one.slug for one in done.runs] == ["ladder"]
    assert "approvals/zzzzzz.md is missing, and the journal knows no such request." in " ".join(done.notices)
    said = (runner.folder / "prompts").read_text()
    assert "Do not do what it asked for." in said
    assert "please continue it" not in said


def test_notes_that_cannot_be_read_are_made_anew_and_said(runner: Runner) -> None:
    Path(runner.root, NOTES).write_text("[1")
    done = runner.at(hours=2).tasks.run_due()

    assert [one.slug for one in done.runs] == ["roof"]
    assert "cannot be read" in done.notices[0]


def test_an_agent_that_takes_too_long_is_ended_with_all_that_it_began(runner: Runner) -> None:
    slow = runner.folder / "slow"
    slow.write_text(f"#!/bin/sh\nsleep 300 &\necho $! > {runner.folder}/child\nwait\n")
    slow.chmod(0o755)
    runner.settings.write_text(f'[agent]\ncommand = "{slow}"\ntimeout_s = 1\nboot = false\n')

    (ran,) = runner.at(hours=2).tasks.run_due().runs

    assert ran.failure == "it did not end within 1 s"
    child = int((runner.folder / "child").read_text())
    assert any(_is_gone(child) for _ in range(500))


def _is_gone(pid: int) -> bool:
    time.sleep(0.01)
    stat = Path(f"/proc/{pid}/stat")
    return not stat.exists() or stat.read_text().rpartition(")")[2].split()[0] == "Z"
