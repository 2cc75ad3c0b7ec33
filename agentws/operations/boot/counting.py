"""The counter of one boot, which knows what the lines of earlier boots cost."""

from __future__ import annotations

from agentws.errors import DamagedError, MissingFileError
from agentws.planning import tokens
from agentws.storage import vocabulary

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.ports import TokenCounter
    from agentws.storage.cache import Cache

_CHEAP = ("bytes", "chars4")
_MOST_CHARS = 1 << 18


def opened(name: str, odd: list[str], cache: Cache) -> TokenCounter:
    """The counter called `name`; bytes, and a word about it in `odd`, where the vocabulary is not to be had."""
    try:
        found = tokens.counter(name, vocabulary.open_o200k)
    except (MissingFileError, DamagedError) as error:
        odd.append(f"{error.message.rstrip('.')}. Counted in bytes instead.")
        return tokens.Bytes()
    return found if found.name in _CHEAP else tokens.ByLines(found, cache.get(_entry(name)) or {})


def keep(counter: TokenCounter, cache: Cache) -> None:
    """Remember what `counter` has learned, where that is worth the writing."""
    if not isinstance(counter, tokens.ByLines) or len(counter.learned) * 16 < len(counter.known):
        return
    from agentws.planning import o200k

    whole = sum(map(len, counter.known)) <= _MOST_CHARS
    costs = counter.known if whole else counter.learned
    cache.put(_entry(counter.name), costs, made_by=[tokens.__file__, o200k.__file__, vocabulary.PATH])


def _entry(name: str) -> str:
    return f"costs-{name}"
