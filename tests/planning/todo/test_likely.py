"""Words in another form: what is closed by them, and what is not."""

from __future__ import annotations

from agentws.planning.todo import match
from agentws.planning.todo.row import Row
from tests.table import holds

MEANT = (
    ("Pay the electricity bill", "paid electricity"),
    ("Submit the tax form", "submitted tax"),
    ("Book movers for Friday", "movers booked"),
    ("Send the contract to Lena", "sent contract"),
    ("Buy a birthday present for Tim", "bought present"),
    ("Tell the neighbours about the noise", "told neighbours"),
    ("Eiche beim Händler reklamieren", "Eiche reklamiert"),
    ("Zertifikat auf Staging erneuern", "Zertifikat erneuert"),
    ("Devolver la caja mojada a la distribuidora", "caja devuelta"),
    ("Заказать в архиве дело 114", "дело заказано"),
    ("Вызвать слесаря к батарее в зале", "вызван слесаря"),
    ("给供应商退回受潮的普洱", "普洱退回"),
    ("给同步接口加上限流", "限流加好"),
    ("電気屋に玄関の照明を頼む", "照明を頼んだ"),
    ("昭和五年の時刻表を書き起こす", "昭和五年書き起こし"),
)
"""(what is open, the words that close it)."""
NOT_MEANT = (
    ("Call Anna", "call tom"),
    ("Call Anna", "call adam"),
    ("Call Tom", "call tim"),
    ("Buy cake for Anna", "call anna"),
    ("Pay the rent", "paid 300"),
    ("Pay rates", "pay rent"),
    ("Pay the rent", "paid"),
    ("Pay invoice 1043", "paid 1042"),
    ("交第四季度房租", "电话"),
    ("打电话给王先生", "写信给李小姐"),
)
"""(what is open, words that mean something else)."""


def named(words: str, *texts: str) -> list[str]:
    rows = [Row(f"t{at}fk", text, "memory/2026-11-20.md", at) for at, text in enumerate(texts)]
    return [row.text for row in match.by_words(words, rows)]


def test_one_word_may_be_in_another_form() -> None:
    def check(row: tuple[str, str]) -> None:
        text, words = row
        assert named(words, text) == [text]
        assert named(words, *(one for one, _ in MEANT)) == [text], "among all the others"

    holds(check, MEANT)


def test_words_that_mean_another_thing_name_nothing() -> None:
    def check(row: tuple[str, str]) -> None:
        assert named(row[1], row[0]) == []

    holds(check, NOT_MEANT)


def test_where_several_could_be_meant_they_are_all_named() -> None:
    assert len(named("paid rent", "Pay the rent", "Pay the rent deposit")) == 2
    assert len(named("订茶杯", "订购青色茶杯", "预订白色茶杯")) == 2
