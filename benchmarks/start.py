"""How long the verbs that run at every start take, as ratios to an empty interpreter (B), in one run.

Absolute times mean nothing on shared machines, so every command takes turns with `python -c pass` in the same
environment, and the median of the ratios pair by pair is told.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from datetime import date, timedelta
from pathlib import Path

ROUNDS = 15
AGENTWS = str(Path(sys.executable).with_name("agentws"))


def main() -> None:
    """Print one row a command."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        week, years = made(folder / "week", days=7), made(folder / "years", days=3650)
        rows = {
            "boot, one week of logs": ["boot", "-C", week],
            "boot, ten years of logs": ["boot", "-C", years],
            "log, one line": ["log", "-C", week, "one line more"],
            "status": ["status", "-C", week],
        }
        print(f"{'command':<26} {'wall / B':>9} {'cpu / B':>9} {'peak MB':>8}")
        for label, words in rows.items():
            wall, cpu, peak = ratio([AGENTWS, *words])
            print(f"{label:<26} {wall:>9.2f} {cpu:>9.2f} {peak:>8.1f}")


def made(folder: Path, *, days: int) -> str:
    """A workspace with so many days of logs."""
    subprocess.run([AGENTWS, "init", folder, "--no-git"], check=True, stdout=subprocess.DEVNULL)
    for number in range(1, days + 1):
        day = date(2026, 11, 19) - timedelta(days=number)
        lines = "".join(
            f"- {hour:02d}:00 [fact] entry {hour} of the day, as long as entries are\n" for hour in range(24)
        )
        (folder / "memory" / f"{day}.md").write_text(f"# {day}\n\n{lines}")
    return str(folder)


def ratio(words: list[str]) -> tuple[float, float, float]:
    """(wall clock / B, processor time / B, peak memory in MB): medians over the rounds, after one that warms up."""
    pairs = [(once([sys.executable, "-c", "pass"]), once(words)) for _ in range(ROUNDS + 1)][1:]
    walls = [ours[0] / empty[0] for empty, ours in pairs]
    processors = [ours[1] / empty[1] for empty, ours in pairs]
    return statistics.median(walls), statistics.median(processors), max(ours[2] for _, ours in pairs)


def once(words: list[str]) -> tuple[float, float, float]:
    """(seconds, processor seconds, peak MB) of one run."""
    began = time.perf_counter()
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"{' '.join(words)} failed with {process.returncode}")
    scale = 1024 if sys.platform == "linux" else 1024 * 1024
    return time.perf_counter() - began, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / scale


if __name__ == "__main__":
    main()
