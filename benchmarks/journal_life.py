"""What becomes of a journal: a million events compressed and verified, and ten years of heavy use beside one month.

    PYTHONPATH=. python benchmarks/journal_life.py        # some ten minutes, a gigabyte on disk
    PYTHONPATH=. python benchmarks/journal_life.py --events 100000 --scale 64

Ten years of a thousand calls a day are some 9,000 segments. They are made as many, each `--scale` times smaller: what
boot, an event and a search for a segment pay for is their number. Each day has a log as well, and at the end all is
compacted and indexed: that says what stands where. The load of the machine is printed first.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from datetime import timedelta
from pathlib import Path

from agentws.core.text import sizes
from agentws.features.journal import compaction
from agentws.workspace import Environment, Workspace
from benchmarks import samples

CALLS_A_DAY, YEARS, BYTES_A_CALL = 1_000, 10, 2_500
SEGMENT_BYTES = 1 << 20
ROUNDS = 9
MONTH_DAYS, DAY_BYTES = 30, 6_000
PARTS = {
    "journal, plain": ("journal/*/*.jsonl",),
    "journal, compressed": ("journal/*/packed/*",),
    "logs of days": ("memory/[0-9]*.md",),
    "the archive of logs": ("memory/archive/**/*",),
    "MEMORY.md, the digest and the rows beside them": ("MEMORY.md", "memory/digest.md", "memory/*.jsonl"),
    "everything else that is kept": ("*.md", "*.toml", "handoffs/**/*", "tasks/**/*", "identity/**/*"),
    "what undo keeps": (".agentws/undo/**/*",),
    "the rest of .agentws": (".agentws/**/*",),
}
SMALLER = "from agentws.core.formats.journal import segment; segment.LIMIT_BYTES = {limit}; "
RUN = "import sys; from agentws.cli.main import main; sys.argv[0] = 'agentws'; sys.exit(main())"


def main() -> None:
    """Print what a million events cost, and what ten years do."""
    options = argparse.ArgumentParser(description="The life of a journal.")
    options.add_argument("--events", type=int, default=1_000_000)
    options.add_argument("--scale", type=int, default=32)
    options.add_argument("--only", choices=("million", "years"))
    asked = options.parse_args()
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors\n")
    with tempfile.TemporaryDirectory(dir=".") as folder:
        if asked.only != "years":
            million(Path(folder).resolve(), asked.events, 300)
            million(Path(folder).resolve(), asked.events // 20, BYTES_A_CALL - 900)
        if asked.only != "million":
            ten_years(Path(folder).resolve(), asked.scale)


class Place:
    """A workspace with a state of its own."""

    def __init__(self, folder: Path, name: str) -> None:
        self.root, self.state, self.cache = folder / name, folder / f"{name}-state", folder / f"{name}-cache"
        Workspace.init(str(self.root), git=False)

    def opened(self) -> Workspace:
        """The workspace."""
        return Workspace.open(str(self.root), environment=Environment(state=(str(self.state), None)))

    def run(self, *words: str, given: Path | None = None, limit: int = SEGMENT_BYTES) -> tuple[float, float]:
        """Seconds of processor and of wall clock that a command takes as a process of its own."""
        environment = {**os.environ, "AGENTWS_STATE_DIR": str(self.state), "XDG_CACHE_HOME": str(self.cache)}
        code = (SMALLER.format(limit=limit) if limit != SEGMENT_BYTES else "") + RUN
        before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        with given.open("rb") if given else open(os.devnull, "rb") as stdin:
            subprocess.run(
                [sys.executable, "-c", code, *words, "-C", str(self.root), "-q"],
                stdin=stdin, stdout=subprocess.DEVNULL, env=environment, check=True,
            )  # fmt: skip
        took, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, took

    def parts(self) -> dict[str, tuple[int, int]]:
        """(files, bytes) of each part, a file in the first one that fits; of the index of search in the end."""
        told, found = set(), {}
        for what, patterns in PARTS.items():
            paths = {path for pattern in patterns for path in self.root.glob(pattern) if path.is_file()} - told
            told |= paths
            found[what] = len(paths), sum(path.stat().st_size for path in paths)
        index = [path for path in self.cache.rglob("*") if path.is_file()]
        return {
            **found,
            "the cache, of what was made": (len(index), sum(path.stat().st_size for path in index)),
        }


def events(path: Path, count: int, output_bytes: int) -> None:
    """Write the input of `event --stdin`: calls, whose outputs are pieces of this project's own source."""
    source = "\n".join(file.read_text() for file in sorted(Path(__file__).parent.parent.glob("agentws/**/*.py")))
    chance = random.Random(1)
    with path.open("w") as file:
        for number in range(count // 2):
            name = f"src/module_{number % 50}/file_{number}.py"
            at = chance.randrange(len(source) - output_bytes)
            action = {"kind": "action", "tool": "read_file", "call": f"c{number}", "input": {"path": name}}
            result = {"kind": "result", "tool": "read_file", "call": f"c{number}"}
            file.write(json.dumps(action) + "\n")
            file.write(json.dumps({**result, "output": source[at : at + output_bytes]}) + "\n")


def million(folder: Path, count: int, output_bytes: int) -> None:
    """Size, compression and verification of many events."""
    place, lines = Place(folder, f"of-{output_bytes}"), folder / "lines"
    events(lines, count, output_bytes)
    place.run("event", "--stdin", given=lines)
    _, before = place.parts()["journal, plain"]
    plain = place.run("journal", "verify")
    began = time.process_time()
    done = compaction.compact(place.opened(), dry_run=False)
    took = time.process_time() - began
    packed = place.run("journal", "verify")
    print(f"{count:,} events, {sizes.readable(before)}: {len(done.compressed)} segments compressed")
    print(
        f"  {sizes.readable(done.before)} → {sizes.readable(done.after)}: {done.before / done.after:.1f} times smaller"
    )
    print(f"  compressing: {done.before / took / 1e6:,.0f} MB a second of processor time")
    for what, (processor, wall) in {"plain": plain, "compressed": packed}.items():
        print(f"  verify, {what}: {count / processor:,.0f} a second of processor time, {count / wall:,.0f} of clock")
    print()


def ten_years(folder: Path, scale: int) -> None:
    """Boot and an event after ten years beside those after a month, and what stands where."""
    segments = CALLS_A_DAY * 365 * YEARS * BYTES_A_CALL // SEGMENT_BYTES
    month, years = Place(folder, "month"), Place(folder, "years")
    for place, count in ((month, segments // (12 * YEARS)), (years, segments)):
        fill(place, folder / "lines", count * SEGMENT_BYTES // scale // BYTES_A_CALL * 2, SEGMENT_BYTES // scale)
        if place is years:
            print_costs("ten years, nothing compressed, beside a month", month, years)
        compaction.compact(place.opened(), dry_run=False)
    print_costs("ten years, compressed, beside a month", month, years)
    print(f"nothing compressed, the journal of ten years would be {sizes.readable(segments * SEGMENT_BYTES)}\n")
    for place, days in ((month, MONTH_DAYS), (years, 365 * YEARS)):
        write_days(place, days)
        place.run("compact", "--yes")
        place.run("index", "rebuild")
    print_costs("the same with logs, compacted and indexed", month, years)
    for name, place in (("a month", month), ("ten years", years)):
        print(f"{name}, as large as it would be")
        for what, (many, size) in place.parts().items():
            real = size * scale if what.startswith("journal") else size
            print(f"  {what:<48} {many:>7,} files {sizes.readable(real):>12}")


def write_days(place: Place, days: int) -> None:
    """A log for each of so many days."""
    writer = samples.Writer()
    for ago in range(days):
        day = samples.LAST_DAY - timedelta(days=ago)
        (place.root / f"memory/{day}.md").write_text(writer.day(day, DAY_BYTES))


def fill(place: Place, lines: Path, count: int, limit: int) -> None:
    """Record so many events in segments of that limit, the newest segment as full in every place."""
    events(lines, count, BYTES_A_CALL - 900)
    place.run("event", "--stdin", given=lines, limit=limit)
    place.run("session", "start", limit=limit)
    place.run("session", "end", limit=limit)


def print_costs(what: str, month: Place, years: Place) -> None:
    """Processor time of a boot with a log changed, of an event and of a look at one, in turn in both places."""
    verbs = {
        "boot": ("boot",), "boot, an event more": ("boot",), "event": ("event", "note", "one more"),
        "journal list": ("journal", "list", "--limit", "20"),
    }  # fmt: skip
    print(what)
    for label, words in verbs.items():
        took: list[list[float]] = [[], []]
        for _ in range(ROUNDS):
            for index, place in enumerate((month, years)):
                if label.endswith("more"):
                    place.run("event", "note", "before a boot")
                took[index].append(place.run(*words)[0])
        first, second = (statistics.median(each) * 1000 for each in took)
        print(f"  {label:<22} {first:>7.1f} ms {second:>7.1f} ms: {second / first:.2f}")
    print()


if __name__ == "__main__":
    main()
