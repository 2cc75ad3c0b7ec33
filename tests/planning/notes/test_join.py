"""Which lines close which, and which are one item: by what they name and what they say, in any script."""

from __future__ import annotations

from agentws.planning.notes import ledger, reading
from tests.table import holds

CLOSES = (
    ("Book the movers for the 20th", "[x] Book the movers for the 20th, confirmed by mail"),
    ("Book the movers for the 20th (no answer yet)", "[x] Book the movers for the 20th"),
    ("Measure the hall for the wardrobe", "~~Measure the hall for the wardrobe~~ 98 cm, it fits."),
    ("Wartungstermin ausmachen", "[x] Wartungstermin ausmachen → 19.11. vormittags"),
    ("订购新的茶杯两百个（颜色还没定）", "[x] 订购新的茶杯两百个"),
    ("重画第二张地图", "[x] 重画第二张地图，用新的底图"),
    ("七五三の予約表を作る（日曜の分がまだ）", "[x] 七五三の予約表を作る"),
    ("Составить расписание на декабрь (нет часов Олега)", "[x] Составить расписание на декабрь"),
    ("#66 the map does not load on old phones", "[x] #66 loads on Android 8 too"),
    ("#45 导出的 ics 文件缺少换行", "[x] #45 改成 CRLF，Outlook 能读了"),
    ("ABC-12 carts lose products", "[x] ABC-12: by session now"),
    ("Waiting for Lena: review of PR #64", "[x] PR #64: Lena approved"),
    ("等待小陈：审查 PR #48", "[x] PR #48 小陈已批准并合并"),
    ("Жду Дашу: ревью PR #140", "[x] ревью PR #140: Даша одобрила"),
    ("#190 write the changelog for 2.4", "[x] #190 changelog for 2.4"),
)
"""(what is open, what closes it on a later day)."""
STAYS_OPEN = (
    ("Call Tim about the roof of the summer house", "[x] Call Tom about the roof of the summer house"),
    ("打电话给汪先生确认周六晚上的座位", "[x] 打电话给王先生确认周六晚上的座位"),
    ("山口様に電話して撮影の時間を確かめる", "[x] 山田様に電話して撮影の時間を確かめる"),
    ("Позвонить Марине насчёт нот для хора", "[x] Позвонить Ирине насчёт нот для хора"),
    ("Pay invoice 1043 of Harrow", "[x] Pay invoice 1042 of Harrow"),
    ("重画第三张地图", "[x] 重画第二张地图"),
    ("Deploy version 2.4 to staging", "[x] Deploy version 2.3 to staging"),
    ("Call Tom back before noon", "[x] Call Tom"),
    ("Report", "[x] Report of the week sent to Lena"),
    ("Ask ops about the disk, see #211", "[x] #211 heap dump taken"),
    ("#21 is it wanted", "[x] #211 memory bounded"),
    ("Buy bread", "[x] Buy milk"),
    ("harrow.example waits for its certificate", "[x] harrow.example has a new front page"),
    ("main.py needs a test", "[x] main.py is formatted"),
)
NOT_CLOSED = (
    ("#50 update the docs", "#50 write the tests", "[x] #50 write the tests"),
    ("PR-7 tell ops", "PR-7 merge it", "[x] PR-7 merge it, done by Kim"),
)
"""Two steps of one ticket on one day: what says one of them closes that one alone."""


def left(*days: str) -> list[str]:
    """What is open after these days, the oldest first."""
    files = [
        reading.read(text, path=f"memory/2026-11-0{day}.md", day=f"2026-11-0{day}") for day, text in enumerate(days, 1)
    ]
    return [item.entry.said for item in ledger.of(files, today="2026-11-09").open]


def test_a_later_line_closes_what_it_names_or_says() -> None:
    def check(row: tuple[str, str]) -> None:
        assert left(f"- [ ] {row[0]}\n", f"- {row[1]}\n") == []
        assert left(f"- {row[1]}\n", f"- [ ] {row[0]}\n") != [], "what is opened later is open"

    holds(check, CLOSES)


def test_a_line_that_exchanges_a_word_or_a_number_closes_nothing() -> None:
    def check(row: tuple[str, str]) -> None:
        assert len(left(f"- [ ] {row[0]}\n", f"- {row[1]}\n")) == 1

    holds(check, STAYS_OPEN)


def test_of_two_steps_of_a_ticket_the_one_that_is_said_is_closed() -> None:
    def check(row: tuple[str, str, str]) -> None:
        stays, goes, over = row
        assert left(f"- [ ] {stays}\n- [ ] {goes}\n", f"- {over}\n") == [stays]

    holds(check, NOT_CLOSED)


def test_a_remark_makes_no_other_item() -> None:
    said = "- [ ] Order the glass\n", "- [ ] Order the glass (Kim measures on Friday)\n"
    assert left(*said) == ["Order the glass (Kim measures on Friday)"]
    assert len(left("- [ ] Order the glass\n- [ ] Order the glass (blue)\n")) == 2, "two things of one list are two"
