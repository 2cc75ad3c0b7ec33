"""Lines that a person has judged, in twelve languages: what each says for certain, and what it does not.

Marks count, and the marker that a line begins with; a heading and a word inside a sentence never do.
"""

from __future__ import annotations

from agentws.core.notes import reading
from agentws.core.notes.entry import DONE, DROPPED, MARKED, OPEN, STRUCTURE, TEXT, WAITING
from tests.table import holds

Row = tuple[str, str, str, str | None, str | None, str]
LANGUAGES = ("en", "de", "es", "fr", "pt", "it", "zh", "ja", "ko", "ru", "ar", "hi")

MARKS: list[Row] = [
    ("en", "", "- [ ] Call Tom about the roof", None, OPEN, MARKED),
    ("de", "", "- [x] Miete überwiesen", None, DONE, MARKED),
    ("es", "", "* [X] Pagar el alquiler", None, DONE, MARKED),
    ("fr", "", "1. [ ] Appeler le plombier", None, OPEN, MARKED),
    ("pt", "", "- [-] Vender o barco", None, DROPPED, MARKED),
    ("it", "", "- [~] Dipingere la porta", None, OPEN, MARKED),
    ("zh", "", "- ✅ 付房租", None, DONE, MARKED),
    ("ja", "", "- ☑ 家賃を払う", None, DONE, MARKED),
    ("ja", "", "- ☐ 家賃を払う", None, OPEN, MARKED),
    ("fr", "", "☐ Appeler le plombier", None, OPEN, MARKED),
    ("es", "Hecho", "⬜ Pagar el alquiler", None, OPEN, MARKED),
    ("de", "Nächste Schritte", "- ☒ Miete überwiesen", None, DONE, MARKED),
    ("en", "", "- Draw a ☐ beside each name", None, None, TEXT),
    ("en", "", "- ☐ Pay the rent ✅", None, DONE, MARKED),
    ("en", "", "| tiles | ☐ |", None, None, TEXT),
    ("ko", "", "✔ 집세 냈음", None, DONE, MARKED),
    ("ru", "", "- ⏳ ответ от банка", None, WAITING, MARKED),
    ("ar", "", "- ⏳ رد من البنك", None, WAITING, MARKED),
    ("hi", "", "- 🔴 छत टपक रही है", None, None, TEXT),
    ("en", "", "🔴 The roof leaks", None, None, TEXT),
    ("en", "", "- ~~Sell the boat~~", None, DROPPED, MARKED),
    ("de", "", "- ~~Boot verkaufen~~ (zu alt)", None, DROPPED, MARKED),
    ("en", "", "- Sell the ~~red~~ boat before winter comes", None, None, TEXT),
    ("en", "", "- [rule] Never push without asking Ada", "rule", None, MARKED),
    ("de", "", "- 09:10 [rule] Niemals mittags gießen", "rule", None, MARKED),
    ("ru", "", "- [lesson] Никогда не поливать днём", "lesson", None, MARKED),
    ("en", "", "- [todo] TODO: water the leeks", "todo", OPEN, MARKED),
    ("en", "", "- [ ] Pay the rent ✅ 2026-11-18", None, DONE, MARKED),
    ("en", "", "- [ ] Sell the boat ❌", None, DROPPED, MARKED),
    ("en", "", "> TODO: call Tom", None, None, TEXT),
    ("en", "", "> ✅ Call Tom", None, None, TEXT),
    ("en", "Next steps", "> Call Tom", None, None, TEXT),
    ("en", "Lessons", "> Ladders slip on wet leaves", None, None, TEXT),
    ("en", "", "- ❌ the old key still does not fit", None, None, TEXT),
    ("en", "", "- [x] Pay the rent ⏳", None, DONE, MARKED),
    ("en", "", "- Porch ✅, cellar ⏳", None, None, TEXT),
    ("en", "", "- [done] Cellar ⏳", "done", DONE, MARKED),
    ("en", "", "- 09:00 [dropped] ⏳ Cellar", "dropped", DROPPED, MARKED),
    ("en", "", "- The sign `✅` means that it is done", None, None, TEXT),
    ("en", "Done", "- [ ] Sweep the cellar", None, OPEN, MARKED),
    ("en", "Next steps", "- [x] Sweep the cellar", None, DONE, MARKED),
    ("en", "✅ Cellar", "- swept", None, None, TEXT),
    ("en", "✅ Cellar", "- [ ] Sweep it", None, OPEN, MARKED),
    ("en", "✅ Cellar", "- [todo] Air it", "todo", OPEN, MARKED),
    ("zh", "✅ 地下室", "- 扫过了", None, None, TEXT),
    ("ja", "⏳ 地下室", "- ペンキ", None, None, TEXT),
    ("en", "~~Cellar~~", "- sweep it", None, None, TEXT),
    ("en", "🔴 Cellar", "- sweep it", None, None, TEXT),
    ("en", "Lessons", "- 🔴 Ladders slip on wet leaves", None, None, TEXT),
    ("en", "Decisions", "- ✅ The blue tiles", None, DONE, MARKED),
    ("en", "", "| tiles | ✅ laid |", None, None, TEXT),
    ("en", "", "| tiles | ✅ | ❌ |", None, None, TEXT),
    ("en", "", "| unit | ❌ | 40 € |", None, None, TEXT),
    ("en", "", "| tiles | **Waiting** | 40 € |", None, None, TEXT),
    ("en", "", "| Done | by Kim |", None, None, TEXT),
    ("en", "", "| tiles | ✅ | ⏳ |", None, None, TEXT),
]
KINDS: list[Row] = [
    ("en", "", "- 07:20 [todo] Call Tom", "todo", OPEN, MARKED),
    ("en", "", "- 07:20 [done] Call Tom (closes ^t3fk)", "done", DONE, MARKED),
    ("zh", "", "- 07:20 [done] 给汤姆打电话", "done", DONE, MARKED),
    ("en", "", "- [decision] The blue tiles", "decision", None, MARKED),
    ("en", "Next steps", "- [lesson] Ladders slip on wet leaves", "lesson", None, MARKED),
    ("en", "", "- [question] Which ferry?", "question", None, MARKED),
    ("en", "", "- [waiting] The bank", "waiting", WAITING, MARKED),
    ("en", "", "- [dropped] The boat", "dropped", DROPPED, MARKED),
    ("en", "", "- [todo] ✅ Call Tom", "todo", DONE, MARKED),
    ("en", "", f"- [{'a' * 24}] tiles", "a" * 24, None, MARKED),
    ("en", "", "- he said [done] and left", None, None, TEXT),
    ("en", "", "- [done](https://done.example.org) is a fine page", None, None, TEXT),
    ("en", "Next steps", "- [todo] Pay Sam (via net:mail)", None, None, TEXT),
    ("en", "Next steps", "- Pay Sam (via tool:web)", None, None, TEXT),
]
HEADINGS: list[Row] = [
    ("en", "Next steps", "- Book the ferry", None, None, TEXT),
    ("en", "Garden — Next steps", "- Rake the leaves", None, None, TEXT),
    ("en", "Waiting for", "- the bank", None, None, TEXT),
    ("en", "Open questions", "- Which ferry?", None, None, TEXT),
    ("en", "Done", "- Booked the ferry", None, None, TEXT),
    ("en", "Decisions", "- The blue tiles", None, None, TEXT),
    ("en", "Rules", "- Shoes off in the hall", None, None, TEXT),
    ("en", "Lessons learned", "- Ladders slip on wet leaves", None, None, TEXT),
    ("en", "The next train to Kyoto", "- leaves at nine", None, None, TEXT),
    ("de", "Offene Punkte", "- Fähre buchen", None, None, TEXT),
    ("de", "Nächste Schritte", "- Laub rechen", None, None, TEXT),
    ("de", "Erledigt", "- Fähre gebucht", None, None, TEXT),
    ("de", "Entscheidungen", "- Die blauen Fliesen", None, None, TEXT),
    ("de", "Regeln", "- Im Flur keine Schuhe", None, None, TEXT),
    ("es", "Pendientes", "- Reservar el ferry", None, None, TEXT),
    ("es", "Próximos pasos", "- Barrer las hojas", None, None, TEXT),
    ("es", "Hecho", "- Reservado el ferry", None, None, TEXT),
    ("es", "Decisiones", "- Los azulejos azules", None, None, TEXT),
    ("fr", "À faire", "- Réserver le ferry", None, None, TEXT),
    ("fr", "Prochaines étapes", "- Ratisser", None, None, TEXT),
    ("fr", "Terminé", "- Ferry réservé", None, None, TEXT),
    ("fr", "Décisions", "- Le carrelage bleu", None, None, TEXT),
    ("pt", "Pendências", "- Reservar a balsa", None, None, TEXT),
    ("pt", "Próximos passos", "- Varrer as folhas", None, None, TEXT),
    ("pt", "Concluído", "- Balsa reservada", None, None, TEXT),
    ("pt", "Regras", "- Sem sapatos", None, None, TEXT),
    ("it", "Da fare", "- Prenotare il traghetto", None, None, TEXT),
    ("it", "Prossimi passi", "- Rastrellare", None, None, TEXT),
    ("it", "Fatto", "- Traghetto prenotato", None, None, TEXT),
    ("it", "Regole", "- Niente scarpe", None, None, TEXT),
    ("zh", "待办", "- 订渡轮", None, None, TEXT),
    ("zh", "下一步：", "- 扫落叶", None, None, TEXT),
    ("zh", "已完成", "- 订了渡轮", None, None, TEXT),
    ("zh", "决定", "- 蓝色的瓷砖", None, None, TEXT),
    ("zh", "规则", "- 进门脱鞋", None, None, TEXT),
    ("ja", "次のステップ", "- フェリーを予約する", None, None, TEXT),
    ("ja", "完了", "- フェリーを予約した", None, None, TEXT),
    ("ja", "決定事項", "- 青いタイル", None, None, TEXT),
    ("ja", "ルール", "- 玄関で靴を脱ぐ", None, None, TEXT),
    ("ko", "할 일", "- 배 예약하기", None, None, TEXT),
    ("ko", "다음 단계", "- 낙엽 쓸기", None, None, TEXT),
    ("ko", "완료", "- 배 예약함", None, None, TEXT),
    ("ko", "규칙", "- 신발 벗기", None, None, TEXT),
    ("ru", "Следующие шаги", "- Заказать паром", None, None, TEXT),
    ("ru", "Сделано", "- Паром заказан", None, None, TEXT),
    ("ru", "Решения", "- Синяя плитка", None, None, TEXT),
    ("ru", "Правила", "- Без обуви", None, None, TEXT),
    ("ar", "الخطوات التالية", "- حجز العبارة", None, None, TEXT),
    ("ar", "قرارات", "- البلاط الأزرق", None, None, TEXT),
    ("ar", "قواعد", "- بلا أحذية", None, None, TEXT),
    ("hi", "अगले कदम", "- नाव बुक करना", None, None, TEXT),
    ("hi", "निर्णय", "- नीली टाइलें", None, None, TEXT),
    ("hi", "नियम", "- जूते बाहर", None, None, TEXT),
]
MARKERS: list[Row] = [
    ("en", "", "- TODO: book the ferry", "todo", OPEN, STRUCTURE),
    ("en", "", "**Next:** book the ferry", None, None, TEXT),
    ("en", "", "- Never lend the ladder to Sam", None, None, TEXT),
    ("en", "", "- Waiting for: the bank", "waiting", WAITING, STRUCTURE),
    ("en", "Done", "- Next: sweep the cellar", None, None, TEXT),
    ("en", "Next steps", "- Decision: the blue tiles", None, None, TEXT),
    ("en", "", "- The next ferry is done for and the todo is gone", None, None, TEXT),
    ("en", "", "- We never close, and always wait", None, None, TEXT),
    ("de", "", "- Offen: Fähre buchen", None, None, TEXT),
    ("de", "", "- Niemals die Leiter verleihen", None, None, TEXT),
    ("de", "", "- Das ist noch offen und erledigt sich nie", None, None, TEXT),
    ("es", "", "- Pendiente: reservar el ferry", "todo", OPEN, STRUCTURE),
    ("fr", "", "- À faire : réserver le ferry", "todo", OPEN, STRUCTURE),
    ("pt", "", "- Pendente: reservar a balsa", None, None, TEXT),
    ("it", "", "- Da fare: prenotare il traghetto", "todo", OPEN, STRUCTURE),
    ("zh", "", "- 待办：订渡轮", "todo", OPEN, STRUCTURE),
    ("zh", "", "- 他说已完成一半", None, None, TEXT),
    ("ja", "", "- 次：フェリーを予約する", None, None, TEXT),
    ("ko", "", "- 할 일: 배 예약하기", "todo", OPEN, STRUCTURE),
    ("ru", "", "- Сделать: заказать паром", "todo", OPEN, STRUCTURE),
    ("ru", "", "- Никогда не одалживать лестницу", None, None, TEXT),
    ("ar", "", "- مطلوب: حجز العبارة", None, None, TEXT),
    ("hi", "", "- बाकी: नाव बुक करना", None, None, TEXT),
]


def _judge(row: Row) -> None:
    _, heading, line, kind, state, sure = row
    text = f"## {heading}\n\n{line}\n" if heading else f"{line}\n"
    (entry,) = reading.read(text, path="memory/2026-11-20.md", day="2026-11-20")
    assert (entry.kind, entry.state, entry.sure) == (kind, state, sure)


def test_marks_say_what_they_say_in_every_language() -> None:
    holds(_judge, MARKS)


def test_the_kind_that_an_entry_gives_itself_counts_at_its_beginning_alone() -> None:
    holds(_judge, KINDS)


def test_no_heading_gives_a_kind_or_a_state_to_what_is_below_it() -> None:
    holds(_judge, HEADINGS)


def test_a_marker_counts_at_the_beginning_of_a_line_alone() -> None:
    holds(_judge, MARKERS)


def test_the_table_has_some_hundred_lines_of_twelve_languages() -> None:
    rows = [*MARKS, *KINDS, *HEADINGS, *MARKERS]
    assert len(rows) >= 100
    assert {row[0] for row in rows} == set(LANGUAGES)
