"""P5: no update is lost, however many processes write at once and however often they are killed."""

from __future__ import annotations

import os
import random
import re
import signal
import subprocess
import sys
from pathlib import Path

from tests.crash import scenarios
from tests.thorough import THOROUGH

WRITER = """
import os, sys
from agentws.workspace import Environment, Workspace
from datetime import UTC, datetime
root, name, first, last, acks = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]), sys.argv[5]
here = Environment(now=datetime(2026, 11, 20, 12, 0, tzinfo=UTC), timezone="UTC")
out = os.open(acks, os.O_WRONLY | os.O_APPEND)
for number in range(first, last):
    Workspace.open(root, environment=here).log(f"{name} says {number} " + "." * (number % 7) * 40)
    os.write(out, b"%d\\n" % number)
"""
PERSON = """
import os, sys
fd = os.open(sys.argv[1], os.O_WRONLY | os.O_APPEND)
for number in range(int(sys.argv[2])):
    os.write(fd, b"a person wrote %d\\n" % number)
"""
PROCESSES, LOGS = (8, 500) if THOROUGH else (8, 60)
KILLS = 40 if THOROUGH else 8


def test_every_acknowledged_line_is_there_once_though_writers_are_killed(tmp_path: Path) -> None:
    root = str(tmp_path / "robin")
    scenarios._workspace(root)
    day = Path(root, scenarios.TODAY)
    scenarios.opened(root).log("begin")
    acks = [tmp_path / f"acks-{number}" for number in range(PROCESSES)]
    for file in acks:
        file.touch()

    def start(number: int) -> subprocess.Popen[bytes]:
        # A line that was written and not acknowledged may stand there: the next process begins after it.
        seen = [int(n) for n in re.findall(rf"writer{number} says (\d+)(?: \.+)?\n", day.read_text())]
        first = max([*map(int, acks[number].read_text().split()), *seen], default=-1) + 1
        arguments = [sys.executable, "-c", WRITER, root, f"writer{number}", str(first), str(LOGS), str(acks[number])]
        return subprocess.Popen(arguments)

    person = subprocess.Popen([sys.executable, "-c", PERSON, str(day), "200"])
    running = [start(number) for number in range(PROCESSES)]
    dice = random.Random(5)
    kills = 0
    while any(process.poll() is None for process in running):
        victim = dice.randrange(PROCESSES)
        try:
            running[victim].wait(timeout=dice.uniform(0.05, 0.2))
        except subprocess.TimeoutExpired:
            if kills < KILLS:
                kills += 1
                running[victim].send_signal(signal.SIGKILL)
                running[victim].wait()
        for number, process in enumerate(running):
            if process.poll() == -signal.SIGKILL:
                running[number] = start(number)
    assert person.wait() == 0

    scenarios.opened(root).log("end")
    lines = day.read_text().split("\n")
    assert all(process.returncode == 0 for process in running)
    assert kills, "nobody was killed: the machine is too fast for this test, give it more logs"
    for number in range(PROCESSES):
        for said in map(int, acks[number].read_text().split()):
            entry = f"- 12:00 writer{number} says {said} " + "." * (said % 7) * 40
            assert lines.count(entry.rstrip()) == 1, f"{entry}: {lines.count(entry.rstrip())} times"
    ours = re.compile(r"- 12:00 (writer\d says \d+( \.+)?|begin|end)")
    for line in lines:
        assert not line or line.startswith(("#", "a person wrote ")) or ours.fullmatch(line), line
    for number in range(PROCESSES):
        said = [int(n) for n in re.findall(rf"writer{number} says (\d+)", "\n".join(lines))]
        assert said == sorted(set(said)), "twice, or out of order"
    assert [line for line in lines if line.startswith("a person")] == [f"a person wrote {n}" for n in range(200)]
    assert not os.path.exists(f"{root}/.agentws/undo/000002.pending")
