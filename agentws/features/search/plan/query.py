"""The query parsed from a question: terms, phrases, prefixes and days. Any text is a legal question. Pure."""

from __future__ import annotations

from itertools import pairwise

from agentws.core.text.lazy import Pattern
from agentws.features.search.plan import terms, when

_PHRASE = Pattern(r'"([^"]+)"')
_PREFIX = Pattern(rf"(?<!\S)([{terms.LETTER}]{{2,}})\*(?!\S)")
_NAME = Pattern(r"(?<![.!?\n]\s)(?<!^)\b([A-Z][\w-]+)")
_STOP = """
    a about an and any are as at be been but by can could did do does for from had has have he her his how i if
    in into is it its me my of on or our she so some such than that the their them then there these they this to
    up us was we were what when where which who whom why will with would you your
"""
STOP = frozenset(_STOP.split())


class Query:
    """A query: a parsed question.

    Fields:
        text: the question as it was asked.
        now: the ISO day or moment at which it is asked.
        terms: what to look for, each once; stop words are left out unless there is nothing else.
        phrases: the terms of each text in quotes.
        prefixes: beginnings of words, asked for as `word*`.
        spans: (first, last) ISO days that the question names.
        anchor: (days, tolerance, event) of "two weeks before the launch", else None.
        pairs: terms that are beside each other.
        names: terms that are written large within a sentence; `numbers` those with a digit.
    """

    __slots__ = ("anchor", "names", "now", "numbers", "pairs", "phrases", "prefixes", "spans", "terms", "text")

    def __init__(self, text: str, now: str) -> None:
        self.text = text
        self.now = now
        self.phrases = [tuple(terms.of(phrase)) for phrase in _PHRASE.findall(text)]
        self.prefixes = tuple(terms.folded(prefix) for prefix in _PREFIX.findall(text))
        stops = {terms.stem(word) for word in STOP}
        every = list(dict.fromkeys(terms.of(_PREFIX.sub(" ", text))))
        self.terms = tuple([term for term in every if term not in stops] or every)
        known = set(self.terms)
        messages = [term for term in terms.of(text) if term in known]
        self.pairs = frozenset(pairwise(messages))
        self.names = known.intersection(term for name in _NAME.findall(text) for term in terms.of(name))
        self.numbers = {term for term in self.terms if any(map(str.isdecimal, term))}
        self.spans = when.spans(text, now)
        self.anchor = when.anchor(text)


def parse(text: str, *, now: str = "") -> Query:
    """Return the query of a text that is asked at a moment (ISO)."""
    return Query(text, now)
