"""Builds agentws/vocabulary/words.json from vocabulary/*.toml: the words of all languages, folded, by list.

    python tools/build_vocabulary.py            write it, and print which names of kinds were left out
    python tools/build_vocabulary.py --check    only say whether it is what it would be

A name that two languages use for different kinds is that of the language that stands first in LANGUAGES.
"""

from __future__ import annotations

import json
import sys
import tomllib
from pathlib import Path

from agentws.core.formats.documents import daily
from agentws.core.notes import vocabulary

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "vocabulary"
DATA = ROOT / "agentws" / "vocabulary" / "words.json"
LANGUAGES = ("en", "de", "es", "fr", "pt", "it", "zh", "ja", "ko", "ru", "ar", "hi")
KINDS = (*daily.KINDS, "rule", "waiting")
RESPELLED = {"de": str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue"})}
"""Letters that are written in another way where a keyboard has none of them."""


def build() -> tuple[str, list[str]]:
    """The file as it should be, and the names of kinds that were left out."""
    lists: dict[str, set[str]] = {name: set() for name in vocabulary.LISTS}
    kinds: dict[str, str] = {}
    days: dict[str, str] = {}
    left_out: list[str] = []
    for language in LANGUAGES:
        table = tomllib.loads((FOLDER / f"{language}.toml").read_text(encoding="utf-8"))
        names, day_names = table.pop("kinds"), table.pop("days")
        unknown_names = (names.keys() - set(KINDS)) | (day_names.keys() - set(vocabulary.DAY_NAMES))
        for unknown in [*(table.keys() - lists.keys()), *unknown_names]:
            sys.exit(f"vocabulary/{language}.toml: unknown list: {unknown}.")
        for name, words in table.items():
            lists[name].update(_folded(language, words))
        for kind, words in names.items():
            for word in _folded(language, words):
                if kinds.setdefault(word, kind) != kind:
                    left_out.append(f"{language} {kind} {word!r} means {kinds[word]}")
        for day, words in day_names.items():
            for word in _folded(language, words):
                if days.setdefault(word, day) != day:
                    sys.exit(f"vocabulary/{language}.toml: {word} means {days[word]} already.")
    of_kinds = {f"{vocabulary.KINDS}{kind}": [word for word in kinds if kinds[word] == kind] for kind in KINDS}
    of_days = {f"{vocabulary.DAYS}{day}": [word for word in days if days[word] == day] for day in vocabulary.DAY_NAMES}
    of_kinds |= of_days
    data = {**{name: sorted(words) for name, words in lists.items()}, **{k: sorted(v) for k, v in of_kinds.items()}}
    return json.dumps(data, ensure_ascii=False, indent=0) + "\n", left_out


def _folded(language: str, words: list[str]) -> list[str]:
    respelled = (word.translate(RESPELLED.get(language, {})) for word in words)
    return [vocabulary.spelled(word) for word in (*words, *respelled)]


def main(arguments: list[str]) -> None:
    """Write the file, or check it."""
    wanted, left_out = build()
    if arguments == ["--check"]:
        sys.exit(
            0 if DATA.read_text(encoding="utf-8") == wanted else f"{DATA} is not what tools/build_vocabulary.py makes."
        )
    DATA.write_text(wanted, encoding="utf-8")
    print(*left_out, sep="\n")


if __name__ == "__main__":
    main(sys.argv[1:])
