"""Units and questions for the tests of ranking, of people who do not exist."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from agentws.features.search.plan import query, rank
from agentws.features.search.plan.rank import Ranked, Stats
from agentws.features.search.plan.unit import Unit


def unit(
    text: str, number: int = 0, *, day: str = "2031-04-02", path: str = "", headings: tuple[str, ...] = ()
) -> Unit:
    """A unit of a log."""
    one = Unit(number, path or f"memory/{day}.md", number % 1000 + 1, number % 1000 + 1 + text.count("\n"), text)
    one.day = day
    one.headings = headings
    return one


def stats(units: Sequence[Unit]) -> Stats:
    """What an index of these units would tell."""
    df = Counter(term for one in units for term in one.indexed)
    return Stats(
        len(units), sum(len(one.terms) for one in units) / len(units), df, lambda terms: {t: df[t] for t in terms}
    )


def ranked(question: str, units: Sequence[Unit], *, now: str = "2031-06-01") -> list[Ranked]:
    """The units in the order in which they answer a question."""
    return rank.rank(query.parse(question, now=now), units, stats(units))


def first(question: str, texts: Sequence[str]) -> str:
    """The text that answers best."""
    return ranked(question, [unit(text, 10 * at) for at, text in enumerate(texts)])[0].unit.text
