"""The candidates for ranking: the units with the rare terms of a question, and more if these are few. Pure.

An index and a scan of the files choose the same candidates, so both give the same answers.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from math import log

from agentws.core.formats import layout
from agentws.features.search.plan import terms

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from agentws.features.search.plan.query import Query
    from agentws.features.search.plan.unit import Unit

MOST = 200
"""How many units are ranked."""
_BESIDE = 50
"""For how many candidates the units beside them are added."""
_MOST_POSTINGS = 8_000
_PREFIX_WEIGHT = 4.0
_DAY_WEIGHT = 3.0
PREFIX = "*"
"""At the end of a term for `postings`: any term with this beginning."""


def chosen(
    query: Query,
    *,
    units: int,
    df: Mapping[str, int],
    postings: Callable[[str], Iterable[int]],
    on_days: Callable[[str, str], Iterable[int]],
    files: Callable[[], Sequence[tuple[int, int]]],
) -> dict[int, float]:
    """Return the numbers of the MOST likeliest candidates with the weight of each; of equal ones the newest.

    `units` is how many units there are, `df` how many hold each term; `postings` returns those of a term, `on_days`
    those of days, `files` the ranges of unit numbers in the order of `newest_files`.
    """
    weights: dict[int, float] = {}

    def add(numbers: Iterable[int], weight: float) -> int:
        given = dict.fromkeys(numbers, weight)
        for number in given.keys() & weights.keys():  # the others, which may be many, are added without a Python loop
            given[number] += weights[number]
        weights.update(given)
        return len(given)

    spent = 0
    for first, last in query.spans:
        spent += add(on_days(first, last), _DAY_WEIGHT)
    for prefix in query.prefixes:
        begun = (prefix + PREFIX, *sorted(terms.shorter_stems(prefix)))
        spent += add((number for term in begun for number in postings(term)), _PREFIX_WEIGHT)
    for term in sorted(query.terms, key=lambda term: (df.get(term, 0), term)):
        count = df.get(term, 0)
        if spent and spent + count > _MOST_POSTINGS and len(weights) >= MOST:
            break  # only terms that nearly all units hold are left
        spent += add(postings(term), log(1 + (units - count + 0.5) / (count + 0.5))) if count else 0
    if len(weights) <= MOST:
        return weights
    least = _least(weights.values())
    result = {number: weight for number, weight in weights.items() if weight >= least}
    equal = [number for number, weight in result.items() if weight == least]
    for number in equal:
        del result[number]
    result |= dict.fromkeys(newest(equal, files(), MOST - len(result)), least)
    return result


def _least(weights: Iterable[float]) -> float:
    """Return the weight of the MOST-th candidate; there are few different weights, one for each set of terms."""
    counts = Counter(weights)
    left = MOST
    for weight in sorted(counts, reverse=True):
        left -= counts[weight]
        if left <= 0:
            return weight
    return 0.0


def newest_files(numbers: Mapping[str, tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the ranges of unit numbers of files in the order of candidates: newest logs first, other files last."""
    return [numbers[path] for path in reversed(by_day(numbers))]


def by_day(paths: Iterable[str]) -> list[str]:
    """Return the paths of files in the order of candidates, oldest first: those without a day, then daily logs."""
    names = {path: path.rpartition("/")[2] for path in paths}
    logs = set(layout.daily_logs(names.values()))
    return [path for _, path in sorted((name[:10] if name in logs else "", path) for path, name in names.items())]


def newest(numbers: Collection[int], files: Sequence[tuple[int, int]], most: int) -> list[int]:
    """Return the `most` newest of these candidates, the newest first: by file, within a file the last lines first.

    The numbers of a file may differ between indexes, so they only order the units within a file.
    """
    ordered = sorted(numbers)
    result: list[int] = []
    for first, behind in files:
        begin, end = bisect_left(ordered, first), bisect_left(ordered, behind)
        result += ordered[max(begin, end - most + len(result)) : end][::-1]
        if len(result) == most:
            break
    return result


def ordered(units: list[Unit], weights: Mapping[int, float]) -> list[Unit]:
    """Return the candidates sorted by weight, then by day, the newest first; unit numbers play no part."""
    units.sort(key=lambda unit: (unit.path, unit.line))
    return sorted(units, key=lambda unit: (weights[unit.id], unit.day), reverse=True)


def beside(units: list[Unit]) -> list[int]:
    """Return the numbers of units that are beside the likeliest candidates and no candidates themselves."""
    known = {unit.id for unit in units}
    near = {unit.id + step for unit in units[:_BESIDE] for step in (-1, 1)}
    return sorted(near - known)
