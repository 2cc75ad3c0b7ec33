"""Counts how often each word of the vocabulary fires on real notes, and prints lines where it does, for judging.

    python tools/word_precision.py FOLDER                      each word that fires: how often, and some lines
    python tools/word_precision.py FOLDER --kind todo --all    every line that words of this kind fire on
    python tools/word_precision.py FOLDER --counts             only numbers

FOLDER holds Markdown files at any depth. A word whose lines are not what it says in 19 of 20 cases leaves its file in
vocabulary/, or is written there with a colon, as a whole heading, or in capitals only.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import defaultdict
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from agentws.formats.markdown import markdown
from agentws.planning.notes import reading, vocabulary

LONGEST = 140


def hits(folder: Path) -> dict[tuple[str, str, str], list[str]]:
    """The lines that each (table, kind, word) fires on; for a heading the first word of its kind."""
    found: dict[tuple[str, str, str], list[str]] = defaultdict(list)
    for path in sorted(folder.rglob("*.md")):
        text = path.read_text(encoding="utf-8", errors="replace")
        for block in markdown.blocks(text):
            if block.kind == markdown.HEADING:
                _take(found, "headings", block.title, vocabulary.USUAL.heading(block.title))
        for entry in reading.read(text, path=path.name):
            if entry.form == markdown.FENCE:
                continue
            if entry.is_label:
                _take(found, "headings", entry.said, vocabulary.USUAL.heading(entry.said))
            line = entry.first.lstrip()
            marker = vocabulary.USUAL.marker(line[markdown.marker(line) :])
            _take(found, "markers", line, marker[0] if marker else None)
    return found


def _take(found: dict[tuple[str, str, str], list[str]], table: str, text: str, kind: str | None) -> None:
    if kind:
        found[table, kind, _word(table, text, kind)].append(" ".join(text.split())[:LONGEST])


def _word(table: str, text: str, kind: str) -> str:
    """The longest word of this kind that a part of the text begins with, else what it ends in."""
    known = vocabulary.USUAL.headings.of if table == "headings" else vocabulary.USUAL.markers.of
    for part in vocabulary.parts(text) if table == "headings" else [text]:
        start = next((at for at, char in enumerate(part) if char.isalpha()), 0)
        folded = vocabulary.fold(part[start:])
        words = [folded[:end] for end in range(len(folded), 0, -1) if known.get(folded[:end], ("",))[0] == kind]
        if words:
            return words[0]
    return f"… {vocabulary.fold(text).rpartition(' ')[2]}"


def main(arguments: list[str]) -> None:
    """Print the words that fire, most often first."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--table", choices=("headings", "markers"))
    parser.add_argument("--kind")
    parser.add_argument("--word")
    parser.add_argument("--samples", type=int, default=4)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--counts", action="store_true")
    asked = parser.parse_args(arguments)
    chance = random.Random(7)
    totals: dict[tuple[str, str], int] = defaultdict(int)
    found = hits(asked.folder)
    for (table, kind, word), lines in sorted(found.items(), key=lambda one: (one[0][:2], -len(one[1]))):
        if asked.table not in (None, table) or asked.kind not in (None, kind) or asked.word not in (None, word):
            continue
        totals[table, kind] += len(lines)
        if asked.counts:
            continue
        print(f"\n{table} · {kind} · {word} · {len(lines)}")
        shown = lines if asked.all or len(lines) <= asked.samples else chance.sample(lines, asked.samples)
        print(*(f"    {line}" for line in shown), sep="\n")
    print()
    for (table, kind), count in totals.items():
        print(f"{table:9} {kind:12} {count}")


if __name__ == "__main__":
    main(sys.argv[1:])
