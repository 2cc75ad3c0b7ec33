"""What a session costs inside the real Claude Code or Codex, against a played model, beside the program alone.

    PYTHONPATH=. python benchmarks/session.py HOST PROGRAM [ROUNDS]

HOST is `claude-code` or `codex`. Both take turns, and the median of the ratios pair by pair is told: absolute times
mean nothing on shared machines. The processor time is that of the program and of all that it starts, also of what goes
on behind it (Linux). A call of a tool costs what a session with several calls has more than one without, again pair by
pair.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from agentws.features.hosts.crash_test.programs import PROGRAMS, trust_codex
from tests.judges import messages_mock, responses_mock
from tests.judges.loopback import Run, serving
from tests.judges.rig import Scene

AGENTWS = str(Path(sys.executable).with_name("agentws"))
ROUNDS, CALLS = 10, 10
PR_SET_CHILD_SUBREAPER = 36
"""Makes this process the parent of what its children leave behind."""
MODELS = {"claude-code": messages_mock.ScriptedModel, "codex": responses_mock.ScriptedModel}


def main() -> None:
    """Print wall and processor time of a session as ratios to the program alone, and what a tool call adds."""
    host, program = sys.argv[1:3]
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1)
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else ROUNDS
    model = MODELS[host]()
    with tempfile.TemporaryDirectory() as name, serving(model) as address:
        alone, wired = (scene(Path(name, which), host, address) for which in ("alone", "wired"))
        words = [AGENTWS, "install", host]
        subprocess.run(words, cwd=wired.workspace, env=wired.environment(), check=True, stdout=subprocess.DEVNULL)
        if host == "codex":
            trust_codex(program, str(wired.workspace), wired.environment())

        def once(where: Scene, calls: int) -> tuple[float, float]:
            model.turns = [Run("true")] * calls
            return cost(PROGRAMS[host].line(program, "Count the herons"), where)

        for one in (alone, wired):
            once(one, 1)  # what a first start makes, the others find
        pairs = [(once(alone, 0), once(wired, 0), once(alone, CALLS), once(wired, CALLS)) for _ in range(rounds)]
    for label, at in (("wall", 0), ("processor", 1)):
        ratio = statistics.median(ours[at] / theirs[at] for theirs, ours, _, _ in pairs)
        calls = statistics.median((b[at] - ours[at]) - (a[at] - theirs[at]) for theirs, ours, a, b in pairs) / CALLS
        base = statistics.median(theirs[at] for theirs, *_ in pairs)
        print(f"{label:<10} {ratio:.2f}  (alone {base:.2f} s); a call {1000 * calls:.0f} ms more")
    print(f"load {os.getloadavg()[0]:.1f}")


def scene(folder: Path, host: str, address: str) -> Scene:
    """A home and a workspace in which the program talks to the played model."""
    folder.mkdir()
    made = Scene(folder)
    made.variables = PROGRAMS[host].prepare(str(made.home), str(made.workspace), address)
    return made


def cost(words: list[str], where: Scene) -> tuple[float, float]:
    """(seconds, processor seconds) of a run of the program."""
    began, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        words,
        cwd=where.workspace,
        env=where.environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        check=True,
    )
    wall = time.perf_counter() - began
    with contextlib.suppress(ChildProcessError):
        while True:
            os.wait()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


if __name__ == "__main__":
    main()
