"""What a session without tools costs inside the real Claude Code, against a played model, beside the program alone.

    PYTHONPATH=. python benchmarks/session.py CLAUDE [ROUNDS]

Both take turns, and the median of the ratios pair by pair is told: absolute times mean nothing on shared machines. The
processor time is that of the program and of all that it waited for.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.judges.loopback import serving
from tests.judges.messages_mock import ScriptedModel
from tests.judges.rig import Scene

AGENTWS = str(Path(sys.executable).with_name("agentws"))
ROUNDS = 8


def main() -> None:
    """Print wall and processor time, as ratios to the program alone."""
    claude, rounds = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else ROUNDS
    with tempfile.TemporaryDirectory() as name, serving(ScriptedModel()) as address:
        alone, wired = (scene(Path(name, which), address) for which in ("alone", "wired"))
        words = [AGENTWS, "install", "claude-code"]
        subprocess.run(words, cwd=wired.workspace, env=wired.environment(), check=True, stdout=subprocess.DEVNULL)
        for one in (alone, wired):
            once(claude, one)  # what a first start makes, the others find
        pairs = [(once(claude, alone), once(claude, wired)) for _ in range(rounds)]
    for label, at in (("wall", 0), ("processor", 1)):
        ratio = statistics.median(ours[at] / theirs[at] for theirs, ours in pairs)
        print(f"{label:<10} {ratio:.2f}  (alone {statistics.median(theirs[at] for theirs, _ in pairs):.2f} s)")
    print(f"load {os.getloadavg()[0]:.1f}")


def scene(folder: Path, address: str) -> Scene:
    """A home and a workspace in which Claude Code talks to the played model."""
    folder.mkdir()
    made = Scene(folder)
    made.variables = {
        "CLAUDE_CONFIG_DIR": str(made.home / ".claude"),
        "ANTHROPIC_BASE_URL": address,
        "ANTHROPIC_API_KEY": "dummy",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    }
    return made


def once(claude: str, where: Scene) -> tuple[float, float]:
    """(seconds, processor seconds) of a session of one prompt."""
    began = time.perf_counter()
    words = [claude, "-p", "Count the herons"]
    process = subprocess.Popen(
        words, cwd=where.workspace, env=where.environment(), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL
    )
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = status
    assert status == 0, status
    return time.perf_counter() - began, used.ru_utime + used.ru_stime


if __name__ == "__main__":
    main()
