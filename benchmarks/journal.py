"""How many events a second are made durable, verified and scanned; beside SQLite and LangGraph's saver, in one run.

    python benchmarks/journal.py                      # a million events, about two minutes, half a gigabyte on disk
    python benchmarks/journal.py --events 100000
    python benchmarks/journal.py --langgraph PYTHON   # an interpreter that has langgraph-checkpoint-sqlite

Every writer makes each event durable before it goes on to the next, but for SQLite's NORMAL, which does not. What the
disk needs for it, one fdatasync after one append, stands first: figures of two machines, or of two disks, mean nothing
beside each other.
"""

from __future__ import annotations

import argparse
import json
import os
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from agentws.workspace import Environment, Workspace

if TYPE_CHECKING:
    from collections.abc import Callable

SECONDS = 3.0
LANGGRAPH = """
import sys, time
from langgraph.checkpoint.base import empty_checkpoint
from langgraph.checkpoint.sqlite import SqliteSaver
path, name, seconds, begin = sys.argv[1], sys.argv[2], float(sys.argv[3]), float(sys.argv[4])
with SqliteSaver.from_conn_string(path) as saver:
    saver.setup()
    saver.conn.execute("PRAGMA busy_timeout=30000")
    config = {"configurable": {"thread_id": name, "checkpoint_ns": ""}}
    time.sleep(max(0, begin - time.time()))
    count, end = 0, time.perf_counter() + seconds
    while time.perf_counter() < end:
        checkpoint = empty_checkpoint()
        checkpoint["channel_values"] = {"step": {"tool": "read_file", "input": {"path": f"src/file_{count}.py"}}}
        config = saver.put(config, checkpoint, {"source": "loop", "step": count, "parents": {}}, {})
        count += 1
print(count)
"""
TWO_DIGESTS = """
import sys
from hashlib import sha256
for path in sys.argv[1:]:
    with open(path, "rb") as file:
        for line in file:
            sha256(line).digest()
            sha256(line[200:]).digest()
"""
"""What a check of the chain and of each body can do least: the line, and about half of it once more."""


def main() -> None:
    """Print one row for each writer and each reader."""
    options = argparse.ArgumentParser(description="Journal benchmark.")
    options.add_argument("--events", type=int, default=1_000_000)
    options.add_argument("--langgraph", metavar="PYTHON")
    options.add_argument("--child", nargs=4, help=argparse.SUPPRESS)
    asked = options.parse_args()
    if asked.child:
        writer, path, name, begin = asked.child
        print(WRITERS[writer](path, name, float(begin)))
        return
    with tempfile.TemporaryDirectory(dir=".") as folder:
        appends(Path(folder), asked.langgraph)
        readers(Path(folder), asked.events)


def appends(folder: Path, langgraph: str | None) -> None:
    """Durable appends a second, from one process and from four."""
    print(f"one append and its fdatasync: {floor(folder) * 1e6:.0f} µs (median)\n")
    print(f"{'durable appends a second':<40} {'1 process':>10} {'4 processes':>12} {'slowest of 4':>13}")
    for writer in (*WRITERS, *(["langgraph SqliteSaver.put"] if langgraph else [])):
        one = counted(folder, writer, 1, langgraph)
        four = counted(folder, writer, 4, langgraph)
        rates = [count / SECONDS for count in four]
        print(f"{writer:<40} {one[0] / SECONDS:>10,.0f} {sum(rates):>12,.0f} {min(rates):>13,.0f}")


def floor(folder: Path) -> float:
    """Seconds for one append of 400 bytes with its fdatasync."""
    took = []
    with (folder / "floor").open("ab", buffering=0) as file:
        for _ in range(500):
            began = time.perf_counter()
            file.write(b"x" * 400)
            os.fdatasync(file.fileno())
            took.append(time.perf_counter() - began)
    return statistics.median(took)


def counted(folder: Path, writer: str, processes: int, langgraph: str | None) -> list[int]:
    """How many appends each process did within SECONDS."""
    path = str(folder.resolve() / f"{writer.replace(' ', '-')}-{processes}")
    if writer == "agentws":
        Workspace.init(path, git=False)
    begin = str(time.time() + 1.5)
    if writer.startswith("langgraph"):
        words = [[langgraph or "", "-c", LANGGRAPH, path, str(n), str(SECONDS), begin] for n in range(processes)]
    else:
        words = [[sys.executable, __file__, "--child", writer, path, str(n), begin] for n in range(processes)]
    running = [subprocess.Popen(each, stdout=subprocess.PIPE, text=True) for each in words]
    return [int((process.communicate()[0] or "0").strip() or 0) for process in running]


def during(begin: float, step: Callable[[int], None]) -> int:
    """How often `step` was done within SECONDS from `begin` on."""
    time.sleep(max(0.0, begin - time.time()))
    count, end = 0, time.perf_counter() + SECONDS
    while time.perf_counter() < end:
        step(count)
        count += 1
    return count


def with_agentws(path: str, name: str, begin: float) -> int:
    """Events through the library."""
    workspace = Workspace.open(path, environment=Environment(state=(f"{path}-state", None)))
    return during(
        begin,
        lambda n: (
            workspace.event("action", tool="read_file", call=f"c{n}", input={"path": f"src/file_{n}.py"}) and None
        ),
    )


def with_sqlite(synchronous: str) -> Callable[[str, str, float], int]:
    """Rows in a table of events, each in a transaction of its own."""

    def write(path: str, name: str, begin: float) -> int:
        database = sqlite3.connect(path, isolation_level=None, timeout=30)
        database.execute("PRAGMA journal_mode=WAL")
        database.execute(f"PRAGMA synchronous={synchronous}")
        database.execute("CREATE TABLE IF NOT EXISTS events(id INTEGER PRIMARY KEY, session, at, kind, body)")

        def step(number: int) -> None:
            body = json.dumps({"tool": "read_file", "call": f"c{number}", "input": {"path": f"src/file_{number}.py"}})
            row = (name, time.time(), "action", body)
            database.execute("INSERT INTO events(session, at, kind, body) VALUES(?, ?, ?, ?)", row)

        return during(begin, step)

    return write


def bare(path: str, name: str, begin: float) -> int:
    """Lines of 400 bytes appended to one file by all, each with its fdatasync: what any durable writer pays."""
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    line = b"x" * 399 + b"\n"

    def step(_: int) -> None:
        os.write(fd, line)
        os.fdatasync(fd)

    return during(begin, step)


WRITERS: dict[str, Callable[[str, str, float], int]] = {
    "a bare append and fdatasync": bare,
    "agentws": with_agentws,
    "SQLite WAL, synchronous=FULL": with_sqlite("FULL"),
    "SQLite WAL, synchronous=NORMAL": with_sqlite("NORMAL"),
}


def readers(folder: Path, events: int) -> None:
    """Group commit through the command line, then verify and scan what it wrote."""
    agentws = str(Path(sys.executable).with_name("agentws"))
    surroundings = {**os.environ, "AGENTWS_STATE_DIR": str(folder.resolve() / "state")}
    root = folder / "many"
    Workspace.init(str(root), git=False)
    lines = folder / "events.jsonl"
    with lines.open("w") as file:
        for number in range(events):
            body: dict[str, object] = {"kind": "result" if number % 2 else "action", "tool": "read_file"}
            body["call"] = f"c{number // 2}"
            body["output" if number % 2 else "input"] = {"path": f"src/module_{number % 50}/file_{number}.py"}
            if number % 100 == 99:
                body = {"kind": "decision", "text": f"file {number} of module {number % 50} stays where it is"}
            file.write(json.dumps(body) + "\n")
    commands = {
        "event --stdin": (["event", "--stdin"], lines),
        "journal verify": (["journal", "verify"], None),
        "journal list, by kind": (["journal", "list", "--kind", "purged", "--limit", str(events)], None),
    }
    print(f"\n{events:,} events, whole process {'seconds':>16} {'events a second':>16}")
    for label, (words, given) in commands.items():
        began = time.perf_counter()
        with given.open("rb") if given else open(os.devnull, "rb") as stdin:
            subprocess.run(
                [agentws, *words, "-C", str(root), "-q"],
                stdin=stdin, stdout=subprocess.DEVNULL, env=surroundings, check=True,
            )  # fmt: skip
        took = time.perf_counter() - began
        print(f"{label:<34} {took:>10.2f} {events / took:>16,.0f}")
        if label == "journal verify":
            took = seconds_of([sys.executable, "-c", TWO_DIGESTS, *map(str, sorted(root.glob("journal/*/*.jsonl")))])
            print(f"{'two SHA-256 a line, a bare loop':<34} {took:>10.2f} {events / took:>16,.0f}")


def seconds_of(words: list[str]) -> float:
    """How long a program takes."""
    began = time.perf_counter()
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - began


if __name__ == "__main__":
    main()
