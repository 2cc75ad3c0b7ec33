"""How long the verbs that run at every start take, as ratios to an empty interpreter (B), in one run.

Absolute times mean nothing on shared machines, so every command takes turns with `python -c pass` in the same
environment, and the median of the ratios pair by pair is told. Other programs stand beside it where they are named:

    PYTHONPATH=. python benchmarks/start.py "memsearch --version" "basic-memory --version"
"""

from __future__ import annotations

import json
import os
import shlex
import statistics
import subprocess
import sys
import tempfile
import time
from datetime import date, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.samples import Writer

if TYPE_CHECKING:
    from collections.abc import Callable

ROUNDS = 25
AGENTWS = str(Path(sys.executable).with_name("agentws"))
INPUT = '{"query": "weather in Paris"}'
TOOL = {
    "session_id": "5b1c",
    "hook_event_name": "PreToolUse",
    "tool_name": "Bash",
    "tool_use_id": "toolu_01",
    "tool_input": {"command": "pytest -q tests", "description": "Runs the tests"},
}
"""What Claude Code says before it runs a command."""
EMPTY = [sys.executable, "-c", "pass"]
# Without compiled files every start would be a compilation; where they may not be written, the figures mean nothing.
SURROUNDINGS = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "AGENTWS", "XDG"))}


class Row:
    """A command to be measured: its words, what happens before each of its runs, and what stands on its input."""

    def __init__(
        self, label: str, words: list[str], before: Callable[[], None] = lambda: None, said: bytes = b""
    ) -> None:
        self.label = label
        self.words = words
        self.before = before
        self.said = said

    def once(self) -> tuple[float, float, float]:
        """(seconds, processor seconds, peak MB) of one run."""
        self.before()
        return once(self.words, self.said)


def main() -> None:
    """Print one row a command."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        SURROUNDINGS["XDG_CACHE_HOME"] = str(folder / "cache")
        SURROUNDINGS["XDG_STATE_HOME"] = str(folder / "state")
        week, years = made(folder / "week", days=7), made(folder / "years", days=3650)
        lively = full(made(folder / "lively", days=7))
        boot_lively = [AGENTWS, "boot", "-C", str(lively)]
        boot, boot_years = [AGENTWS, "boot", "-C", str(week)], [AGENTWS, "boot", "-C", str(years)]
        hook = [AGENTWS, "-C", str(week), "hook", "claude-code", "PreToolUse"]
        rows = [
            Row("cat, the same files", ["/bin/cat", *map(str, sorted(week.rglob("*.md")))]),
            Row("boot, nothing changed", boot),
            Row("boot, one log changed", boot, before=lambda: grow(week)),
            Row("boot, nothing changed, ten years", boot_years),
            Row("boot, one log changed, ten years", boot_years, before=lambda: grow(years)),
            Row("boot, nothing changed, full segment", boot_lively),
            Row("boot, one log changed, full segment", boot_lively, before=lambda: grow(lively)),
            Row("boot, one event more, full segment", boot_lively, before=lambda: record(lively)),
            Row("log, one line", [AGENTWS, "log", "-C", str(week), "one line more"]),
            Row("event, one", [AGENTWS, "event", "action", "--tool", "search", "--input", INPUT, "-C", str(week)]),
            Row("hook, before a tool", hook, said=json.dumps(TOOL).encode()),
            Row("hook, before a tool, 20 rules", [*ruled(folder), *hook], said=json.dumps(TOOL).encode()),
            Row("status", [AGENTWS, "status", "-C", str(week)]),
            *(Row(shlex.split(words)[0].rpartition("/")[2], shlex.split(words)) for words in sys.argv[1:]),
        ]
        print(f"{'command':<34} {'wall / B':>9} {'cpu / B':>9} {'peak MB':>8}")
        for row in rows:
            wall, cpu, peak = ratio(row, Row("", EMPTY))
            print(f"{row.label:<34} {wall:>9.2f} {cpu:>9.2f} {peak:>8.1f}")
        print(f"\n{'ten years against one week':<34} {'wall':>9} {'cpu':>9}")
        for long, short in ((rows[3], rows[1]), (rows[4], rows[2])):
            wall, cpu, _ = ratio(long, short)
            print(f"{short.label:<34} {wall:>9.2f} {cpu:>9.2f}")
        print(f"\n{'the launcher against the script':<34} {'wall':>9} {'cpu':>9}")
        for ordinary in (rows[1], *rows[8:11]):
            wall, cpu, _ = ratio(launched(ordinary, week), ordinary)
            print(f"{ordinary.label:<34} {wall:>9.2f} {cpu:>9.2f}")
        wired, by_script = as_wired(week), f"exec {shlex.join(hook)}"
        told = json.dumps(TOOL).encode()
        wall, cpu, _ = ratio(Row("", ["sh", "-c", wired], said=told), Row("", ["sh", "-c", by_script], said=told))
        print(f"{'hook, as a host calls it':<34} {wall:>9.2f} {cpu:>9.2f}")


def ruled(folder: Path) -> list[str]:
    """The words before a command that make it one of a user with twenty rules."""
    config = folder / "config/agentws/config.toml"
    config.parent.mkdir(parents=True)
    rules = (f'[[ask.rules]]\ncommand = "pay {number}*"\npath = "/srv/*"\ndo = "deny"\n' for number in range(20))
    config.write_text("\n".join(rules))
    return ["/usr/bin/env", f"XDG_CONFIG_HOME={config.parent.parent}"]


def launched(row: Row, workspace: Path) -> Row:
    """The same by the launcher."""
    words = [AGENTWS, "-C", str(workspace), "install", "claude-code", "--json"]
    done = subprocess.run(words, check=True, capture_output=True, env=SURROUNDINGS)
    launcher: str = json.loads(done.stdout)["launcher"]
    return Row(row.label, [sys.executable, "-IS", launcher, *row.words[1:]], row.before, row.said)


def as_wired(workspace: Path) -> str:
    """What the settings of Claude Code have it run before a tool."""
    settings = json.loads((workspace / ".claude/settings.json").read_text())
    command: str = settings["hooks"]["PreToolUse"][0]["hooks"][0]["command"]
    return command


def made(folder: Path, *, days: int) -> Path:
    """A workspace with so many days of logs."""
    subprocess.run([AGENTWS, "init", folder, "--no-git"], check=True, stdout=subprocess.DEVNULL, env=SURROUNDINGS)
    writer = Writer()
    for number in range(1, days + 1):
        day = date(2026, 11, 19) - timedelta(days=number)
        (folder / "memory" / f"{day}.md").write_text(writer.day(day))
    return folder


def full(workspace: Path) -> Path:
    """The workspace with a segment of its journal nearly full: some 2,500 events."""
    told: list[dict[str, object]] = []
    for number in range(1150):
        tool, call = ("read_file", "search", "bash")[number % 3], f"c{number}"
        told.append({"kind": "action", "tool": tool, "input": {"path": f"src/part_{number}.py"}, "call": call})
        if number % 40:
            told.append({"kind": "result", "tool": tool, "output": "done", "call": call})
        if number % 8 == 0:
            told.append({"kind": "decision" if number % 80 == 0 else "thought", "text": "the next one, then"})
    lines = "".join(f"{json.dumps(one)}\n" for one in told)
    record = [AGENTWS, "event", "--stdin", "-C", str(workspace)]
    subprocess.run(record, input=lines, text=True, check=True, stdout=subprocess.DEVNULL, env=SURROUNDINGS)
    return workspace


def record(workspace: Path) -> None:
    """One event more."""
    words = [AGENTWS, "event", "note", "one more", "-C", str(workspace)]
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL, env=SURROUNDINGS)


def grow(workspace: Path) -> None:
    """One line more in a log, as an agent's editor would add it; what grew is cut again now and then."""
    log = workspace / "memory" / "2026-11-18.md"
    lines = log.read_text().split("\n") if log.exists() else []
    kept = lines[:26] if len(lines) > 31 else lines
    log.write_text("\n".join([*kept[:-1], f"- 23:59 one more, number {time.monotonic_ns()}", ""]))


def ratio(row: Row, other: Row) -> tuple[float, float, float]:
    """(wall clock, processor time) against the other's, peak memory in MB: medians of pairs, after one to warm up."""
    pairs = [(other.once(), row.once()) for _ in range(ROUNDS + 1)][1:]
    walls = [ours[0] / theirs[0] for theirs, ours in pairs]
    processors = [ours[1] / theirs[1] for theirs, ours in pairs]
    return statistics.median(walls), statistics.median(processors), max(ours[2] for _, ours in pairs)


def once(words: list[str], said: bytes) -> tuple[float, float, float]:
    """(seconds, processor seconds, peak MB) of one run."""
    quiet = subprocess.DEVNULL
    began = time.perf_counter()
    process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=quiet, stderr=quiet, env=SURROUNDINGS)
    assert process.stdin is not None
    process.stdin.write(said)  # it fits into the pipe
    process.stdin.close()
    _, status, usage = os.wait4(process.pid, 0)
    took = time.perf_counter() - began
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"{' '.join(words)} failed with {process.returncode}")
    scale = 1024 if sys.platform == "linux" else 1024 * 1024
    return took, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / scale


if __name__ == "__main__":
    main()
