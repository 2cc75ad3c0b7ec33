"""Matches of a reference or a few words with open items, in any script."""

from __future__ import annotations

import unicodedata

from agentws.planning.notes import reference, similarity

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from agentws.planning.notes.entry import Entry
    from agentws.planning.todo.row import OpenItem


_MOST_NEAR = 5
_WITH_ARTICLES = ("\u0590", "\u08ff")
"""The first and last character of scripts whose articles and prepositions are written to the word."""
_FEWEST_BEHIND = 3
_FEWEST_SAYING, _MOST_SAYING = 2, 0.02
"""A word that more entries say, and more than this part of all, tells nothing: notes leave out what sentences need."""
_FEWEST_CUT_SHORT = 4
"""A word with fewer letters is near to itself alone: `of` is not near to an office."""


def by_reference(given: str, rows: Sequence[OpenItem]) -> list[OpenItem]:
    """Return the rows with this reference: `t3fk`, `^t3fk`, with more characters where two are alike, or FILE:LINE."""
    name = given.removeprefix("^")
    if not name:
        return []
    exact = [row for row in rows if name in (row.ref, row.written) or any(is_called(one, name) for one in row.said)]
    if exact:
        return exact
    longer = [row for row in rows if len(name) >= reference.SHORTEST and row.ref.startswith(name)]
    return longer or [row for row in rows if row.path and given == f"{row.path}:{row.line}"]


def is_called(entry: Entry, name: str) -> bool:
    """Return whether an entry that says the item has this reference, in any number of characters."""
    return name == entry.ref or (len(name) > reference.SHORTEST and name == entry.longer_ref(len(name)))


def by_words(given: str, rows: Sequence[OpenItem]) -> list[OpenItem]:
    """Return the rows that say these words; where none does, those with one of them in another form: `paid rent`."""
    forms = [_parts(_bare(row.text)) for row in rows]
    return literally(given, rows) or [rows[at] for at in _likely(_parts(_bare(given)), forms)]


def literally(given: str, rows: Sequence[OpenItem]) -> list[OpenItem]:
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


def nearest(given: str, rows: Sequence[OpenItem], notes: Iterable[Iterable[str]] = ()) -> list[OpenItem]:
    """Return the rows that share most with these words, the rarest words first; none that shares nothing telling.

    `notes` are the words of entries: what many of them say tells nothing, in any language.
    """
    wanted = _parts(_bare(given))
    texts = [_bare(row.text) for row in rows]
    said = [{*map(_bare, words)} for words in notes] or [{*_parts(text)} for text in texts]
    most = max(_FEWEST_SAYING, len(said) * _MOST_SAYING)
    worth = [0.0] * len(rows)
    for word in wanted:
        if sum(word in words for words in said) > most:
            continue
        sharing = [at for at, text in enumerate(texts) if _is_near(word, text)]
        for at in sharing:
            worth[at] += 1 / len(sharing)
    best = sorted((at for at in range(len(rows)) if worth[at]), key=lambda at: -worth[at])
    return [rows[at] for at in best[:_MOST_NEAR]]


def _is_near(word: str, text: str) -> bool:
    is_whole = len(word) < _FEWEST_CUT_SHORT and word.isascii()
    return word in _parts(text) if is_whole else _is_in(word, text)


def _all_of(
    given: str, rows: Sequence[OpenItem], fold: Callable[[str], str], *, ending: bool = False
) -> list[OpenItem]:
    wanted = _parts(fold(given))
    found = []
    for row in rows:
        text = fold(row.text)
        if all(_is_in(word, text, ending=ending) for word in wanted):
            found.append(row)
    return found


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


_NO, _RIVAL, _LOOSE, _CLOSE = 0, 1, 2, 3
"""How an item fits: not, by a first letter, by the letters of a word, by how it begins."""
_FEWEST_ALIKE = 3
_MOST_ALIKE = 0.6
_LEAST_ALIKE = 0.5
"""How much of the shorter of two words they begin with alike: nearly the same, or perhaps."""
_FEWEST_IN_COMMON = 2
"""Letters that two words with the same consonants have in common: buy, bought; not buy, boiled."""
_VOWELS = "aeiouy"
_FEWEST_CUT_SHORT_LIKELY = 5
"""A word with fewer letters names a longer one only in what is no guess: Tom is not Tomoko."""
_FEWEST_SIGNS = 3
"""So many of them stand before an ending of another form, where that is no kana."""
_SIGNS = 0.6
"""How much of what is given stands in an item, where words stand without spaces."""
_MARGIN = 0.25
"""How much more of it stands in that item than in the next one."""
_HIRAGANA = ("\u3040", "\u309f")


def _likely(given: Sequence[str], texts: Sequence[Sequence[str]]) -> list[int]:
    """Return the indices of the items, as their words, that these words mean in another form."""
    signs = "".join(given)
    if signs and all(map(similarity.is_unspaced, signs)):
        return _by_signs(signs, ["".join(words) for words in texts])
    fits = [_fit(given, words) if words else _NO for words in texts]
    best = max(fits, default=_NO)
    if best < _LOOSE:
        return []
    least = _LOOSE if best == _CLOSE else _RIVAL
    return [at for at, fit in enumerate(fits) if fit >= least]


def _fit(given: Sequence[str], words: Sequence[str]) -> int:
    """How all words but one stand in an item, and that one is its first or last in another form.

    What is done is the first word of an item in most languages, and the last in some: "book the movers", "Umzugswagen
    buchen". Another word than it has to be there, as a whole, and no number may be missing.
    """
    missing = [word for word in given if not any(one.startswith(word) for one in words)]
    if len(given) < 2 or len(missing) != 1 or not missing[0].isalpha():
        return _NO
    other = missing[0]
    found = [word for word in given if word != other]
    first, last = (None if all(map(word.startswith, found)) else word for word in (words[0], words[-1]))
    if not all(_is_whole(word, words) for word in found):
        return _RIVAL if first and other[0] == first[0] else _NO
    if (first and _begin_alike(other, first)) or (last and _begin_alike(other, last)):
        return _CLOSE
    if not first or other[0] != first[0]:
        return _NO
    return _LOOSE if _sound_alike(other, first) else _RIVAL


def _is_whole(word: str, words: Sequence[str]) -> bool:
    return word in words or len(word) >= _FEWEST_CUT_SHORT_LIKELY


def _begin_alike(one: str, other: str) -> bool:
    return _common_start(one, other) >= max(_FEWEST_ALIKE, _MOST_ALIKE * min(len(one), len(other)))


def _sound_alike(one: str, other: str) -> bool:
    """Return whether half of two words is alike, or their consonants are: купить, куплены; tell, told."""
    if _common_start(one, other) >= max(_FEWEST_ALIKE, _LEAST_ALIKE * min(len(one), len(other))):
        return True
    ours, theirs = _consonants(one), _consonants(other)
    shorter = min(len(ours), len(theirs))
    if not shorter or not (one + other).isascii() or _in_common(one, other) < _FEWEST_IN_COMMON:
        return False
    is_start = _common_start(ours, theirs) >= max(_FEWEST_ALIKE, _MOST_ALIKE * shorter)
    return is_start or _in_common(ours, theirs) == shorter


def _consonants(word: str) -> str:
    found = ""
    for char in word:
        if char not in _VOWELS and char != found[-1:]:
            found += char
    return found


def _common_start(one: str, other: str) -> int:
    at = 0
    while at < min(len(one), len(other)) and one[at] == other[at]:
        at += 1
    return at


def _in_common(one: str, other: str) -> int:
    """How many letters of the longer word stand in the shorter one in the same order."""
    shorter, longer = (one, other) if len(one) < len(other) else (other, one)
    count = at = 0
    for char in shorter:
        found = longer.find(char, at)
        if found >= 0:
            count, at = count + 1, found + 1
    return count


def _by_signs(given: str, texts: Sequence[str]) -> list[int]:
    """The item in which all of the signs stand, or all but its ending and much more than in the next one."""
    shares = sorted(((_share(given, text), at) for at, text in enumerate(texts)), reverse=True)
    near = [at for share, at in shares if share >= _SIGNS]
    whole = [at for share, at in shares if share == 1]
    if whole or not near:
        return whole
    if len(near) > 1 and shares[0][0] - shares[1][0] < _MARGIN:
        return near
    return near[:1] if _lacks_an_ending(given, texts[near[0]]) else []


def _share(given: str, text: str) -> float:
    """How much of the signs stand in a text; none where no two of them stand side by side."""
    if not any(given[at : at + 2] in text for at in range(len(given) - 1)):
        return 0.0
    return len({*given}.intersection(text)) / len({*given})


def _lacks_an_ending(given: str, text: str) -> bool:
    """Return whether only the ending differs: kana, or one sign that does not stand in the place of another one.

    A sign elsewhere may be a name: 王先生 is not 汪先生, and 给小王 not 给小李.
    """
    stem = given
    while stem and _HIRAGANA[0] <= stem[-1] <= _HIRAGANA[1]:
        stem = stem[:-1]
    if stem != given and {*stem} <= {*text}:
        return True
    kept = given[:-1]
    if len(kept) < _FEWEST_SIGNS or not {*kept} <= {*text}:
        return False
    return kept[-2:] not in text or text.endswith(kept[-2:])
