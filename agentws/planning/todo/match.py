"""Matches of a reference or a few words with open items, in any script."""

from __future__ import annotations

import unicodedata

from agentws.planning.notes import reference, similarity

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from agentws.planning.notes.entry import Entry
    from agentws.planning.todo.row import Row


_MOST_NEAR = 5
_WITH_ARTICLES = ("\u0590", "\u08ff")
"""The first and last character of scripts whose articles and prepositions are written to the word."""
_FEWEST_BEHIND = 3
_MOST_SHARING = 2
"""A word that more items have does not tell them apart: `the`."""
_FEWEST_CUT_SHORT = 4
"""A word with fewer letters is near to itself alone: `of` is not near to an office."""


def by_reference(given: str, rows: Sequence[Row]) -> list[Row]:
    """Return the rows with this reference: `t3fk`, `^t3fk`, with more characters where two are alike, or FILE:LINE."""
    name = given.removeprefix("^")
    if not name:
        return []
    exact = [row for row in rows if name == row.ref or any(is_called(entry, name) for entry in row.said)]
    if exact:
        return exact
    longer = [row for row in rows if len(name) >= reference.SHORTEST and row.ref.startswith(name)]
    return longer or [row for row in rows if row.path and given == f"{row.path}:{row.line}"]


def is_called(entry: Entry, name: str) -> bool:
    """Return whether an entry that says the item has this reference, in any number of characters."""
    return name == entry.ref or (len(name) > reference.SHORTEST and name == entry.longer_ref(len(name)))


def literally(given: str, rows: Sequence[Row]) -> list[Row]:
    """Return the rows that say all of these words, in any order, each perhaps as the beginning of a longer one.

    What says exactly this goes before what says it among other words; marks on letters count only where they decide.
    Where nothing begins so, a word of Arabic or Hebrew may be the end of one, behind its article.
    """
    wanted = similarity.words(given)
    if not wanted:
        return [row for row in rows if given.strip() and given.strip() in row.text]
    exact = [row for row in rows if similarity.words(row.text) == wanted]
    if exact:
        return exact
    return _all_of(given, rows, _folded) or _all_of(given, rows, _bare) or _all_of(given, rows, _bare, ending=True)


def nearest(given: str, rows: Sequence[Row]) -> list[Row]:
    """Return the rows that share most of these words, those with the rarest words first."""
    texts = [_bare(row.text) for row in rows]
    worth = [0.0] * len(rows)
    for word in _parts(_bare(given)):
        sharing = [at for at, text in enumerate(texts) if _is_near(word, text)]
        for at in sharing if sum(word in _parts(texts[at]) for at in sharing) <= _MOST_SHARING else ():
            worth[at] += 1 / len(sharing)
    best = sorted((at for at in range(len(rows)) if worth[at]), key=lambda at: -worth[at])
    return [rows[at] for at in best[:_MOST_NEAR]]


def _is_near(word: str, text: str) -> bool:
    is_whole = len(word) < _FEWEST_CUT_SHORT and word.isascii()
    return word in _parts(text) if is_whole else _is_in(word, text)


def _all_of(given: str, rows: Sequence[Row], fold: Callable[[str], str], *, ending: bool = False) -> list[Row]:
    wanted = _parts(fold(given))
    texts = [(row, fold(row.text)) for row in rows]
    return [row for row, text in texts if all(_is_in(word, text, ending=ending) for word in wanted)]


def _is_in(word: str, text: str, *, ending: bool = False) -> bool:
    """Return whether a word begins one of a text; where its script has no spaces, whether it stands in it at all."""
    if any(map(similarity.is_unspaced, word)):
        return word in text
    if ending and len(word) >= _FEWEST_BEHIND and _WITH_ARTICLES[0] <= word[0] <= _WITH_ARTICLES[1]:
        return any(part.endswith(word) for part in _parts(text))
    return any(part.startswith(word) for part in _parts(text))


def _parts(text: str) -> list[str]:
    return "".join(char if _is_letter(char) else " " for char in text).split()


def _is_letter(char: str) -> bool:
    return char.isalnum() or unicodedata.category(char)[0] == "M"


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()


def _bare(text: str) -> str:
    """The text without the marks on its letters: `Müller` and `Muller` are the same to who types in a hurry."""
    plain = unicodedata.normalize("NFKD", text).casefold()
    return "".join(char for char in plain if unicodedata.category(char) != "Mn")
