"""How long a checkpoint takes beside a durable write of the same bytes, and what listing many costs by their size.

`steps` is a state of which a twentieth changes each time, `rows` one that is new each time, `one-text` a long text.

    python benchmarks/checkpoint.py                 # 1,000 states of 1 MB, a few minutes
    python benchmarks/checkpoint.py --count 100 --dir /mnt/disk

The two are taken in turns, so that they meet the same noise; the ratio of the medians is what counts. A durable write
is a new file, its content synced, renamed into place, its folder synced.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import statistics
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from agentws.workspace import Environment, Workspace

if TYPE_CHECKING:
    from collections.abc import Callable

ROWS, ROW_CHARS = 1_000, 960
WORDS = ("apple", "bridge", "cedar", "dune", "ember", "field", "grove", "harbor", "island", "jetty", "kettle", "oak")


def main() -> None:
    """Print the times of both shapes of a state, and of a list."""
    options = argparse.ArgumentParser(description="Checkpoint benchmark.")
    options.add_argument("--count", type=int, default=1_000)
    options.add_argument("--dir", default=None)
    asked = options.parse_args()
    base = Path(tempfile.mkdtemp(prefix="agentws-bench-", dir=asked.dir))
    try:
        home = Environment(cache=str(base / "cache"), state=(str(base / "state"), None))
        workspace = Workspace.init(str(base / "robin"), environment=home, name="Robin", git=False)
        workspace = Workspace.open(str(base / "robin"), environment=home)
        workspace.tasks.add("Rows")
        workspace.tasks.add("One text")
        workspace.tasks.add("Steps")
        workspace.tasks.add("Small")
        _row("steps", workspace, base, asked.count, _Steps())
        _row("rows", workspace, base, min(asked.count, 100), _rows)
        _row("one-text", workspace, base, min(asked.count, 100), _text)
        for number in range(asked.count):
            workspace.checkpoints.save("small", {"n": number})
        small = _least(lambda: workspace.checkpoints.list("small"))
        large = _least(lambda: workspace.checkpoints.list("steps"))
        print(f"list {asked.count}: {small * 1e3:.1f} ms of small states, {large * 1e3:.1f} ms of those of 1 MB")
        print(f"restore: {_least(lambda: workspace.checkpoints.restore('steps')) * 1e3:.1f} ms")
    finally:
        shutil.rmtree(base, ignore_errors=True)


def _row(task: str, workspace: Workspace, base: Path, count: int, make: Callable[[random.Random], Any]) -> None:
    chance = random.Random(7)
    saves, writes, used, size = [], [], [], 0
    folder = base / f"plain-{task}"
    folder.mkdir()
    for number in range(count):
        state = make(chance)
        began = time.process_time()
        saves.append(_timed(lambda state=state: workspace.checkpoints.save(task, state)))
        used.append(time.process_time() - began)
        newest = max((base / "robin" / "checkpoints" / task).iterdir())
        content = newest.read_bytes()
        if task == "one-text":
            content += state["text"].encode()
        size = len(content)
        writes.append(_timed(lambda content=content, number=number: _durable(folder, f"{number}.json", content)))
    save, write = statistics.median(saves), statistics.median(writes)
    first, last = (statistics.median(part) for part in (saves[: count // 10], saves[-count // 10 :]))
    print(
        f"{task}: {count} states of {size / 1e6:.2f} MB: save {save * 1e3:.1f} ms "
        f"({statistics.median(used) * 1e3:.1f} ms of a processor), durable write {write * 1e3:.1f} ms, "
        f"{save / write:.2f} times; the first tenth {first * 1e3:.1f} ms, the last {last * 1e3:.1f} ms"
    )


class _Steps:
    """A state of which one row in twenty is another at each step, as that of a program is."""

    def __init__(self) -> None:
        self.rows: list[Any] = []

    def __call__(self, chance: random.Random) -> Any:
        self.rows = self.rows or _rows(chance)["rows"]
        for number in chance.sample(range(ROWS), ROWS // 20):
            self.rows[number] = {"n": number, "text": _words(chance, ROW_CHARS)}
        return {"rows": self.rows}


def _rows(chance: random.Random) -> Any:
    return {"rows": [{"n": n, "text": _words(chance, ROW_CHARS)} for n in range(ROWS)]}


def _text(chance: random.Random) -> Any:
    return {"n": 1, "text": _words(chance, ROWS * ROW_CHARS)}


def _words(chance: random.Random, chars: int) -> str:
    return " ".join(chance.choices(WORDS, k=chars // 6))


def _durable(folder: Path, name: str, content: bytes) -> None:
    fd = os.open(folder / f".{name}", os.O_WRONLY | os.O_CREAT | os.O_EXCL)
    try:
        os.write(fd, content)
        os.fsync(fd)
    finally:
        os.close(fd)
    os.rename(folder / f".{name}", folder / name)
    fd = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def _timed(act: Callable[[], object]) -> float:
    began = time.perf_counter()
    act()
    return time.perf_counter() - began


def _least(act: Callable[[], object]) -> float:
    return min(_timed(act) for _ in range(5))


if __name__ == "__main__":
    main()
