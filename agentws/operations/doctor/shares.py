"""Findings about the usual files by what a boot could show of them."""

from __future__ import annotations

from agentws.errors import AgentwsError, DamagedError, MissingFileError
from agentws.formats.documents import document
from agentws.planning.boot import assemble, request, sources
from agentws.planning.doctor import documents as planned
from agentws.planning.tokens import counters
from agentws.storage.system import vocabulary

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from agentws.operations.doctor.report import Seen
    from agentws.planning.boot.request import Source
    from agentws.planning.doctor.finding import Finding
    from agentws.ports import TokenCounter
    from agentws.storage.workspace.stores import Stores


def findings(seen: Seen, texts: Mapping[str, bytes]) -> list[Finding]:
    """What a boot could show of these files, had it nothing else to show."""
    stores, today = seen.stores, seen.moment.date().isoformat()
    usual = [source for path, data in texts.items() if (source := _source(path, data)) is not None]
    if not usual:
        return []
    budget = max(stores.manifest.setting("boot.budget"), request.SMALLEST_BUDGET)
    asked = request.Request(
        name=stores.manifest.name, now="", sources=usual, budget=budget, counter=_counter(stores), today=today
    )
    return planned.shares(assemble.fit(asked), budget=budget)


def _source(path: str, data: bytes) -> Source | None:
    try:
        found = document.decode(data, where=path)
    except AgentwsError:
        return None  # what is wrong with it is a finding of its own
    return sources.of_file(path, sources.ROLES[path], found)


def _counter(stores: Stores) -> TokenCounter:
    try:
        return counters.counter(stores.manifest.setting("boot.tokenizer"), vocabulary.open_o200k)
    except (MissingFileError, DamagedError):
        return counters.Bytes()
