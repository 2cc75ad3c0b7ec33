"""Lines that a person has judged, in twelve languages: what each says for certain, and what it does not.

Marks count first, then the word a line begins with, then its heading; a word inside a sentence never does.
"""

from __future__ import annotations

from agentws.planning.notes import reading
from agentws.planning.notes.entry import DONE, DROPPED, MARKED, OPEN, STRUCTURE, TEXT, WAITING
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
    ("es", "Hecho", "⬜ Pagar el alquiler", "done", OPEN, MARKED),
    ("de", "Nächste Schritte", "- ☒ Miete überwiesen", "todo", DONE, MARKED),
    ("en", "", "- Draw a ☐ beside each name", None, None, TEXT),
    ("en", "", "- ☐ Pay the rent ✅", None, DONE, MARKED),
    ("en", "", "| tiles | ☐ |", None, OPEN, MARKED),
    ("ko", "", "✔ 집세 냈음", None, DONE, MARKED),
    ("ru", "", "- ⏳ ответ от банка", None, WAITING, MARKED),
    ("ar", "", "- ⏳ رد من البنك", None, WAITING, MARKED),
    ("hi", "", "- 🔴 छत टपक रही है", None, OPEN, MARKED),
    ("en", "", "🔴 The roof leaks", None, OPEN, MARKED),
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
    ("en", "Next steps", "> Call Tom", "todo", None, STRUCTURE),
    ("en", "Lessons", "> Ladders slip on wet leaves", "lesson", None, STRUCTURE),
    ("en", "", "- ❌ the old key still does not fit", None, None, TEXT),
    ("en", "", "- [x] Pay the rent ⏳", None, DONE, MARKED),
    ("en", "", "- Porch ✅, cellar ⏳", None, WAITING, MARKED),
    ("en", "", "- [done] Cellar ⏳", "done", DONE, MARKED),
    ("en", "", "- 09:00 [dropped] ⏳ Cellar", "dropped", DROPPED, MARKED),
    ("en", "", "- The sign `✅` means that it is done", None, None, TEXT),
    ("en", "Done", "- [ ] Sweep the cellar", "done", OPEN, MARKED),
    ("en", "Next steps", "- [x] Sweep the cellar", "todo", DONE, MARKED),
    ("en", "✅ Cellar", "- swept", None, DONE, STRUCTURE),
    ("en", "✅ Cellar", "- [ ] Sweep it", None, DONE, STRUCTURE),
    ("en", "✅ Cellar", "- [todo] Air it", "todo", OPEN, MARKED),
    ("zh", "✅ 地下室", "- 扫过了", None, DONE, STRUCTURE),
    ("ja", "⏳ 地下室", "- ペンキ", None, WAITING, STRUCTURE),
    ("en", "~~Cellar~~", "- sweep it", None, DROPPED, STRUCTURE),
    ("en", "🔴 Cellar", "- sweep it", None, None, TEXT),
    ("en", "Lessons", "- 🔴 Ladders slip on wet leaves", "lesson", None, STRUCTURE),
    ("en", "Decisions", "- ✅ The blue tiles", "decision", None, MARKED),
    ("en", "", "| tiles | ✅ laid |", None, DONE, MARKED),
    ("en", "", "| tiles | ✅ | ❌ |", None, None, TEXT),
    ("en", "", "| unit | ❌ | 40 € |", None, None, TEXT),
    ("en", "", "| tiles | **Waiting** | 40 € |", None, WAITING, STRUCTURE),
    ("en", "", "| Done | by Kim |", None, None, TEXT),
    ("en", "", "| tiles | ✅ | ⏳ |", None, None, TEXT),
]
KINDS: list[Row] = [
    ("en", "", "- 07:20 [todo] Call Tom", "todo", OPEN, MARKED),
    ("en", "", "- 07:20 [done] Call Tom (closes ^t3fk)", "done", DONE, MARKED),
    ("zh", "", "- 07:20 [done] 给汤姆打电话", "done", DONE, MARKED),
    ("en", "", "- [decision] The blue tiles", "decision", None, MARKED),
    ("en", "Next steps", "- [lesson] Ladders slip on wet leaves", "lesson", None, MARKED),
    ("en", "", "- [question] Which ferry?", "question", OPEN, MARKED),
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
    ("en", "Next steps", "- Book the ferry", "todo", OPEN, STRUCTURE),
    ("en", "Garden — Next steps", "- Rake the leaves", "todo", OPEN, STRUCTURE),
    ("en", "Waiting for", "- the bank", "waiting", WAITING, STRUCTURE),
    ("en", "Open questions", "- Which ferry?", "question", OPEN, STRUCTURE),
    ("en", "Done", "- Booked the ferry", "done", DONE, STRUCTURE),
    ("en", "Decisions", "- The blue tiles", "decision", None, STRUCTURE),
    ("en", "Rules", "- Shoes off in the hall", "rule", None, STRUCTURE),
    ("en", "Lessons learned", "- Ladders slip on wet leaves", "lesson", None, STRUCTURE),
    ("en", "The next train to Kyoto", "- leaves at nine", None, None, TEXT),
    ("de", "Offene Punkte", "- Fähre buchen", "todo", OPEN, STRUCTURE),
    ("de", "Nächste Schritte", "- Laub rechen", "todo", OPEN, STRUCTURE),
    ("de", "Erledigt", "- Fähre gebucht", "done", DONE, STRUCTURE),
    ("de", "Entscheidungen", "- Die blauen Fliesen", "decision", None, STRUCTURE),
    ("de", "Regeln", "- Im Flur keine Schuhe", "rule", None, STRUCTURE),
    ("es", "Pendientes", "- Reservar el ferry", "todo", OPEN, STRUCTURE),
    ("es", "Próximos pasos", "- Barrer las hojas", "todo", OPEN, STRUCTURE),
    ("es", "Hecho", "- Reservado el ferry", "done", DONE, STRUCTURE),
    ("es", "Decisiones", "- Los azulejos azules", "decision", None, STRUCTURE),
    ("fr", "À faire", "- Réserver le ferry", "todo", OPEN, STRUCTURE),
    ("fr", "Prochaines étapes", "- Ratisser", "todo", OPEN, STRUCTURE),
    ("fr", "Terminé", "- Ferry réservé", "done", DONE, STRUCTURE),
    ("fr", "Décisions", "- Le carrelage bleu", "decision", None, STRUCTURE),
    ("pt", "Pendências", "- Reservar a balsa", "todo", OPEN, STRUCTURE),
    ("pt", "Próximos passos", "- Varrer as folhas", "todo", OPEN, STRUCTURE),
    ("pt", "Concluído", "- Balsa reservada", "done", DONE, STRUCTURE),
    ("pt", "Regras", "- Sem sapatos", "rule", None, STRUCTURE),
    ("it", "Da fare", "- Prenotare il traghetto", "todo", OPEN, STRUCTURE),
    ("it", "Prossimi passi", "- Rastrellare", "todo", OPEN, STRUCTURE),
    ("it", "Fatto", "- Traghetto prenotato", "done", DONE, STRUCTURE),
    ("it", "Regole", "- Niente scarpe", "rule", None, STRUCTURE),
    ("zh", "待办", "- 订渡轮", "todo", OPEN, STRUCTURE),
    ("zh", "下一步：", "- 扫落叶", "todo", OPEN, STRUCTURE),
    ("zh", "已完成", "- 订了渡轮", "done", DONE, STRUCTURE),
    ("zh", "决定", "- 蓝色的瓷砖", "decision", None, STRUCTURE),
    ("zh", "规则", "- 进门脱鞋", "rule", None, STRUCTURE),
    ("ja", "次のステップ", "- フェリーを予約する", "todo", OPEN, STRUCTURE),
    ("ja", "完了", "- フェリーを予約した", "done", DONE, STRUCTURE),
    ("ja", "決定事項", "- 青いタイル", "decision", None, STRUCTURE),
    ("ja", "ルール", "- 玄関で靴を脱ぐ", "rule", None, STRUCTURE),
    ("ko", "할 일", "- 배 예약하기", "todo", OPEN, STRUCTURE),
    ("ko", "다음 단계", "- 낙엽 쓸기", "todo", OPEN, STRUCTURE),
    ("ko", "완료", "- 배 예약함", "done", DONE, STRUCTURE),
    ("ko", "규칙", "- 신발 벗기", "rule", None, STRUCTURE),
    ("ru", "Следующие шаги", "- Заказать паром", "todo", OPEN, STRUCTURE),
    ("ru", "Сделано", "- Паром заказан", "done", DONE, STRUCTURE),
    ("ru", "Решения", "- Синяя плитка", "decision", None, STRUCTURE),
    ("ru", "Правила", "- Без обуви", "rule", None, STRUCTURE),
    ("ar", "الخطوات التالية", "- حجز العبارة", "todo", OPEN, STRUCTURE),
    ("ar", "قرارات", "- البلاط الأزرق", "decision", None, STRUCTURE),
    ("ar", "قواعد", "- بلا أحذية", "rule", None, STRUCTURE),
    ("hi", "अगले कदम", "- नाव बुक करना", "todo", OPEN, STRUCTURE),
    ("hi", "निर्णय", "- नीली टाइलें", "decision", None, STRUCTURE),
    ("hi", "नियम", "- जूते बाहर", "rule", None, STRUCTURE),
]
MARKERS: list[Row] = [
    ("en", "", "- TODO: book the ferry", "todo", OPEN, STRUCTURE),
    ("en", "", "**Next:** book the ferry", "todo", OPEN, STRUCTURE),
    ("en", "", "- Never lend the ladder to Sam", "rule", None, STRUCTURE),
    ("en", "", "- Waiting for: the bank", "waiting", WAITING, STRUCTURE),
    ("en", "Done", "- Next: sweep the cellar", "todo", OPEN, STRUCTURE),
    ("en", "Next steps", "- Decision: the blue tiles", "decision", None, STRUCTURE),
    ("en", "", "- The next ferry is done for and the todo is gone", None, None, TEXT),
    ("en", "", "- We never close, and always wait", None, None, TEXT),
    ("de", "", "- Offen: Fähre buchen", "todo", OPEN, STRUCTURE),
    ("de", "", "- Niemals die Leiter verleihen", "rule", None, STRUCTURE),
    ("de", "", "- Das ist noch offen und erledigt sich nie", None, None, TEXT),
    ("es", "", "- Pendiente: reservar el ferry", "todo", OPEN, STRUCTURE),
    ("fr", "", "- À faire : réserver le ferry", "todo", OPEN, STRUCTURE),
    ("pt", "", "- Pendente: reservar a balsa", "todo", OPEN, STRUCTURE),
    ("it", "", "- Da fare: prenotare il traghetto", "todo", OPEN, STRUCTURE),
    ("zh", "", "- 待办：订渡轮", "todo", OPEN, STRUCTURE),
    ("zh", "", "- 他说已完成一半", None, None, TEXT),
    ("ja", "", "- 次：フェリーを予約する", "todo", OPEN, STRUCTURE),
    ("ko", "", "- 할 일: 배 예약하기", "todo", OPEN, STRUCTURE),
    ("ru", "", "- Сделать: заказать паром", "todo", OPEN, STRUCTURE),
    ("ru", "", "- Никогда не одалживать лестницу", "rule", None, STRUCTURE),
    ("ar", "", "- مطلوب: حجز العبارة", "todo", OPEN, STRUCTURE),
    ("hi", "", "- बाकी: नाव बुक करना", "todo", OPEN, STRUCTURE),
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


def test_headings_give_kind_and_state_to_what_stands_below_them() -> None:
    holds(_judge, HEADINGS)


def test_a_marker_counts_at_the_beginning_of_a_line_alone() -> None:
    holds(_judge, MARKERS)


def test_the_table_has_some_hundred_lines_of_twelve_languages() -> None:
    rows = [*MARKS, *KINDS, *HEADINGS, *MARKERS]
    assert len(rows) >= 100
    assert {row[0] for row in rows} == set(LANGUAGES)
