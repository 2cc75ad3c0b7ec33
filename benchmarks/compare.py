"""A job of ten actions, killed at random moments: how often each action is done on agentws and on other records.

    python benchmarks/compare.py                     # 10 jobs on each
    python benchmarks/compare.py --runs 5 --seed 7   # killed at the same moments as another run with this seed
    python benchmarks/compare.py --only agentws,langgraph

Each action leaves a mark outside of the record, as a mail or a payment would. A played model goes on with the first
action that the record knows no result of; where the record says that a result is unknown, it looks at the marks first.
Each program is fetched with pip into a temporary environment of its own; one that cannot be fetched is named. No model
and no service is called.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

ACTIONS = 10
KILLS = 6
"""A job is killed so many times at most; then it runs to its end."""
LONGEST_S = 1.2
"""A process is killed so long at most after it began to work: about six actions."""
PATIENCE_S = 120.0
HERE = Path(__file__).parent
WAYS = {
    "agentws": ("agentws, session.action", []),
    "langgraph": ("LangGraph, SqliteSaver", ["langgraph", "langgraph-checkpoint-sqlite"]),
    "openai_agents": ("OpenAI Agents, SQLiteSession", ["openai-agents"]),
}
"""Part of the name of the program in `played/`: its title, and the packages that it needs beside this repository."""


@dataclass
class Outcome:
    """How many actions were done once, twice or more often, or not at all; how many were `reported` as unknown.

    `starts_s` are the processor seconds until a program's first action, `restarts_s` those after a kill.
    """

    once: int = 0
    twice: int = 0
    lost: int = 0
    reported: int = 0
    kills: int = 0
    starts_s: list[float] = field(default_factory=list)
    restarts_s: list[float] = field(default_factory=list)


def main() -> None:
    """Print a row for each program."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=10, help="jobs on each (default 10)")
    parser.add_argument("--seed", type=int, default=1, help="of the moments of the kills (default 1)")
    parser.add_argument("--only", default=",".join(WAYS), help=f"some of {','.join(WAYS)}")
    asked = parser.parse_args()
    print(
        f"{'':<44}{'actions':>9}{'kills':>7}{'once':>7}{'twice':>7}{'lost':>7}{'reported':>10}{'start':>9}{'restart':>9}"
    )
    for name in asked.only.split(","):
        title, packages = WAYS[name]
        with tempfile.TemporaryDirectory(prefix="agentws-compare-", ignore_cleanup_errors=True) as folder:
            python = fetched(Path(folder) / "venv", packages)
            if python is None:
                print(f"{title:<44} NOT MEASURED: its packages could not be installed")
                continue
            chance = random.Random(asked.seed)
            done = Outcome()
            for number in range(asked.runs):
                job = Path(folder) / f"job-{number}"
                job.mkdir()
                play(python, name, job, chance, done)
            shown = f"{title} {version(python, packages[-1] if packages else 'agentws')}"
            counts = (asked.runs * ACTIONS, done.kills, done.once, done.twice, done.lost, done.reported)
            cells = "".join(f"{count:>9}" for count in counts)
            print(f"{shown:<44}{cells}{median(done.starts_s):>9}{median(done.restarts_s):>9}")


def median(seconds: list[float]) -> str:
    """Return the median of some processor seconds, `-` for none."""
    return f"{statistics.median(seconds):.2f} s" if seconds else "-"


def fetched(folder: Path, packages: list[str], *, python: str = sys.executable) -> str | None:
    """Make an environment with these packages, and return its Python; None if they cannot be installed."""
    if not packages:
        return sys.executable
    subprocess.run([python, "-m", "venv", folder], check=True)
    python = str(folder / "bin" / "python")
    ran = subprocess.run([python, "-m", "pip", "install", "--quiet", *packages], check=False, stderr=subprocess.DEVNULL)
    return None if ran.returncode else python


def version(python: str, package: str) -> str:
    """Return the installed version of a package."""
    code = f"import importlib.metadata as m; print(m.version({package!r}))"
    return subprocess.run([python, "-c", code], check=True, capture_output=True, text=True).stdout.strip()


def play(python: str, name: str, job: Path, chance: random.Random, done: Outcome) -> None:
    """Play one job, kill it again and again, and add what became of its actions to `done`."""
    for kill in range(KILLS + 1):
        is_last = kill == KILLS
        if not run(python, name, job, None if is_last else chance.uniform(0, LONGEST_S)):
            break
        done.kills += 1
        (job / "killed").touch()
    marks = words(job / "marks")
    counts = [marks.count(str(action)) for action in range(ACTIONS)]
    done.once += counts.count(1)
    done.lost += counts.count(0)
    done.twice += sum(count > 1 for count in counts)
    done.reported += len(set(words(job / "reported")))
    done.starts_s += map(float, words(job / "started"))
    done.restarts_s += map(float, words(job / "restarted"))


def run(python: str, name: str, job: Path, kill_after_s: float | None) -> bool:
    """Run the program in the job's folder; return whether it was killed before its end."""
    (job / "working").unlink(missing_ok=True)
    with (job / "errors").open("ab") as errors:
        process = subprocess.Popen(
            [python, str(HERE / "played" / f"with_{name}.py")],
            cwd=job,
            env={**surroundings(), "HOME": str(job)},
            stdout=subprocess.DEVNULL,
            stderr=errors,
        )
        ends = time.monotonic() + PATIENCE_S
        while process.poll() is None and not (job / "working").exists() and time.monotonic() < ends:
            time.sleep(0.005)
        try:
            process.wait(PATIENCE_S if kill_after_s is None else kill_after_s)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            process.wait()
            return True
    if process.returncode:
        sys.exit(f"{name} failed:\n{(job / 'errors').read_text()[-2000:]}")
    return False


def surroundings() -> dict[str, str]:
    """Return the environment without the settings of agentws and of agent programs."""
    own = ("AGENTWS", "CLAUDE", "CODEX", "OPENAI", "LANGCHAIN", "LANGGRAPH", "LANGSMITH")
    return {name: value for name, value in os.environ.items() if not name.startswith(own)}


def words(file: Path) -> list[str]:
    """Return the words of a file, none if it is missing."""
    return file.read_text().split() if file.exists() else []


if __name__ == "__main__":
    main()
