"""The cost of a session: the boot of the installed command is run once, counted and timed."""

from __future__ import annotations

from agentws import features
from agentws.core.disk.inspect import programs
from agentws.core.disk.system import vocabulary
from agentws.core.formats.json import plainjson
from agentws.core.hosts import block, loading
from agentws.core.tokens import counters
from agentws.errors import AgentwsError, OutsideProgramError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

_MARKDOWN = ".md"


class Cost:
    """The cost of a session's start: the `boot` and our `block` of instructions in tokens of `counter`; its parts.

    `took_ms` is how long the slowest part took here, its process included; they are made side by side.
    """

    __slots__ = ("block", "boot", "budget", "counter", "parts", "took_ms", "trust")

    def __init__(self, first: dict[str, Any], took_ms: int) -> None:
        self.boot: int = first["tokens"]
        self.block = 0
        self.budget: int = first["budget"]
        self.counter: str = first["counter"]["name"]
        self.trust: str = first["counter"]["trust"]
        self.parts: int = first["parts"]
        self.took_ms = took_ms

    @property
    def tokens(self) -> int:
        """The sum of both, in tokens."""
        return self.boot + self.block


def measure(start: Sequence[str], workspace: str, host: str) -> Cost:
    """The cost of a boot for `host`, by the command itself, begun by `start`. OutsideProgramError where that fails."""
    words = [*start, "-C", workspace, "boot", "--json"]
    described = features.host(host)
    if features.HOSTS[host].has_hooks:
        words += ["--for", host]
    if not (described.in_parts or described.in_one):
        return Cost(*_run(words))
    cost = Cost(*_run([*words, "--part", "1"]))
    for part in range(2, cost.parts + 1):
        told, took_ms = _run([*words, "--part", str(part)])
        cost.boot += told["tokens"]
        cost.took_ms = max(cost.took_ms, took_ms)
    return cost


def count_blocks(cost: Cost, host: str, texts: Iterable[tuple[str, str]]) -> None:
    """Add what our block costs in the files of instructions among `texts` (place, text)."""
    bodies = [block.body_of(text, host) for name, text in texts if name.endswith(_MARKDOWN)]
    if not any(bodies):
        return
    try:
        counter = counters.counter(cost.counter, vocabulary.open_o200k)
    except AgentwsError:
        return  # boot has said already that its vocabulary is not to be had
    cost.block = sum(-(-counter.units(body) // counter.units_per_token) for body in bodies if body)


def most_chars(host: str) -> int:
    """Return how many characters each text for `host` may have, 0 where it is given one alone."""
    described = features.host(host)
    cap = described.cap if described.in_parts else None
    if cap is None:
        return 0
    return cap.most * (loading.BYTES_PER_TOKEN if cap.unit == loading.TOKENS else 1)


def _run(words: list[str]) -> tuple[dict[str, Any], int]:
    printed, took_ms = programs.try_run(words)
    try:
        told = plainjson.loads(printed)
        if told["schema"].startswith("agentws/boot@"):
            return told, took_ms
    except (ValueError, KeyError, TypeError, AttributeError):
        pass
    raise OutsideProgramError(
        f"{words[0]}: hooks cannot use this command: it does not print boot.",
        hint="Nothing was changed. Run `install` with the `agentws` that the agent should use.",
    )
