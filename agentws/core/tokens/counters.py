"""Token counters by name. Budgets are kept exactly in the unit that a counter declares."""

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
    """An upper bound for tokenizers that work on plain bytes: no text has more tokens than UTF-8 bytes."""

    name = "bytes"
    exact = False
    trust = "a bound"
    units_per_token = 1

    def units(self, text: str) -> int:
        """Count `text` in UTF-8 bytes: an upper bound of its tokens."""
        return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


class Chars4:
    """The counter of characters divided by four, rounded up: an estimate to compare with other figures, no bound."""

    name = "chars4"
    exact = False
    trust = "an estimate"
    units_per_token = 4

    def units(self, text: str) -> int:
        """Count the characters of `text`."""
        return len(text)


def counter(name: str, open_table: Callable[[], memoryview]) -> TokenCounter:
    """Return the counter called `name`; UsageError lists the known names.

    `open_table` loads the vocabulary of o200k_base for counters that need it, and may raise anything.
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
    """Return the counter called `name`, or that of bytes with a notice if its vocabulary is missing."""
    try:
        return counter(name, open_table)
    except (MissingFileError, DamagedError) as error:
        notices.append(f"{error.message.rstrip('.')}. Counting bytes instead.")
        return Bytes()


class Remembering:
    """The counter `of` with a cache of longer texts, since one boot counts the same ones repeatedly."""

    def __init__(self, of: TokenCounter) -> None:
        self.name = of.name
        self.exact = of.exact
        self.trust = of.trust
        self.units_per_token = of.units_per_token
        self._count = of.units
        self._known: dict[str, int] = {}

    def units(self, text: str) -> int:
        """Count the units of `text`, from the cache where possible."""
        if len(text) < _WORTH_REMEMBERING_CHARS:
            return self._count(text)
        if text not in self._known:
            self._known[text] = self._count(text)
        return self._known[text]


class ByLines:
    """The counter `of` with a cache of lines in `known`, since most lines are the same in the next boot.

    For counters that add up at lines beginning with neither white space nor `/`: all of NAMES. The rule is in
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
        """Count the units of `text`, its lines from the cache where possible."""
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
    """Count the tokens of `text`, rounded up."""
    return of_units(counter, counter.units(text))


def of_units(counter: TokenCounter, units: int) -> int:
    """Return the whole tokens in this many units of a counter."""
    return -(-units // counter.units_per_token)


def yardstick(counter: TokenCounter) -> int:
    """Count a hundred characters of English: the scale of a budget in a counter's unit."""
    return counter.units(_YARDSTICK)
