"""Which lines say most: counted over words, of whatever language."""

from __future__ import annotations

from agentws.planning.notes import coverage


def order(texts: list[str], *rest: object, **more: object) -> list[str]:
    found = coverage.by_news([text.split() for text in texts], *rest, **more)  # type: ignore[arg-type]
    return [texts[at] for at in found]


def test_what_is_said_already_comes_later() -> None:
    texts = ["red boat", "red boat blue", "green shed"]

    assert order(texts, [1.0] * 3) == ["red boat blue", "green shed", "red boat"]
    assert order(texts, [1.0] * 3, [["blue", "boat", "red"]] * 3)[:1] == ["green shed"]
    assert order(texts, [9.0, 1.0, 1.0])[:1] == ["red boat"]


def test_a_word_counts_the_more_the_more_days_it_comes_back_on() -> None:
    texts = ["a b c d e f", "key ferry", "key pier", "ferry key"]

    assert order(texts, [1.0] * 4)[:1] == ["a b c d e f"]
    assert order(texts, [1.0] * 4, days=[{"1"}, {"2"}, {"3"}, {"4"}])[-1:] == ["a b c d e f"]
