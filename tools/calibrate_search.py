"""Calibrate when `search` says that nothing certain was found: python tools/calibrate_search.py CORPORA

CORPORA is what `tools/train_search.py` takes, whose weights are used as they are. Each question is asked twice: of all
units, and without the units that are its evidence. A logistic curve over a few signs of the best hits tells both apart.
Prints how much of the recall (R@10) is left at how much false certainty, for a curve that saw none of the set that it
is tested on, and for the one that saw all. `--write` writes the curve and the bound behind the tables of
`agentws/features/search/plan/weights.py`, `--every N` asks every Nth question alone. Needs numpy.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parent))

from train_search import WEIGHTS, Workspace

from agentws.features.search.plan import candidates, confidence, query, rank

FALSE_CERTAINTY = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5)
RECALL = 0.9
STEPS, RATE, DECAY = 3000, 0.5, 1e-3


class Case:
    """The signs of a question's best hits with its evidence and without, and its recall."""

    def __init__(self, workspace, gold, asked):
        self.set = gold["dataset"]
        self.group = "beam" if self.set.startswith("beam") else self.set
        places = {unit["id"]: (unit["file"], unit["start"]) for unit in gold["units"]}
        wanted = {workspace.places.get(places[one]) for one in asked["evidence"] if one in places} - {None}
        question = query.parse(asked["query"], now=asked["asked_on"])
        df = workspace.counts(question.terms)
        stats = rank.Stats(len(workspace.units), workspace.length, df, workspace.counts)
        chosen = candidates.chosen(
            question, units=stats.units, df=df, postings=lambda term: workspace.postings.get(term, ()),
            on_days=lambda first, last: [n for n, one in workspace.units.items() if first <= one.day <= last],
            files=lambda: candidates.newest_files(workspace.files),
        )  # fmt: skip
        found = candidates.ordered([workspace.units[n] for n in chosen], chosen)
        found += [workspace.units[n] for n in candidates.beside(found) if n in workspace.units]
        ranked = rank.rank(question, found, stats)
        self.recall = len({one.unit.id for one in ranked[:10]} & wanted) / max(1, len(wanted))
        self.whole = confidence.signs(question, ranked, stats)
        without = rank.rank(question, [one for one in found if one.id not in wanted], stats)
        self.without = confidence.signs(question, without, stats)


def main():
    """Ask, fit, tell, write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpora", type=Path)
    parser.add_argument("--every", type=int, default=1, help="ask only every so manyth question")
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    cases = [case for case in read(given.corpora, given.every) if case.whole and case.without]
    crossed = {}
    for group in sorted({case.group for case in cases}):
        curve = fitted([case for case in cases if case.group != group])
        crossed.update({id(case): sure(curve, case) for case in cases if case.group == group})
    tell("leave one set out", cases, crossed)
    curve = fitted(cases)
    seen = {id(case): sure(curve, case) for case in cases}
    tell("as fitted", cases, seen)
    least = bound(cases, seen)
    print(f"bound {least:.3f} keeps {RECALL:.0%} of the recall")
    print(dict(zip(("all", *confidence.NAMES), np.round(curve, 3).tolist(), strict=True)))
    if given.write:
        tables = WEIGHTS.read_text("utf-8").partition("\nCERTAIN")[0].rstrip("\n")
        weights = tuple(round(float(one), 4) for one in curve)
        text = ", ".join(map(repr, weights))
        WEIGHTS.write_text(f"{tables}\nCERTAIN = (\n    {text},\n)\nLEAST = {least:.3f}\n", "utf-8")


def read(corpora, every):
    """Yield a case for each question with evidence, or for every so manyth."""
    for path in sorted(corpora.glob("*/*/gold.json")):
        gold = json.loads(path.read_text("utf-8"))
        if gold["dataset"].endswith("-full"):
            continue
        workspace = Workspace(path.parent)
        yield from (Case(workspace, gold, asked) for asked in gold["queries"][::every] if asked["evidence"])


def fitted(cases):
    """Return the weights of the curve: one for all, one a sign; a question found counts by its recall."""
    rows = np.array([row for case in cases for row in (case.whole, case.without)])
    labels = np.array([label for case in cases for label in (1.0, 0.0)])
    sizes = {group: sum(case.group == group for case in cases) for group in {case.group for case in cases}}
    share = np.array([w / sizes[case.group] for case in cases for w in (case.recall + 1e-3, 1.0)])
    share = np.where(labels > 0, share / share[labels > 0].sum(), share / share[labels == 0].sum()) / 2
    mean, spread = rows.mean(0), rows.std(0) + 1e-6
    scaled = np.c_[np.ones(len(rows)), (rows - mean) / spread]
    weights = np.zeros(scaled.shape[1])
    for _ in range(STEPS):
        guess = 1 / (1 + np.exp(-(scaled @ weights)))
        weights -= RATE * (scaled.T @ ((guess - labels) * share) + DECAY * np.r_[0, weights[1:]])
    return np.r_[weights[0] - (weights[1:] * mean / spread).sum(), weights[1:] / spread]


def sure(curve, case):
    """Return how sure the best hits are, with the evidence and without."""
    return tuple(1 / (1 + np.exp(-(curve[0] + np.dot(curve[1:], row)))) for row in (case.whole, case.without))


def shares(cases, scores, least):
    """Return (share of the recall that is kept, false certainty) at a bound, sets alike."""
    kept, false = [], []
    for name in sorted({case.set for case in cases}):
        some = [case for case in cases if case.set == name]
        recall = sum(case.recall for case in some) or 1
        kept.append(sum(case.recall for case in some if scores[id(case)][0] >= least) / recall)
        false.append(sum(scores[id(case)][1] >= least for case in some) / len(some))
    return np.mean(kept), np.mean(false)


def bound(cases, scores):
    """Return the greatest bound that keeps RECALL of the recall."""
    levels = np.arange(0.995, 0, -0.005)
    return float(next((least for least in levels if shares(cases, scores, least)[0] >= RECALL), 0.0))


def tell(title, cases, scores):
    """Print the curve."""
    print(title)
    levels = np.arange(0.005, 1, 0.005)
    found = [shares(cases, scores, least) for least in levels]
    for most in FALSE_CERTAINTY:
        kept = max((kept for kept, false in found if false <= most), default=0.0)
        print(f"  false certainty ≤ {most:.0%}: {kept:.1%} of the recall kept")
    least = bound(cases, scores)
    print(f"  {RECALL:.0%} of the recall kept: {shares(cases, scores, least)[1]:.1%} false certainty", flush=True)


if __name__ == "__main__":
    main()
