"""How long a sync of one day's work takes beside `git push` of the same bytes, over the same ssh.

    python benchmarks/sync.py                      # a year of days, some minutes
    python benchmarks/sync.py --rounds 3

Two machines of this one: an sshd on the loopback, with keys of its own, and over there nothing but git. Taken in turns,
so that all meet the same noise; the ratio of the medians is what counts. A sync also looks what the others wrote,
reads what has changed here, merges, and signs. `git push` has its commit made beforehand; in `git add, commit, push`
that counts too.
"""

from __future__ import annotations

import argparse
import json
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

from benchmarks.samples import Writer
from tests.hosts_real import rig
from tests.hosts_real.rig import BIN, Machine

if TYPE_CHECKING:
    from collections.abc import Callable

DAYS, CALLS, OUTPUT_BYTES = 365, 300, 1_200
FIRST = date(2025, 11, 20)
EXCLUDED = "/.agentws/\n/identity/moved.json\n"


def main() -> None:
    """Print a row for each way."""
    options = argparse.ArgumentParser(description="Sync benchmark.")
    options.add_argument("--rounds", type=int, default=7)
    asked = options.parse_args()
    base = Path(tempfile.mkdtemp(prefix="agentws-bench-"))
    try:
        here, there = Machine(base, "here"), Machine(base, "there", has_agentws=False)
        with rig.machines(base, here, there):
            _prepare(here, there)
            ways: dict[str, Callable[[Machine], object]] = {
                "git push": _push, "git add, commit, push": _commit_and_push, "agentws sync": _sync,
                "agentws sync, nothing new": _sync,
            }  # fmt: skip
            found: dict[str, list[float]] = {name: [] for name in ways}
            for number in range(asked.rounds):
                _work(here, number)
                _commit(here, "push")
                for name, act in ways.items():
                    found[name].append(_timed(lambda act=act: act(here)))
            size = sum(path.stat().st_size for path in here.place("robin").rglob("*") if path.is_file())
            print(f"{DAYS} days, {size / 1e6:.0f} MB, {asked.rounds} rounds, {os.cpu_count()} cores")
            plain = statistics.median(found["git push"])
            for name, times in found.items():
                usual = statistics.median(times)
                print(f"{name:28}{usual:>8.3f} s{min(times):>8.3f} s{usual / plain:>8.2f} of git push")
    finally:
        shutil.rmtree(base, ignore_errors=True)


def _prepare(here: Machine, there: Machine) -> None:
    root, writer = here.place("robin"), Writer()
    here.run(f"{BIN}/agentws", "init", "--no-git", "--name", "Robin", str(root))
    for number in range(DAYS):
        day = FIRST + timedelta(days=number)
        (root / "memory" / f"{day}.md").write_text(writer.day(day))
    _work(here, -1)
    for name in ("ours", "push", "commit"):
        there.run("git", "init", "-q", "--bare", str(there.place(f"{name}.git")))
    for name in ("push", "commit"):
        git = _git(here, name)
        here.run("git", "init", "-q", f"--separate-git-dir={here.place(name)}.git", str(here.place(name)))
        here.run(*git, "config", "user.name", "Robin")
        here.run(*git, "config", "user.email", "robin@example.org")
        (here.folder / "agents" / f"{name}.git" / "info" / "exclude").write_text(EXCLUDED)
    _commit(here, "push")
    _push(here)
    _commit_and_push(here)
    here.agentws("robin", "sync", there.to("ours.git"))


def _work(here: Machine, number: int) -> None:
    """One day: lines of the log, facts, a task, and calls of tools with what they gave."""
    chance, root = random.Random(number), here.place("robin")
    source = "\n".join(path.read_text() for path in sorted(Path(__file__).parent.parent.glob("agentws/**/*.py")))
    for line in range(10):
        here.agentws("robin", "log", f"line {line} of day {number}")
    here.agentws("robin", "remember", f"fact of day {number}")
    here.agentws("robin", "task", "add", f"Task of day {number}", "--start")
    rows = []
    for call in range(CALLS):
        at = chance.randrange(len(source) - OUTPUT_BYTES)
        rows.append({"kind": "action", "tool": "read_file", "call": f"c{number}-{call}", "input": {"path": f"{at}.py"}})
        output = source[at : at + OUTPUT_BYTES]
        rows.append({"kind": "result", "tool": "read_file", "call": f"c{number}-{call}", "output": output})
    lines = "".join(json.dumps(row) + "\n" for row in rows).encode()
    words = [f"{BIN}/agentws", "-C", str(root), "event", "--stdin", "-q"]
    subprocess.run(words, input=lines, env=here.environment, check=True, stdout=subprocess.DEVNULL)


def _git(here: Machine, name: str) -> list[str]:
    return ["git", f"--git-dir={here.place(name)}.git", f"--work-tree={here.place('robin')}"]


def _commit(here: Machine, name: str) -> None:
    # By force, since journal/.gitignore keeps the journal out of people's repositories; a sync takes it along.
    here.run(
        *_git(here, name), "add", "-A", "-f", "--", ".", ":!.agentws", ":!identity/moved.json", ":!journal/.gitignore"
    )
    here.run(*_git(here, name), "commit", "-q", "-m", "a day")


def _push(here: Machine) -> None:
    here.run(*_git(here, "push"), "push", "-q", f"there:{here.base}/there/agents/push.git", "HEAD:refs/heads/main")


def _commit_and_push(here: Machine) -> None:
    _commit(here, "commit")
    here.run(*_git(here, "commit"), "push", "-q", f"there:{here.base}/there/agents/commit.git", "HEAD:refs/heads/main")


def _sync(here: Machine) -> None:
    here.run(f"{BIN}/agentws", "-C", str(here.place("robin")), "sync", "-q")


def _timed(act: Callable[[], object]) -> float:
    began = time.perf_counter()
    act()
    return time.perf_counter() - began


if __name__ == "__main__":
    sys.exit(main())
