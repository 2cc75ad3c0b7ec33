"""How long a backup takes after one day's work, beside rsync with hard links, and restic where it is installed.

    python benchmarks/backup.py                     # ten years of days, 250 MB, some minutes
    python benchmarks/backup.py --rounds 3

All keep every earlier state and end with the medium synced. Taken in turns, so that they meet the same noise; the ratio
of the medians is what counts. Ours also reads back what it copied and follows the chain of the journal.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from datetime import date, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

DAYS, DAY_BYTES, LARGE, LARGE_BYTES = 3_650, 6_000, 230, 1 << 20
FIRST = date(2016, 11, 20)
AGENTWS = (sys.executable, "-m", "agentws")


def main() -> None:
    """Print a row for each program."""
    options = argparse.ArgumentParser(description="Backup benchmark.")
    options.add_argument("--rounds", type=int, default=7)
    asked = options.parse_args()
    base = Path(tempfile.mkdtemp(prefix="agentws-bench-"))
    try:
        _prepare(base)
        programs: dict[str, Callable[[Path, int], object]] = {"rsync": _rsync, "agentws": _agentws}
        if shutil.which("restic"):
            _restic_begin(base)
            programs["restic"] = _restic
        found: dict[str, list[float]] = {name: [] for name in programs}
        for number in range(asked.rounds + 1):
            for name, act in programs.items():
                found[name].append(_timed(lambda act=act, number=number: act(base, number)))
            _work(base, number)
        print(f"{DAYS:,} days, {LARGE} MB beside, {asked.rounds} rounds, {os.cpu_count()} cores")
        print(f"{'':10}{'first':>10}{'a day':>10}{'least':>10}{'of rsync':>10}")
        plain = statistics.median(found["rsync"][1:])
        for name, times in found.items():
            usual = statistics.median(times[1:])
            print(f"{name:10}{times[0]:>8.2f} s{usual:>8.2f} s{min(times[1:]):>8.2f} s{usual / plain:>10.2f}")
    finally:
        shutil.rmtree(base, ignore_errors=True)


def _prepare(base: Path) -> None:
    root, chance = base / "robin", random.Random(7)
    _run(base, *AGENTWS, "init", "--no-git", "-q", "--name", "Robin", str(root))
    for number in range(DAYS):
        text = chance.randbytes(DAY_BYTES // 2).hex()
        (root / "memory" / f"{FIRST + timedelta(days=number)}.md").write_text(f"- {text}\n")
    (root / "recordings").mkdir()
    for number in range(LARGE):
        (root / "recordings" / f"{number:04d}.bin").write_bytes(chance.randbytes(LARGE_BYTES))
    (base / "rsync").mkdir()


def _work(base: Path, number: int) -> None:
    """One day: a log, events, a line in MEMORY.md, one large file that is new and one that has grown."""
    root = base / "robin"
    for line in range(5):
        _run(base, *AGENTWS, "-C", str(root), "log", f"line {line} of day {number}")
        _run(base, *AGENTWS, "-C", str(root), "event", "note", f"event {line} of day {number}")
    with (root / "MEMORY.md").open("a") as file:
        file.write(f"- day {number}\n")
    (root / "recordings" / f"new-{number}.bin").write_bytes(os.urandom(LARGE_BYTES))
    with (root / "recordings" / "0000.bin").open("ab") as grown:
        grown.write(os.urandom(LARGE_BYTES // 16))
    os.sync()


def _rsync(base: Path, number: int) -> None:
    place = base / "rsync"
    links = (f"--link-dest={place}/{number - 1}",) if number else ()
    _run(base, "rsync", "-a", "--exclude=/.agentws", *links, f"{base}/robin/", f"{place}/{number}/")
    _run(base, "sync", "-f", str(place))


def _agentws(base: Path, number: int) -> None:
    words = ("backup", "create", str(base / "stick"), "--keep", "all", "-q")
    _run(base, *AGENTWS, "-C", str(base / "robin"), *words)


def _restic_begin(base: Path) -> None:
    _run(base, "restic", "-q", "init", "-r", str(base / "restic"))


def _restic(base: Path, number: int) -> None:
    words = ("restic", "-q", "-r", str(base / "restic"), "backup", "--exclude", ".agentws", str(base / "robin"))
    _run(base, *words)
    _run(base, "sync", "-f", str(base / "restic"))


def _run(base: Path, *words: str) -> None:
    env = {**os.environ, "HOME": str(base), "RESTIC_PASSWORD": "none", "AGENTWS_STATE_DIR": str(base / "state")}
    subprocess.run(words, check=True, env=env, stdout=subprocess.DEVNULL)


def _timed(act: Callable[[], object]) -> float:
    began = time.perf_counter()
    act()
    return time.perf_counter() - began


if __name__ == "__main__":
    main()
