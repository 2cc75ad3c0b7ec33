"""The limits that a search was asked for, made a Filter; and its hits cut to a token budget."""

from __future__ import annotations

from agentws.core import several
from agentws.errors import UsageError
from agentws.features.search.filters import Filter
from agentws.features.search.plan import unit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from agentws.core.stores.stores import Stores
    from agentws.features.search.result import Found

_ALL = "all"


def among(
    stores: Stores,
    *,
    since: str | None,
    until: str | None,
    kinds: str | Sequence[str],
    tags: str | Sequence[str],
    task: str | None,
    rooms: str | Sequence[str],
    fits: Callable[[unit.Unit], bool] | None = None,
) -> Filter | None:
    """Return the Filter for the limits asked for, None for none. UsageError for an unknown room or an invalid time."""
    wanted = [room for message in several(rooms) for room in message.split(",") if room]
    if unknown := [room for room in wanted if room not in (*unit.ROOMS, _ALL)]:
        raise UsageError(f"Unknown --in: {unknown[0]!r}.", hint=f"Choose one of: {', '.join((*unit.ROOMS, _ALL))}.")
    filters = Filter(
        rooms=() if _ALL in wanted else wanted,
        kinds=[kind for message in several(kinds) for kind in message.split(",") if kind],
        tags=several(tags),
        task=task or "",
        since=_day(stores, since),
        until=_day(stores, until),
        fits=fits,
    )
    return filters or None


def _day(stores: Stores, message: str | None) -> str:
    if not message:
        return ""
    from agentws.core.disk import clock

    now = stores.clock.now()
    return clock.moment(message, now=now).astimezone(now.tzinfo).date().isoformat()


def fit(stores: Stores, result: Found, budget: int) -> None:
    """Cut a search's hits to the `budget` of tokens asked for; the best one is shortened if it alone is too long."""
    if budget < 1:
        raise UsageError(f"--budget must be at least 1, not {budget}.")
    from agentws.core.disk.system import vocabulary
    from agentws.core.tokens import counters

    name = stores.manifest.setting("boot.tokenizer")
    counter = counters.counter_or_bytes(name, vocabulary.open_o200k, result.notices)
    kept, left = [], budget
    for hit in result.hits:
        size = counters.tokens(counter, hit.text)
        if size <= left:
            kept.append(hit)
            left -= size
        elif not kept:
            hit.text = hit.snippet(_longest(hit.text, lambda text: counters.tokens(counter, text), budget))
            kept.append(hit)
            left = 0
    result.left_out = len(result.hits) - len(kept)
    result.hits = kept


def _longest(text: str, tokens: Callable[[str], int], budget: int) -> int:
    """Return about how many characters of a text fit in `budget` tokens."""
    most = len(text)
    while most > 1 and tokens(text[:most]) > budget:
        most = most * 3 // 4
    return most
