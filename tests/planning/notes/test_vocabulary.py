"""Words of headings and markers: what counts in each language, and what looks like it and does not."""

from __future__ import annotations

import random
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from agentws.formats.vocabulary import KINDS
from agentws.planning.notes import ledger, reading, vocabulary
from agentws.planning.notes.vocabulary import USUAL
from tests.planning.notes import vocabulary_tables as tables
from tests.table import holds

ROOT = Path(__file__).resolve().parent.parent.parent.parent
LANGUAGES = ("ar", "de", "en", "es", "fr", "hi", "it", "ja", "ko", "pt", "ru", "zh")
LIGHT = """
import sys
from agentws.planning.notes import vocabulary
print(*sorted({"re", "typing", "dataclasses", "unicodedata", "tomllib", "enum"} & set(sys.modules)))
"""

sys.path.insert(0, str(ROOT / "tools"))
import build_vocabulary  # noqa: E402


def test_headings_give_their_kind() -> None:
    def check(row: tuple[str, str | None]) -> None:
        text, kind = row
        assert USUAL.heading(text) == kind, USUAL.heading(text)

    holds(check, tables.HEADINGS)


def test_markers_give_their_kind_and_end() -> None:
    def check(row: tuple[str, str | None, str]) -> None:
        text, kind, rest = row
        found = USUAL.marker(text)
        assert (found and (found[0], text[found[1] :])) == (kind and (kind, rest)), found

    holds(check, tables.MARKERS)


def test_an_item_that_says_that_there_is_none_is_no_item_in_any_language() -> None:
    def check(row: tuple[str, str]) -> None:
        heading, text = row
        lines = (f"- {text}", f"- {text}.", f"* ({text})", f"1. **{text}**", f"- _{text}_", f"- {text.upper()}", text)
        for line in lines:
            entries = reading.read(f"## {heading}\n\n{line}\n", path="memory/2026-11-20.md", day="2026-11-20")
            assert ledger.of([entries], today="2026-11-20").open == [], line
        for line in (f"- {heading}: {text}", f"**{heading}:** {text}", f"| what | who |\n|---|---|\n| {text} | - |"):
            entries = reading.read(f"## {heading}\n\n{line}\n", path="memory/2026-11-20.md", day="2026-11-20")
            assert ledger.of([entries], today="2026-11-20").open == [], line
        for line in (f"- {text} 45", f"- [ ] {text}", f"- [todo] {text}"):
            entries = reading.read(f"## {heading}\n\n{line}\n", path="memory/2026-11-20.md", day="2026-11-20")
            assert len(ledger.of([entries], today="2026-11-20").open) == 1, line

    holds(check, tables.NOTHING)
    assert not any(map(USUAL.is_nothing, ("nothing but the roof", "Nina", "None of the keys", "🎂 🎂", "keine Ahnung")))
    assert all(map(USUAL.is_nothing, ("-", "–", "—", "…", "N/A", "( none )", "ｎｏｎｅ", "")))
    assert vocabulary.extended({"items": {"nothing": ["All quiet"]}}).is_nothing("all quiet.")


def test_the_generated_words_are_those_of_the_files() -> None:
    made = subprocess.run(
        [sys.executable, ROOT / "tools/build_vocabulary.py", "--check"], cwd=ROOT, capture_output=True, check=False
    )
    assert made.returncode == 0, made.stderr


def test_a_workspace_has_words_of_its_own_besides() -> None:
    mine = vocabulary.extended(
        {"headings": {"open": ["Nachlese …"], "done": ["Next"]}, "markers": {"rule": ["Merksatz"]}}
    )

    assert mine.heading("Nachlese vom Markt") == "open"
    assert mine.heading("Next") == "done"
    assert mine.heading("Decisions") == "decisions"
    assert mine.marker("MERKSATZ: nie ohne Seil") == ("rule", 10)
    assert mine.marker("TODO: call Ada") == ("todo", 6)
    assert USUAL.heading("Nachlese vom Markt") is None
    assert USUAL.heading("Next") == "open"
    assert vocabulary.extended({}) is USUAL


def test_a_word_with_two_meanings_is_left_out_of_the_weaker_language_and_named() -> None:
    assert [line for words in build_vocabulary.read() for line in words.left_out] == [
        "headings: it rules 'mai' means none in de",
        "markers: it rule 'mai' means none in de",
    ]
    words = build_vocabulary.Words("headings", ("open", "done"))
    for language, kind, word in (("en", "open", "Rest"), ("de", "done", "Rest"), ("de", "done", "Ende …")):
        words.add(language, kind, word)
    assert words.of == {"rest": ("open", 1, "en"), "ende": ("done", 3, "de")}
    assert words.left_out == ["headings: de done 'Rest' means open in en"]
    with pytest.raises(SystemExit):
        words.add("de", "open", "Ende")


def test_every_language_has_words_of_every_kind() -> None:
    assert {path.stem for path in (ROOT / "vocabulary").glob("*.toml")} == set(LANGUAGES)
    for words in build_vocabulary.read():
        for language in LANGUAGES:
            listed = tomllib.loads((ROOT / "vocabulary" / f"{language}.toml").read_text())[words.table]
            assert tuple(listed) == words.kinds, language
            assert sum(map(len, listed.values())) >= {"headings": 150, "markers": 90, "items": 9}[words.table], language


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
        assert USUAL.heading(text) in {*KINDS["headings"], None} - {"none"}
        found = USUAL.marker(text)
        assert found is None or (found[0] != "none" and 0 <= found[1] <= len(text))

    holds(check, ["".join(chance.choices(signs, k=chance.randint(0, 14))) for _ in range(4000)])
