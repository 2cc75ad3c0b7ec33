"""Which open item words mean that say it in another form: `paid electricity` for "Pay the electricity bill". Pure.

No word is understood: it is told by how the words are written, one of them alone may be in another form, and whoever
closes an item is told which. Where several could be meant, they are listed and none is closed.
"""

from __future__ import annotations

from agentws.planning.notes import similarity

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_FEWEST_ALIKE = 3
_MOST_ALIKE = 0.6
"""How much of the shorter of two words they begin with alike, where it is the last word of an item."""
_FEWEST_SIGNS = 3
_SIGNS = 0.6
"""How much of what is given stands in an item, where words stand without spaces."""
_MARGIN = 0.25
"""How much more of it stands in that item than in the next one."""


def of(given: Sequence[str], texts: Sequence[Sequence[str]]) -> list[int]:
    """Return the indices of the items, as their words, that these words mean in another form."""
    signs = "".join(given)
    if signs and all(map(similarity.is_unspaced, signs)):
        return _by_signs(signs, ["".join(words) for words in texts])
    return [at for at, words in enumerate(texts) if words and _says(given, words)]


def _says(given: Sequence[str], words: Sequence[str]) -> bool:
    """Return whether all words but one stand in an item, and that one may be its first or last in another form.

    What is done is the first word of an item in most languages, and the last in some: "book the movers", "Umzugswagen
    buchen". In another form the first letter stays. Another word than it has to be there, and no number may be missing.
    """
    missing = [word for word in given if not any(one.startswith(word) for one in words)]
    if len(given) < 2 or len(missing) != 1 or not missing[0].isalpha():
        return False
    other = missing[0]
    found = [word for word in given if word != other]
    is_first = other[0] == words[0][0] and not _all_begin(found, words[0])
    is_last = _begin_alike(other, words[-1]) and not _all_begin(found, words[-1])
    return is_first or is_last


def _all_begin(given: Sequence[str], word: str) -> bool:
    return all(word.startswith(one) for one in given)


def _begin_alike(one: str, other: str) -> bool:
    alike = 0
    while alike < min(len(one), len(other)) and one[alike] == other[alike]:
        alike += 1
    return alike >= _FEWEST_ALIKE and alike >= _MOST_ALIKE * min(len(one), len(other))


def _by_signs(given: str, texts: Sequence[str]) -> list[int]:
    """The item in which most of the signs stand, where it is much more than in the next one."""
    if len(given) < _FEWEST_SIGNS:
        return []
    wanted = {*given}
    shares = sorted(((len(wanted.intersection(text)) / len(wanted), at) for at, text in enumerate(texts)), reverse=True)
    best, at = shares[0] if shares else (0.0, 0)
    following = shares[1][0] if len(shares) > 1 else 0.0
    if best < _SIGNS:
        return []
    return [at] if best - following >= _MARGIN else [one for share, one in shares if share >= _SIGNS]
