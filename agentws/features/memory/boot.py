"""The digest of earlier days, and what waits for the author of MEMORY.md, as boot reads them."""

from __future__ import annotations

from agentws.core.formats import layout
from agentws.core.notes import request, sources
from agentws.errors import AgentwsError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.core.stores.boot_inputs import BootInputs

_CURATED = frozenset({"proposed.md", "sources.jsonl"})
"""Where neither of these is in memory/, nothing of MEMORY.md waits for its author."""


def boot_sources(reading: BootInputs) -> None:
    """Add the digest, and say what waits for the author of MEMORY.md."""
    digest = reading.reader.document(layout.DIGEST)
    if digest is not None:
        reading.sources.append(sources.of_file(layout.DIGEST, request.DIGEST, digest))
    reading.waiting.append(lambda: _to_curate(reading))


def _to_curate(reading: BootInputs) -> str:
    """What waits for the author, in a few words, until the day has its first line."""
    if reading.stores.shared is not None or reading.today in reading.logged or not _CURATED & {*reading.undated}:
        return ""
    if reading.stores.manifest.setting("curation.ask") == "never":
        return ""
    from agentws.features.memory.curate import curation

    try:
        found = curation.what(reading.logged, answered=curation.read(reading.stores.files).day)
    except AgentwsError:
        return ""
    return f"{found}: agentws curate" if found else ""
