"""What somebody marked stays known: of invented weeks in six languages, and over a year in twelve."""

from __future__ import annotations

import shlex
from datetime import date, timedelta

from agentws.planning.compact.units import Day
from tests.planning.compact.values import Desk
from tests.weeks import story as stories
from tests.weeks.story import Step

KEEP = 0.95
MARKED = {
    "en": ("SQLite for the index", "Never sail alone at night", "The phone needs its own cable"),
    "de": ("Der Index bleibt bei SQLite", "Nie allein nachts segeln", "Das Telefon braucht sein Kabel"),
    "es": ("El índice queda en SQLite", "No navegar solo de noche", "El teléfono pide su cable"),
    "fr": ("L'index reste en SQLite", "Ne jamais naviguer seul la nuit", "Le téléphone veut son câble"),
    "pt": ("O índice fica em SQLite", "Nunca velejar sozinho à noite", "O telefone precisa do seu cabo"),
    "it": ("L'indice resta in SQLite", "Mai navigare da soli di notte", "Il telefono vuole il suo cavo"),
    "zh": ("索引用SQLite", "夜里绝不独自出海", "手机备份要用原装线"),
    "ja": ("索引はSQLiteにする", "夜は一人で船を出さない", "電話の保存には線が要る"),
    "ko": ("색인은 SQLite로 한다", "밤에 혼자 배를 타지 않는다", "전화기는 제 선이 필요하다"),
    "ru": ("Индекс остаётся в SQLite", "Не выходить в море ночью одному", "Телефону нужен свой кабель"),
    "ar": ("الفهرس في SQLite", "لا تبحر وحدك ليلا", "الهاتف يحتاج كابله"),
    "hi": ("सूची SQLite में रहेगी", "रात में अकेले नाव न चलाना", "फोन को अपना तार चाहिए"),
}
"""A decision, a rule and a lesson in each."""


def said(step: Step) -> str:
    """The line that a step leaves in its log, without what it writes elsewhere."""
    if not step.is_command:
        return step.text
    words = shlex.split(step.text.removeprefix("$ "))
    kind = (
        words[words.index("--kind") + 1]
        if "--kind" in words
        else {"log": "", "drop": "dropped"}.get(words[0], words[0])
    )
    text = next((word for word in words[1:] if " " in word or not word.isascii()), words[-1])
    return f"- 09:00 {f'[{kind}] ' if kind else ''}{text}"


def test_decisions_and_rules_of_the_weeks_stand_in_memory() -> None:
    missed, count = [], 0
    for name in stories.names():
        story, desk = stories.read(name), Desk()
        for day, steps in story.days.items():
            text = "".join(f"{said(step)}\n" for step in steps)
            desk.run(Day(f"memory/{day}.md", day, f"# {day}\n\n{text}"))
        for steps in story.days.values():
            for mark in (mark for step in steps for mark in step.marks if mark.sign in "!*"):
                count += 1
                missed += [(name, mark.words)] if mark.words not in desk.memory else []

    assert count > 50
    assert len(missed) <= count * (1 - KEEP), missed


def test_what_is_marked_in_twelve_languages_survives_a_year() -> None:
    desk = Desk()
    first = date(2025, 11, 3)
    marked = [
        (kind, text)
        for texts in MARKED.values()
        for kind, text in zip(("decision", "rule", "lesson"), texts, strict=True)
    ]
    for month in range(13):
        days = []
        for at in range(28):
            number = month * 28 + at
            day = (first + timedelta(number)).isoformat()
            lines = [f"- Kim brought crate {number}-{n} to the pier of island {n * 31 + number}" for n in range(3)]
            if at % 7 == 3 and number // 7 < len(marked):
                lines.append("- 10:00 [{}] {}".format(*marked[number // 7]))
            if at % 7 == 5:
                lines.append(f"- [fact] The price of the oil was {number} crowns, said the harbour master")
            days.append(Day(f"memory/{day}.md", day, f"# {day}\n\n" + "\n".join(lines) + "\n"))
        desk.run(*days)

    assert len(marked) == 36
    assert [text for _, text in marked if f"- {text}\n" not in desk.memory and f" {text}\n" not in desk.page] == []
