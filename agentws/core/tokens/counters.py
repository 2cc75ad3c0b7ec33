"""Token counters by name, exact or an upper bound for tokenizers that are not public (Claude's, Gemini's).

Budgets are kept exactly in the unit that a counter declares.
"""

from __future__ import annotations

from agentws.core.text.lazy import Pattern
from agentws.core.tokens.o200k import O200k, Remembered
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

    return Bound(name, exact, factor=FACTORS[name])


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
        """Counts that are new in this run."""
        self.known = known
        self._count = of.units
        self.totals: dict[str, int] = {}
        """Costs of texts of several lines."""

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
        *parts, last = _LINE_END.compiled.split(text)
        for lines in [*[f"{part}\n" for part in parts], last]:
            cost = known.get(lines)
            if cost is None:
                cost = known[lines] = self.learned[lines] = self._count(lines)
            total += cost
        return total


def tokens(counter: TokenCounter, text: str) -> int:
    """Count the tokens of `text`, rounded up."""
    return of_units(counter, counter.units(text))


def of_units(counter: TokenCounter, units: int) -> int:
    """Return the whole tokens in this many units of a counter."""
    return -(-units // counter.units_per_token)


def yardstick(counter: TokenCounter) -> int:
    """Count a hundred characters of English: the scale of a budget in a counter's unit."""
    return counter.units(_YARDSTICK)


FACTORS = {"claude": (3, 1), "gemini": (2, 1)}
"""Tokenizers that are bounded: name → factor, as numerator and denominator. See `Bound`."""


class Bound:
    """An upper bound for a tokenizer that is not public, computed from the pieces of o200k.

    A word in ASCII letters costs `factor` times its tokens in o200k, and never more than its bytes. Every other piece
    (digits, punctuation, white space, all other scripts) costs its bytes, for there we are unsure: Gemini spends a
    token on each digit, Claude 4.7 one on each six dashes. Counts add up where those of o200k do.

    **A declared bound is not proof.** What the factors rest on, in November 2026: 60 daily logs of real agents, and
    files of Python, JavaScript and JSON, whole (89), twelve lines at a time (314) and line by line (2,931); 28
    vocabularies of 15 scripts, where each word is one token of o200k; and 26 texts made to be hard.

    `claude`, 3: Anthropic counts by a service alone. We asked `ctok` 1.3, an unofficial reconstruction. Claude 3 to
    Opus 4.6 took 1.1 to 1.3 times the tokens of o200k in those files, Opus 4.7 and later 1.4 to 1.85 times. The bound
    held for every file and every twelve lines (at most 0.89 of it was used; for Markdown it is 1.45 times the truth).
    It was passed by 9 single lines (by up to 31 %), by English words drawn from o200k's own tokens (by 8 %), and by
    `aaaa…` (by 167 %: a token a letter).

    `gemini`, 2: Google's own libraries count for Gemini with Gemma's vocabulary. With one of 256,000 tokens, which a
    third party had repackaged, it held for every text, single lines included (for Markdown it is 1.75 times the truth);
    the vocabulary of Gemma 3 has 262,144 tokens, and was not measured.

    Bytes bound every tokenizer that works on bytes as they are. The reconstruction says that Claude composes characters
    first (NFC), so that a few rare ones, like U+0344 or U+1D160, can cost up to three times their bytes.
    """

    exact = False
    trust = "a declared bound"

    def __init__(self, name: str, over: O200k, *, factor: tuple[int, int]) -> None:
        self.name = name
        self.numerator, self.units_per_token = factor
        self._over = over
        self._costs = Remembered(self._cost)

    def units(self, text: str) -> int:
        """Return an upper bound of the tokens of `text`, in units."""
        return sum(map(self._costs.__getitem__, self._over.pieces(text)))

    def _cost(self, piece: str) -> int:
        size_bytes = len(piece.encode()) * self.units_per_token
        # Only a word ends with a letter.
        if piece.isascii() and piece[-1].isalpha():
            return min(self._over.units(piece) * self.numerator, size_bytes)
        return size_bytes
