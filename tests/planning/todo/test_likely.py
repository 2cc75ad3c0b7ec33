"""Words in another form: what is closed by them, and what is not."""

from __future__ import annotations

from agentws.planning.todo import match
from agentws.planning.todo.row import OpenItem
from tests.table import holds

MEANT = (
    ("Pay the electricity bill", "paid electricity"),
    ("Submit the tax form", "submitted tax"),
    ("Cancel the gym membership", "gym cancelled"),
    ("Choose a colour for the hall", "colour chosen"),
    ("Get the keys from Yusuf", "got keys"),
    ("Find a plumber", "plumber found"),
    ("Write the minutes of the board", "minutes written"),
    ("Merge the retry branch", "retry merged"),
    ("Meet Ada's neighbours", "met neighbour"),
    ("Book movers for Friday", "movers booked"),
    ("Send the contract to Lena", "sent contract"),
    ("Buy a birthday present for Tim", "bought present"),
    ("Tell the neighbours about the noise", "told neighbours"),
    ("Eiche beim Händler reklamieren", "Eiche reklamiert"),
    ("Zertifikat auf Staging erneuern", "Zertifikat erneuert"),
    ("Miete zahlen", "Miete zahlte"),
    ("Devolver la caja mojada a la distribuidora", "caja devuelta"),
    ("Заказать в архиве дело 114", "дело заказано"),
    ("Вызвать слесаря к батарее в зале", "вызван слесаря"),
    ("Купить струны для двух виолончелей", "струны куплены"),
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
    ("打电话给汪先生", "王先生电话"),
    ("打电话给小李", "打电话给小王"),
    ("给王老师发邮件", "给李老师发邮件"),
    ("山田様に電話する", "山口様に電話した"),
    ("あおいさんに電話する", "さくらさんに電話した"),
    ("さくらの誕生日", "さくらの卒業式"),
    ("给小李回电", "回电王"),
    ("玄関の照明を頼む", "照明した"),
    ("Plan the rent budget", "paid rent"),
    ("Buy the milk", "boiled milk"),
    ("Pay Tomoko", "paid tomo"),
    ("Pass verlängern", "Pass verloren"),
    ("Cancel Anna's visit", "called anna"),
    ("Take the parcel to Tom", "told tom"),
    ("Boil the milk", "bought milk"),
    ("Prune the roses", "paid roses"),
    ("Pay Tomoko", "paid tom"),
    ("Pay for the renovation", "paid ren"),
    ("Позвонить Марине", "позвонила Ирине"),
    ("Позвонить в автомастерскую", "позвонить том"),
    ("Показать квартиру", "позвонить квартиру"),
    ("Проверить счета", "проданы счета"),
    ("Prepare the room", "presented room"),
    ("Pass verlängern", "Pass verschickt"),
    ("Miete prüfen", "Miete bezahlt"),
    ("Llamar a Marta", "llamado Mateo"),
    ("Limpiar el coche", "llevado coche"),
    ("Programmer la réunion", "préparé réunion"),
)
"""(what is open, words that mean something else)."""
RIVALS = (
    ("paid rent", "Pay the rent", "Plan the rent party"),
    ("bought milk", "Buy milk", "Boil the milk"),
    ("got keys", "Get the keys", "Give Yusuf the keys"),
    ("found plumber", "Find a plumber", "Fund the plumber"),
    ("paid ann", "Pay Ann", "Pay Anna"),
    ("told tom", "Tell Tom", "Take the parcel to Tom"),
    ("caja devuelta", "Devolver la caja", "Dejar la caja"),
    ("限流加好", "给同步接口加上限流", "给登录接口加上限流"),
    ("照明を頼んだ", "玄関の照明を頼む", "玄関の照明を頼める人を探す"),
    ("照明を頼み", "玄関の照明を頼む", "庭の照明を直す"),
)
"""(words, the open items that they fit nearly as well)."""
NO_RIVALS = (
    ("paid tax", "Pay the tax", "Submit the tax form"),
    ("movers booked", "Book the movers", "Tell the movers about the stairs"),
    ("called ann", "Call Ann", "Call Anna"),
    ("王先生电话", "打电话给王先生", "打电话给汪先生"),
    ("Zertifikat erneuert", "Zertifikat erneuern", "Zertifikat sichern"),
    ("sent contract", "Send the contract", "Sign the contract"),
    ("called anna", "Call Anna", "Cancel Anna's visit"),
    ("вызван слесаря", "Вызвать слесаря", "Выбрать слесаря"),
    ("普洱退回", "退回受潮的普洱", "退换受潮的普洱"),
    ("普洱退回", "给供应商退回受潮的普洱", "给供应商退回受潮的龙井"),
    ("電気屋に照明頼み", "電気屋に玄関の照明を頼む", "電気屋に照会する"),
)
"""(words, what they mean, what shares a word with them)."""


def named(words: str, *texts: str) -> list[str]:
    rows = [OpenItem(f"t{at}fk", text, "memory/2026-11-20.md", at) for at, text in enumerate(texts)]
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


def test_a_guess_that_another_open_item_fits_nearly_as_well_names_them_all() -> None:
    def check(row: tuple[str, *tuple[str, ...]]) -> None:
        words, *texts = row
        assert sorted(named(words, *texts)) == sorted(texts)
        assert sorted(named(words, *reversed(texts))) == sorted(texts), "in another order"

    holds(check, RIVALS)


def test_what_only_shares_a_word_is_no_rival() -> None:
    def check(row: tuple[str, str, str]) -> None:
        words, meant, other = row
        assert named(words, other, meant) == [meant]

    holds(check, NO_RIVALS)


def test_where_several_could_be_meant_they_are_all_named() -> None:
    assert len(named("paid rent", "Pay the rent", "Pay the rent deposit")) == 2
    assert len(named("订茶杯", "订购青色茶杯", "预订白色茶杯")) == 2
