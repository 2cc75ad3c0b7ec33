"""Look up the merge rule of a file among those that the features declare."""

from __future__ import annotations

from functools import cache

from agentws import features
from agentws.core.formats.travel import sync_path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from agentws.core.formats.travel.sync_path import Merge


def of(path: str) -> Merge | None:
    """Return the merge rule for a file, None if no feature declares one; loads the features' rules at first use."""
    return sync_path.rule(path, _rules())


@cache
def _rules() -> Mapping[str, Merge]:
    return {pattern: rule for hook in features.each("merge_rules") for pattern, rule in hook().items()}
