"""Look up the merge rule of a file among those that the features declare."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from agentws import features
from agentws.core.formats.travel import sync_path
from agentws.core.formats.travel.sync_path import Merge


def of(path: str) -> Merge | None:
    """Return the merge rule for a file, None if no feature declares one."""
    return sync_path.rule(path, _rules())


@cache
def _rules() -> Mapping[str, Merge]:
    return {pattern: Merge(way) for adds in features.FEATURES.values() for pattern, way in adds.merges.items()}
