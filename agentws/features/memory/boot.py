"""Memory in boot: memory/digest.md, and how many days of notes wait for the author of MEMORY.md."""

from __future__ import annotations

from agentws.core.formats import layout
from agentws.core.notes import request, sources
from agentws.errors import AgentwsError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.core.stores.boot_inputs import BootInputs

_CURATED = frozenset({"proposed.md", "sources.jsonl"})
"""If memory/ holds neither of these files, nothing waits for the author of MEMORY.md."""


def boot_sources(reading: BootInputs) -> None:
    """Add memory's parts to boot: the digest of archived logs, and a word on what waits for curation."""
    digest = reading.reader.document(layout.DIGEST)
    if digest is not None:
        reading.sources.append(sources.of_file(layout.DIGEST, request.DIGEST, digest))
    reading.waiting.append(lambda: _to_curate(reading))


def _to_curate(reading: BootInputs) -> str:
    """Return what waits for curation, in a few words; empty once the day has a log."""
    if reading.stores.shared is not None or reading.today in reading.logged or not _CURATED & {*reading.undated}:
        return ""
    if reading.stores.manifest.setting("curation.ask") == "never":
        return ""
    from agentws.features.memory.curate import curation

    try:
        pending = curation.what(reading.logged, answered=curation.read(reading.stores.files).day)
    except AgentwsError:
        return ""
    return f"{pending}: agentws curate" if pending else ""
