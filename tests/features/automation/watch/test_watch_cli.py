"""The door of watch: what is printed, what scripts get, and how it ends."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import forked
from tests.features.history.worlds import NEEDS_GIT, World

pytestmark = NEEDS_GIT
WORDS = ["keys", "figs", "nuts", "maps", "pens", "tags"]


@pytest.fixture
def world(tmp_path: Path) -> World:
    made = World(tmp_path)
    for word in WORDS:
        made.open(1).remember(f"Ada keeps the {word} in a drawer")
    return made


def run(world: World, *words: str, code: int = 0) -> tuple[str, str]:
    """(stdout, stderr) of one look."""
    done = forked.run_text("watch", "--once", *words, cwd=world.root, env={**os.environ})
    assert done.returncode == code, done.stderr
    return done.stdout, done.stderr


def lose(world: World) -> None:
    world.write("MEMORY.md", "\n".join(world.text("MEMORY.md").splitlines()[:7]) + "\n")


def test_a_loss_is_a_line_of_json_with_the_command_that_helps(world: World) -> None:
    run(world)
    before = world.newest()
    lose(world)

    out, err = run(world, "--json", code=3)

    edited, warning, recorded = map(json.loads, out.splitlines())
    assert edited.pop("at") == warning.pop("at")
    assert edited == {
        "schema": "agentws/watch@1", "event": "edited", "path": "MEMORY.md", "status": "changed",
        "added": 0, "removed": 3, "lost": 3,
    }  # fmt: skip
    assert {key: warning[key] for key in ("event", "path", "why", "lost", "entries", "state", "restore")} == {
        "event": "warning", "path": "MEMORY.md", "why": "lost", "lost": 3, "entries": 7, "state": before,
        "restore": f"agentws restore MEMORY.md --at {before[:10]}",
    }  # fmt: skip
    assert (recorded["event"], recorded["state"]) == ("recorded", world.newest())
    assert json.loads(err)["message"] == "1 document lost content."


def test_who_wants_quiet_hears_of_losses_alone(world: World) -> None:
    run(world)
    world.write("SOUL.md", world.text("SOUL.md") + "\nCalm.\n")
    assert run(world, "-q") == ("", "")
    lose(world)

    out, _ = run(world, "-q", code=3)

    assert [line[10:].split(":")[0] for line in out.splitlines()] == ["warning", "Restore"]


def test_a_name_that_could_be_an_option_or_words_is_quoted(world: World) -> None:
    for name in ("-x.md", "a b.md"):
        world.write(name, "".join(f"- {word}\n" for word in WORDS))
    run(world)
    for name in ("-x.md", "a b.md"):
        (world.root / name).unlink()

    out, _ = run(world, "-q", code=3)

    commands = [line.strip() for line in out.splitlines() if "Restore" in line]
    assert commands[0].endswith(" -- -x.md")
    assert "'a b.md' --at" in commands[1]


@pytest.fixture
def watcher(world: World) -> Iterator[subprocess.Popen[str]]:
    """A watcher that has begun."""
    words = [sys.executable, "-m", "agentws", "watch", "--json", "--settle", "600"]
    running = subprocess.Popen(words, cwd=world.root, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert running.stdout is not None
    assert json.loads(running.stdout.readline())["event"] == "watching"
    yield running
    running.kill()
    running.communicate()


@pytest.mark.parametrize("which", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_ends_it_cleanly(watcher: subprocess.Popen[str], which: signal.Signals) -> None:
    watcher.send_signal(which)

    out, err = watcher.communicate(timeout=60)

    assert (watcher.returncode, err) == (0, "")
    assert json.loads(out.splitlines()[-1])["event"] == "stopped"


def test_a_reader_that_goes_away_ends_it(world: World) -> None:
    words = [sys.executable, "-m", "agentws", "watch", "--settle", "1"]
    running = subprocess.Popen(words, cwd=world.root, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert running.stdout is not None
    running.stdout.readline()
    running.stdout.close()
    lose(world)

    assert running.wait(timeout=60) == 141
    assert running.stderr is not None
    assert running.stderr.read() == b""
    running.stderr.close()
