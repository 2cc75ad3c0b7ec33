"""Fit the weights with which compaction tells what somebody will ask for, and write them into the package.

    python tools/train_compaction.py FOLDER [--only realmem-full,lme] [--out agentws/planning/compaction/weights.py]

FOLDER holds data sets, each a folder of workspaces: `<set>/<name>/workspace/memory/YYYY-MM-DD.md` with a dialogue (a
bullet a turn), and beside it `gold.json`: `units` (id, file, start, end: the lines of a turn), `queries` (query,
answer, evidence: ids of the turns that hold the answer, facts: places in `facts`) and `facts` (fact, unit).

The weights in the package were fitted to RealMem (Apache-2.0) and LongMemEval (MIT), whose licences allow it. A
sentence is the better an example the more of the words that a question and its answer share with the turn it holds.
Standard library only, and the same weights on every run.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import re
from collections import defaultdict
from pathlib import Path
from typing import Any

from agentws.planning.compaction import candidates, features
from agentws.planning.compaction.counts import Counts
from agentws.planning.compaction.units import Day
from agentws.planning.compaction.words import words

TARGET = Path(__file__).resolve().parent.parent / "agentws" / "planning" / "compaction" / "weights.py"
NEGATIVES_A_POSITIVE = 4.0
EPOCHS, RATE, SHRINKING = 12, 0.15, 0.01
Row = tuple[list[float], float, float]
"""Features, how good an example it is (0 to 1), and what it counts."""


def main() -> None:
    """Read the folder, fit, write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", default="realmem-full,lme", help="names of data sets, with commas")
    parser.add_argument("--out", type=Path, default=TARGET)
    asked = parser.parse_args()
    names = asked.only.split(",")
    rows = [row for name in names for row in balanced(examples(asked.folder / name))]
    asked.out.write_text(page(fitted(rows), names), encoding="utf-8")
    print(f"{len(rows)} sentences of {', '.join(names)} -> {asked.out}")


def examples(folder: Path) -> list[tuple[list[float], float]]:
    """The features of each sentence in all workspaces of a data set, and how good it is."""
    found = []
    for gold in sorted(folder.glob("*/gold.json")):
        days = [
            Day(f"memory/{path.name}", path.name[:10], path.read_text(encoding="utf-8"))
            for path in sorted((gold.parent / "workspace" / "memory").glob("2*.md"))
        ]
        units = candidates.of(days)
        counts = Counts(units)
        goodness = goodness_of(units, counts, json.loads(gold.read_text(encoding="utf-8")))
        found += zip(features.columns(units, counts, range(len(units))), goodness, strict=True)
    return found


def goodness_of(units: list[Any], counts: Counts, gold: dict[str, Any]) -> list[float]:
    """0 to 1 for each unit: how much it holds of what some question needs of its turn."""
    turn_of = {
        (turn["file"], line): turn["id"] for turn in gold["units"] for line in range(turn["start"], turn["end"] + 1)
    }
    within: dict[str, list[int]] = defaultdict(list)
    for index, unit in enumerate(units):
        source = unit.sources[0]
        within[turn_of.get((source.path, source.line), "")].append(index)
    best = [0.0] * len(units)
    said = [
        set(found) | set(words(unit.who)) | numbers(unit.text) for unit, found in zip(units, counts.words, strict=True)
    ]
    for turn, wanted in needs(gold):
        whole = set().union(*(said[index] for index in within[turn])) if within[turn] else set()
        needed = whole & wanted
        if len(needed) < 2:
            needed = set(sorted(whole, key=lambda word: (counts.idf(word), word))[-6:])
        total = sum(counts.idf(word) for word in needed) or 1.0
        for index in within[turn]:
            best[index] = max(best[index], sum(counts.idf(word) for word in needed & said[index]) / total)
    return [min(1.0, max(0.0, (share - 0.2) / 0.6)) for share in best]


def needs(gold: dict[str, Any]) -> list[tuple[str, set[str]]]:
    """(turn, the words asked for) for each turn that a question needs."""
    found = []
    for query in gold["queries"]:
        for place in query.get("facts") or [] if gold["facts"] else []:
            fact = gold["facts"][place]
            found.append((fact["unit"], set(words(fact["fact"])) | numbers(fact["fact"])))
        if not (query.get("facts") and gold["facts"]):
            asked = f"{query['query']} {query['answer']}"
            found += [(turn, set(words(asked)) | numbers(asked)) for turn in query["evidence"]]
    return found


def numbers(text: str) -> set[str]:
    """The numbers in a text."""
    return set(re.findall(r"\d+", text))


def balanced(found: list[tuple[list[float], float]]) -> list[Row]:
    """The rows with what each counts: every data set the same, and a few times more bad examples than good ones."""
    good = sum(goodness for _, goodness in found)
    for_good, for_bad = 1000 / good, 1000 * NEGATIVES_A_POSITIVE / len(found)
    return [(row, goodness, for_good if goodness else for_bad) for row, goodness in found]


def fitted(rows: list[Row]) -> list[float]:
    """The weights by stochastic gradient descent on logistic loss, in the order of features.NAMES."""
    width = len(features.NAMES)
    mean, spread = scales(rows)
    scaled = [([(value - m) / s for value, m, s in zip(row, mean, spread, strict=True)], y, w) for row, y, w in rows]
    usual = sum(row[2] for row in rows) / len(rows)
    weights, seen = [0.0] * width, [1e-6] * width
    chance = random.Random(7)
    total = [0.0] * width
    for epoch in range(EPOCHS):
        chance.shuffle(scaled)
        for row, goodness, counts in scaled:
            margin = sum(map(float.__mul__, weights, row))
            error = (1 / (1 + math.exp(-max(-30.0, min(30.0, margin)))) - goodness) * min(counts / usual, 30.0)
            if abs(error) < 0.002:
                continue
            for place, value in enumerate(row):
                slope = error * value + (SHRINKING * weights[place] if place else 0.0)
                seen[place] += slope * slope
                weights[place] -= RATE * slope / math.sqrt(seen[place])
        if epoch >= EPOCHS // 2:
            total = [sum(pair) for pair in zip(total, weights, strict=True)]
    mild = [one / (EPOCHS - EPOCHS // 2) for one in total]
    plain = [weight / s for weight, s in zip(mild, spread, strict=True)]
    plain[0] -= sum(weight * m / s for weight, m, s in zip(mild[1:], mean[1:], spread[1:], strict=True))
    return plain


def scales(rows: list[Row]) -> tuple[list[float], list[float]]:
    """Mean and spread of each column; the first one is the constant."""
    width, many = len(features.NAMES), len(rows)
    mean = [sum(row[0][place] for row in rows) / many for place in range(width)]
    spread = [math.sqrt(sum((row[0][place] - mean[place]) ** 2 for row in rows) / many) for place in range(width)]
    return [0.0, *mean[1:]], [1.0, *(one if one > 1e-6 else 1e6 for one in spread[1:])]


def page(weights: list[float], names: list[str]) -> str:
    """The module that holds them."""
    lines = [f"    {weight:.4f},  # {name}" for name, weight in zip(features.NAMES, weights, strict=True)]
    return (
        '"""The weights of features.NAMES, in their order. Made by tools/train_compaction.py: edit that."""\n\n'
        f"# Fitted to: {', '.join(names)}.\nWEIGHTS = (\n" + "\n".join(lines) + "\n)\n"
    )


if __name__ == "__main__":
    main()
