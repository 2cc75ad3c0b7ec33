"""What every other verb costs, with git and without, as ratios to an empty interpreter (B), in one run.

    PYTHONPATH=. python benchmarks/verbs.py
    PYTHONPATH=. python benchmarks/verbs.py --folder ~/agent   # a copy of yours is measured

Every command takes turns with `python -c pass`; the median of the ratios pair by pair is told. A plain alternative
stands beside what writes: the same line appended by the shell and committed with git.
"""

from __future__ import annotations

import argparse
import itertools
import shutil
import statistics
import tempfile
from pathlib import Path

from benchmarks.samples import AGENTWS, EMPTY, once, run, surroundings, workspace

READS = (
    "--version", "--help", "todo", "task list", "journal list", "handoff show", "history MEMORY.md", "status", "doctor",
    "boot",
)  # fmt: skip
WRITES = ("log", "event note", "remember", "task add", "handoff --doing")
PLAIN = 'echo "- {text}" >> MEMORY.md && git add MEMORY.md && git commit -qm {text}'


def main() -> None:
    """Print one row a verb."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, help="a workspace to copy, instead of one that is made up")
    parser.add_argument("--rounds", type=int, default=9)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder, roots = Path(name), []
        env = surroundings(folder)
        if asked.folder:
            roots = [Path(shutil.copytree(asked.folder.expanduser(), folder / "copy", symlinks=True))]
        else:
            roots = [workspace(folder / kind, env, days=7, git=kind == "git") for kind in ("git", "plain")]
        print(f"{'verb':<24}" + "".join(f"{root.name + ': wall / B':>18} {'cpu / B':>9}" for root in roots))
        numbers = itertools.count()
        for verb in (*READS, *WRITES):
            print(f"{verb:<24}" + "".join(cell(verb, root, env, numbers, asked.rounds) for root in roots))
        if not asked.folder:
            wall, cpu = plain(folder / "git", env, numbers, asked.rounds)
            print(f"{'echo, git add, git commit':<24}{wall:>18.2f} {cpu:>9.2f}")


def cell(verb: str, root: Path, env: dict[str, str], numbers: itertools.count[int], rounds: int) -> str:
    """What is printed of a verb in a workspace; nothing of history where none is kept."""
    if verb.startswith("history") and not (root / ".git").exists():
        return f"{'-':>18} {'-':>9}"
    wall, cpu = cost(verb, root, env, numbers, rounds)
    return f"{wall:>18.2f} {cpu:>9.2f}"


def cost(verb: str, root: Path, env: dict[str, str], numbers: itertools.count[int], rounds: int) -> tuple[float, float]:
    """(wall clock, processor time) of a verb against an empty interpreter."""
    at = [] if verb.startswith("--") else ["-C", str(root)]

    def words() -> list[str]:
        own = [f"The {next(numbers)}th cat sat down"] if verb in WRITES else []
        return [AGENTWS, *at, *verb.split(), *own]

    pairs = [(once(EMPTY, env), once(words(), env, may_fail=True)) for _ in range(rounds + 1)][1:]
    return _medians(pairs)


def plain(root: Path, env: dict[str, str], numbers: itertools.count[int], rounds: int) -> tuple[float, float]:
    """The same for what a person would do without agentws: a line, and a commit."""
    for key, value in (("user.name", "Ada"), ("user.email", "ada@example.org")):
        run(["git", "-C", str(root), "config", key, value], env)
    script = "cd {root} && " + PLAIN
    pairs = [
        (once(EMPTY, env), once(["sh", "-c", script.format(root=root, text=f"cat{next(numbers)}")], env))
        for _ in range(rounds + 1)
    ]
    return _medians(pairs[1:])


def _medians(pairs: list[tuple[tuple[float, float, float], tuple[float, float, float]]]) -> tuple[float, float]:
    walls, processors = ([ours[at] / empty[at] for empty, ours in pairs] for at in (0, 1))
    return statistics.median(walls), statistics.median(processors)


if __name__ == "__main__":
    main()
