"""Entries that speak of the same thing: by what they name, or by nearly the same text. Pure.

Words may be added, and none exchanged: "Call Tom about the roof" is not "Call Tim about the roof".
"""

from __future__ import annotations

from agentws.planning.notes import identifiers, similarity

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from agentws.planning.notes.entry import Entry

NO, NAMED, SAID = 0, 1, 2
"""How two entries are joined: not, by an identifier that they name, by what they say."""
_NEARLY = 0.8
_FEWEST_WORDS = 2
_FEWEST_COMMON = 2
"""Words that two entries share besides an identifier that both name somewhere."""
_FIRST_WORDS = 3
_REMARKS = (" (", "（", " — ", " – ", " → ", " -> ")
"""What a remark behind a statement begins with: "Book the movers (no answer yet)"."""
_STRIKE = "~~"


class Statement:
    """An entry prepared for comparison. What only few comparisons need is read when it is first asked for.

    Fields:
        words: all of its words, in order.
        head: those before a remark; of a struck line those that are struck.
        names: its identifiers; `name` is the ticket that it begins with, or empty.
        exact: what no other statement may differ in, of all of it; `exact_head` of the head alone.
    """

    __slots__ = ("_body", "_entry", "_exact", "_exact_head", "_text", "head", "words")

    def __init__(self, entry: Entry) -> None:
        self._entry = entry
        self._body = self._text = entry.body
        self.words = self.head = entry.words
        text = _struck(entry.first) or _before_a_remark(self._body)
        if text is not self._body:
            head = similarity.words(text)
            if len(head) >= _FEWEST_WORDS:
                self.head, self._text = head, text
        self._exact: frozenset[str] | None = None
        self._exact_head: frozenset[str] | None = None

    @property
    def fewest(self) -> int:
        """So many of its words another one has at least that says the same."""
        return int(_NEARLY * len(self.head))

    @property
    def names(self) -> tuple[str, ...]:
        """See the class."""
        return self._entry.identifiers

    @property
    def name(self) -> str:
        """See the class."""
        return _first_name(self._body, self.names) if self.names else ""

    @property
    def exact(self) -> frozenset[str]:
        """See the class."""
        if self._exact is None:
            self._exact = frozenset((*self.names, *identifiers.numbers(self._body)))
        return self._exact

    @property
    def exact_head(self) -> frozenset[str]:
        """See the class."""
        if self.head is self.words:
            return self.exact
        if self._exact_head is None:
            self._exact_head = identifiers.exact(self._text)
        return self._exact_head


def closes(over: Statement, open_: Statement) -> int:
    """Return how an entry that is over closes an open one: NO, NAMED or SAID.

    It says at its beginning what the other one says before a remark, or nearly the same; or both begin with the same
    ticket; or it begins with the one that the other names, and shares more words with it. A file or an address is no
    ticket: many things are to be done with one.
    """
    size = len(open_.head)
    begins = size >= _FEWEST_WORDS and {*over.words[:size]} == {*open_.head}
    if begins and open_.exact_head <= over.exact:
        return SAID
    if _is_near(over.head, open_.head) and open_.exact_head <= over.exact and over.exact_head <= open_.exact:
        return SAID
    name = over.name if open_.names else ""
    if not name or name not in open_.names:
        return NO
    if open_.name == name:
        return NAMED
    common = {*over.words}.intersection(open_.words).difference(similarity.words(name))
    return NAMED if {*open_.names} <= {*over.names} and len(common) >= _FEWEST_COMMON else NO


def is_same(statement: Statement, other: Statement) -> bool:
    """Return whether two open entries are one item: they say nearly the same, but for remarks."""
    return _is_near(statement.head, other.head) and statement.exact_head == other.exact_head


def _is_near(some: Sequence[str], others: Sequence[str]) -> bool:
    """Return whether all words of one text stand in the other, which has few more."""
    if some == others:
        return bool(some)
    shorter, longer = (some, others) if len(some) < len(others) else (others, some)
    if len(shorter) < _FEWEST_WORDS or len(shorter) < _NEARLY * len(longer):
        return False
    return shorter[-1] in longer and {*shorter} <= {*longer}  # mostly that one word tells


def _struck(line: str) -> str:
    """What is struck in a line, empty where nothing is."""
    return " ".join(line.split(_STRIKE)[1::2]) if line.count(_STRIKE) > 1 else ""


def _before_a_remark(text: str) -> str:
    ends = [at for remark in _REMARKS if (at := text.find(remark)) > 0]
    return text[: min(ends)] if ends else text


def _first_name(text: str, names: Sequence[str]) -> str:
    """The ticket among the first words of a text: `#64`, `PR #64`, `Review: PR #64`."""
    for word in text.split(None, _FIRST_WORDS)[:_FIRST_WORDS]:
        for name in identifiers.of(word):
            if name in names and identifiers.is_ticket(name):
                return name
    return ""
