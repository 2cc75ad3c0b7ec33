"""Counting tokens. Budgets are kept exactly in whichever unit a counter declares."""

from __future__ import annotations

from agentws.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.ports import TokenCounter


class Bytes:
    """A hard bound for every tokenizer that works on bytes: no text has more tokens than UTF-8 bytes."""

    name = "bytes"
    exact = False
    is_bound = True
    units_per_token = 1

    def units(self, text: str) -> int:
        """Bytes of `text` in UTF-8."""
        return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


class Chars4:
    """Characters divided by four, rounded up: for comparing with figures that others publish. No bound."""

    name = "chars4"
    exact = False
    is_bound = False
    units_per_token = 4

    def units(self, text: str) -> int:
        """Characters of `text`."""
        return len(text)


_COUNTERS: dict[str, type[Bytes] | type[Chars4]] = {"bytes": Bytes, "chars4": Chars4}


def counter(name: str) -> TokenCounter:
    """The counter called `name`; UsageError lists the names there are."""
    if name not in _COUNTERS:
        raise UsageError(f"No tokenizer is called {name!r}.", hint=f"Choose one of: {', '.join(_COUNTERS)}.")
    return _COUNTERS[name]()


def tokens(counter: TokenCounter, text: str) -> int:
    """Tokens of `text`, rounded up."""
    return of_units(counter, counter.units(text))


def of_units(counter: TokenCounter, units: int) -> int:
    """Whole tokens that `units` make."""
    return -(-units // counter.units_per_token)


def trust(counter: TokenCounter) -> str:
    """In two words, what a count by this counter is worth."""
    if counter.exact:
        return "exact"
    return "a bound" if counter.is_bound else "an estimate"
