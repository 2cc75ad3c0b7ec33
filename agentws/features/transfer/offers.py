"""The sources of import that have something of this project, for `start`."""

from __future__ import annotations

import os
from collections.abc import Mapping
from itertools import islice

from agentws.core.disk import locate
from agentws.features.transfer import sources
from agentws.features.transfer.plan import pages
from agentws.features.transfer.plan.items import Rest
from agentws.features.transfer.sources import reader

OFFERED = ("claude-code", "codex", "gemini", "qwen", "claude-mem")
"""The sources that keep what they have by project."""
_MOST_FILES = 500


def found(root: str, variables: Mapping[str, str]) -> list[str]:
    """Return the sources with sessions or memories of the project of the workspace at `root`, not yet imported."""
    place = sources.Place(variables, locate.project(root))
    return [
        name
        for name in OFFERED
        if not os.path.lexists(f"{root}/{pages.ids_path(name)}") and _has_any(sources.source(name), place)
    ]


def _has_any(source: sources.Source, place: sources.Place) -> bool:
    files = reader.Files([path for path in source.usual(place) if os.path.exists(path)], source.suffixes, besides="")
    files.found = files.found[-_MOST_FILES:]
    items = files.items(source.read, project=place.project, advanced=lambda _: None)
    return any(not isinstance(item, Rest) for item in islice(items, _MOST_FILES))
