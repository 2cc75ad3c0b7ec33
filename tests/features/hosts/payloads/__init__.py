"""What each host says to its hooks, as it was captured or as its own documents have it; the ids are made up."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from agentws import features

HOSTS = tuple(features.with_hooks())


def of(host: str) -> dict[str, dict[str, Any]]:
    """Each event of the host with what it says."""
    found: dict[str, dict[str, Any]] = json.loads((Path(__file__).parent / f"{host}.json").read_text(encoding="utf-8"))
    return found


def pairs() -> list[tuple[str, str]]:
    """Each event of each host."""
    return [(host, event) for host in HOSTS for event in of(host)]
