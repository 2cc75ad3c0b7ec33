"""How long a migration takes beside plain rsync over the same ssh, both made durable over there at their end.

    python benchmarks/migrate.py                      # 5,000 files, 23 MB, some minutes
    python benchmarks/migrate.py --rounds 3

Two machines of this one: an sshd on the loopback, with keys of its own. Taken in turns, so that both meet the same
noise; the ratio of the medians is what counts. `full`: nothing is there yet. `ten`: an earlier try was ended once all
was there, and ten files have changed since; rsync meets the same. agentws reads every file at both ends in both.
"""

from __future__ import annotations

import argparse
import os
import random
import shlex
import shutil
import statistics
import subprocess
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from tests.hosts_real import rig
from tests.hosts_real.rig import BIN, Machine

if TYPE_CHECKING:
    from collections.abc import Callable

FOLDERS, EACH, BYTES = 100, 50, 23_000_000
CHANGED = 10


def main() -> None:
    """Print one row for each of the two cases."""
    options = argparse.ArgumentParser(description="Migration benchmark.")
    options.add_argument("--rounds", type=int, default=7)
    asked = options.parse_args()
    base = Path(tempfile.mkdtemp(prefix="agentws-bench-"))
    try:
        here, there = Machine(base, "here"), Machine(base, "there", has_agentws=False)
        with rig.machines(base, here, there):
            _prepare(here)
            print(f"{FOLDERS * EACH:,} files, {BYTES / 1e6:.0f} MB, {asked.rounds} rounds, {os.cpu_count()} cores")
            print(f"{'':6}{'rsync -a; sync':>16}{'agentws migrate':>18}{'ratio':>8}{'least':>8}")
            for name, case in (("full", _full), ("ten", _ten)):
                _row(name, [case(here, there) for _ in range(asked.rounds)])
    finally:
        shutil.rmtree(base, ignore_errors=True)


def _row(name: str, found: list[tuple[float, float]]) -> None:
    plain, ours = ([pair[at] for pair in found] for at in (0, 1))
    ratio = statistics.median(ours) / statistics.median(plain)
    print(
        f"{name:6}{statistics.median(plain):>14.2f} s{statistics.median(ours):>16.2f} s{ratio:>8.2f}"
        f"{min(ours) / min(plain):>8.2f}"
    )


def _prepare(here: Machine) -> None:
    here.run(f"{BIN}/agentws", "init", "--no-git", "--name", "Robin", str(here.place("kept")))
    here.agentws("kept", "log", "a day")
    chance = random.Random(7)
    shares = [chance.lognormvariate(0, 1) for _ in range(FOLDERS * EACH)]
    for number, share in enumerate(shares):
        folder = here.place("kept") / "notes" / f"{number // EACH:03d}"
        folder.mkdir(parents=True, exist_ok=True)
        size = round(share / sum(shares) * BYTES)
        (folder / f"{number % EACH:02d}.md").write_text(chance.randbytes(size // 2 + 1).hex()[:size])


def _full(here: Machine, there: Machine) -> tuple[float, float]:
    _begin(here, there)
    plain = _timed(lambda: _rsync(here, there))
    _begin(here, there)
    return plain, _timed(lambda: _migrate(here, there))


def _ten(here: Machine, there: Machine) -> tuple[float, float]:
    _begin(here, there)
    _rsync(here, there)
    _change(here)
    plain = _timed(lambda: _rsync(here, there))
    _begin(here, there)
    _break_off(here, there)
    _change(here)
    return plain, _timed(lambda: _migrate(here, there))


def _begin(here: Machine, there: Machine) -> None:
    """The agent here, nothing there."""
    for place in (here.place("robin"), there.folder / "agents"):
        shutil.rmtree(place, ignore_errors=True)
    (there.folder / "agents").mkdir()
    subprocess.run(["cp", "-a", str(here.place("kept")), str(here.place("robin"))], check=True)
    os.sync()


def _change(here: Machine) -> None:
    for number in range(CHANGED):
        with (here.place("robin") / "notes" / f"{number * 9:03d}" / "07.md").open("a") as file:
            file.write("one line more\n")


def _rsync(here: Machine, there: Machine) -> None:
    source, goal = f"{here.place('robin')}/", f"{there.to('plain')}/"
    words = ["rsync", "-a", "--exclude", "/.agentws", source, goal]
    here.run("sh", "-c", f"{shlex.join(words)} && ssh {there.name} sync")


def _migrate(here: Machine, there: Machine) -> None:
    here.agentws("robin", "migrate", there.to("robin"), "--yes")


def _break_off(here: Machine, there: Machine) -> None:
    """End a migration once all is there and verified, before the agent changes hands."""
    state = here.place("robin") / ".agentws" / "migration.json"
    process = here.start(f"{BIN}/agentws", "-C", str(here.place("robin")), "migrate", there.to("robin"), "--yes")
    while process.poll() is None and not (state.exists() and '"copied"' in state.read_text()):
        time.sleep(0.001)
    process.kill()
    process.wait()
    if (here.place("robin") / "identity" / "moved.json").exists():
        here.agentws("robin", "migrate", "--abort")
        _break_off(here, there)
    time.sleep(0.5)  # so that the far side has noticed


def _timed(act: Callable[[], object]) -> float:
    began = time.perf_counter()
    act()
    return time.perf_counter() - began


if __name__ == "__main__":
    main()
