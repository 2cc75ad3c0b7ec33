"""Fits the weights of planning/salience.py: how likely the next day goes on with a line.

    python benchmarks/likely.py FOLDER        a folder of workspaces, each with memory/YYYY-MM-DD.md

A file `memory_versions.jsonl` in a workspace tells what MEMORY.md was when, a line {"date", "text"} a version, oldest
first. MEMORY.md itself is not read: as it is now it knows the days that it is asked about.

For every logged day the workspace is taken as it stood then. A line is gone on with when a line of the next logged day
shares two of its words that are rare in all of the history, one of them a name; what is said every day is left out. A
logistic regression over `salience.features` is fitted, every workspace counting alike: once with all of them, and once
without each, to see what it is worth on one it never saw.
"""

from __future__ import annotations

import json
import math
import re
import sys
from collections import Counter
from pathlib import Path

from agentws.formats import layout, markdown, notes
from agentws.formats.inert import inert
from agentws.planning import excerpt, lines, salience
from agentws.planning.lines import Shelf
from agentws.planning.words import words

Example = tuple[tuple[float, ...], bool]

FEWEST_DAYS = 6
READ_BYTES = 1 << 16
"""As boot reads them, newest first."""
ROUTINE_DAYS = 3
ROUNDS = 12
RIDGE = 1e-5


def main() -> None:
    """Print the weights, and how well they order the lines of a workspace that was left out."""
    folders = sorted(path for path in Path(sys.argv[1]).iterdir() if (path / "memory").is_dir())
    found = {folder.name: examples(folder) for folder in folders}
    found = {name: rows for name, rows in found.items() if any(gold for _, gold in rows)}
    for name, rows in found.items():
        weights = fit([other for key, other in found.items() if key != name])
        print(f"without {name[:24]:<26} {shown(weights)}   order {order(weights, rows):.3f}")
    print(f"{'all':<34} {shown(fit(list(found.values())))}")


def examples(folder: Path) -> list[Example]:
    """(features, was it gone on with) of every line, as seen on every day of the workspace."""
    days = {path.stem: path.read_text("utf-8", "replace") for path in sorted((folder / "memory").glob("20*.md"))}
    days = {day: text for day, text in days.items() if layout.day_of(f"{day}.md")}
    versions = folder / "memory_versions.jsonl"
    kept = [json.loads(row) for row in versions.read_text("utf-8").splitlines()] if versions.exists() else []
    names = list(days)
    found: list[Example] = []
    for at in range(FEWEST_DAYS, len(names)):
        memory = next((one["text"] for one in reversed(kept) if one["date"][:10] < names[at]), "")
        seen = lines.of([*shelves(names[:at], days), shelf(memory, "")])
        worth = salience.worth(seen)
        history = salience.worth(lines.of([*(shelf(days[name], name) for name in names[:at]), shelf(memory, "")]))
        gold = gone_on_with(seen, history, news(days[names[at]], [days[name] for name in names[:at]]))
        found += [(salience.features(line, worth), index in gold) for index, line in enumerate(seen)]
    return found


def shelves(names: list[str], days: dict[str, str]) -> list[Shelf]:
    """The logs as boot would read them."""
    found: list[Shelf] = []
    room = READ_BYTES
    for day in reversed(names):
        if room < 0:
            break
        room -= len(days[day])
        found.append(shelf(days[day], day))
    return found


def shelf(text: str, day: str) -> Shelf:
    """One file."""
    _, body = markdown.nested(inert(text))
    return Shelf(excerpt.entries(notes.read(body), by_position=bool(day)), frame=0, day=day)


def news(next_day: str, before: list[str]) -> list[str]:
    """The lines of the next day that do not stand, numbers apart, in so many of the days before it."""
    on = Counter(form for day in before for form in {without_numbers(line) for line in day.split("\n")})
    return [line for line in next_day.split("\n") if on[without_numbers(line)] < ROUTINE_DAYS]


def without_numbers(line: str) -> str:
    """The words of a line alone."""
    return " ".join(re.findall(r"[^\W\d_]+", line.lower()))


def gone_on_with(seen: list[lines.Line], worth: salience.Worth, next_day: list[str]) -> set[int]:
    """Indices of the lines that share two rare words, one of them a name, with a line of the next day."""
    using: dict[str, list[int]] = {}
    for index, line in enumerate(seen):
        for word in line.words:
            if word in worth.of:
                using.setdefault(word, []).append(index)
    found: set[int] = set()
    for text in next_day:
        shared: dict[int, int] = {}
        named: set[int] = set()
        for word in words(text):
            for index in using.get(word, ()):
                shared[index] = shared.get(index, 0) + 1
                named.update({index} if word in worth.names else ())
        found.update(index for index, count in shared.items() if count > 1 and index in named)
    return found


def fit(groups: list[list[Example]]) -> list[float]:
    """The weights of a logistic regression by Newton's method, every group weighing the same."""
    size = len(salience.WEIGHTS)
    weights = [0.0] * size
    for _ in range(ROUNDS):
        slope = [RIDGE * weight for weight in weights]
        curve = [[RIDGE * (row == column) for column in range(size)] for row in range(size)]
        for rows in groups:
            share = 1 / (len(rows) * len(groups))
            for values, gold in rows:
                likely = 1 / (1 + math.exp(-sum(map(float.__mul__, weights, values))))
                off, bend = (likely - gold) * share, likely * (1 - likely) * share
                for row in range(size):
                    slope[row] += off * values[row]
                    pull = bend * values[row]
                    for column in range(row + 1):
                        curve[row][column] += pull * values[column]
        for row in range(size):
            for column in range(row):
                curve[column][row] = curve[row][column]
        weights = [weight - step for weight, step in zip(weights, solved(curve, slope), strict=True)]
    return weights


def solved(matrix: list[list[float]], right: list[float]) -> list[float]:
    """x of matrix · x = right, by elimination with pivots."""
    rows = [[*row, value] for row, value in zip(matrix, right, strict=True)]
    size = len(rows)
    for column in range(size):
        pivot = max(range(column, size), key=lambda row: abs(rows[row][column]))
        rows[column], rows[pivot] = rows[pivot], rows[column]
        for row in range(size):
            if row != column:
                factor = rows[row][column] / rows[column][column]
                rows[row] = [ours - factor * theirs for ours, theirs in zip(rows[row], rows[column], strict=True)]
    return [rows[row][size] / rows[row][row] for row in range(size)]


def order(weights: list[float], rows: list[Example]) -> float:
    """How often a line that was gone on with stands above one that was not: 1 always, .5 by chance."""
    ranked = sorted((sum(map(float.__mul__, weights, values)), gold) for values, gold in rows)
    golds = sum(gold for _, gold in ranked)
    ranks = sum(place for place, (_, gold) in enumerate(ranked) if gold)
    return (ranks - golds * (golds - 1) / 2) / (golds * (len(ranked) - golds))


def shown(weights: list[float]) -> str:
    """The weights as they stand in the code."""
    return " ".join(f"{weight:6.2f}" for weight in weights)


if __name__ == "__main__":
    main()
