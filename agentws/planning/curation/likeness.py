"""Which lines say the same, and which speak of the same matter in other words: by words and names alone. Pure."""

from __future__ import annotations

from agentws.planning.notes import identifiers, similarity

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.planning.notes.entry import Entry

_NEARLY = 0.7
_HALF = 0.5
_FEWEST_COMMON = 3


class Line:
    """An entry for comparison: its `words`, what makes it another statement where it differs (`exact`), its `fact`."""

    __slots__ = ("_exact", "entry", "fact", "words")

    def __init__(self, entry: Entry) -> None:
        self.entry = entry
        self.words = frozenset(entry.words)
        self.fact = identifiers.fact(entry.body) if ":" in entry.body or "：" in entry.body else None
        self._exact: frozenset[str] | None = None

    @property
    def exact(self) -> frozenset[str]:
        """See the class."""
        if self._exact is None:
            self._exact = frozenset((*self.entry.identifiers, *identifiers.numbers(self.entry.body)))
        return self._exact


def is_said(one: Line, by: Line) -> bool:
    """Return whether `by` says it already: nearly all of its words, and everything exact."""
    common = len(one.words & by.words)
    return 0 < common >= _NEARLY * len(one.words) and one.exact <= by.exact | by.words


def is_same(one: Line, other: Line) -> bool:
    """Return whether two lines say the same: nearly the same words, where only one of them has words of its own."""
    shorter, longer = sorted((one.words, other.words), key=len)
    if len(shorter) < _NEARLY * len(longer) or not shorter <= longer:
        return False
    return one.exact <= other.exact or other.exact <= one.exact


def is_rival(one: Line, other: Line) -> bool:
    """Return whether two lines say something else of the same: of one name, of one file, or but for a few words."""
    if has_other_value(one, other):
        return _subject(one.entry) == _subject(other.entry)
    common = len(one.words & other.words)
    if common < _FEWEST_COMMON:
        return False
    if common >= _NEARLY * max(len(one.words), len(other.words)):
        return True
    is_half = common >= _HALF * min(len(one.words), len(other.words))
    return is_half and not set(one.entry.identifiers).isdisjoint(other.entry.identifiers)


def has_other_value(one: Line, other: Line) -> bool:
    """Return whether both are `name: value` with the same name and another value."""
    return bool(one.fact and other.fact and one.fact[0] == other.fact[0] and one.fact[1] != other.fact[1])


def _subject(entry: Entry) -> frozenset[str]:
    """The words of the innermost heading, without numbers; nothing for one that names the day of a log."""
    heading = entry.headings[-1] if entry.headings else ""
    if entry.day and entry.day in heading:
        return frozenset()
    return frozenset(word for word in similarity.words(heading) if not any(map(str.isdigit, word)))
