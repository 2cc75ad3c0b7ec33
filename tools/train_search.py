"""Train the ranking of `search`: python tools/train_search.py CORPORA [--write]

CORPORA holds `SET/NAME/gold.json` beside `SET/NAME/workspace/`: `units` (id, file, start, end) and `queries` (qid,
query, asked_on, evidence: ids of units). Needs numpy and lightgbm, which neither agentws nor its tests do:
`pip install numpy lightgbm`. Prints how well the order is that plain BM25 gives, then the trained one three times:
tested on the sets that it was not trained on (leave one set out), on the workspaces that it was not trained on
(five parts), and on what it was trained on. `--write` writes `agentws/planning/search/weights.py`.

The score is a sum of one step function a feature (boosted stumps, rising or falling where a feature may only help or
only harm), so that `search --explain` can say what each adds. Sets count alike, whatever their size.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import zlib
from collections import Counter, defaultdict
from pathlib import Path

import lightgbm
import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from agentws.planning.search import candidates, features, query, units  # noqa: E402

WEIGHTS = Path(__file__).resolve().parents[1] / "agentws/planning/search/weights.py"
FALLING = {"place"}
FREE = {"length", "asks", "asks_the_same", "age", "age_share"}
PARTS = 5
MOST_SHOWN_CHARS = 520
SHOWN_TOKENS = 105
BUDGET_TOKENS = 1000
TREES, RATE = 300, 0.1


class Workspace:
    """The units of a workspace, with what an index would tell of them."""

    def __init__(self, folder: Path) -> None:
        self.units = {}
        self.postings = defaultdict(list)
        files = sorted((folder / "workspace").rglob("*.md"))
        for number, path in enumerate(files, 1):
            name = path.relative_to(folder / "workspace").as_posix()
            day = path.name[:10] if path.name[:4].isdecimal() else ""
            for at, one in enumerate(units.of(path.read_text("utf-8"), path=name, room="logs", day=day)):
                one.id = number << 20 | at
                self.units[one.id] = one
                for term in one.indexed:
                    self.postings[term].append(one.id)
        self.length = sum(len(one.terms) for one in self.units.values()) / len(self.units)
        self.places = {(one.path, one.line): one.id for one in self.units.values()}

    def counts(self, terms):
        """Return how many units hold each term."""
        return {term: len(self.postings.get(term, ())) for term in terms}

    def field(self, asked):
        """Return the candidates of a question."""
        df = self.counts(asked.terms)
        chosen = candidates.chosen(
            asked, units=len(self.units), df=df, postings=lambda term: self.postings.get(term, ()), on_days=self._on_days
        )
        found = [self.units[number] for number in (*chosen, *candidates.beside(chosen)) if number in self.units]
        return features.Field(asked, found, len(self.units), self.length, df, self.counts)

    def _on_days(self, first, last):
        return [number for number, one in self.units.items() if first <= one.day <= last]


class Question:
    """The rows of the candidates of a question, and which of them are its evidence."""

    def __init__(self, workspace, name, gold, asked):
        self.set, self.name, self.id = gold["dataset"], name, asked["qid"]
        self.group = "beam" if self.set.startswith("beam") else self.set.removesuffix("-full")
        field = workspace.field(query.parse(asked["query"], now=asked["asked_on"]))
        ranked = field.ranked
        places = {unit["id"]: (unit["file"], unit["start"]) for unit in gold["units"]}
        wanted = {workspace.places.get(places[one]) for one in asked["evidence"] if one in places} - {None}
        self.rows = np.array([field.row(one) for one in ranked], dtype="f4").reshape(-1, len(features.NAMES))
        self.is_evidence = np.array([one.unit.id in wanted for one in ranked], dtype="i1")
        self.bm25 = np.array([one.bm25 for one in ranked])
        lengths = (len(one.unit.text) for one in ranked)
        self.tokens = np.array([SHOWN_TOKENS if chars > MOST_SHOWN_CHARS else -(-chars // 4) for chars in lengths])
        self.paths = [one.unit.path for one in ranked]
        self.wanted = max(1, len(wanted))
        self.days = {workspace.units[number].path for number in wanted}

    @property
    def part(self):
        """One of the parts that are tested in turn: people stay together, questions of one pool do not."""
        name = self.id if self.set == "lme" else self.name.partition("@")[0]
        return zlib.crc32(name.encode()) % PARTS

    def measures(self, scores):
        """Return (evidence within 1,000 tokens, among the first ten, nDCG@10, its days among the first five)."""
        order = np.argsort(-scores, kind="stable")
        hits = self.is_evidence[order]
        within = hits[np.cumsum(self.tokens[order]) <= BUDGET_TOKENS].sum() / self.wanted
        gains = sum(1 / math.log2(at + 2) for at in np.flatnonzero(hits[:10]))
        ideal = sum(1 / math.log2(at + 2) for at in range(min(10, self.wanted)))
        days = list(dict.fromkeys(self.paths[at] for at in order))[:5]
        return within, hits[:10].sum() / self.wanted, gains / ideal, len(self.days & set(days)) / max(1, len(self.days))


def main():
    """Read, train, tell, write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpora", type=Path)
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    questions = list(read(given.corpora))
    tested = [one for one in questions if not one.set.endswith("-full")]
    tell("BM25", tested, {id(one): one.bm25 for one in tested})
    tell("leave one set out", tested, crossed(questions, tested, lambda one: one.group))
    tell("leave workspaces out", tested, crossed(questions, tested, lambda one: one.part))
    tables = trained(questions)
    tell("as trained", tested, {id(one): scored(tables, one.rows) for one in tested})
    if given.write:
        WEIGHTS.write_text(rendered(tables), "utf-8")


def read(corpora):
    """Yield the questions of every workspace that have evidence."""
    for path in sorted(corpora.glob("*/*/gold.json")):
        gold = json.loads(path.read_text("utf-8"))
        workspace = Workspace(path.parent)
        for asked in gold["queries"]:
            if asked["evidence"]:
                yield Question(workspace, path.parent.name, gold, asked)


def crossed(questions, tested, part):
    """Return the scores of every question by a ranking that was trained on the other parts."""
    found = {}
    for each in sorted({part(one) for one in tested}, key=str):
        tables = trained([one for one in questions if part(one) != each])
        found.update({id(one): scored(tables, one.rows) for one in tested if part(one) == each})
    return found


def trained(questions):
    """Return for each feature (bounds, what is added below the first, between them, and above the last)."""
    questions = [one for one in questions if not one.set.endswith("-full") and one.is_evidence[:200].any()]
    counts = Counter(one.group for one in questions)
    rows = np.concatenate([one.rows[:200] for one in questions])
    labels = np.concatenate([one.is_evidence[:200] for one in questions])
    sizes = [len(one.rows[:200]) for one in questions]
    weights = np.concatenate([np.full(len(one.rows[:200]), 1000 / counts[one.group]) for one in questions])
    signs = [0 if name in FREE else -1 if name in FALLING else 1 for name in features.NAMES]
    settings = {
        "objective": "lambdarank", "num_leaves": 2, "learning_rate": RATE, "min_data_in_leaf": 80, "lambda_l2": 10.0,
        "lambdarank_truncation_level": 30, "feature_fraction": 0.5, "bagging_fraction": 0.7, "bagging_freq": 1,
        "max_bin": 63, "seed": 3, "deterministic": True, "force_row_wise": True, "num_threads": 2, "verbose": -1,
        "monotone_constraints": signs,
    }  # fmt: skip
    data = lightgbm.Dataset(rows, labels, group=sizes, weight=weights)
    model = lightgbm.train(settings, data, TREES).dump_model()
    return collapsed([tree["tree_structure"] for tree in model["tree_info"]])


def collapsed(stumps):
    """Return the stumps as one step function a feature."""
    steps = [defaultdict(float) for _ in features.NAMES]
    first = [0.0 for _ in features.NAMES]
    for stump in stumps:
        if "split_feature" not in stump:
            continue
        at = stump["split_feature"]
        left, right = stump["left_child"]["leaf_value"], stump["right_child"]["leaf_value"]
        first[at] += left
        steps[at][float(f"{stump['threshold']:.4g}")] += right - left
    tables = []
    for begin, step in zip(first, steps, strict=True):
        bounds = sorted(step)
        values = [begin]
        for bound in bounds:
            values.append(values[-1] + step[bound])
        tables.append((bounds, [round(value, 4) for value in values]))
    return tables


def scored(tables, rows):
    """Return the scores of rows."""
    found = np.zeros(len(rows))
    for at, (bounds, values) in enumerate(tables):
        found += np.array(values)[np.searchsorted(np.array(bounds), rows[:, at], side="left")]
    return found


def tell(title, tested, scores):
    """Print the measures of each set and over all."""
    sets = sorted({one.set for one in tested})
    rows = {name: np.mean([one.measures(scores[id(one)]) for one in tested if one.set == name], axis=0) for name in sets}
    print(f"{title:24}{'ER@1000':>9}{'R@10':>9}{'nDCG@10':>9}{'dayR@5':>9}")
    for name, row in (*rows.items(), ("macro", np.mean(list(rows.values()), axis=0))):
        print(f"  {name:22}" + "".join(f"{value:9.3f}" for value in row), flush=True)


def rendered(tables):
    """Return the file that ships."""
    lines = ['"""What each feature adds to the score: made by tools/train_search.py, not by hand."""', "", "TABLES = {"]
    for name, (bounds, values) in zip(features.NAMES, tables, strict=True):
        lines += [f'    "{name}": (', f"        {bounds!r},", f"        {values!r},", "    ),"]
    return "\n".join([*lines, "}", ""])


if __name__ == "__main__":
    main()
