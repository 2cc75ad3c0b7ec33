"""The words of the twelve languages: what they match, and what looks like it and is not matched."""

from __future__ import annotations

import random
import subprocess
import sys
import tomllib
from pathlib import Path

from agentws.core.formats.manifest_tables import KINDS, LISTS
from agentws.core.notes import vocabulary
from agentws.core.notes.vocabulary import USUAL
from tests.table import holds

ROOT = Path(__file__).resolve().parent.parent.parent.parent
LANGUAGES = ("ar", "de", "en", "es", "fr", "hi", "it", "ja", "ko", "pt", "ru", "zh")
LIGHT = """
import sys
from agentws.core.notes import vocabulary
vocabulary.USUAL.is_open_heading("Next steps")
print(*sorted({"re", "typing", "dataclasses", "unicodedata", "tomllib", "enum", "json"} & set(sys.modules)))
"""
HEADINGS = (
    ("Next steps", True),
    ("3. Open items (2)", True),
    ("18:35 Next steps", True),
    ("**TODO:**", True),
    ("To-do", True),
    ("What’s next", True),
    ("Greenhouse — Next steps", True),
    ("Porch: next steps", True),
    ("NAECHSTE SCHRITTE", True),
    ("nachste schritte", True),
    ("Offene Punkte", True),
    ("PRÓXIMOS PASOS", True),
    ("Points en suspens :", True),
    ("Pendências", True),
    ("Prossimi passi", True),
    ("未完了", True),
    ("未完了のタスク", True),
    ("菜园：下一步", True),
    ("할 일", True),
    ("Следующие шаги", True),
    ("الخطوات التالية", True),
    ("अगले कदम", True),
    ("Next steps — DONE", False),
    ("Next steps (greenhouse) (2)", True),
    ("Next steps for the greenhouse", True),
    ("What's next — greenhouse", True),
    ("Pending / in progress at noon", True),
    ("Nächste Schritte im Garten", True),
    ("下一步 — 菜园", True),
    ("Next steps for the roof, completed", False),
    ("Pending / erledigt", False),
    ("Our Explicit Next Actions", True),
    ("Kims offene Punkte", True),
    ("Completed next steps", False),
    ("Letters about the next steps", False),
    ("Next door", False),
    ("Open source strategy", False),
    ("Next week: rain", False),
    ("Done / Next", False),
    ("Erledigt", False),
    ("已完成", False),
    ("2026-11-20", False),
    ("", False),
    ("—", False),
)
MARKERS = (
    ("TODO: call Ada", "todo", "call Ada"),
    ("**TODO:** call Ada", "todo", "call Ada"),
    ("**Zu tun**: Dach", "todo", "Dach"),
    ("TODO (Kim): call Ada", "todo", "call Ada"),
    ("待办：屋根", "todo", "屋根"),
    ("ＴＯＤＯ：屋根", "todo", "屋根"),
    ("करना है: छत", "todo", "छत"),
    ("Waiting for: the bank", "waiting", "the bank"),
    ("Warten auf: Ada", "waiting", "Ada"),
    ("返事待ち：銀行", "waiting", "銀行"),
    ("TODO call Ada", None, ""),
    ("todo:list", None, ""),
    ("Waiting for the bank", None, ""),
    ("A todo: call Ada", None, ""),
    ("#todo: call Ada", None, ""),
    ("Decision: the blue tiles", None, ""),
    ("https://todo.example.org", None, ""),
    ("", None, ""),
)
RULES = (
    ("Never push to main", True),
    ("Nevermind the rain", False),
    ("Deletions need the approval of Kim", True),
    ("Only Kim pays", True),
    ("**Name:** Robin", True),
    ("**Name**: Robin", True),
    ("The name of the file", False),
    ("- Time zone: Europe/Berlin", True),
    ("Ohne Rückfrage wird nichts gelöscht", True),
    ("Die Pumpe läuft", False),
    ("No se debe borrar nada", True),
    ("Ne jamais écrire à la banque", True),
    ("É proibido apagar", True),
    ("Vietato scrivere", True),
    ("请勿删除照片", True),
    ("今天下雨", False),
    ("写真は絶対に消さない", True),
    ("무단으로 삭제 금지합니다", True),
    ("Нельзя писать банку без разрешения", True),
    ("لا ترسل شيئا بدون إذن", True),
    ("बिना पूछे कुछ न भेजें", True),
    ("**姓名**：罗宾", True),
)


def test_a_heading_of_an_open_list_is_known_in_every_language_and_alone() -> None:
    def check(row: tuple[str, bool]) -> None:
        assert USUAL.is_open_heading(row[0]) == row[1]

    holds(check, HEADINGS)


def test_a_marker_ends_in_a_colon_and_begins_its_line() -> None:
    def check(row: tuple[str, str | None, str]) -> None:
        text, kind, rest = row
        found = USUAL.marker(text)
        assert (found and (found[0], text[found[1] :])) == (kind and (kind, rest)), found

    holds(check, MARKERS)


def test_a_kind_has_a_name_in_every_language() -> None:
    names = ("Entscheidung", "DECISIÓN", "décision", "decisão", "decisione", "决定", "決定", "결정", "решение", "قرار")
    assert {USUAL.kind(name) for name in (*names, "निर्णय", "decision")} == {"decision"}
    assert USUAL.kind("umbrella") is None
    assert USUAL.kind("") is None


def test_words_of_rules_are_found_in_every_language_as_whole_words_or_in_scripts_without_spaces() -> None:
    def check(row: tuple[str, bool]) -> None:
        assert USUAL.has_rule(row[0]) == row[1]

    holds(check, RULES)


def test_what_names_a_rule_a_preference_a_decision_or_a_standing_fact_is_a_candidate() -> None:
    for text in (
        "Never push to main",
        "Kim prefers tea",
        "Wir haben beschlossen zu warten",
        "紅茶が好き",
        "решили ждать",
    ):
        assert USUAL.is_candidate(text), text
    for text in ("The pump ran twice", "Die Pumpe läuft", "今日は雨"):
        assert not USUAL.is_candidate(text), text


def test_a_workspace_has_words_of_its_own_besides() -> None:
    own = {"open": ["Nachlese …"], "todo": ["chore"], "kinds.rule": ["Merksatz"], "rules": ["höchstens"]}
    mine = vocabulary.extended({**own, "candidates": ["Stammgast"]})

    assert mine.is_open_heading("NACHLESE (3)")
    assert mine.marker("Chore: water the fern") == ("todo", 7)
    assert mine.kind("merksatz") == "rule"
    assert mine.has_rule("Höchstens zwei Gäste")
    assert mine.is_candidate("Ada ist Stammgast")
    assert mine.is_open_heading("Next steps")
    assert not USUAL.is_open_heading("Nachlese")
    assert vocabulary.extended({}) is USUAL


def test_the_shipped_words_are_those_of_the_files() -> None:
    made = subprocess.run(
        [sys.executable, ROOT / "tools/build_vocabulary.py", "--check"], cwd=ROOT, capture_output=True, check=False
    )
    assert made.returncode == 0, made.stderr


def test_every_language_has_words_in_every_list() -> None:
    assert {path.stem for path in (ROOT / "vocabulary").glob("*.toml")} == set(LANGUAGES)
    for language in LANGUAGES:
        table = tomllib.loads((ROOT / "vocabulary" / f"{language}.toml").read_text())
        assert set(table) == {*LISTS, "kinds", "days"}, language
        assert set(table["days"]) == set(vocabulary.DAY_NAMES), language
        assert set(table["kinds"]) == set(KINDS), language
        assert min(len(table["rules"]), len(table["candidates"])) >= 30, language


def test_to_know_the_words_loads_nothing_slow() -> None:
    done = subprocess.run([sys.executable, "-c", LIGHT], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""


def test_any_text_may_be_asked() -> None:
    chance = random.Random(3)
    signs = [
        *" \n:：*_[](（【】✅❌-–—/·|#`~'’1٣一待办あゝアｱ가할नियम्ا\u0640\u200d\u0301éßİŁªDONEtodo",
        *map(chr, range(0xD7A0, 0xD7B0)),
    ]

    def check(text: str) -> None:
        assert USUAL.is_open_heading(text) in (True, False)
        assert USUAL.is_candidate(text) or not USUAL.has_rule(text)
        found = USUAL.marker(text)
        assert found is None or (found[0] in ("todo", "waiting") and 0 < found[1] <= len(text))

    holds(check, ["".join(chance.choices(signs, k=chance.randint(0, 14))) for _ in range(4000)])
