"""An agent that is killed again and again does each step once; in `make crash` it is killed fifty times."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path

from agentws.workspace import Workspace
from tests.thorough import THOROUGH

AGENT = Path(__file__).resolve().parent.parent.parent / "examples" / "three_hours" / "agent.py"
DYING = """
import os, runpy, signal, sys
from agentws.features.journal import session
where, at = sys.argv[1], int(sys.argv[2])
sys.argv = sys.argv[3:]
seen = 0
def die(here):
    global seen
    seen += here == where
    if here == where and seen == at:
        os.kill(os.getpid(), signal.SIGKILL)
write, fsync, event = os.write, os.fsync, session.Session.event
def effect(fd, data):
    if b" words" not in data or b"{" in data:
        return write(fd, data)
    die("before the effect")
    done = write(fd, data)
    die("between effect and result")
    return done
def recorded(self, kind, *args, **words):
    done = event(self, kind, *args, **words)
    die(f"after the {kind}")
    return done
os.write, session.Session.event = effect, recorded
runpy.run_path(sys.argv[0], run_name="__main__")
"""
PLACES = ("before the effect", "between effect and result", "after the action", "after the result")
FILES, KILLS = (600, 50) if THOROUGH else (200, 15)


def test_an_agent_that_is_killed_again_and_again_does_each_step_once(tmp_path: Path) -> None:
    notes, atlas = tmp_path / "notes", tmp_path / "map.txt"
    notes.mkdir()
    for number in range(FILES):
        (notes / f"note-{number:03d}.md").write_text("word " * number)
    dice = random.Random(3)
    asked = 0

    killed: Counter[str] = Counter()
    for number in range(KILLS):
        place = PLACES[number % 4] if number % 5 else "anywhere"
        words = [sys.executable, "-c", DYING, place, str(dice.randint(1, 4)), str(AGENT), str(notes), str(atlas)]
        code, questions = run(words, atlas, dice.uniform(0, 0.01) if place == "anywhere" else None)
        killed[place] += code == -signal.SIGKILL
        asked += questions
    code, questions = run([sys.executable, str(AGENT), str(notes), str(atlas)], atlas, None)

    assert code == 0
    assert sum(killed.values()) == KILLS, killed
    assert asked + questions, "no kill fell between an action and its result"
    lines = [line.partition(":")[0] for line in atlas.read_text().splitlines()]
    assert Counter(lines) == Counter({f"note-{number:03d}.md": 1 for number in range(FILES)})
    events = list(Workspace.open(str(tmp_path / "memory-of-the-agent")).journal.list(kinds=("action", "result")))
    calls = Counter((event.kind, event.call) for event in events)
    assert set(calls.values()) == {1}
    assert len(calls) == 2 * FILES


def run(words: list[str], atlas: Path, seconds: float | None) -> tuple[int, int]:
    """Run the agent and answer what it asks by looking into the map: (exit code, questions).

    It is killed so many `seconds` after it has begun to work.
    """
    process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
    assert process.stdin
    assert process.stdout
    killer = threading.Thread(target=kill_at_work, args=(process, atlas, seconds))
    if seconds is not None:
        killer.start()
    questions, text = 0, ""
    while char := process.stdout.read(1):
        text += char
        if text.endswith("[y/n] "):
            name = text.rpartition("Is ")[2].partition(" in the map")[0]
            there = atlas.exists() and any(line.startswith(f"{name}:") for line in atlas.read_text().splitlines())
            questions += 1
            try:
                process.stdin.write("y\n" if there else "n\n")
            except BrokenPipeError:
                break
    code = process.wait()
    if seconds is not None:
        killer.join()
    process.stdout.close()
    try:
        process.stdin.close()
    except BrokenPipeError:
        pass
    return code, questions


def kill_at_work(process: subprocess.Popen[str], atlas: Path, seconds: float) -> None:
    """Kill the process so many seconds after it has had its next effect."""
    before = atlas.stat().st_size if atlas.exists() else 0
    while process.poll() is None and not (atlas.exists() and atlas.stat().st_size > before):
        time.sleep(0.001)
    time.sleep(seconds)
    process.kill()
