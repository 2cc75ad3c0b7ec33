"""Measures the cost of a session's start with a host: runs the installed command's boot, counts tokens and time."""

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
    """The cost of a session's start: `boot` and `block` of instructions, in tokens of `counter`; the boot's `parts`.

    `took_ms` is how long the slowest part took here, its process included; hosts run them side by side.
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
        """The cost in tokens of boot and block together."""
        return self.boot + self.block


def measure(start: Sequence[str], workspace: str, host: str) -> Cost:
    """Return the cost of a boot for `host`, run by the command `start`; OutsideProgramError if that fails."""
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
    """Add to the cost the tokens of agentws's block in the instruction files among `texts` (place, text)."""
    bodies = [block.body_of(text, host) for name, text in texts if name.endswith(_MARKDOWN)]
    if not any(bodies):
        return
    try:
        counter = counters.counter(cost.counter, vocabulary.open_o200k)
    except AgentwsError:
        return  # boot has reported already that the vocabulary is missing
    cost.block = sum(-(-counter.units(body) // counter.units_per_token) for body in bodies if body)


def most_chars(host: str) -> int:
    """Return how many characters each part of a boot for `host` may have, 0 if it gets a single text."""
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
