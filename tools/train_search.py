"""Train the ranking of `search`: python tools/train_search.py CORPORA [--vectors FOLDER] [--write]

CORPORA holds `SET/NAME/gold.json` beside `SET/NAME/workspace/`: `units` (id, file, start, end) and `queries` (qid,
query, asked_on, evidence: ids of units). Needs numpy, which neither agentws nor its tests do. Prints how well the units
are ordered by plain BM25, then by the trained ranking, three times: tested on sets that it was not trained on (leave
one set out), on workspaces that it was not trained on (five parts), and on all that it was trained on. `--write` writes
`agentws/features/search/plan/weights.py`; run `tools/calibrate_search.py` then.

With `--vectors` the ranking looks at the similarity of vectors, too, and `--write` writes `weights_vectors.py` beside
it. The vectors of the texts are kept in FOLDER, so that each is made once.

The score is a sum of one step function a feature (boosted stumps, rising or falling where a feature may only help or
only harm), so that `search --explain` can say what each adds. Sets count alike, whatever their size.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import textwrap
import zlib
from collections import Counter, defaultdict
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from agentws.features.search import reading
from agentws.features.search.plan import candidates, features, query, similarity

WEIGHTS = Path(__file__).resolve().parents[1] / "agentws/features/search/plan/weights.py"
WEIGHTS_VECTORS = WEIGHTS.with_name("weights_vectors.py")
FALLING = {"place", "similarity_place"}
FREE = {"length", "asks", "asks_the_same", "age", "age_share"}
PARTS = 5
MOST_SHOWN_CHARS = 520
SHOWN_TOKENS = 105
BUDGET_TOKENS = 1000
MOST = 120
"""How many candidates of each question are trained on, the best by their words."""
ROUNDS, RATE, RIDGE, BINS, SEED = 300, 0.15, 2.0, 32, 3


class Workspace:
    """The units of a workspace, with what an index would tell of them."""

    def __init__(self, folder: Path, vectors=None) -> None:
        self.units = {}
        self.files = {}
        self.postings = defaultdict(list)
        files = sorted((folder / "workspace").rglob("*.md"))
        for number, path in enumerate(files, 1):
            name = path.relative_to(folder / "workspace").as_posix()
            self.files[name] = number << 20, number + 1 << 20
            day = path.name[:10] if path.name[:4].isdecimal() else ""
            for at, one in enumerate(reading.units_of(path.read_text("utf-8"), path=name, room="logs", day=day)):
                one.id = number << 20 | at
                self.units[one.id] = one
                for term in one.indexed:
                    self.postings[term].append(one.id)
        self.length = sum(len(one.terms) for one in self.units.values()) / len(self.units)
        self.places = {(one.path, one.line): one.id for one in self.units.values()}
        self.vectors = vectors
        if vectors is not None:
            self.embedded = [one for one in self.units.values() if similarity.has_vector(one.form, one.text)]
            self.rows = vectors.of([one.text for one in self.embedded])

    def counts(self, terms):
        """Return how many units hold each term."""
        return {term: len(self.postings.get(term, ())) for term in terms}

    def similar(self, asked):
        """Return how near each unit is to a question, the nearest first; nothing without vectors."""
        if self.vectors is None:
            return {}
        found = self.rows @ self.vectors.of([asked.text])[0]
        return {self.embedded[at].id: float(found[at]) for at in np.argsort(-found, kind="stable")}

    def field(self, asked, similar=()):
        """Return the candidates of a question; those that are nearest by vectors are among them."""
        df = self.counts(asked.terms)
        chosen = candidates.chosen(
            asked,
            units=len(self.units),
            df=df,
            postings=lambda term: self.postings.get(term, ()),
            on_days=self._on_days,
            files=lambda: candidates.newest_files(self.files),
        )
        found = candidates.ordered([self.units[number] for number in chosen], chosen)
        found += [self.units[number] for number in list(similar)[: similarity.NEAREST] if number not in chosen]
        found += [self.units[number] for number in candidates.beside(found) if number in self.units]
        return features.Field(asked, found, len(self.units), self.length, df, self.counts)

    def _on_days(self, first, last):
        return [number for number, one in self.units.items() if first <= one.day <= last]


class Question:
    """The rows of the candidates of a question, and which of them are its evidence."""

    def __init__(self, workspace, name, gold, asked):
        self.set, self.name, self.id = gold["dataset"], name, asked["qid"]
        self.group = "beam" if self.set.startswith("beam") else self.set.removesuffix("-full")
        question = query.parse(asked["query"], now=asked["asked_on"])
        similar = workspace.similar(question)
        field = workspace.field(question, similar)
        ranked, near = field.ranked, None
        self.most = MOST
        if similar:
            near = similarity.Similarity(field, similar)
            ranked = list(dict.fromkeys((*ranked[:MOST], *near.ranked[: similarity.NEAREST])))
            self.most = len(ranked)
        places = {unit["id"]: (unit["file"], unit["start"]) for unit in gold["units"]}
        wanted = {workspace.places.get(places[one]) for one in asked["evidence"] if one in places} - {None}
        rows = [field.row(one) + (near.row(one) if near else []) for one in ranked]
        self.rows = np.array(rows, dtype="f4").reshape(len(rows), -1)
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
    parser.add_argument("--vectors", type=Path, metavar="FOLDER")
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    questions = list(read(given.corpora, given.vectors))
    tested = [one for one in questions if not one.set.endswith("-full")]
    tell("BM25", tested, {id(one): one.bm25 for one in tested})
    tell("leave one set out", tested, crossed(questions, tested, lambda one: one.group))
    tell("leave workspaces out", tested, crossed(questions, tested, lambda one: one.part))
    tables = trained(questions)
    tell("as trained", tested, {id(one): scored(tables, one.rows) for one in tested})
    if given.write:
        (WEIGHTS_VECTORS if given.vectors else WEIGHTS).write_text(rendered(tables), "utf-8")


def names(count):
    """Return the features of rows that have so many."""
    found = (*features.NAMES, *similarity.NAMES)
    return found[:count]


def read(corpora, folder=None):
    """Yield the questions of every workspace that have evidence; `folder` keeps vectors."""
    vectors = None
    if folder is not None:
        from text_vectors import Vectors

        vectors = Vectors(folder)
    for path in sorted(corpora.glob("*/*/gold.json")):
        gold = json.loads(path.read_text("utf-8"))
        workspace = Workspace(path.parent, vectors)
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
    questions = [one for one in questions if not one.set.endswith("-full") and one.is_evidence[: one.most].any()]
    rows = Rows(questions)
    chance = np.random.default_rng(SEED)
    tables = [(bounds, np.zeros(len(bounds) + 1)) for bounds in rows.bounds]
    scores = np.zeros(len(rows.labels))
    for _ in range(ROUNDS):
        pull, curve = rows.pulls(scores)
        some = chance.permutation(len(rows.bins))[: len(rows.bins) // 2]
        step = max((rows.step(at, pull, curve) for at in sorted(some)), key=lambda one: one[0])
        gain, at, place, low, high = step
        if gain > 0:
            tables[at][1][: place + 1] += RATE * low
            tables[at][1][place + 1 :] += RATE * high
            scores += RATE * np.where(rows.bins[at] <= place, low, high)
    return [joined(bounds.tolist(), [round(float(value), 4) for value in values]) for bounds, values in tables]


def joined(bounds, values):
    """Return a step function without the steps that change nothing."""
    kept = [at for at in range(len(bounds)) if values[at] != values[at + 1]]
    return [bounds[at] for at in kept], [*(values[at] for at in kept), values[-1]]


class Rows:
    """The rows of all questions, their features put into bins."""

    def __init__(self, questions):
        groups = Counter(one.group for one in questions)
        values = np.concatenate([one.rows[: one.most] for one in questions])
        self.labels = np.concatenate([one.is_evidence[: one.most] for one in questions]) > 0
        sizes = [len(one.rows[: one.most]) for one in questions]
        self.starts = np.r_[0, np.cumsum(sizes)[:-1]]
        self.question = np.repeat(np.arange(len(sizes)), sizes)
        self.found = np.flatnonzero(self.labels)
        self.asked = self.question[self.found]
        each = np.array([len(questions) / len(groups) / groups[one.group] for one in questions])
        self.weights = (each / np.sqrt(np.add.reduceat(self.labels.astype(float), self.starts)))[self.asked]
        self.bounds = [bounds(values[::7, at]) for at in range(values.shape[1])]
        self.signs = [0 if name in FREE else -1 if name in FALLING else 1 for name in names(values.shape[1])]
        self.bins = [np.searchsorted(bounds, values[:, at], side="left") for at, bounds in enumerate(self.bounds)]

    def pulls(self, scores):
        """Return by how much each row is to rise, and how soon that changes: evidence against what is none."""
        power = np.exp(scores - np.maximum.reduceat(scores, self.starts)[self.question])
        others = np.where(self.labels, 0.0, power)
        together = power[self.found] + np.add.reduceat(others, self.starts)[self.asked] + 1e-9
        chance = power[self.found] / together
        count = len(self.starts)
        first = np.bincount(self.asked, self.weights / together, count)[self.question]
        second = np.bincount(self.asked, self.weights / together**2, count)[self.question]
        pull, curve = -others * first, others * first - others**2 * second
        pull[self.found] = self.weights * (1 - chance)
        curve[self.found] = self.weights * chance * (1 - chance)
        return pull, curve

    def step(self, at, pull, curve):
        """Return the best step of a feature: (gain, feature, last bin below it, value there, value above)."""
        count = len(self.bounds[at]) + 1
        if count < 2:
            return 0.0, at, 0, 0.0, 0.0
        pulls = np.cumsum(np.bincount(self.bins[at], pull, count))
        curves = np.cumsum(np.bincount(self.bins[at], curve, count))
        low = pulls[:-1] / (curves[:-1] + RIDGE)
        high = (pulls[-1] - pulls[:-1]) / (curves[-1] - curves[:-1] + RIDGE)
        gains = pulls[:-1] * low + (pulls[-1] - pulls[:-1]) * high
        sign = self.signs[at]
        gains = np.where((high - low) * sign >= 0, gains, 0.0) if sign else gains
        best = int(np.argmax(gains))
        return float(gains[best]), at, best, float(low[best]), float(high[best])


def bounds(values):
    """Return where the bins of a feature end, about as many rows in each."""
    found = np.unique(np.quantile(values, np.linspace(0, 1, BINS + 1)[1:-1]))
    present = values[values != 0]
    if len(found) < BINS / 2 and len(present) > BINS:
        found = np.r_[found, np.quantile(present, np.linspace(0, 1, BINS // 2 + 1)[:-1]) - 1e-6]
    return np.unique([float(f"{value:.4g}") for value in found])


def scored(tables, rows):
    """Return the scores of rows."""
    found = np.zeros(len(rows))
    for at, (bounds, values) in enumerate(tables):
        found += np.array(values)[np.searchsorted(np.array(bounds), rows[:, at], side="left")]
    return found


def tell(title, tested, scores):
    """Print the measures of each set and over all."""
    sets = sorted({one.set for one in tested})
    rows = {
        name: np.mean([one.measures(scores[id(one)]) for one in tested if one.set == name], axis=0) for name in sets
    }
    print(f"{title:24}{'ER@1000':>9}{'R@10':>9}{'nDCG@10':>9}{'dayR@5':>9}")
    for name, row in (*rows.items(), ("macro", np.mean(list(rows.values()), axis=0))):
        print(f"  {name:22}" + "".join(f"{value:9.3f}" for value in row), flush=True)


def rendered(tables):
    """Return the file that ships."""
    by = "with vectors" if len(tables) > len(features.NAMES) else "by words"
    lines = [
        f'"""Weights of the ranking {by}: what each feature adds to the score. Made by tools/train_search.py."""',
        "",
        "# fmt: off",
        "TABLES = {",
    ]
    for name, (bounds, values) in zip(names(len(tables)), tables, strict=True):
        row = f'    "{name}": ({[*bounds]}, {[*values]}),'
        lines.append(textwrap.fill(row, 112, subsequent_indent=" " * 8))
    return "\n".join([*lines, "}", ""])


if __name__ == "__main__":
    main()
