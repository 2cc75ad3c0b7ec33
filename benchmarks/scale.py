"""What grows with a life: verbs after many days, tasks, commits, and with a large MEMORY.md, each curve in one run.

    PYTHONPATH=. python benchmarks/scale.py                       # some ten minutes
    PYTHONPATH=. python benchmarks/scale.py days commits          # days, tasks, commits, memory
    PYTHONPATH=. python benchmarks/scale.py commits --most 50000

All figures are ratios to an empty interpreter (B) in processor time, the git that a verb starts among it, the medians
of runs in turn; a plain alternative stands beside each curve.
"""

from __future__ import annotations

import argparse
import itertools
import statistics
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.samples import AGENTWS, EMPTY, Writer, once, surroundings, workspace

if TYPE_CHECKING:
    from collections.abc import Callable

ROUNDS = 7
DAYS = (1, 100, 1_000, 3_650, 10_000)
TASKS = (10, 100, 1_000, 10_000)
COMMITS = (10, 1_000, 10_000)
MEMORY_BYTES = (1_000, 30_000, 300_000, 1_000_000)
NUMBERS = itertools.count()


def main() -> None:
    """Print one curve a subject."""
    curves: dict[str, Callable[[Path, int], None]] = {
        "days": days,
        "tasks": tasks,
        "commits": commits,
        "memory": memory,
    }
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("curves", nargs="*", choices=[*curves, []], help="which of them; all where none is named")
    parser.add_argument("--most", type=int, default=10_000, help="how far a curve goes (default 10,000)")
    asked = parser.parse_args()
    for name in asked.curves or curves:
        with tempfile.TemporaryDirectory() as folder:
            curves[name](Path(folder), asked.most)


def days(folder: Path, most: int) -> None:
    """Verbs after so many days, all of them in `memory/` and none folded, with git; beside `git status`."""
    env = surroundings(folder)
    roots = {str(count): workspace(folder / str(count), env, days=count, git=True) for count in DAYS if count <= most}
    show(
        "days",
        roots,
        env,
        [
            "boot",
            "log A line more",
            "event note more",
            "status",
            "doctor",
            "remember NEW",
            "task add NEW",
            "handoff --doing NEW",
        ],
        plain={"git status": ["git", "status", "--short"]},
    )


def tasks(folder: Path, most: int) -> None:
    """Lists with so many tasks; beside `cat` of them."""
    env, writer, roots = surroundings(folder), Writer(), {}
    for count in (each for each in TASKS if each <= most):
        root = roots[str(count)] = workspace(folder / str(count), env, days=7, git=False)
        model = next((root / "tasks").glob("*.md")).read_text()
        for number in range(count - 1):
            title = f"{writer.sentence()[:40]} {number}"
            (root / f"tasks/t{number}.md").write_text(model.replace("# ", f"# {title} ", 1))
    show(
        "tasks", roots, env, ["task list", "todo", "boot", "status"], plain={"cat tasks/*": ["sh", "-c", "cat tasks/*"]}
    )


def commits(folder: Path, most: int) -> None:
    """History of a file after so many states; beside `git log`."""
    env, roots = surroundings(folder), {}
    for count in (each for each in (*COMMITS, 50_000) if each <= most):
        root = roots[str(count)] = workspace(folder / str(count), env, days=30, git=True)
        subprocess.run(["git", "fast-import", "--quiet", "--force"], input=stream(root, count), check=True, cwd=root)
        subprocess.run(["git", "read-tree", "HEAD"], check=True, cwd=root)
    plain = {
        "git log -20 MEMORY.md": ["git", "log", "--format=%h", "-20", "--", "MEMORY.md"],
        "git diff HEAD~1": ["git", "diff", "HEAD~1"],
    }
    show(
        "commits",
        roots,
        env,
        ["history MEMORY.md", "diff", "diff --since 1000d --stat", "remember NEW", "status"],
        plain=plain,
    )


def stream(root: Path, count: int) -> bytes:
    """So many states more of the workspace's branch, as `git fast-import` reads them: a line in MEMORY.md or a log."""
    branch = (root / ".git/HEAD").read_text().removeprefix("ref: ").strip()
    writer, parts = Writer(), []
    texts = {path: (root / path).read_text() for path in ("MEMORY.md", "USER.md", "memory/2026-11-18.md")}
    for number in range(count):
        path = tuple(texts)[number % 3]
        lines = texts[path].split("\n")[-60:] if number else texts[path].split("\n")
        texts[path] = "\n".join([*lines[:-1], f"- {writer.sentence()}", ""])
        data, said = texts[path].encode(), b"agentws remember\n"
        who = f"agentws <agentws@localhost> {1_600_000_000 + number * 60} +0000"
        begun = f"from {branch}^0\n" if not number else ""
        parts.append(f"commit {branch}\ncommitter {who}\ndata {len(said)}\n".encode() + said + begun.encode())
        parts.append(f"M 100644 inline {path}\ndata {len(data)}\n".encode() + data + b"\n")
    return b"".join(parts)


def memory(folder: Path, most: int) -> None:
    """Verbs with a MEMORY.md of so many bytes; beside `cat` of it."""
    env, roots = surroundings(folder), {}
    for size in MEMORY_BYTES:
        root = roots[str(size)] = workspace(folder / str(size), env, days=7, git=True)
        writer, path = Writer(), root / "MEMORY.md"
        text = path.read_text()
        while len(text) < size:
            text += f"\n## {writer.sentence()[:30]}\n\n" + "".join(f"- {writer.sentence()}\n" for _ in range(12))
        path.write_text(text)
    show(
        "bytes of MEMORY.md",
        roots,
        env,
        ["boot", "remember NEW", "status", "todo"],
        plain={"cat MEMORY.md": ["cat", "MEMORY.md"]},
    )


def show(
    subject: str, roots: dict[str, Path], env: dict[str, str], verbs: list[str], *, plain: dict[str, list[str]]
) -> None:
    """Print a table: a row a verb, a column a size."""
    print(f"\n{subject:<24}" + "".join(f"{int(name):>12,}" for name in roots))
    for verb in verbs:
        print(f"{verb.replace(' NEW', ''):<24}" + "".join(f"{each:>12.2f}" for each in turns(verb, roots, env)))
    for label, words in plain.items():
        told = [statistics.median(in_folder(words, root, env) for _ in range(ROUNDS)) for root in roots.values()]
        print(f"{label:<24}" + "".join(f"{each:>12.2f}" for each in told))


def turns(verb: str, roots: dict[str, Path], env: dict[str, str]) -> list[float]:
    """Processor time of a verb in each of these workspaces, in turn, against an empty interpreter."""
    told: dict[str, list[float]] = {name: [] for name in roots}
    for count in range(ROUNDS + 1):
        empty = once(EMPTY, env)[1]
        for name, root in roots.items():
            words = [f"A new fact {next(NUMBERS)}" if word == "NEW" else word for word in verb.split()]
            took = once([AGENTWS, "-C", str(root), *words], env, may_fail=True)[1]
            told[name] += [took / empty] * (count > 0)
    return [statistics.median(each) for each in told.values()]


def in_folder(words: list[str], root: Path, env: dict[str, str]) -> float:
    """Processor time of a program in a folder against an empty interpreter."""
    empty = once(EMPTY, env)[1]
    return once(["env", "-C", str(root), *words], env)[1] / empty


if __name__ == "__main__":
    main()
