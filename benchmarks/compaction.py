"""What a first run of compaction and a nightly one cost: a year of logs, 365 days of 14 KB, and one day more.

    python benchmarks/compaction.py
    python benchmarks/compaction.py --days 3650

The words are made up, as many different ones as real logs have. How much of what later days need survives is measured
elsewhere, with data that may not be shipped: docs/benchmarks.md has the figures.
"""

from __future__ import annotations

import argparse
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

AGENTWS = str(Path(sys.executable).with_name("agentws"))
HEADINGS = ("Decisions", "Work", "Lessons", "Open questions", "Notes", "Deployment", "Meeting")
SIZE = 14_300
WORDS = 30_000


def main() -> None:
    """Make the logs, run compaction twice, print what each run cost."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--days", type=int, default=365)
    days = parser.parse_args().days
    chance = random.Random(7)
    words = ["".join(chance.choices("bcdfghklmnprstvwz", k=2)) + f"a{number:x}" for number in range(WORDS)]
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "robin"
        surroundings = {**os.environ, "HOME": folder, "TZ": "UTC"}
        seconds([AGENTWS, "init", "--no-git", str(root)], surroundings)
        newest = datetime.now(tz=UTC).date() - timedelta(days=20)
        for ago in range(days):
            put(root, newest - timedelta(days=ago), words, chance)
        size = sum(path.stat().st_size for path in (root / "memory").glob("*.md"))
        print(
            f"{days} days, {size / 1e6:.1f} MB; one empty interpreter: {seconds([sys.executable, '-c', 'pass']):.3f} s"
        )
        print(f"first run   {spent(root, surroundings)}")
        put(root, newest + timedelta(days=1), words, chance)
        print(f"next night  {spent(root, surroundings)}")


def put(root: Path, day: date, words: list[str], chance: random.Random) -> None:
    """Write a log of SIZE bytes whose words follow the frequencies of a language."""
    text = f"# {day}\n"
    while len(text) < SIZE:
        text += f"\n## {chance.choice(HEADINGS)}\n"
        for _ in range(12):
            line = " ".join(words[min(int(chance.paretovariate(0.6)) - 1, WORDS - 1)] for _ in range(16))
            text += f"- {line.capitalize()} {chance.randrange(10_000)}\n"
    (root / f"memory/{day}.md").write_text(text)


def spent(root: Path, surroundings: dict[str, str]) -> str:
    """What one run costs: seconds, processor seconds, the most memory that any child has had so far."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    took = seconds([AGENTWS, "-C", str(root), "compact", "--yes", "-q"], surroundings)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return f"{took:6.2f} s, {processor:6.2f} s of a processor, {after.ru_maxrss / 1024:.0f} MB"


def seconds(command: list[str], surroundings: dict[str, str] | None = None) -> float:
    """How long a command takes."""
    start = time.perf_counter()
    subprocess.run(command, env=surroundings, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


if __name__ == "__main__":
    main()
