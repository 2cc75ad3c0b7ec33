"""How well and how fast search finds, beside grep and SQLite FTS5 alone, in one run.

    PYTHONPATH=. python benchmarks/search.py                        # made-up text: a year of logs
    PYTHONPATH=. python benchmarks/search.py --folder ~/corpora     # questions with marked evidence: evidence.py
    PYTHONPATH=. python benchmarks/search.py --folder ~/corpora --only lme,locomo --other "bm25=bm25 --batch -k {k}"

`--other` is any program that answers JSON lines {"id","query","now"} with {"id","hits":[{"path","line","end_line"}]}
in the folder of a workspace; what it prepares is its own. The time of a question is measured in this process; what a
command costs, in fresh ones, in turn with an empty interpreter (B). No model is loaded and nothing is downloaded.
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks import evidence, finders
from benchmarks.samples import AGENTWS, EMPTY, once, surroundings

if TYPE_CHECKING:
    from benchmarks.evidence import Subject

ASKED, DRAWN_FROM = 30, 500
"""So many hits are asked for: enough for five sessions, where several turns of one come first, also if few count."""
STARTS = 15
MEASURES = ("session", "file", "turns")
FTS5 = """
import sqlite3, sys
for row in sqlite3.connect(sys.argv[1]).execute(
    "SELECT path, line, text FROM turns WHERE turns MATCH ? ORDER BY bm25(turns) LIMIT 10", (sys.argv[2],)): print(row)
"""
PEAK = """
import os, resource, sys
quiet = [(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0), (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0)]
os.waitpid(os.posix_spawnp(sys.argv[1], sys.argv[1:], os.environ, file_actions=quiet), 0)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, file=sys.stderr)
"""


def main() -> None:
    """Print what is found, how fast, and what a command costs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, help="sets of workspaces with marked evidence")
    parser.add_argument("--only", default="", help="names of sets, joined by commas")
    parser.add_argument("--other", action="append", default=[], metavar="NAME=COMMAND", help="another program")
    parser.add_argument("--sessions", type=int, default=0, help="count so many sessions a question, drawn at random")
    parser.add_argument("--days", type=int, default=365, help="days of made-up text (default 365)")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        env = surroundings(work)
        if asked.folder:
            sets = [each for each in asked.only.split(",") if each]
            subjects = evidence.of_folder(asked.folder.expanduser(), work, env, sets)
        else:
            subjects = evidence.made_up(work, env, days=asked.days)
        if not subjects:
            sys.exit("No questions there: SET/WORKSPACE/gold.json.")
        print(f"load {os.getloadavg()[0]:.1f}; {sum(len(one.questions) for one in subjects)} questions")
        found(subjects, work, [each.partition("=")[::2] for each in asked.other], env, asked.sessions)
        started(max(subjects, key=lambda one: one.text_bytes), work, env)


def found(
    subjects: list[Subject], work: Path, others: list[tuple[str, str]], env: dict[str, str], drawn: int = 0
) -> None:
    """Print a row a way and set: what its first hits hold, how long a question takes, what its index needs."""
    sets = list(dict.fromkeys(one.name for one in subjects))
    heads = ("session@5", "file@5", "R@10", "wall p50", "cpu p50", "cpu p95", "index/text", "units/s")
    print(f"\n{'milliseconds a question':<26}{'set':<14}" + "".join(f"{head:>11}" for head in heads))
    for number, way in enumerate(finders.EVERY):
        for name in sets:
            told, times, size, units, built_s = [], [], 0, 0, 0.0
            mine = [one for one in subjects if one.name == name]
            for subject in mine:
                cache = work / f"cache-{number}"
                cache.mkdir(exist_ok=True)
                finder = way(subject, cache)
                size, units, built_s = size + finder.index_bytes, units + finder.units, built_s + finder.built_s
                for question in subject.questions:
                    began, spent = time.perf_counter(), processor_s()
                    hits = finder.find(question, DRAWN_FROM if drawn else ASKED)
                    times.append((time.perf_counter() - began, processor_s() - spent))
                    told.append(subject.judged(question, hits, drawn))
            share = size / sum(one.text_bytes for one in mine)
            row(way.name, name, told, times, f"{share:>11.2f}{units / built_s:>11,.0f}" if built_s else "")
    for title, command in others:
        for name in sets:
            told, times = [], []
            for subject in (one for one in subjects if one.name == name):
                began, spent = time.perf_counter(), processor_s()
                answers = evidence.others(command, subject, env, ASKED)
                each_one = ((time.perf_counter() - began) / len(answers), (processor_s() - spent) / len(answers))
                times += [each_one] * len(answers)
                told += [subject.judged(*each) for each in zip(subject.questions, answers, strict=True)]
            row(title, name, told, times, "")


def row(title: str, name: str, told: list[dict[str, float]], times: list[tuple[float, float]], more: str) -> None:
    """Print one row."""
    shares = [statistics.mean(one[measure] for one in told) for measure in MEASURES]
    shown = [f"{share:>11.3f}" for share in shares]
    shown += [f"{1000 * quantile(times, *which):>11.1f}" for which in ((0, 0.5), (1, 0.5), (1, 0.95))]
    print(f"{title:<26}{name:<14}{''.join(shown)}{more}")


def quantile(times: list[tuple[float, float]], column: int, part: float) -> float:
    """The time that so large a part of the questions needs at most; column 0 is wall clock, 1 processor."""
    ordered = sorted(time[column] for time in times)
    return ordered[int(part * (len(ordered) - 1))]


def processor_s() -> float:
    """Processor seconds of this process and its children until now."""
    spent = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in spent)


def started(subject: Subject, work: Path, env: dict[str, str]) -> None:
    """Print what one question costs in a process of its own, of the largest workspace."""
    asked = [question.text for question in subject.questions[:STARTS]]
    index = work / "alone.sqlite"
    (work / "alone").mkdir()
    fts5 = finders.Fts5(subject, work / "alone")
    os.rename(work / "alone" / f"{subject.root.name}.sqlite", index)
    del fts5
    log = max((subject.root / "memory").glob("2*.md"))
    search = [AGENTWS, "-C", str(subject.root), "search"]
    rows = {
        "grep, one word": lambda text: ["grep", "-rniF", finders.words(text)[0], str(subject.root)],
        "python, SQLite FTS5 alone": lambda text: [sys.executable, "-c", FTS5, str(index), any_of(text)],
        "agentws search": lambda text: [*search, "--", text],
        "the same, one log changed": lambda text: [*search, "--", grown(log, text)],
    }
    print(f"\n{subject.text_bytes / 1e6:.1f} MB of text{'':<16}{'wall / B':>9}{'cpu / B':>9}{'peak MB':>9}")
    for title, command in rows.items():
        once(command(asked[0]), env, may_fail=True)
        pairs = [(once(EMPTY, env), once(command(text), env, may_fail=True)) for text in asked]
        wall, cpu = (statistics.median(ours[at] / empty[at] for empty, ours in pairs) for at in (0, 1))
        print(f"{title:<30}{wall:>9.1f}{cpu:>9.1f}{peak(command(asked[0]), env):>9.0f}")


def peak(words: list[str], env: dict[str, str]) -> float:
    """The peak MB of a command, started by a small process: a child begins with the peak of its parent."""
    done = subprocess.run(
        [sys.executable, "-SIc", PEAK, *words], env=env, stderr=subprocess.PIPE, text=True, check=True
    )
    return int(done.stderr) / (1024 if sys.platform == "linux" else 1024 * 1024)


def any_of(text: str) -> str:
    """The words of a question, as FTS5 is asked for any of them."""
    return " OR ".join(f'"{word}"' for word in finders.words(text))


def grown(log: Path, text: str) -> str:
    """The question, after one line more stands in a log."""
    with log.open("a") as file:
        file.write(f"- one line more, number {time.monotonic_ns()}\n")
    return text


if __name__ == "__main__":
    main()
