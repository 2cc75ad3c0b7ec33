"""A handoff made to fit a size, with as much of what is carried over as there is room for."""

from __future__ import annotations

from agentws.errors import DamagedError, MissingFileError, UsageError
from agentws.formats import handoff
from agentws.planning import handoff as _planning
from agentws.planning import tokens
from agentws.planning.carrying import MOST_LINES
from agentws.storage import vocabulary

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.formats.handoff import Sections
    from agentws.planning.carrying import Carried
    from agentws.ports import TokenCounter
    from agentws.storage.stores import Stores

SMALLEST = 40
"""Tokens. Below this not even what to do next fits."""
_MOST_CARRIED = (MOST_LINES, 10, 5, 2, 0)
"""So many lines of earlier handoffs are tried, where all is to fit a size: what is not taken over is counted."""


def fit(
    stores: Stores, found: Sections, carried: Carried | None, most: int | None, notices: list[str]
) -> tuple[Sections, int]:
    """The sections and what is `carried`, in at most so many tokens, and how many items were left out."""
    if most is None:
        return _with(found, carried, MOST_LINES), 0
    if most < SMALLEST:
        raise UsageError(f"Nothing can be handed over in {most} tokens.", hint=f"Give at least {SMALLEST}.")
    counter = _counter(stores, notices)
    for lines in _MOST_CARRIED:
        whole = _with(found, carried, lines)
        kept, left_out = _planning.bounded(whole, most, lambda text: tokens.tokens(counter, text))
        if kept.get(handoff.CARRIED) == whole.get(handoff.CARRIED):
            break
    if left_out:
        items = f"{left_out} item{'s' * (left_out > 1)}"
        notices.append(f"{items} left out to keep it within {most:,} tokens ({counter.name}).")
    return kept, left_out


def _with(found: Sections, carried: Carried | None, most: int) -> Sections:
    if carried is None:
        return handoff.merged(found)
    besides = {heading: handoff.listed(lines) for heading, lines in carried.besides(most).items()}
    return handoff.merged(found, {handoff.CARRIED: handoff.listed(carried.lines(most))}, besides)


def _counter(stores: Stores, notices: list[str]) -> TokenCounter:
    try:
        return tokens.counter(str(stores.manifest.setting("boot.tokenizer")), vocabulary.open_o200k)
    except (MissingFileError, DamagedError) as error:
        notices.append(f"{error.message.rstrip('.')}. Counted in bytes instead.")
        return tokens.Bytes()
