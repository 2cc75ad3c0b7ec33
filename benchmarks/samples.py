"""Made-up text as varied as real notes: words by the frequencies of a language, in headings, lists, boxes and prose."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from datetime import date, timedelta
from pathlib import Path

AGENTWS = str(Path(sys.executable).with_name("agentws"))
EMPTY = [sys.executable, "-c", "pass"]
HEADINGS = ("Decisions", "Work", "Lessons", "Open questions", "Notes", "Deployment", "Meeting", "Next steps")
WORDS = 20_000
LAST_DAY = date(2026, 11, 18)


class Writer:
    """Writes the same varied text at each run."""

    def __init__(self, seed: int = 11) -> None:
        self._chance = random.Random(seed)
        ends = ("", "s", "ing", "ed", "er")
        stems = [
            "".join(self._chance.choices("aeioubdfglmnprst", k=self._chance.randrange(2, 9))) for _ in range(WORDS)
        ]
        self._words = [stem + self._chance.choice(ends) for stem in stems]

    def sentence(self) -> str:
        """Four to twenty words, sometimes with a name, a number or a path."""
        chance = self._chance
        drawn = [
            self._words[min(int(chance.paretovariate(0.6)) - 1, WORDS - 1)] for _ in range(chance.randrange(4, 21))
        ]
        if chance.random() < 0.3:
            names = (f"#{chance.randrange(900)}", f"src/{drawn[0]}.py", f"v{chance.randrange(9)}.{chance.randrange(9)}")
            drawn.append(chance.choice(names))
        return " ".join(drawn).capitalize()

    def line(self) -> str:
        """One line of a log, in one of the forms that agents write."""
        chance = self._chance
        clock = f"{chance.randrange(24):02d}:{chance.randrange(60):02d}"
        marks = ("", "", "", "[decision] ", "[fact] ", "[lesson] ", "[todo] ", "[x] ", "[ ] ")
        return f"- {clock if chance.random() < 0.6 else ''} {chance.choice(marks)}{self.sentence()}".replace(
            "-  ", "- "
        )

    def day(self, when: date, size: int = 1_600) -> str:
        """A log of a day of about `size` bytes."""
        text = f"# {when}\n"
        while len(text) < size:
            rows = [self.line() for _ in range(self._chance.randrange(2, 9))]
            text += f"\n## {self._chance.choice(HEADINGS)}\n\n" + "\n".join(rows) + "\n"
            if self._chance.random() < 0.3:
                text += f"\n{self.sentence()}. {self.sentence()}.\n"
        return text


def surroundings(folder: Path) -> dict[str, str]:
    """An environment that writes nowhere else; without compiled files every start would be a compilation."""
    own = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "AGENTWS", "XDG"))}
    return {**own, "XDG_CACHE_HOME": str(folder / "cache"), "XDG_STATE_HOME": str(folder / "state")}


def workspace(folder: Path, env: dict[str, str], *, days: int, git: bool) -> Path:
    """A workspace with so many days of logs, and a little of everything else."""
    run([AGENTWS, "init", str(folder), *([] if git else ["--no-git"])], env)
    writer = Writer()
    for ago in range(days):
        day = LAST_DAY - timedelta(days=ago)
        (folder / f"memory/{day}.md").write_text(writer.day(day))
    for words in (["remember", writer.sentence()], ["task", "add", writer.sentence()[:60]], ["event", "note", "begun"]):
        run([AGENTWS, "-C", str(folder), *words], env)
    run([AGENTWS, "-C", str(folder), "handoff", "--doing", writer.sentence()], env)
    return folder


def run(words: list[str], env: dict[str, str]) -> None:
    """Run a program that must succeed."""
    subprocess.run(words, check=True, env=env, stdout=subprocess.DEVNULL)


def once(words: list[str], env: dict[str, str], *, may_fail: bool = False) -> tuple[float, float, float]:
    """(seconds, processor seconds of it and all that it started, peak MB) of one run."""
    began = time.perf_counter()
    quiet = subprocess.DEVNULL
    process = subprocess.Popen(words, stdin=quiet, stdout=quiet, stderr=quiet, env=env)
    _, status, usage = os.wait4(process.pid, 0)
    took = time.perf_counter() - began
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in ((0, 3) if may_fail else (0,)):
        sys.exit(f"{' '.join(words)} failed with {process.returncode}")
    scale = 1024 if sys.platform == "linux" else 1024 * 1024
    return took, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / scale
