"""Ways of finding something in a workspace: grep, SQLite FTS5 with nothing around it, and agentws search."""

from __future__ import annotations

import re
import sqlite3
import subprocess
import time
from datetime import datetime
from typing import TYPE_CHECKING

from agentws.workspace import Environment, Workspace
from benchmarks.evidence import Hit

if TYPE_CHECKING:
    from pathlib import Path

    from benchmarks.evidence import Question, Subject

WORD = re.compile(r"\w+")
STOP = frozenset(
    WORD.findall(
        "a about after all am an and any are as at be been before but by can could did do does for from get had has "
        "have he her him his how i if in into is it its just many me much my no not of on one or our out she should so "
        "some than that the their them then there these they this to up us was we were what when where which who why "
        "will with would you your"
    )
)


def words(question: str) -> list[str]:
    """The words of a question that may tell something."""
    found = list(dict.fromkeys(WORD.findall(question.lower())))
    return [word for word in found if word not in STOP] or found


class Grep:
    """grep for any of the words; the lines that hold most of them come first, of equals the newest."""

    name = "grep, ranked by words"

    def __init__(self, subject: Subject, cache: Path) -> None:
        self._root = subject.root
        self.built_s, self.index_bytes, self.units = 0.0, 0, 0

    def find(self, question: Question, k: int) -> list[Hit]:
        """Return the best lines."""
        asked = words(question.text)
        program = ["grep", "-rniF", "--include=*.md", *(part for word in asked for part in ("-e", word)), "."]
        done = subprocess.run(program, cwd=self._root, capture_output=True, check=False)
        found = []
        for row in done.stdout.decode(errors="replace").splitlines():
            path, number, text = row.split(":", 2)
            held = set(WORD.findall(text.lower()))
            found.append((sum(word in held for word in asked), path.removeprefix("./"), int(number)))
        found.sort(reverse=True)
        return [Hit(path, line, line) for _, path, line in found[:k]]


class Fts5:
    """FTS5 in a file: a row for each list item or paragraph, words joined by OR, porter, its own bm25."""

    name = "SQLite FTS5 alone"

    def __init__(self, subject: Subject, cache: Path) -> None:
        path = cache / f"{subject.root.name}.sqlite"
        began = time.perf_counter()
        self._connection = sqlite3.connect(path)
        self._connection.execute(
            "CREATE VIRTUAL TABLE turns USING fts5(path UNINDEXED, line UNINDEXED, last UNINDEXED, text, "
            "tokenize='porter unicode61')"
        )
        rows = [row for file in sorted(subject.root.rglob("*.md")) for row in _turns(subject.root, file)]
        with self._connection:
            self._connection.executemany("INSERT INTO turns VALUES (?, ?, ?, ?)", rows)
        self.built_s, self.units = time.perf_counter() - began, len(rows)
        self.index_bytes = path.stat().st_size

    def find(self, question: Question, k: int) -> list[Hit]:
        """Return the best rows."""
        asked = " OR ".join(f'"{word}"' for word in words(question.text))
        rows = self._connection.execute(
            "SELECT path, line, last FROM turns WHERE turns MATCH ? ORDER BY bm25(turns) LIMIT ?", (asked, k)
        )
        return [Hit(*row) for row in rows]


def _turns(root: Path, file: Path) -> list[tuple[str, int, int, str]]:
    """(path, first line, last line, text) of each item or paragraph: one begins at a bullet or behind an empty line."""
    found: list[tuple[str, int, int, str]] = []
    name, first, held = str(file.relative_to(root)), 0, []
    for number, line in enumerate([*file.read_text(errors="replace").split("\n"), ""], 1):
        if held and (not line.strip() or line.startswith(("- ", "* ", "#"))):
            found.append((name, first, number - 1, "\n".join(held)))
            held = []
        if line.strip():
            first = first if held else number
            held.append(line)
    return found


class Search:
    """`Workspace.search`: opened once, brought up to date and asked at each question."""

    name = "agentws, `ws.search`"

    def __init__(self, subject: Subject, cache: Path) -> None:
        self._workspace = _opened(subject, cache)
        began = time.perf_counter()
        built = self._workspace.search.rebuild()
        self.built_s, self.units, self.index_bytes = time.perf_counter() - began, built.units, built.size

    def find(self, question: Question, k: int) -> list[Hit]:
        """Return the best passages."""
        return [
            Hit(hit.unit.path, hit.line, hit.end_line)
            for hit in self._workspace.search(question.text, k=k, now=question.now).hits
        ]


class Open(Search):
    """`Workspace.search.open`: the index looked at once for many questions."""

    name = "agentws, open searcher"

    def __init__(self, subject: Subject, cache: Path) -> None:
        super().__init__(subject, cache)
        self._searcher = self._workspace.search.open()

    def find(self, question: Question, k: int) -> list[Hit]:
        """Return the best passages."""
        found = self._searcher.find(question.text, k=k, now=question.now).hits
        return [Hit(hit.unit.path, hit.line, hit.end_line) for hit in found]


def _opened(subject: Subject, cache: Path) -> Workspace:
    state = (str(cache / "state"), None)
    here = Environment(now=datetime.now().astimezone(), cache=str(cache / "agentws"), state=state)
    return Workspace.open(str(subject.root), environment=here)


EVERY = (Grep, Fts5, Search, Open)
