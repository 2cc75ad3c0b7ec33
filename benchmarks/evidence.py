"""Questions whose evidence is known: of a folder that is named, or drawn from made-up text.

Such a folder holds `SET/WORKSPACE/gold.json` beside `SET/WORKSPACE/workspace/`: `units` (id, file, start, end) are the
turns, `queries` (qid, query, asked_on, evidence: ids of units) the questions. None of it is part of this repository.
"""

from __future__ import annotations

import json
import random
import shutil
import subprocess
from typing import TYPE_CHECKING, Any, NamedTuple

from benchmarks import samples

if TYPE_CHECKING:
    from pathlib import Path

KNOWN_WORDS = 5
ENOUGH_CHARS = 400
"""So much of a long turn is the turn."""
FIRST, FEW = 10, 5


class Hit(NamedTuple):
    """The first and last line (1-based) of a file that a search names."""

    path: str
    line: int
    end_line: int


class Question(NamedTuple):
    """What is asked on a day (ISO), and the ids of the turns that answer it."""

    text: str
    now: str
    evidence: frozenset[str]


class Subject:
    """A workspace with its questions; `name` is that of the set it belongs to."""

    def __init__(self, name: str, root: Path, units: list[dict[str, Any]], questions: list[Question]) -> None:
        self.name = name
        self.root = root
        self.questions = questions
        self._at: dict[tuple[str, int], str] = {}
        self._chars: dict[str, int] = {}
        self._length: dict[tuple[str, int], int] = {}
        texts = {file: (root / file).read_text().split("\n") for file in {unit["file"] for unit in units}}
        for unit in units:
            for line in range(unit["start"], unit["end"] + 1):
                place = (unit["file"], line)
                self._at[place] = unit["id"]
                self._length[place] = len(texts[unit["file"]][line - 1])
                self._chars[unit["id"]] = self._chars.get(unit["id"], 0) + self._length[place]

    def judged(self, question: Question, hits: list[Hit], drawn: int = 0) -> dict[str, float]:
        """Return `session` and `file` (1 where one of the first five distinct holds evidence), and `turns`: the share
        of evidence that the first ten hits cover by half or by enough characters.

        With `drawn` only so many sessions count: those with evidence, and others drawn at random, the same ones for
        each way of searching.
        """
        lines = [(hit.path, line) for hit in hits for line in range(hit.line, hit.end_line + 1)]
        sessions = list(dict.fromkeys(_session(self._at[place]) for place in lines if place in self._at))
        if drawn:
            counted = self._drawn(question, drawn)
            sessions = [session for session in sessions if session in counted]
        files = list(dict.fromkeys(hit.path for hit in hits))
        wanted = {path for (path, _), unit in self._at.items() if unit in question.evidence}
        seen: dict[str, int] = {}
        for place in {(hit.path, line) for hit in hits[:FIRST] for line in range(hit.line, hit.end_line + 1)}:
            if unit := self._at.get(place):
                seen[unit] = seen.get(unit, 0) + self._length[place]
        shown = [one for one in question.evidence if seen.get(one, 0) >= min(ENOUGH_CHARS, self._chars[one] / 2)]
        return {
            "session": float(bool({_session(unit) for unit in question.evidence} & set(sessions[:FEW]))),
            "file": float(bool(wanted & set(files[:FEW]))),
            "turns": len([one for one in shown if one in seen]) / len(question.evidence),
        }

    def _drawn(self, question: Question, most: int) -> set[str]:
        """The sessions that hold evidence, and as many others as make `most` of all."""
        mine = {_session(unit) for unit in question.evidence}
        others = sorted({_session(unit) for unit in self._chars} - mine)
        chance = random.Random(question.text)
        return mine | set(chance.sample(others, max(0, min(most - len(mine), len(others)))))

    @property
    def text_bytes(self) -> int:
        """What its Markdown files hold."""
        return sum(path.stat().st_size for path in self.root.rglob("*.md"))


def _session(unit: str) -> str:
    return unit.rpartition(":")[0] or unit


def of_folder(folder: Path, work: Path, env: dict[str, str], sets: list[str]) -> list[Subject]:
    """Return copies of the workspaces below a folder, each made a workspace of agentws."""
    found = []
    for gold in sorted(folder.glob("*/*/gold.json")):
        if sets and gold.parts[-3] not in sets:
            continue
        told = json.loads(gold.read_text())
        known = {unit["id"] for unit in told["units"]}
        asked = [Question(one["query"], one["asked_on"], frozenset(one["evidence"]) & known) for one in told["queries"]]
        root = work / f"{gold.parts[-3]}-{gold.parts[-2]}"
        shutil.copytree(gold.parent / "workspace", root)
        samples.run([samples.AGENTWS, "init", "-q", str(root), "--no-git"], env)
        found.append(Subject(gold.parts[-3], root, told["units"], [one for one in asked if one.evidence]))
    return found


def made_up(work: Path, env: dict[str, str], *, days: int, questions: int = 200) -> list[Subject]:
    """Return a workspace of made-up text, where a question is some words of a line, in another order."""
    root = samples.workspace(work / "made", env, days=days, git=False)
    chance = random.Random(24)
    units = [
        {"id": f"{path.stem}:{number}", "file": f"memory/{path.name}", "start": number, "end": number, "text": line}
        for path in sorted((root / "memory").glob("2*.md"))
        for number, line in enumerate(path.read_text().split("\n"), 1)
        if line.startswith("- ") and len(set(line.casefold().split())) > KNOWN_WORDS + 4
    ]
    asked = []
    for unit in chance.sample(units, min(questions, len(units))):
        words = sorted({word.casefold() for word in unit["text"].split() if word.isalpha()})
        told = " ".join(chance.sample(words, min(KNOWN_WORDS, len(words))))
        asked.append(Question(told, str(samples.LAST_DAY), frozenset((unit["id"],))))
    return [Subject("made-up", root, units, asked)]


def others(command: str, subject: Subject, env: dict[str, str], k: int) -> list[list[Hit]]:
    """Return what another program answers: JSON lines {"id","query","now"} in, {"id","hits"} out, run in the folder."""
    said = "".join(
        json.dumps({"id": at, "query": one.text, "now": one.now}) + "\n" for at, one in enumerate(subject.questions)
    )
    words = ["sh", "-c", command.format(k=k)]
    words = ["sh", "-c", command.format(k=k)]
    done = subprocess.run(words, cwd=subject.root, env=env, input=said, stdout=subprocess.PIPE, text=True, check=True)
    found: list[list[Hit]] = [[] for _ in subject.questions]
    for line in done.stdout.splitlines():
        told = json.loads(line)
        found[told["id"]] = [Hit(hit["path"], hit["line"], hit.get("end_line", hit["line"])) for hit in told["hits"]]
    return found
