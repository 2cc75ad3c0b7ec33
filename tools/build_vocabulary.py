"""Builds agentws/planning/notes/vocabulary_words.py from vocabulary/*.toml: the words of headings, markers and items.

    python tools/build_vocabulary.py            write it, and print which words were left out
    python tools/build_vocabulary.py --check    only say whether it is what it would be

A word that two languages use for different things is that of the stronger one, which stands first in LANGUAGES.
"""

from __future__ import annotations

import sys
import tomllib
import unicodedata
from pathlib import Path

from agentws.formats.vocabulary import KINDS

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "vocabulary"
MODULE = ROOT / "agentws" / "planning" / "notes" / "vocabulary_words.py"
LANGUAGES = ("en", "de", "es", "fr", "pt", "it", "zh", "ja", "ko", "ru", "ar", "hi")
RESPELLED = {"de": str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue"})}
"""Letters that are written in another way where a keyboard has none of them."""
WIDTH = 100
HEAD = '''"""The words of vocabulary/*.toml, folded, by what they mean. Made by tools/build_vocabulary.py.

A row is a kind, how its words are matched (the flags of planning/notes/vocabulary.py), and the words, `|` between them:
one text is loaded in no time, however long, and taken apart when it is first needed.
"""

from __future__ import annotations
'''


class Words:
    """The words of one table (headings or markers) over all languages: folded, with kind, flags and language."""

    def __init__(self, table: str, kinds: tuple[str, ...]) -> None:
        self.table = table
        self.kinds = kinds
        self.of: dict[str, tuple[str, int, str]] = {}
        self.left_out: list[str] = []

    def add(self, language: str, kind: str, word: str) -> None:
        """Add a word of a language where no stronger one uses it for another kind."""
        from agentws.planning.notes import vocabulary

        if kind not in self.kinds:
            sys.exit(f"vocabulary/{language}.toml: [{self.table}] {kind}: must be one of {', '.join(self.kinds)}.")
        for spelling in dict.fromkeys((word, word.translate(RESPELLED.get(language, {})))):
            folded, how = vocabulary.spelled(spelling)
            known = self.of.get(folded)
            if known is None:
                self.of[folded] = (kind, how, language)
            elif known[0] != kind:
                if known[2] == language:
                    sys.exit(f"vocabulary/{language}.toml: {word!r} is both {known[0]} and {kind}.")
                self.left_out.append(f"{self.table}: {language} {kind} {word!r} means {known[0]} in {known[2]}")
            elif how | known[1] != known[1]:
                if known[2] != language:
                    self.left_out.append(
                        f"{self.table}: {language} {word!r} is matched in more ways than in {known[2]}"
                    )
                self.of[folded] = (kind, how | known[1] if known[2] == language else known[1], known[2])


def read() -> list[Words]:
    """The words of all languages: those of headings, of markers, and of items."""
    found = [Words(table, kinds) for table, kinds in KINDS.items()]
    for language in LANGUAGES:
        if not (FOLDER / f"{language}.toml").exists():
            continue
        tables = tomllib.loads((FOLDER / f"{language}.toml").read_text(encoding="utf-8"))
        for words in found:
            for kind, listed in tables[words.table].items():
                for word in listed:
                    words.add(language, kind, word)
    return found


def text() -> str:
    """The module as it should be."""
    from agentws.planning.notes import vocabulary

    rows = [HEAD]
    for words in read():
        groups: dict[tuple[str, int], list[str]] = {}
        for word, (kind, how, _) in sorted(words.of.items()):
            groups.setdefault((kind, how), []).append(word)
        rows.append(f"\n{words.table.upper()} = (\n")
        for kind, how in sorted(groups, key=lambda group: (words.kinds.index(group[0]), group[1])):
            rows.append(f'    (\n        "{kind}",\n        {how},\n{_literal(groups[kind, how], 8)}    ),\n')
        first = sorted({vocabulary.first_of(word) for word in words.of})
        rows.append(")\n")
        if words.table != "items":  # these are looked up whole
            rows.append(f"FIRST_OF_{words.table.upper()} = (\n{_literal(first, 4)})\n")
    return "".join(rows)


def _literal(words: list[str], indent: int) -> str:
    rows = [f'{" " * indent}"{row}"' for row in _wrapped("|".join(words))]
    return "\n".join(rows) + (",\n" if indent > 4 else "\n")


def _wrapped(text: str) -> list[str]:
    """`text` in rows of one width on a screen."""
    rows, width = [""], 0
    for char in text:
        wide = 2 if unicodedata.east_asian_width(char) in "WF" else 1
        if width + wide > WIDTH:
            rows.append("")
            width = 0
        rows[-1] += char
        width += wide
    return rows


def main(arguments: list[str]) -> None:
    """Write the module, or check it."""
    if not MODULE.exists():
        MODULE.write_text(f"{HEAD}\nHEADINGS = MARKERS = ITEMS = ()\nFIRST_OF_HEADINGS = FIRST_OF_MARKERS = ''\n")
    wanted = text()
    if arguments == ["--check"]:
        sys.exit(0 if MODULE.read_text() == wanted else f"{MODULE} is not what tools/build_vocabulary.py makes.")
    MODULE.write_text(wanted)
    print(*(line for words in read() for line in words.left_out), sep="\n")


if __name__ == "__main__":
    main(sys.argv[1:])
