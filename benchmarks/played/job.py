"""The job of benchmarks/compare.py: ten actions that leave marks, and what a played model does next."""

from __future__ import annotations

import time
from pathlib import Path

ACTIONS = 10
_acted: list[int] = []
"""The first action of this process."""


def begin() -> None:
    """Say that the program is loaded: from now on it may be killed."""
    Path("working").touch()


def act(number: int) -> str:
    """Do an action: leave its mark, which no kill takes back."""
    if not _acted:
        _acted.append(number)
        _add("restarted" if Path("killed").exists() else "started", time.process_time())
    time.sleep(0.1)
    _add("marks", number)
    time.sleep(0.1)
    return f"done {number}"


def is_done_after_all(number: int) -> bool:
    """Look whether an action whose result is reported as unknown left its mark."""
    _add("reported", number)
    marks = Path("marks")
    return marks.exists() and str(number) in marks.read_text().split()


def next_action(results: list[str]) -> int | None:
    """Return the first action without a result among those that the record has; None at the end of the job."""
    return next((number for number in range(ACTIONS) if f"done {number}" not in results), None)


def _add(name: str, number: float) -> None:
    with open(name, "a", encoding="utf-8") as file:
        file.write(f"{number}\n")
