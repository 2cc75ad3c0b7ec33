"""Builds agentws/planning/notes/vocabulary_words.py from vocabulary/*.toml: the words of headings and markers.

    python tools/build_vocabulary.py            write it, and print which words were left out
    python tools/build_vocabulary.py --check    only say whether it is what it would be

A word that two languages use for different things is that of the stronger one, which stands first in LANGUAGES.
"""

from __future__ import annotations

import sys
import tomllib
import unicodedata
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "vocabulary"
MODULE = ROOT / "agentws" / "planning" / "notes" / "vocabulary_words.py"
LANGUAGES = ("en", "de", "es", "fr", "pt", "it", "zh", "ja", "ko", "ru", "ar", "hi")
RESPELLED = {"de": str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue"})}
"""Letters that are written in another way where a keyboard has none of them."""
WIDTH = 100
HEAD = '''"""The words of vocabulary/*.toml, folded, by what they mean. Made by tools/build_vocabulary.py.

One text a kind, `|` between words: taken apart when first asked, since a text of any length is loaded in no time. The
letter before each word says how it is matched: `A` and the flags of planning/notes/vocabulary.py.
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


def read() -> tuple[Words, Words]:
    """The words of all languages: those of headings, and markers."""
    from agentws.planning.notes import vocabulary

    both = Words("headings", vocabulary.HEADING_KINDS), Words("markers", vocabulary.MARKER_KINDS)
    for language in LANGUAGES:
        if not (FOLDER / f"{language}.toml").exists():
            continue
        tables = tomllib.loads((FOLDER / f"{language}.toml").read_text(encoding="utf-8"))
        for words in both:
            for kind, listed in tables[words.table].items():
                for word in listed:
                    words.add(language, kind, word)
    return both


def text() -> str:
    """The module as it should be."""
    from agentws.planning.notes import vocabulary

    rows = [HEAD]
    for words in read():
        rows.append(f"\n{words.table.upper()} = {{\n")
        for kind in words.kinds:
            found = [(word, how) for word, (one, how, _) in sorted(words.of.items()) if one == kind]
            rows.append(f'    "{kind}": (\n')
            rows += [f'        "{row}"\n' for row in _wrapped(vocabulary.encoded(iter(found)))]
            rows.append("    ),\n")
        rows.append("}\n")
    return "".join(rows)


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
        MODULE.write_text(f"{HEAD}\nHEADINGS: dict[str, str] = {{}}\nMARKERS: dict[str, str] = {{}}\n")
    wanted = text()
    if arguments == ["--check"]:
        sys.exit(0 if MODULE.read_text() == wanted else f"{MODULE} is not what tools/build_vocabulary.py makes.")
    MODULE.write_text(wanted)
    print(*(line for words in read() for line in words.left_out), sep="\n")


if __name__ == "__main__":
    main(sys.argv[1:])
