"""Words of headings and markers: what counts in each language, and what looks like it and does not."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from agentws.planning.notes import vocabulary
from agentws.planning.notes.vocabulary import USUAL
from tests.planning.notes import vocabulary_tables as tables
from tests.table import holds

ROOT = Path(__file__).resolve().parent.parent.parent.parent


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
