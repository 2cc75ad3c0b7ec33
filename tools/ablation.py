#!/usr/bin/env python3
"""What each part of boot's choice is worth: each is switched off once, and what a scorer says is printed beside it.

  .venv/bin/python tools/ablation.py FOLDER... --score 'COMMAND {folder}' [--budgets 1000,2000]

Each FOLDER is a workspace. With each part off the boots of all are written to a new folder, as NAME.BUDGET.md; the
command scores that folder, and the last line that it prints is shown. A part that nobody misses, a scorer or a reader
who compares the folders (--keep), can go.
"""

from __future__ import annotations

import argparse
import os
import shlex
import subprocess
import tempfile
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from agentws import Workspace
from agentws.operations.boot import assembly
from agentws.planning.boot import allocate, order, part
from agentws.planning.notes import ledger
from agentws.storage.disk.cache import Cache

if TYPE_CHECKING:
    from collections.abc import Iterator


_LEDGER_OF = ledger.of


def _nothing(*_: object, **__: object) -> list[int]:
    return []


def _no_ledger(_: object, *, today: str) -> ledger.Ledger:
    return _LEDGER_OF([], today=today)


PARTS: dict[str, tuple[tuple[object, str, Any], ...]] = {
    "nothing": (),
    "what is open, closed, stale": ((allocate.ledger, "of", _no_ledger),),
    "marked lines first": ((order, "marked", _nothing),),
    "beginnings of sections": ((order, "heads", _nothing),),
    "lists that count": ((order, "counting", _nothing),),
    "what days before were about": ((allocate, "_HEADINGS_HUNDREDTHS", 0),),
    "words of rules in capitals": ((order, "commands", lambda *_: False),),
    "repeated lines once": ((allocate, "_repeats", lambda *_: set()),),
    "long rows shortened": ((part, "LONGEST_ROW_CHARS", 0), (allocate, "LONGEST_ROW_CHARS", 0)),
    "rules of memory first": ((order, "of_memory", lambda *_: 0.0),),
    "names and rules of identity first": ((order, "of_identity", lambda *_: 0),),
    "remarks of templates": ((order, "says_nothing", lambda *_: False),),
    "the newest log gets 70 %": ((allocate, "_NEWEST_HUNDREDTHS", 100),),
}
"""What is switched off, and what stands in its place meanwhile."""


@contextmanager
def without(changes: tuple[tuple[object, str, Any], ...]) -> Iterator[None]:
    """Put something else in the place of these names for a while."""
    kept = [(place, name, getattr(place, name)) for place, name, _ in changes]
    for place, name, other in changes:
        setattr(place, name, other)
    try:
        yield
    finally:
        for place, name, other in kept:
            setattr(place, name, other)


def morning_after(folder: Path) -> datetime:
    """Eight o'clock on the day after the newest log."""
    newest = max(path.name[:10] for path in (folder / "memory").glob("20??-??-??*.md"))
    return datetime.fromisoformat(newest).replace(hour=8, tzinfo=UTC) + timedelta(days=1)


def write(folders: list[Path], budgets: list[int], into: Path, *, tokenizer: str) -> None:
    """The boots of all workspaces, each a file of its own."""
    into.mkdir(parents=True, exist_ok=True)
    for folder in folders:
        stores = Workspace.open(str(folder))
        stores.cache = Cache(None, str(folder))  # what is switched off must not be remembered
        moment = morning_after(folder)
        for budget in budgets:
            booted, _ = assembly.assemble(
                stores.heard("main"),
                moment,
                budget=budget,
                tokenizer=tokenizer,
                audience="main",
                context_name=None,
                host=None,
                part=None,
            )
            (into / f"{folder.name}.{budget}.md").write_text(booted.text, encoding="utf-8")


def scored(command: str, folder: Path) -> str:
    """The last line that the command prints of a folder, empty without a command."""
    if not command:
        return ""
    words = [word.replace("{folder}", str(folder)) for word in shlex.split(command)]
    printed = subprocess.run(words, capture_output=True, text=True, check=False).stdout.strip()
    return printed.rpartition("\n")[2]


def main() -> None:
    """Read the arguments and print a line for each part."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--score", default="", help="a command; {folder} is where the boots are")
    parser.add_argument("--budgets", default="1000,2000,8000")
    parser.add_argument("--tokenizer", default="chars4")
    parser.add_argument("--keep", type=Path, help="where the boots stay; else they are deleted")
    arguments = parser.parse_args()
    budgets = [int(budget) for budget in arguments.budgets.split(",")]
    with tempfile.TemporaryDirectory() as temporary:
        for number, (name, changes) in enumerate(PARTS.items()):
            into = (arguments.keep or Path(temporary)) / f"{number:02d}"
            with without(changes):
                write(arguments.folders, budgets, into, tokenizer=arguments.tokenizer)
            size = sum(os.path.getsize(file) for file in into.iterdir())
            print(f"without {name:38} {size:9,} bytes  {scored(arguments.score, into)}", flush=True)


if __name__ == "__main__":
    main()
