"""Counting tokens. Budgets are kept exactly in whichever unit a counter declares."""

from __future__ import annotations

from agentws.core.text.lazy import Pattern
from agentws.errors import DamagedError, MissingFileError, UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from agentws.core.ports import TokenCounter

    Measure = Callable[[str], int]
    """Units of a text, under the counter in use."""

NAMES = ("o200k_base", "claude", "gemini", "bytes", "chars4")
"""Every counter that there is; the first is the default."""

_WORTH_REMEMBERING_CHARS = 200
_SECTION = "\n## "
_LINE_END = Pattern(r"\n(?=[^/\s])")
_YARDSTICK = "The fox jumps over the lazy dog while Sam reads the log of 2026-11-20 and writes a note about it all.\n"


class Bytes:
    """A bound for every tokenizer that works on bytes as they are: no text has more tokens than UTF-8 bytes."""

    name = "bytes"
    exact = False
    trust = "a bound"
    units_per_token = 1

    def units(self, text: str) -> int:
        """Bytes of `text` in UTF-8."""
        return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


class Chars4:
    """Characters divided by four, rounded up: for comparing with figures that others publish. No bound."""

    name = "chars4"
    exact = False
    trust = "an estimate"
    units_per_token = 4

    def units(self, text: str) -> int:
        """Characters of `text`."""
        return len(text)


def counter(name: str, open_table: Callable[[], memoryview]) -> TokenCounter:
    """The counter called `name`; UsageError lists the names there are.

    `open_table` gives the vocabulary of o200k_base to those that need it, and may raise what it likes.
    """
    if name == "bytes":
        return Bytes()
    if name == "chars4":
        return Chars4()
    if name not in NAMES:
        raise UsageError(f"Unknown tokenizer: {name!r}.", hint=f"Choose one of: {', '.join(NAMES)}.")
    from agentws.core.tokens import o200k

    exact = o200k.O200k(open_table())
    if name == exact.name:
        return exact
    from agentws.core.tokens import bounds

    return bounds.Bound(name, exact, factor=bounds.FACTORS[name])


def counter_or_bytes(name: str, open_table: Callable[[], memoryview], notices: list[str]) -> TokenCounter:
    """The counter called `name`; bytes, and a word about it in `notices`, where its vocabulary is not to be had."""
    try:
        return counter(name, open_table)
    except (MissingFileError, DamagedError) as error:
        notices.append(f"{error.message.rstrip('.')}. Counting bytes instead.")
        return Bytes()


class Remembering:
    """The counter `of`, which remembers what the longer texts cost: one boot asks for the same ones again and again."""

    def __init__(self, of: TokenCounter) -> None:
        self.name = of.name
        self.exact = of.exact
        self.trust = of.trust
        self.units_per_token = of.units_per_token
        self._count = of.units
        self._known: dict[str, int] = {}

    def units(self, text: str) -> int:
        """Units of `text`."""
        if len(text) < _WORTH_REMEMBERING_CHARS:
            return self._count(text)
        if text not in self._known:
            self._known[text] = self._count(text)
        return self._known[text]


class ByLines:
    """The counter `of`, which remembers in `known` what lines cost: from one boot to the next, most are the same.

    For counters that add up where a line begins with neither white space nor `/`: for all of NAMES. The law stands in
    core/tokens/o200k.py.
    """

    def __init__(self, of: TokenCounter, known: dict[str, int]) -> None:
        self.name = of.name
        self.exact = of.exact
        self.trust = of.trust
        self.units_per_token = of.units_per_token
        self.learned: dict[str, int] = {}
        """What was not known before."""
        self.known = known
        self._count = of.units
        self.totals: dict[str, int] = {}
        """What texts of several lines cost."""

    def units(self, text: str) -> int:
        """Units of `text`; one line is known mostly, and those of longer texts are asked for again and again."""
        total = self.known.get(text)
        if total is None:
            total = self.totals.get(text)
        if total is None:
            head, *sections = text.split(_SECTION)
            if sections:  # most of them were counted before, each for itself
                parts = [f"{head}\n", *(f"## {part}\n" for part in sections[:-1]), f"## {sections[-1]}"]
                total = sum(map(self.units, parts))
            else:
                total = self._total(text)
            self.totals[text] = total
        return total

    def _total(self, text: str) -> int:
        known, total = self.known, 0
        for lines in _additive(text):
            cost = known.get(lines)
            if cost is None:
                cost = known[lines] = self.learned[lines] = self._count(lines)
            total += cost
        return total


def _additive(text: str) -> list[str]:
    """The parts of `text` whose counts add up: single lines mostly, with the empty and indented ones that follow."""
    *parts, last = _LINE_END.compiled.split(text)
    return [*[f"{part}\n" for part in parts], last]


def tokens(counter: TokenCounter, text: str) -> int:
    """Tokens of `text`, rounded up."""
    return of_units(counter, counter.units(text))


def of_units(counter: TokenCounter, units: int) -> int:
    """Whole tokens that `units` make."""
    return -(-units // counter.units_per_token)


def yardstick(counter: TokenCounter) -> int:
    """Return the units that a hundred characters of English cost: the scale of a budget in any unit."""
    return counter.units(_YARDSTICK)
